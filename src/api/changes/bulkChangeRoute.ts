import { z } from 'zod'
import { invalid, invalidAt } from '../../commands/errors.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import { dryRunParameter, kindRoute } from '../entities/parameters.ts'
import { missing } from '../entities/reads/addressed.ts'
import { parseBody } from '../http/readBody.ts'
import { jsonBody, ok, type Answer } from '../http/route.ts'
import { canonicalFqn, cellOf, editableColumns, isListColumn, ownItems, type Cell, type Column } from './cells.ts'
import { changeInBulk, changesResult, findLive, movedSince, unchangedSince, type EntityChange } from './bulkChange.ts'
import { readListKeys, readSelection, selectionParameters } from '../search/listRoute.ts'
import type { TimelineMoment } from '../entities/answers/pointInTime.ts'
import { currentFilter, waitForTimeline } from '../entities/reads/moment.ts'
import { badQuery, readParameter } from '../http/queryParameters.ts'
import type { ListKey } from '../../projections/entities/port.ts'

const text = z.string().nullable()
const names = z
  .array(z.string().min(1))
  .max(limits.references.value)
  .transform((list) => [...new Set(list.map(canonicalFqn))])
const lists = { owners: names, tags: names, terms: names, domains: names }
const someLists = z.strictObject(lists).partial()

const changesBody = z
  .strictObject({
    ids: z
      .array(z.uuid())
      .max(limits.bulkItems.value)
      .optional()
      .describe('The entities to change; default: everything that the query finds, which must have a filter then'),
    set: z
      .strictObject({ displayName: text, description: text, ...lists })
      .partial()
      .default({}),
    add: someLists.default({}).describe('Also what `remove` has'),
    remove: someLists.default({}),
  })
  .meta({
    id: 'ChangesRequest',
    description:
      'Values to set, add and remove for many entities: texts and fully qualified names. `user:sales` and `team:sales` ' +
      'are owners that have the same name.',
  })

type Changes = z.output<typeof changesBody>

/** `POST …/changes` */
export const bulkChangeRoute = (definition: KindDefinition): KindRoute => {
  const settable = editableColumns(definition)
  const example = {
    ids: ['8c5cbfd4-0d3b-5d7c-9a56-3f0d4c1f2f6e'],
    set: { description: 'Loaded every night.' },
    ...(settable.includes('tags') && { add: { tags: ['PII.Sensitive'] } }),
  }
  return kindRoute(definition, 'edit', 'post /changes', `change_many_${definition.name}`, {
    summary: `Change many entities of kind ${definition.name} in the same way`,
    description:
      `Each of \`ids\`, or of what the query finds, at most ${limits.bulkItems.value}, is changed as a PATCH would. All of ` +
      'it is one request, which can be undone as a whole. It changes the labels of the entities themselves and not those ' +
      'of their columns and fields, also where a filter by tag finds an entity because of a column: `tagOn=self` ' +
      'leaves these out, and a PATCH of the entity changes them.',
    bulkhead: 'large',
    parameters: [...selectionParameters(definition), dryRunParameter, unchangedSince],
    body: jsonBody(changesBody, { example }),
    answers: ok('What became of each entity', changesResult, ['Catalog-Position']),
    handle: changeSelected,
  })
}

/** Parameters that do not restrict the selection. */
const wholeKind: ReadonlySet<string> = new Set(['dryRun', 'include', 'unchangedSince'])

const changeSelected = async (request: KindRequest): Promise<Answer> => {
  const { definition } = request
  const body = parseBody(changesBody, request.body)
  const filters = [...request.query.keys()].filter((name) => !wholeKind.has(name))
  if (body.ids === undefined && filters.length === 0)
    throw invalidAt('/ids', 'select what to change by ids, words (q) or a filter')
  if (body.ids !== undefined && filters.length > 0)
    throw invalidAt('/ids', `select what to change either by ids or by ${filters.join(', ')}`)
  mustBeSettable(definition, body)
  return changeInBulk(request, () => changesOf(request, body))
}

