import { z } from 'zod'
import { invalid } from '../../commands/errors.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import { dryRunParameter, kindRoute } from '../entities/parameters.ts'
import { missing } from '../entities/reads/addressed.ts'
import { parseBody } from '../http/readBody.ts'
import { jsonBody, ok, type Answer } from '../http/route.ts'
import { canonicalFqn, cellOf, editableColumns, isListColumn, ownItems, type Cell, type Column } from './cells.ts'
import { changeInBulk, changesResult, findLive, unchangedSince, type EntityChange } from './bulkChange.ts'
import { readListIds, readSelection, selectionParameters } from '../search/listRoute.ts'

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
    add: someLists.default({}),
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
    throw invalid([{ path: '/ids', message: 'select what to change by ids, words (q) or a filter' }])
  if (body.ids !== undefined && filters.length > 0)
    throw invalid([{ path: '/ids', message: `select what to change either by ids or by ${filters.join(', ')}` }])
  mustBeSettable(definition, body)
  mustNotContradict(body)
  const { revealId } = request.api.commands.secretCodec
  const requestedIds = body.ids?.map((id) => id.toLowerCase()) ?? (await selectedIds(request))
  const live = await findLive(request, requestedIds.map(revealId))
  const cells: EntityChange['cells'] = (before) => cellsAfter(body, before)
  // What is not found is named as it was sent: its real id, and which two are the same, would give away its name.
  const wanted = requestedIds.map((id): [string, EntityChange] => {
    const entity = live.get(revealId(id))
    if (entity !== undefined) return [entity.id, { entity, fullyQualifiedName: entity.fullyQualifiedName, cells }]
    return [id, { fullyQualifiedName: id, cells, error: missing(definition.name, { ...request, params: { id } }) }]
  })
  return changeInBulk(request, [...new Map(wanted).values()])
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

const mustNotContradict = ({ add, remove }: Changes): void => {
  const problems = (Object.keys(remove) as (keyof typeof lists)[]).flatMap((column) => {
    const both = remove[column]?.filter((item) => add[column]?.includes(item)) ?? []
    return both.map((item) => ({ path: `/remove/${column}`, message: `cannot have ${item}, which add has` }))
  })
  if (problems.length > 0) throw invalid(problems)
}

const selectedIds = async (request: KindRequest): Promise<string[]> => {
  const query = await readSelection(request)
  if (query === undefined) return []
  return readListIds(request, query, (total) =>
    invalid([{ path: '', message: `finds ${total} entities: narrow it to at most ${limits.bulkItems.value}` }]),
  )
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
