import {
  queryFlag,
  queryParameter,
  ok,
  jsonAnswer,
  workRequestOf,
  type Answer,
  type ApiRequest,
} from '../http/route.ts'
import { readFlag, readParameter, someOf } from '../http/queryParameters.ts'
import { z } from 'zod'
import { DomainError, invalid } from '../../commands/errors.ts'
import { referencesIn, type Entity } from '../../commands/evolve.ts'
import { filterReferences, referredIds } from '../../commands/lookup.ts'
import { execute } from '../../commands/requests/execute.ts'
import { rewrite, type Rewrite, type Write } from '../../commands/requests/createOrUpdate.ts'
import type { Result } from '../../commands/unitOfWork/request.ts'
import { incarnationKey, type Members, type Reference } from '../../events/events.ts'
import { objectsOf, type Json, type JsonObject } from '../../shared/json.ts'
import { nameFromText } from '../../shared/entityName.ts'
import { limits } from '../../shared/limits.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { assetColumns } from '../../kinds/members/assetColumns.ts'
import { contractKind, kindNamed } from '../../kinds/registry/kinds.ts'
import { entityId, splitFqn } from '../../kinds/names.ts'
import { entitySchema, readRequestInSlices } from '../../kinds/request/requestSchema.ts'
import type { ObjectSelection } from '../../odcs/model/objects.ts'
import { type ContentType, EXPORT_FIELDS, type Problem, type Warning } from '../../odcs/model/types.ts'
import type { ContractMembers } from '../../odcs/model/contract.ts'
import type { CurrentContract } from '../../odcs/write/exportDocument.ts'
import type { Imported } from '../../odcs/importDocument.ts'
import type { StoredOdcs } from '../../odcs/map/stored.ts'
import { DocumentLimitError } from '../../odcs/odcsThreads.ts'
import type { OdcsOperations } from '../../odcs/worker.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import { targetParameters, targetRow } from './contractRoutes.ts'
import { resolveColumnTags, resolveNames, unknownPeople, type ResolvedNames } from './importedNames.ts'
import type { Api, CatalogRequest, KindRequest, KindRoute } from '../deps.ts'
import { answerResult, makeWriteGuard, causeOf, contextOf, headerPrecondition } from '../entities/writeRequest.ts'
import * as parameters from '../entities/parameters.ts'
import { HttpError } from '../http/problemDetails.ts'
import { mustFindRow, findAsOf } from '../entities/reads/addressed.ts'
import { referencesByIncarnation } from '../entities/answers/present.ts'
import { hidesDocument, maskNames } from '../entities/answers/shape.ts'
import { momentForms, type EntityAt } from '../entities/reads/moment.ts'
import { mask } from '../../shared/secrets/shownText.ts'

const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml']

const objectName = queryParameter('objectName', 'The schema object to use if the document has several')

const mode = queryParameter(
  'mode',
  'merge keeps what the document does not have; replace makes the contract what the document says',
  z.enum(['merge', 'replace']).default('merge'),
)

const documentSchema = z.record(z.string(), z.unknown()).meta({ id: 'OdcsDocument' })

/** Import, export, parse and validation of contracts in the Open Data Contract Standard. */
export const odcsRoutes = (definition: KindDefinition): KindRoute[] => [
  ...importRoutes(definition),
  ...exportRoutes(definition),
  ...readingRoutes(definition),
]

/** Paths of documents by their format. */
const below = { json: '/odcs', yaml: '/odcs/yaml' } as const

const documentBody = (contentTypes: readonly string[]) => ({
  contentTypes,
  limit: limits.document.value,
  schema: documentSchema,
  required: true,
  raw: true,
})

