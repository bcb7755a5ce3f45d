import { DomainError, notFound } from '../../../commands/errors.ts'
import type { KindDefinition } from '../../../kinds/defineKind.ts'
import { buildFqn, idsNamed, isUuid, splitFqn } from '../../../kinds/names.ts'
import type { EntityRow } from '../../../projections/entities/row.ts'
import type { Api } from '../../deps.ts'
import type { ApiRequest } from '../../http/route.ts'
import { catchUp } from './catchUp.ts'
import { nameIn, noSuch } from './named.ts'
import { mustOwn } from './owners.ts'
import type { Include } from './queryValues.ts'

const isIncluded = (status: EntityRow['status'], include: Include): boolean =>
  include === 'all' ? status !== 'gone' : status === (include === 'deleted' ? 'deleted' : 'live')

/** The row that `{id}` or `{fqn}` names, whatever its status; `gone` ones only by id. */
export const findRow = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
): Promise<EntityRow | undefined> => {
  const { id, fqn } = request.params
  if (id !== undefined) {
    if (!isUuid(id)) return undefined
    const row = await api.readModels.get(id.toLowerCase())
    return row?.kind === definition.name ? row : undefined
  }
  const parts = splitFqn(fqn as string)
  const found = parts && (await findNamed(api, definition, request, buildFqn(parts)))
  if (found !== undefined || definition.parents.length > 0) return found
  return api.readModels.getByFqn(definition.name, buildFqn([fqn as string]))
}

/** @throws DomainError `conflict` where several have the name, as logs of earlier versions let them: none is picked */
const findNamed = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  fqn: string,
): Promise<EntityRow | undefined> => {
  const { name, behaviour } = definition
  if (behaviour.identity !== 'parent') return api.readModels.getByFqn(name, fqn)
  const found = await api.readModels.getMany(idsNamed(definition, fqn))
  const rows = [...found.values()].filter((row) => row.fullyQualifiedName === fqn && row.status !== 'gone')
  if (rows.length < 2) return rows[0]
  for (const row of rows) await mustOwn(api, request, row)
  const ids = rows.map(({ id }) => id).join(', ')
  throw new DomainError('conflict', `Several entities of ${name} are named ${fqn}: ask by id (${ids}).`)
}

/** The row that the path names and `include` lets be seen. @throws DomainError `not_found` */
export const mustFindRow = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  include: Include,
): Promise<EntityRow> => {
  await catchUp(api, request)
  const row = await findRow(api, definition, request)
  if (row === undefined || row.status === 'gone') throw noSuch(definition.name, request)
  await mustOwn(api, request, row)
  if (isIncluded(row.status, include)) return row
  const hint = row.status === 'deleted' ? ' It is soft-deleted: add ?include=deleted to see it.' : ''
  throw notFound(`There is no ${definition.name} ${nameIn(request)}.${hint}`)
}
