import { referencesIn, type Entity } from '../../commands/evolve.ts'
import { filterReferences, referredIds } from '../../commands/lookup.ts'
import { incarnationKey, type Members, type Reference } from '../../events/events.ts'
import { splitFqn } from '../../kinds/names.ts'
import { contractKind, kindNamed } from '../../kinds/registry/kinds.ts'
import type { StoredOdcs } from '../../odcs/map/stored.ts'
import { type ContentType, EXPORT_FIELDS } from '../../odcs/model/types.ts'
import type { CurrentContract } from '../../odcs/write/exportDocument.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import { mask } from '../../shared/secrets/shownText.ts'
import type { Api, CatalogRequest, KindRequest } from '../deps.ts'
import { referencesByIncarnation } from '../entities/answers/present.ts'
import { hidesDocument, maskNames } from '../entities/answers/masking.ts'
import { mustFindRow, findAsOf } from '../entities/reads/addressed.ts'
import type { EntityAt } from '../entities/reads/moment.ts'
import { readParameter, someOf } from '../http/queryParameters.ts'
import { queryParameter, workRequestOf, type Answer } from '../http/route.ts'

/** The document that a contract was imported from. */
export const storedOf = (contract: Entity): StoredOdcs | undefined => contract.members['odcs'] as StoredOdcs | undefined

/** Fully qualified names, without those that are masked: nobody has that name. */
const fqnsIn = (members: Members, member: string): string[] =>
  referencesIn(members, member).flatMap(({ fullyQualifiedName: fqn }) => (fqn === mask ? [] : fqn))

/** A contract with references as names, for export. */
export const currentContract = (contract: Entity): CurrentContract => {
  const { members } = contract
  const names = (member: string) => fqnsIn(members, member).map((fqn) => splitFqn(fqn)?.join('.') ?? '')
  const [domain] = fqnsIn(members, 'domains')
  return {
    ...(members as CurrentContract),
    id: contract.id,
    name: contract.name,
    version: String(contract.version / 10),
    owners: names('owners'),
    reviewers: names('reviewers'),
    qualityExpectations: fqnsIn(members, 'qualityExpectations'),
    tags: fqnsIn(members, 'tags'),
    ...(domain !== undefined && { domain }),
  }
}

/** The parts that an export writes. */
export const exportFields = queryParameter(
  'fields',
  `Parts to write; default: ${EXPORT_FIELDS.join(',')}`,
  someOf(EXPORT_FIELDS).transform((names) => (names.length === 0 ? [...EXPORT_FIELDS] : names)),
)

/** The answer with the contract as a document. */
export const exportContract = async (contentType: ContentType, request: KindRequest): Promise<Answer> => {
  const fields = readParameter(request.query, exportFields) ?? [...EXPORT_FIELDS]
  const { sees } = request.access
  const { entity: contract, at } = await findContract(request)
  const members = maskNames(await withoutDangling(request, contract.members, at), sees) as Members
  const input = {
    stored: hidesDocument(sees) ? undefined : storedOf(contract),
    contract: currentContract({ ...contract, members }),
    time: contract.updatedAt,
    entityName: await assetName(request.api, contract),
    fields,
  }
  const write = contentType === 'yaml' ? 'exportYaml' : 'exportJson'
  const body = await request.api.odcs.run(workRequestOf(request), write, input)
  return {
    status: 200,
    revision: contract.revision,
    body,
    ...(contentType === 'yaml' && { contentType: 'application/yaml; charset=utf-8' }),
  }
}

/** The addressed contract, now or as of a point in time. */
const findContract = async (request: KindRequest): Promise<EntityAt> => {
  const asOf = request.query.get('asOf')
  if (asOf !== undefined) return findAsOf(request, asOf, 'non-deleted')
  return { entity: fromRow(await mustFindRow(request, 'non-deleted'), request.definition), at: request.api.readModels }
}

/** The members without references to what was hard-deleted. */
const withoutDangling = async (request: CatalogRequest, members: Members, at: EntityAt['at']): Promise<Members> => {
  const definition = kindNamed(contractKind)
  const ids = referredIds(definition, members, Object.keys(members))
  const found = await referencesByIncarnation(ids, { at, sees: request.access.sees })
  const stands = (reference: Reference): boolean => found.has(incarnationKey(reference))
  const standing = Object.entries(members).flatMap(([name, value]) => {
    const kept = filterReferences(definition.fields[name], value, stands)
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return Object.fromEntries(standing)
}

const assetName = async (api: Api, { parent }: Entity): Promise<string | undefined> => {
  const asset = parent === undefined ? undefined : (await api.commands.lookup([parent])).get(parent)
  return asset?.name
}