const importRoutes = (definition: KindDefinition): KindRoute[] =>
  (['json', 'yaml'] as const).flatMap((type) =>
    (['post', 'put'] as const).map((method): KindRoute => {
      const isPut = method === 'put'
      const schema = entitySchema(definition)
      const created = 'Created; warnings names what could not be mapped'
      const answers = {
        201: { description: created, schema, headers: parameters.createHeaders },
        200: isPut
          ? { description: 'Updated', schema, headers: parameters.writeHeaders }
          : { description: 'With dryRun: a preview of the contract', schema },
      }
      const id = `${isPut ? 'upsert' : 'create'}_contract_from_odcs_${type}`
      return parameters.kindRoute(definition, 'create', `${method} ${below[type]}`, id, {
        summary: `${isPut ? 'Create or update' : 'Create'} a contract from an ODCS document (${type.toUpperCase()})`,
        permission: { operation: 'create', ...(isPut && { or: 'edit' as const }), kind: definition.name },
        parameters: [...targetParameters, objectName, ...(isPut ? [mode] : []), dryRun, ...parameters.preconditions],
        body: documentBody(type === 'yaml' ? yamlTypes : ['application/json']),
        answers,
        problems: ['NOT_FOUND'],
        handle: (request) =>
          importContract({ ...request, type, method, mode: isPut ? readParameter(request.query, mode) : 'replace' }),
      })
    }),
  )

const dryRun = queryFlag('dryRun', 'Answers what the import would lead to, with 200, and writes nothing')

const assetOf = async (request: CatalogRequest): Promise<Entity> => {
  const row = await targetRow(request)
  return fromRow(row, kindNamed(row.kind))
}

const choiceOf = ({ query }: ApiRequest, { name }: Entity): ObjectSelection => ({
  entityName: name,
  objectName: query.get('objectName'),
})

interface ImportRequest extends KindRequest {
  readonly type: ContentType
  readonly method: 'post' | 'put'
  readonly mode: 'merge' | 'replace'
}

const importContract = async (request: ImportRequest): Promise<Answer> => {
  const { api, definition, type, method } = request
  const asset = await assetOf(request)
  const tried = readFlag(request.query, 'dryRun')
  const context = contextOf(request, tried)
  let choice = choiceOf(request, asset)
  let warnings: Warning[] = []
  let readError: unknown
  const make: Rewrite['make'] = async (current) => {
    const present = current?.status === 'gone' ? undefined : current
    const imported = await readImport(request, context.clock.now().time, asset, present)
    choice = { ...choice, presentName: present && storedOf(present)?.objectName }
    if (!imported.ok) throw (readError = invalid(imported.problems, imported.unlisted))
    const resolved = await resolveNames(context, imported, asset, present)
    const { contract, warnings: unlabelled } = await resolveColumnTags(context, imported.contract, present)
    warnings = [...imported.warnings, ...unknownPeople(imported, resolved), ...unlabelled]
    const made = await contractOf(request, { ...imported, contract }, resolved, asset, present)
    return { ...made, mayWrite: makeWriteGuard(request, made.type), precondition: headerPrecondition(request) }
  }
  const otherwise = method === 'put' ? 'busy' : 'conflict'
  const wanted = rewrite(
    context,
    { definition, id: entityId(definition.name, asset.id), make, otherwise },
    causeOf(request),
  )
  const result = await execute(context, wanted).catch(async (error: unknown) => {
    if (error === readError || !(error instanceof DomainError) || error.problems.length === 0) throw error
    const args = [request.body as Buffer, type, choice, [...error.problems]] as const
    throw invalid(await api.odcs.run(workRequestOf(request), 'placeProblems', ...args), error.unlisted)
  })
  const answer = await answerImport(request, result, warnings)
  return tried ? { status: 200, body: answer.body } : answer
}

const readImport = (request: ImportRequest, time: number, asset: Entity, present: Entity | undefined) =>
  request.api.odcs.run(workRequestOf(request), 'importDocument', request.body as Buffer, {
    contentType: request.type,
    time,
    contractId: entityId(request.definition.name, asset.id),
    ...choiceOf(request, asset),
    assetColumns: assetColumns(asset.members),
    mode: request.mode,
    current: present && { contract: currentContract(present), stored: storedOf(present), time: present.updatedAt },
  })

