import { queryParameter, ok, jsonAnswer, type Answer, type ApiRequest, type Parameter } from '../http/route.ts'
import { z } from 'zod'
import { notFound } from '../../commands/errors.ts'
import { incarnationOf } from '../../events/events.ts'
import type { JsonObject } from '../../shared/json.ts'
import { contractedKinds, kindNamed } from '../../kinds/registry/kinds.ts'
import { entityId, isUuid } from '../../kinds/names.ts'
import { entitySchema } from '../../kinds/request/openApiSchemas.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import type { CatalogRequest, KindRequest, KindRoute } from '../deps.ts'
import { referenceOf } from '../entities/answers/masking.ts'
import { fieldsParameter, readFields } from '../entities/answers/shape.ts'
import { asOfMoment, kindRoute } from '../entities/parameters.ts'
import { readPosition, currentFilter, hasEnded } from '../entities/reads/moment.ts'
import { catalogAt, type PointInTime } from '../entities/answers/pointInTime.ts'
import { missing, mustFindRow } from '../entities/reads/addressed.ts'
import { entityFor } from '../entities/answers/present.ts'

export const targetParameters: Parameter[] = [
  queryParameter('entityId', 'UUID of the asset', z.string().meta({ format: 'uuid' }), true),
  queryParameter('entityType', 'Its kind, e.g. table', z.enum(contractedKinds), true),
]

/** Members that an asset's contract inherits from the contract of its data product. */
const inheritable = ['termsOfUse', 'security', 'sla', 'semantics']

const ownMembers = ['schema', 'qualityExpectations', 'qualityRules', 'owners', 'reviewers', 'latestResult', 'odcs']

export const contractRoutes = (definition: KindDefinition): KindRoute[] => [
  kindRoute(definition, 'view', 'get /entity', 'effective_contract', {
    summary: 'The contract in force for an asset, with what it inherits from its data product',
    parameters: [...targetParameters, fieldsParameter(definition), asOfMoment],
    answers: ok('The contract', entitySchema(definition)),
    handle: effectiveContract,
  }),
]

const readTarget = ({ query }: ApiRequest): { id: string; type: string } => {
  const [id, type] = [query.get('entityId'), query.get('entityType')] as [string, string]
  return { id: id.toLowerCase(), type }
}

/** The row of the asset in the query. @throws DomainError `not_found` */
export const targetRow = async (request: CatalogRequest): Promise<EntityRow> => {
  const { id, type } = readTarget(request)
  const permission = request.access.must('view', type)
  return mustFindRow({ ...request, definition: kindNamed(type), params: { id }, permission }, 'non-deleted')
}

/** Whether the caller may see what there is, or was at a point in time. */
const maySee = async (
  request: CatalogRequest,
  row: EntityRow,
  permission: ApiRequest['permission'],
): Promise<boolean> => {
  const { access } = request
  if (!request.query.has('asOf')) return access.holds(permission, row)
  const { exists, owners } = await currentFilter({ ...request, permission, definition: kindNamed(row.kind) })
  const now = await request.api.readModels.get(row.id)
  if (exists && hasEnded(row, now)) return false
  if (owners === undefined) return true
  return (await access.holds('ifOwner', now)) && access.holds('ifOwner', row)
}

const liveRow = async (at: PointInTime, kind: string, id: string): Promise<EntityRow | undefined> => {
  const row = await at.get(id)
  return row?.kind === kind && row.status === 'live' ? row : undefined
}

/** Largest number of data products to search, including deleted ones. */
const maxProducts = 1000

/** The inherited contract: of the asset's only data product, if that contract is Active. */
const productContract = async (
  at: PointInTime,
  asset: EntityRow,
  contractOf: (ownerId: string) => Promise<EntityRow | undefined>,
): Promise<EntityRow | undefined> => {
  const products = await at.relatedTo([incarnationOf(asset)], 'assets', maxProducts)
  const [only, ...others] = products.filter(({ row }) => row.status === 'live')
  const contract = only === undefined || others.length > 0 ? undefined : await contractOf(only.row.id)
  return contract?.entityStatus === 'Active' ? contract : undefined
}

const effectiveContract = async (request: KindRequest): Promise<Answer> => {
  const { api, definition } = request
  const { id, type } = readTarget(request)
  const permission = request.access.must('view', type)
  const position = await readPosition(request)
  const at = catalogAt(api, position === undefined ? undefined : { position })
  const asset = isUuid(id) ? await liveRow(at, type, id) : undefined
  if (asset === undefined || !(await maySee(request, asset, permission))) throw missing(type, request)
  const shown = readFields(request.query, definition, 'get')
  const contractOf = (ownerId: string) => liveRow(at, definition.name, entityId(definition.name, ownerId))
  const own = await contractOf(asset.id)
  const parentContract = await productContract(at, asset, contractOf)
  const row = own ?? parentContract
  if (row === undefined || !(await maySee(request, row, request.permission)))
    throw notFound(`${asset.kind} ${asset.fullyQualifiedName} has no contract, and inherits none.`)
  const inherited =
    parentContract !== undefined && (await maySee(request, parentContract, request.permission))
      ? parentContract
      : undefined
  const members = async (contract: EntityRow | undefined): Promise<JsonObject> =>
    contract === undefined ? {} : entityFor(request, contract, { shown, at })
  const theirs = await members(inherited)
  const body =
    own === undefined
      ? { ...picked(theirs, (name) => !ownMembers.includes(name)), entity: referenceOf(asset), inherited: true }
      : { ...picked(theirs, (name) => inheritable.includes(name)), ...(await members(own)), inherited: false }
  // No ETag: over time one address shows different contracts with equal revisions.
  return jsonAnswer(body)
}

const picked = (members: JsonObject, isWanted: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => isWanted(name)))