const changesOf = async (request: KindRequest, body: Changes): Promise<EntityChange[]> => {
  const { definition, api } = request
  const { revealId } = api.commands.secretCodec
  // What is not found by id is named as it was sent: its real id, and which two are the same, would give away its name.
  const sent = body.ids?.map((id) => ({ id: id.toLowerCase(), fullyQualifiedName: id.toLowerCase(), moved: false }))
  const selected = sent ?? (await select(request))
  const live = await findLive(
    request,
    selected.map(({ id }) => revealId(id)),
  )
  const cells: EntityChange['cells'] = (before) => cellsAfter(body, before)
  const wanted = selected.map(({ id, moved, fullyQualifiedName }): [string, EntityChange] => {
    const entity = live.get(revealId(id))
    if (entity !== undefined)
      return [entity.id, { entity, fullyQualifiedName: entity.fullyQualifiedName, moved, cells }]
    const error = moved ? movedSince() : missing(definition.name, { ...request, params: { id } })
    return [id, { fullyQualifiedName, cells, error }]
  })
  return [...new Map(wanted).values()]
}

const mustBeSettable = (definition: KindDefinition, { set, add, remove }: Changes): void => {
  const settable = editableColumns(definition)
  const problems = Object.entries({ set, add, remove }).flatMap(([verb, columns]) =>
    Object.keys(columns)
      .filter((column) => !settable.includes(column as Column))
      .map((column) => ({ path: `/${verb}/${column}`, message: `cannot be changed of a ${definition.name}` })),
  )
  if (problems.length > 0) throw invalid(problems)
}

const found = async (request: KindRequest, past?: TimelineMoment): Promise<ListKey[]> => {
  const query = await readSelection(request, past)
  if (query === undefined) return []
  const tooMany = (total: number) =>
    invalidAt('', `finds ${total} entities: narrow it to at most ${limits.bulkItems.value}`)
  return readListKeys(request, query, tooMany, past)
}

/** What the query finds, now or at the preview. */
const select = async (request: KindRequest): Promise<(ListKey & { readonly moved: boolean })[]> => {
  const since = readParameter(request.query, unchangedSince)
  if (since !== undefined && request.query.has('q'))
    throw badQuery('q', 'finds only present entities: with unchangedSince, send the ids that the preview showed')
  const now = await found(request)
  const then = since === undefined ? now : await found(request, await momentOf(request, since))
  const [before, after] = [keyed(then), keyed(now)]
  const all = new Map([...before, ...after])
  return [...all.values()].map((key) => ({ ...key, moved: !(before.has(key.id) && after.has(key.id)) }))
}

const keyed = (keys: readonly ListKey[]): ReadonlyMap<string, ListKey> => new Map(keys.map((key) => [key.id, key]))

const momentOf = async (request: KindRequest, position: bigint): Promise<TimelineMoment> => {
  const permission = request.access.must('view', request.definition.name)
  await waitForTimeline(request.api, position)
  return { position, current: await currentFilter({ ...request, permission }) }
}

const cellsAfter = ({ set, add, remove }: Changes, before: JsonObject): Map<Column, Cell> => {
  const cells = new Map<Column, Cell>()
  for (const [column, value] of Object.entries(set) as [Column, Cell | null][]) cells.set(column, value ?? '')
  for (const column of new Set([...Object.keys(add), ...Object.keys(remove)])) {
    if (!isListColumn(column)) continue
    const own = (items: Cell = []) => ownItems(before, column, items as readonly string[])
    const kept = new Set(own(cells.get(column) ?? cellOf(before, column)))
    for (const item of own(remove[column])) kept.delete(item)
    for (const item of own(add[column])) kept.add(item)
    cells.set(column, [...kept])
  }
  return cells
}