/** The contract after importing a document: what the document states is as it says, or cleared. @throws DomainError `invalid` */
const contractOf = async (
  { definition, method }: ImportRequest,
  imported: Imported,
  resolved: ResolvedNames,
  asset: Entity,
  present: Entity | undefined,
): Promise<Write> => {
  const isUnchanged = present !== undefined && imported.isExport && !findsMore(resolved.members, present)
  const stated = new Set<string>(isUnchanged ? [] : imported.stated)
  const members = Object.entries({ ...imported.contract, ...resolved.members })
  const body = {
    ...Object.fromEntries(members.filter(([member]) => stated.has(member))),
    name: present?.name ?? contractName(imported, asset),
    entity: { id: asset.id, type: asset.kind },
  }
  const own = {
    ...(!isUnchanged && { odcs: { ...imported.stored, resolved: resolved.names } as Json }),
    ...(imported.quality.length > 0 && { qualityRules: imported.quality as Json }),
  }
  const operation = method === 'post' ? 'create' : 'upsert'
  // A document defines each element completely.
  const { problems, clearedInside: _, ...parsed } = await readRequestInSlices(definition, body, operation)
  if (problems.length > 0) throw invalid(problems)
  const cleared = present === undefined || isUnchanged ? [] : [...stated, 'qualityRules']
  const absent = cleared.filter((member) => parsed.values[member] === undefined && !(member in own))
  const type = method === 'post' ? 'Create' : 'Upsert'
  return { type, definition, parsed: { ...parsed, cleared: absent }, own }
}

const contractName = ({ name }: Imported, asset: Entity): string =>
  nameFromText(nameFromText(name).trim() || `${asset.name} contract`)

const answerImport = async (request: KindRequest, result: Result, warnings: readonly Warning[]) => {
  const answer = await answerResult(request, result)
  return { ...answer, body: `${answer.body.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}` }
}

/** Whether names of the document were found that the contract does not have. */
const findsMore = (found: JsonObject, { members }: Entity): boolean =>
  Object.entries(found).some(([member, references]) => {
    const known = new Set(referencesIn(members, member).map(({ id }) => id))
    return objectsOf(references).some(({ id }) => !known.has(String(id)))
  })

const storedOf = (contract: Entity): StoredOdcs | undefined => contract.members['odcs'] as StoredOdcs | undefined

/** Fully qualified names, without those that are masked: nobody has that name. */
const fqnsIn = (members: Members, member: string): string[] =>
  referencesIn(members, member).flatMap(({ fullyQualifiedName: fqn }) => (fqn === mask ? [] : fqn))

