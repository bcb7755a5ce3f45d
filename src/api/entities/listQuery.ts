import { invalid } from '../../commands/errors.ts'
import { candidateIds } from '../../commands/context.ts'
import type { KindDefinition, Parent } from '../../kinds/defineKind.ts'
import { filterNames, isDirect, referenceFilters } from '../../kinds/filters.ts'
import { buildFqn, isUuid, splitFqn } from '../../kinds/names.ts'
import { presentLife } from '../../events/lives.ts'
import type { Edge, ReferenceRow } from '../../projections/entities/row.ts'
import type { ListQuery } from '../../projections/entities/port.ts'
import type { Api } from '../deps.ts'
import { readPage } from './paging.ts'
import { HttpError } from '../http/problemDetails.ts'
import { ownLives, readInclude } from './reading.ts'
import type { ApiRequest } from '../http/route.ts'

type Query = ReadonlyMap<string, string>

/** What a list's cursors belong to: its kind and everything that narrows it. */
export const listScope = (definition: KindDefinition, query: Query): string =>
  JSON.stringify([
    definition.name,
    query.get('include') ?? '',
    ...filterNames(definition).map((name) => query.get(name) ?? ''),
  ])

/**
 * Reads a list request.
 * @returns `undefined` when a filter names something that does not exist: nothing can match
 * @throws DomainError `invalid`
 */
export const readListQuery = async (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
): Promise<ListQuery | undefined> => {
  const { query } = request
  const include = readInclude(query)
  const page = readPage(query, listScope(definition, query), definition.maxLimit)
  const edges = await readEdges(api, definition, query)
  const parent = await readParent(api, definition, query)
  if (edges === undefined || parent === 'none') return undefined
  if (request.permission === 'ifOwner') await mustFilterOwn(api, request, edges)
  const entityStatus = query.get('entityStatus')
  return { kind: definition.name, include, scopes: readScopes(definition, query), parent, edges, entityStatus, ...page }
}

const readScopes = (definition: KindDefinition, query: Query): string[] => {
  const direct = definition.parents.filter((parent) => isDirect(definition, parent)).map((parent) => parent.field)
  const names = [...definition.parents.map((parent) => parent.field), ...definition.ancestors]
  return [...new Set(names)]
    .filter((name) => !direct.includes(name))
    .flatMap((name) => {
      const fqn = query.get(name)
      if (fqn === undefined) return []
      const parts = splitFqn(fqn)
      if (parts === undefined) throw invalid([{ path: `?${name}`, message: 'is no fully qualified name' }])
      return [buildFqn(parts)]
    })
}

/** Where a parent of the own kind may be missing, its filter also takes what stands above the outermost ones. */
const directlyAbove = (definition: KindDefinition, parent: Parent): readonly string[] =>
  parent.optional === true ? definition.parents.flatMap(({ kinds }) => kinds) : parent.kinds

const readParent = async (api: Api, definition: KindDefinition, query: Query): Promise<string | undefined | 'none'> => {
  for (const parent of definition.parents) {
    const value = query.get(parent.field)
    if (value === undefined || !isDirect(definition, parent)) continue
    return (await firstExisting(api, value, directlyAbove(definition, parent)))?.id ?? 'none'
  }
  return undefined
}

const readEdges = async (api: Api, definition: KindDefinition, query: Query): Promise<Edge[] | undefined> => {
  const edges: Edge[] = []
  for (const [filter, rel, field] of referenceFilters(definition)) {
    const value = query.get(filter)
    if (value === undefined) continue
    const target = await firstExisting(api, value, field.references?.kinds ?? [])
    if (target === undefined) return undefined
    edges.push({ rel, target: presentLife(target) })
  }
  return edges
}

/** What the text names: an FQN, or a UUID. */
export const firstExisting = async (
  api: Api,
  text: string,
  kinds: readonly string[],
): Promise<ReferenceRow | undefined> => {
  const input = isUuid(text) ? { id: text } : { fullyQualifiedName: text }
  const candidates = candidateIds(input, kinds, api.kindNamed)
  const rows = await api.readModels.getReferences(candidates)
  return candidates.flatMap((id) => rows.get(id) ?? []).find(({ status }) => status !== 'gone')
}

/** Whoever may see only what is his must ask for that. */
const mustFilterOwn = async (api: Api, request: ApiRequest, edges: readonly Edge[]): Promise<void> => {
  const own = await ownLives(api, request.actor.name)
  if (edges.some((edge) => edge.rel === 'owners' && own.includes(edge.target))) return
  throw new HttpError(
    'FORBIDDEN',
    `You may list only what you own: add ?owner=${encodeURIComponent(request.actor.name)}, or one of your teams.`,
  )
}
