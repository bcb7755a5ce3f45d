import type { Context } from '../../commands/caller.ts'
import { DomainError, invalid } from '../../commands/errors.ts'
import { referencesIn, type Entity } from '../../commands/evolve.ts'
import { rewrite, type Rewrite, type Write } from '../../commands/requests/createOrUpdate.ts'
import { execute } from '../../commands/requests/execute.ts'
import { assetColumns } from '../../kinds/members/assetColumns.ts'
import { entityId } from '../../kinds/names.ts'
import { kindNamed, contractKind } from '../../kinds/registry/kinds.ts'
import { readRequestInSlices } from '../../kinds/request/requestSchema.ts'
import type { Imported } from '../../odcs/importDocument.ts'
import type { ObjectSelection } from '../../odcs/model/objects.ts'
import type { ContentType, Warning } from '../../odcs/model/types.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import { nameFromText } from '../../shared/entityName.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { CatalogRequest, KindRequest } from '../deps.ts'
import { answerResult, makeWriteGuard, causeOf, contextOf, headerPrecondition } from '../entities/writeRequest.ts'
import { withMembers } from '../entities/answers/present.ts'
import { readFlag } from '../http/queryParameters.ts'
import { workRequestOf, type Answer, type ApiRequest } from '../http/route.ts'
import { targetRow } from './contractRoutes.ts'
import { currentContract, storedOf } from './exportContract.ts'
import { memberReferences } from '../../commands/lookup.ts'
import { findReferred, mapReferences } from '../../commands/requests/resolveRequest.ts'
import { incarnationKey, type Reference } from '../../events/events.ts'
import type { ReferenceInput } from '../../kinds/defineKind.ts'
import { ruleTest } from '../../kinds/definitions/contracts.ts'
import type { ContractMembers } from '../../odcs/model/contract.ts'
import { chunksOf, shorten } from '../../shared/bounds.ts'
import { inSlices } from '../../shared/yieldToEventLoop.ts'

/** The asset that a request is about. @throws HttpError NOT_FOUND */
export const assetOf = async (request: CatalogRequest): Promise<Entity> => {
  const row = await targetRow(request)
  return fromRow(row, kindNamed(row.kind))
}

/** The schema object that a request means. */
export const choiceOf = ({ query }: ApiRequest, { name }: Entity): ObjectSelection => ({
  entityName: name,
  objectName: query.get('objectName'),
})

interface ImportRequest extends KindRequest {
  readonly type: ContentType
  readonly method: 'post' | 'put'
  readonly mode: 'merge' | 'replace'
}

/** Creates or changes the contract of an asset as a document says. @throws DomainError */
export const importContract = async (request: ImportRequest): Promise<Answer> => {
  const { definition, method } = request
  const asset = await assetOf(request)
  const isTried = readFlag(request.query, 'dryRun')
  const context = contextOf(request, isTried)
  const { make, placeProblems, warnings } = makeImport(request, context, asset)
  const id = entityId(definition.name, asset.id)
  const exhausted = method === 'put' ? 'busy' : 'conflict'
  const wanted = rewrite(context, { definition, id, make, exhausted }, causeOf(request))
  const result = await execute(context, wanted).catch(placeProblems)
  const answer = withMembers(await answerResult(request, result), { warnings: warnings() })
  return isTried ? { status: 200, body: answer.body } : answer
}

const makeImport = (request: ImportRequest, context: Context, asset: Entity) => {
  let choice = choiceOf(request, asset)
  let warnings: Warning[] = []
  let readError: unknown
  const make: Rewrite['make'] = async (current) => {
    const present = current?.status === 'gone' ? undefined : current
    const imported = await readImport(request, context.clock.time(), asset, present)
    choice = { ...choice, presentName: present && storedOf(present)?.objectName }
    if (!imported.ok) throw (readError = invalid(imported.problems, imported.unlisted))
    const resolved = await resolveNames(context, imported, asset, present)
    const { contract, warnings: unlabelled } = await resolveColumnTags(context, imported.contract, present)
    warnings = [...imported.warnings, ...unknownPeople(imported, resolved), ...unlabelled]
    const made = await contractOf(request, { ...imported, contract }, resolved, asset, present)
    return { ...made, mayWrite: makeWriteGuard(request, made.type), precondition: headerPrecondition(request) }
  }
  return {
    make,
    /** Those of the newest attempt. */
    warnings: () => warnings,
    /** Rethrows an error, with problems of the contract at their places in the document. */
    placeProblems: async (error: unknown): Promise<never> => {
      if (error === readError || !(error instanceof DomainError) || error.problems.length === 0) throw error
      const args = [request.body as Buffer, request.type, choice, [...error.problems]] as const
      throw invalid(await request.api.odcs.run(workRequestOf(request), 'placeProblems', ...args), error.unlisted)
    },
  }
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
  const isUnchanged = present !== undefined && imported.isExport && !resolved.isMore
  const stated = new Set<string>(isUnchanged ? [] : imported.stated)
  const members = Object.entries({ ...imported.contract, ...resolved.members })
  const body = {
    ...Object.fromEntries(members.filter(([member]) => stated.has(member))),
    name: present?.name ?? contractName(imported, asset),
    entity: { id: asset.id, type: asset.kind },
  }
  const rules: JsonObject = imported.quality.length > 0 ? { qualityRules: imported.quality as Json } : {}
  const own = isUnchanged ? {} : { odcs: { ...imported.stored, resolved: resolved.names } as Json, ...rules }
  const operation = method === 'post' ? 'create' : 'upsert'
  // A document defines each element completely.
  const { clearedInside: _, ...parsed } = await readRequestInSlices(definition, body, operation)
  if (parsed.problems.length > 0) throw invalid(parsed.problems)
  const cleared = present === undefined || isUnchanged ? [] : [...stated, 'qualityRules']
  const absent = cleared.filter((member) => parsed.values[member] === undefined && !(member in own))
  const type = method === 'post' ? 'Create' : 'Upsert'
  return { type, definition, parsed: { ...parsed, cleared: absent }, own }
}

