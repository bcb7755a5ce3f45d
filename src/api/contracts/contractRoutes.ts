import { z } from 'zod'
import { invalid, notFound } from '../../commands/errors.ts'
import { presentLife } from '../../events/lives.ts'
import type { JsonObject } from '../../shared/json.ts'
import { contractedKinds, contractKind } from '../../kinds/index.ts'
import { entityId, isUuid } from '../../kinds/names.ts'
import { entitySchema } from '../../kinds/request/requestSchema.ts'
import type { KindDefinition, Problem } from '../../kinds/defineKind.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import type { Api } from '../deps.ts'
import { referenceText } from '../entities/present.ts'
import { catchUp, mustBeAllowed, mustOwn, noSuch, owns, presented, readFields } from '../entities/reading.ts'
import type { Answer, ApiRequest, Parameter, Route } from '../http/route.ts'

/** The asset that a contract is about, as query parameters name it. */
export const targetParameters: Parameter[] = [
  { name: 'entityId', in: 'query', required: true, description: 'UUID of the asset', schema: z.uuid() },
  { name: 'entityType', in: 'query', required: true, description: 'Its kind, e.g. table', schema: z.string() },
]

/** What an asset's own contract takes from the contract of its data product when it lacks it. */
const inheritable = ['termsOfUse', 'security', 'sla', 'semantics']

/** What is never inherited. */
const personal = ['schema', 'qualityExpectations', 'qualityRules', 'owners', 'reviewers', 'latestResult', 'odcs']

/** What contracts have beyond other kinds. */
export const contractRoutes = (api: Api): Route[] => {
  const definition = api.kindNamed(contractKind)
  return [
    {
      method: 'get',
      path: `/v1/${definition.path}/entity`,
      id: 'effective_contract',
      tag: definition.path,
      summary: 'The contract in force for an asset, with what it inherits from its data product',
      permission: { operation: 'view', kind: definition.name },
      parameters: [
        ...targetParameters,
        { name: 'fields', in: 'query', description: 'Optional members', schema: z.string() },
      ],
      answers: { 200: { description: 'The contract', schema: entitySchema(definition) } },
      problems: ['NOT_FOUND'],
      handle: (request) => effectiveContract(api, definition, request),
    },
  ]
}

/** The row of the asset that the query names. @throws DomainError `invalid`, `not_found` */
export const targetRow = async (api: Api, request: ApiRequest): Promise<EntityRow> => {
  const id = request.query.get('entityId')
  const type = request.query.get('entityType')
  const problems: Problem[] = []
  if (id === undefined || id === '') problems.push({ path: '?entityId', message: 'is required: the UUID of the asset' })
  if (type === undefined || type === '')
    problems.push({ path: '?entityType', message: 'is required: the kind of the asset' })
  else if (!contractedKinds.includes(type))
    problems.push({ path: '?entityType', message: `must be one of ${contractedKinds.join(', ')}` })
  if (problems.length > 0) throw invalid(problems)
  const permission = mustBeAllowed(api, request, 'view', api.kindNamed(type as string))
  await catchUp(api, request)
  const row = isUuid(id as string) ? await api.readModels.get((id as string).toLowerCase()) : undefined
  if (row === undefined || row.status !== 'live' || row.kind !== type) throw noSuch(type as string, request)
  await mustOwn(api, request, row, permission)
  return row
}

const liveContract = async (api: Api, definition: KindDefinition, ownerId: string): Promise<EntityRow | undefined> => {
  const row = await api.readModels.get(entityId(definition.name, ownerId))
  return row?.status === 'live' ? row : undefined
}

/** Data products, deleted ones too, that an asset is looked for in. */
const maxProducts = 1000

/** The contract that the asset inherits: of its data product, when it is in exactly one and that one's is active. */
const productContract = async (
  api: Api,
  definition: KindDefinition,
  asset: EntityRow,
): Promise<EntityRow | undefined> => {
  const products = await api.readModels.relatedTo([presentLife(asset)], 'assets', maxProducts)
  const live = products.filter(({ row }) => row.status === 'live')
  const only = live.length === 1 ? live[0] : undefined
  const contract = only && (await liveContract(api, definition, only.row.id))
  return contract?.entityStatus === 'Active' ? contract : undefined
}

const effectiveContract = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const asset = await targetRow(api, request)
  const shown = readFields(request.query, definition, 'get')
  const own = await liveContract(api, definition, asset.id)
  const above = await productContract(api, definition, asset)
  const row = own ?? above
  if (row === undefined || !(request.permission === 'yes' || (await owns(api, request, row))))
    throw notFound(`${asset.kind} ${asset.fullyQualifiedName} has no contract, and inherits none.`)
  const mayInherit = above !== undefined && (request.permission === 'yes' || (await owns(api, request, above)))
  const inherited = mayInherit ? above : undefined
  const members = async (contract: EntityRow | undefined): Promise<JsonObject> =>
    contract === undefined
      ? {}
      : (JSON.parse(await api.presenter.text(contract, presented(api, request, shown))) as JsonObject)
  const theirs = await members(inherited)
  const body =
    own === undefined
      ? { ...without(theirs, personal), entity: referenceOf(asset), inherited: true }
      : { ...only(theirs, inheritable), ...(await members(own)), inherited: false }
  // No ETag: what one address shows comes from several contracts over time, and their revisions are alike.
  return { status: 200, body: { json: body } }
}

const referenceOf = (row: EntityRow): JsonObject => JSON.parse(referenceText(row)) as JsonObject

const only = (members: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)))

const without = (members: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))
