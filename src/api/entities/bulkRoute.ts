import * as parameters from './parameters.ts'
import { jsonAnswer, jsonBody, ok, type Answer } from '../http/route.ts'
import { z } from 'zod'
import { expectedFqn } from '../../commands/requests/resolveRequest.ts'
import { chunkSize, executeEach } from '../../commands/requests/execute.ts'
import { write } from '../../commands/requests/createOrUpdate.ts'
import type { Failed } from '../../commands/unitOfWork/request.ts'
import { shorten } from '../../shared/bounds.ts'
import { nameProblem } from '../../shared/entityName.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import { buildFqn, entityId, splitFqn } from '../../kinds/names.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import { type Json, type JsonObject, isObject, jsonLength } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { bulkItemSchema, createExample, itemCondition } from '../../kinds/request/openApiSchemas.ts'
import { readRequest, type ParsedRequest } from '../../kinds/request/requestSchema.ts'
import { problemsOf } from '../../kinds/request/zodProblems.ts'
import { makeWriteGuard, causeOf, contextOf, isCreation, headerPrecondition } from './writeRequest.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import { FailedItem, type Items } from '../http/jsonText.ts'

const itemProblem = z.object({ path: z.string().describe('JSON Pointer into the item'), message: z.string() })

const bulkAnswer = z
  .object({
    status: z.enum(['success', 'partialSuccess', 'failure']),
    numberOfRowsProcessed: z.int(),
    numberOfRowsPassed: z.int(),
    numberOfRowsFailed: z.int(),
    successRequest: z.array(z.object({ request: z.string(), status: z.int() })),
    failedRequest: z.array(
      z.object({
        request: z.string(),
        index: z.int().describe('Index of the item in the body'),
        status: z.int(),
        code: z.string(),
        message: z.string(),
        errors: z.array(itemProblem),
      }),
    ),
  })
  .meta({ id: 'BulkResult', description: 'The outcome for each item of a bulk request.' })

/** Documents how an update treats absent members. */
export const absentMembersNote =
  'Members that the body lacks stay as they are, and `null` clears one. Elements with a name (columns, at any depth, fields of ' +
  'schemas, features) are updated in the same way: an element keeps the members that the body does not give it ' +
  '(but of another data type none that describe the former one, such as a length), and one that the list lacks is removed. ' +
  'The list itself stays, too, where a `dataModel` or a schema lacks it. A PATCH takes its lists literally.'

/** Creates or updates many entities of a kind; items are independent. */
export const bulkRoute = (definition: KindDefinition): KindRoute =>
  parameters.kindRoute(definition, 'bulk', 'put /bulk', `bulk_${definition.name}`, {
    summary: `Create or update many entities of kind ${definition.name}`,
    description:
      `${absentMembersNote} An item with a condition is not skipped for its \`sourceHash\`. ` +
      'New entities also need `create`, and those that exist `edit`.',
    body: jsonBody(z.array(bulkItemSchema(definition)).max(limits.bulkItems.value), {
      limit: limits.bulkBody.value,
      example: [createExample(definition)],
      inItems: true,
    }),
    bulkhead: ({ body }) => ((body as Items).length > fewItems ? 'large' : undefined),
    answers: ok('What became of each item', bulkAnswer, ['Catalog-Position']),
    handle: bulk,
  })

/** Up to this many items run at once like single requests; more wait in a bulkhead. */
const fewItems = 200

/** Longest total text of items that are decided and appended together, except for a single item. */
const sliceLength = 256 * 1024

type Body = Json | FailedItem

type ItemRequest = ReturnType<typeof write> & {
  readonly index: number
  readonly body: Json
  readonly parsed: ParsedRequest
}

const bulk = async (request: KindRequest): Promise<Answer> => {
  const { definition } = request
  const mayWrite = makeWriteGuard(request, 'Upsert', request.permission)
  const bodies = request.body as Items
  const [context, cause] = [contextOf(request), causeOf(request)]
  const result = makeResult(request)
  const unchangedIn = findUnchanged(request)
  let count = 0
  const make = (body: Json, index: number): ItemRequest => {
    const { parsed, precondition } = readItem(definition, body)
    const wanted = write(context, { type: 'Upsert', definition, parsed, mayWrite }, cause, precondition)
    return { ...wanted, parsed, body, index }
  }
  const yieldWhenDue = makeYielder()
  const chunks = async function* (): AsyncGenerator<readonly ItemRequest[]> {
    for (const slice of slicesOutOf(bodies)) {
      if (request.signal.aborted) return
      const requests: ItemRequest[] = []
      const unchanged = await unchangedIn(slice)
      for (const body of slice) {
        const index = count++
        const fqn = unchanged.get(body)
        if (fqn !== undefined) result.pass(index, fqn, 200)
        else if (body instanceof FailedItem) result.fail(index, nameOfUnread(definition, body), body.error)
        else requests.push(make(body, index))
        await yieldWhenDue()
      }
      yield requests
    }
  }
  const position = await executeEach(context, chunks(), async ({ request: item, ...one }) => {
    if ('error' in one) result.fail(item.index, nameOf(item, one), one.error)
    else result.pass(item.index, one.result.entity.fullyQualifiedName, isCreation(one.result) ? 201 : 200)
    await yieldWhenDue()
  })
  return jsonAnswer(result.toAnswer(), { position })
}