const contractName = ({ name }: Imported, asset: Entity): string =>
  nameFromText(nameFromText(name).trim() || `${asset.name} contract`)

/** Number of names looked up together: a document may have tens of thousands. */
const namesAtOnce = 500

/** What the names of a document mean in the catalog: references, and those names that were found. */
interface ResolvedNames {
  readonly members: JsonObject
  readonly names: Readonly<Record<string, string[]>>
  /** Whether the contract lacks some that the document itself names: tests for rules count without being named. */
  readonly isMore: boolean
}

/** Warns of names of owners and reviewers that mean nobody, or several, as far as the caller may know. */
const unknownPeople = ({ candidates, stated }: Imported, { names }: ResolvedNames): Warning[] => {
  const unknown = (['owners', 'reviewers'] as const).flatMap((member) => {
    const found = new Set(names[member])
    return stated.includes(member) ? candidates[member].filter((name) => !found.has(name)) : []
  })
  const shown = shorten([...new Set(unknown)].join(', '), 1000)
  return shown === ''
    ? []
    : [{ path: '/team', message: `not in the catalog, or the name of several, kept in the document: ${shown}` }]
}

/** Resolves owners, reviewers and test cases of a document in the catalog. */
const resolveNames = async (
  context: Context,
  { candidates, quality }: Imported,
  asset: Entity,
  present: Entity | undefined,
): Promise<ResolvedNames> => {
  const ruled = quality.flatMap((rule) => ruleTest(rule, asset.fullyQualifiedName) ?? [])
  const qualityExpectations = [...new Set([...candidates.qualityExpectations, ...ruled])]
  const members: JsonObject = {}
  const names: Record<string, string[]> = {}
  let isMore = false
  for (const [member, list] of Object.entries({ ...candidates, qualityExpectations })) {
    const kinds = kindNamed(contractKind).fields[member]?.references?.kinds ?? []
    const references = referencesIn(present?.members ?? {}, member)
    const [held, ids] = [new Set(references.map(incarnationKey)), new Set(references.map(({ id }) => id))]
    const named = new Set<string>(candidates[member as keyof typeof candidates])
    const inputs = list.map((fullyQualifiedName) => ({ fullyQualifiedName }))
    const known = await findKnown(context, inputs, { kinds, held })
    if (known.size > 0) members[member] = [...known.values()].map((id) => ({ id }))
    names[member] = [...known.keys()].map(({ fullyQualifiedName }) => fullyQualifiedName)
    isMore ||= known.entries().some(([{ fullyQualifiedName }, id]) => named.has(fullyQualifiedName) && !ids.has(id))
  }
  return { members, names, isMore }
}

/** Resolves the tags of columns; those that the catalog does not have are left out, with a warning. */
const resolveColumnTags = async (
  context: Context,
  { schema, ...others }: ContractMembers,
  present: Entity | undefined,
): Promise<{ contract: ContractMembers; warnings: Warning[] }> => {
  if (schema === undefined) return { contract: others, warnings: [] }
  const definition = kindNamed(contractKind)
  const held = new Set(memberReferences(definition, present?.members ?? {}, ['schema']).map(incarnationKey))
  const { kinds = [] } = definition.fields['tags']?.references ?? {}
  const inputs = new Map<string, ReferenceInput>()
  const keyOf = ({ type, fullyQualifiedName }: ReferenceInput): string => `${type} ${fullyQualifiedName}`
  const visit = (idOf: (input: ReferenceInput) => string | undefined) =>
    mapReferences(definition, { schema: schema as Json }, ({ type, fullyQualifiedName = '' }) => {
      const id = idOf({ ...(type !== undefined && { type }), fullyQualifiedName })
      return id === undefined ? undefined : ({ id } as Reference)
    })
  visit((input) => void inputs.set(keyOf(input), input))
  const known = await findKnown(context, [...inputs.values()], { kinds, held })
  const resolved = visit((input) => known.get(inputs.get(keyOf(input)) ?? input))
  const unknown = [...inputs.values()].flatMap((input) => (known.has(input) ? [] : (input.fullyQualifiedName ?? '')))
  const message = `not in the catalog, and left out of the tags of columns: ${shorten(unknown.join(', '), 1000)}`
  return {
    contract: { ...others, ...(resolved as ContractMembers) },
    warnings: unknown.length > 0 ? [{ path: '/schema', message }] : [],
  }
}

/** The ids of those that mean one entity of these kinds, in order. @param held what the contract refers to so far */
const findKnown = async <Input extends ReferenceInput>(
  context: Context,
  inputs: readonly Input[],
  { kinds, held }: { readonly kinds: readonly string[]; readonly held: ReadonlySet<string> },
): Promise<Map<Input, string>> => {
  const known = new Map<Input, string>()
  for await (const some of inSlices(chunksOf(inputs, namesAtOnce))) {
    const found = await findReferred(context, some, kinds, () => held)
    for (const [index, input] of some.entries()) {
      const [one, ...others] = found[index] ?? []
      if (one !== undefined && others.length === 0) known.set(input, one.id)
    }
  }
  return known
}