/** A contract with references as names, for export. */
const currentContract = (contract: Entity): CurrentContract => {
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

const exportFields = queryParameter(
  'fields',
  `Parts to write; default: ${EXPORT_FIELDS.join(',')}`,
  someOf(EXPORT_FIELDS).transform((names) => (names.length === 0 ? [...EXPORT_FIELDS] : names)),
)

const exportMoment = queryParameter(
  'asOf',
  `The document as it was: ${momentForms.position}; also while the contract was soft-deleted`,
)

const exportRoutes = (definition: KindDefinition): KindRoute[] =>
  (['json', 'yaml'] as const).flatMap((contentType) =>
    parameters.entityRoutes(definition, 'view', `get ${below[contentType]}`, `export_contract_as_odcs_${contentType}`, {
      summary: `A contract as an ODCS v3.1.0 document (${contentType.toUpperCase()})`,
      parameters: [exportFields, exportMoment, parameters.ifNoneMatch],
      answers: parameters.validatedAnswers('The document', documentSchema, `application/${contentType}`),
      handle: (request) => exportContract(contentType, request),
    }),
  )

const exportContract = async (contentType: ContentType, request: KindRequest): Promise<Answer> => {
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
  const body = await request.api.odcs
    .run(workRequestOf(request), contentType === 'yaml' ? 'exportYaml' : 'exportJson', input)
    .catch((error: unknown) => {
      throw error instanceof DocumentLimitError ? new HttpError('UNAVAILABLE', error.message, { cause: error }) : error
    })
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
  if (asOf !== undefined) return findAsOf(request, asOf, 'all')
  return { entity: fromRow(await mustFindRow(request, 'non-deleted'), request.definition), at: request.api.readModels }
}

/** The members without references to what was deleted for good. */
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

const readingRoutes = (definition: KindDefinition): KindRoute[] => [
  parameters.kindRoute(definition, 'view', 'post /odcs/parse/yaml', 'parse_odcs', {
    summary: 'Preview an ODCS document; nothing is stored',
    body: documentBody([...yamlTypes, 'application/json']),
    answers: ok('What the document holds', previewSchema),
    handle: async (request) => {
      const preview = await request.api.odcs.run(
        workRequestOf(request),
        'parsePreview',
        request.body as Buffer,
        typeOf(request),
      )
      if (!preview.ok) return answerRead(preview)
      const { contract = {}, ...read } = preview
      const more = await contractProblems(request, contract, read.schemaObjects[0])
      return answerRead({ ...read, problems: [...read.problems, ...more] })
    },
  }),
  parameters.kindRoute(definition, 'view', 'post /odcs/validate/yaml', 'validate_odcs', {
    summary: 'Compare an ODCS document with an asset; nothing is stored',
    parameters: [...targetParameters, objectName],
    body: documentBody([...yamlTypes, 'application/json']),
    answers: ok('Which properties the asset has', validationSchema),
    problems: ['NOT_FOUND'],
    handle: async (request) => {
      const asset = await assetOf(request)
      const { api, body } = request
      const args = [body as Buffer, typeOf(request), choiceOf(request, asset), assetColumns(asset.members)] as const
      return answerRead(await api.odcs.run(workRequestOf(request), 'validateDocument', ...args))
    },
  }),
]

/** What is wrong with a contract made of the first object of a document, at its places there. */
const contractProblems = async (
  request: KindRequest,
  contract: ContractMembers,
  objectName: string | undefined,
): Promise<Problem[]> => {
  const { problems } = await readRequestInSlices(request.definition, contract, 'upsert')
  const own = problems.filter(({ path }) => Object.hasOwn(contract, path.split('/')[1] ?? ''))
  const args = [request.body as Buffer, typeOf(request), { objectName }, own] as const
  return own.length === 0 ? [] : request.api.odcs.run(workRequestOf(request), 'placeProblems', ...args)
}

/** @throws DomainError `invalid` with what is wrong with the document */
const answerRead = (read: ReturnType<OdcsOperations['parsePreview' | 'validateDocument']>): Answer => {
  if (!read.ok) throw invalid(read.problems, read.unlisted)
  const { ok: _, ...body } = read
  return jsonAnswer(body as JsonObject)
}

const typeOf = ({ contentType }: ApiRequest): ContentType => (contentType === 'application/json' ? 'json' : 'yaml')

const problemSchema = z.object({
  path: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
  message: z.string(),
})

const previewSchema = z
  .object({
    name: z.string().optional(),
    version: z.string().optional(),
    status: z.string().optional(),
    schemaObjects: z.array(z.string()),
    hasMultipleObjects: z.boolean(),
    apiVersion: z.string().describe('The version of ODCS that the document is read as'),
    problems: z.array(problemSchema),
    warnings: z.array(problemSchema),
  })
  .meta({ id: 'OdcsPreview' })

const validationSchema = z
  .object({
    passed: z.int(),
    failed: z.int(),
    total: z.int(),
    failedFields: z.array(z.string()),
    typeMismatchFields: z.array(z.string()),
  })
  .meta({ id: 'OdcsValidation' })