/** The FQN of an item, if it follows from its name and its parent's alone. */
const plainFqn = ({ parents }: KindDefinition, body: JsonObject): string | undefined => {
  const [parent, ...others] = parents.flatMap(({ field }) => body[field] ?? [])
  const above = typeof parent === 'string' && others.length === 0 ? splitFqn(parent) : undefined
  return typeof body['name'] === 'string' && above !== undefined ? buildFqn([...above, body['name']]) : undefined
}

/** Finds items whose `sourceHash` shows that their source has not changed, so that they are skipped unread. */
const findUnchanged = (request: KindRequest) => {
  const { api, access, definition } = request
  const mayEdit = request.permission === 'yes' && access.may('edit', definition.name) === 'yes'
  const isPossible = definition.traits.dataAsset === true && mayEdit
  const seen = new Set<string>()
  let areAllNamed = true
  return async (slice: readonly Body[]): Promise<Map<Body, string>> => {
    const items = slice.flatMap((body) => {
      if (!isPossible || !isObject(body)) return []
      const fqn = plainFqn(definition, body)
      // A later item of the same entity applies to the result of an earlier one, which may name it in any other way.
      if (fqn === undefined) areAllNamed = false
      if (fqn === undefined || !areAllNamed || seen.size === seen.add(fqn).size) return []
      if (typeof body['sourceHash'] !== 'string') return []
      if (body['ifMatch'] !== undefined || body['ifNoneMatch'] !== undefined) return []
      return [{ body, fqn, id: entityId(definition.name, fqn) }]
    })
    const rows = items.length === 0 ? new Map() : await api.readModels.getMany(items.map(({ id }) => id))
    const isSame = ({ body, id }: (typeof items)[number]): boolean => {
      const row = rows.get(id) as EntityRow | undefined
      return (
        row?.status === 'live' && (JSON.parse(row.shownOnRequest) as JsonObject)['sourceHash'] === body['sourceHash']
      )
    }
    return new Map(items.filter(isSame).map(({ body, fqn }): [Body, string] => [body, fqn]))
  }
}

/** The items in order, in slices that are executed together. */
function* slicesOutOf(bodies: Items): Generator<Body[]> {
  let slice: Body[] = []
  let length = 0
  for (const body of bodies) {
    const more = body instanceof FailedItem ? 0 : jsonLength(body)
    if (slice.length === chunkSize || (slice.length > 0 && length + more > sliceLength)) {
      yield slice
      slice = []
      length = 0
    }
    slice.push(body)
    length += more
  }
  if (slice.length > 0) yield slice
}

/** Reads an item and its condition. One without a valid name is reported by whatever it has. */
const readItem = (definition: KindDefinition, item: Json) => {
  const { ifMatch, ifNoneMatch, ...body } = isObject(item) ? item : {}
  const read = readRequest(definition, isObject(item) ? body : item, 'upsert')
  const name = read.name === '' && typeof body['name'] === 'string' ? body['name'] : read.name
  const { data, error } = itemCondition.safeParse({ ifMatch, ifNoneMatch })
  const problems = [...read.problems, ...(error ? problemsOf(error, { ifMatch, ifNoneMatch }, { path: '' }) : [])]
  const headers = { 'if-match': data?.ifMatch ?? undefined, 'if-none-match': data?.ifNoneMatch ?? undefined }
  return { parsed: { ...read, name, problems }, precondition: headerPrecondition({ headers }) }
}

/** Length of a cut message, in characters. */
const shortMessage = 200

/** Returns complete messages until the answer is full, then only their beginnings. */
const makeMessageBudget = () => {
  let room: number = limits.bulkMessages.value
  return (message: string): string => {
    const said = message.length <= room ? message : shorten(message, shortMessage)
    room -= said.length
    return said
  }
}

/** Collects the outcomes of items, by their indexes, into the answer. */
const makeResult = ({ problemOf }: Pick<KindRequest, 'problemOf'>) => {
  const outcomes: JsonObject[] = []
  let left: number = limits.bulkProblems.value
  const say = makeMessageBudget()
  return {
    pass: (index: number, request: string, status: 200 | 201): void => {
      outcomes[index] = { request, status }
    },
    fail: (index: number, request: string, error: unknown): void => {
      const { status, code, message, errors } = problemOf(error)
      const named = errors
        .slice(0, Math.max(left, 1))
        .map(({ path, message: about }) => ({ path, message: say(about) }))
      left -= named.length
      outcomes[index] = { request, index, status, code, message: say(message), errors: named }
    },
    toAnswer: (): Json => {
      const failed = outcomes.filter((outcome) => 'code' in outcome)
      const passed = outcomes.filter((outcome) => !('code' in outcome))
      return {
        status: failed.length === 0 ? 'success' : passed.length === 0 ? 'failure' : 'partialSuccess',
        numberOfRowsProcessed: outcomes.length,
        numberOfRowsPassed: passed.length,
        numberOfRowsFailed: failed.length,
        successRequest: passed,
        failedRequest: failed,
      }
    },
  }
}

/** The FQN of an unread item, or the beginning of its name if there is no FQN. */
const nameOfUnread = (definition: KindDefinition, { texts }: FailedItem): string => {
  const { name = '' } = texts
  const fqn = nameProblem(name) === undefined ? plainFqn(definition, texts) : undefined
  return fqn !== undefined && fqn.length <= limits.fqn.value ? fqn : shorten(name, limits.name.value)
}

/** The FQN of a failed item, or its name if there is no FQN. */
const nameOf = ({ parsed: { name, unreadable }, unresolved }: ItemRequest, { subject }: Failed): string =>
  subject?.fullyQualifiedName ?? (name === '' || unreadable.has('name') ? name : (expectedFqn(unresolved) ?? name))
