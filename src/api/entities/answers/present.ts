import type { ViewRow } from '../../../projections/entities/entityRow.ts'
import type { Api, CatalogRequest } from '../../deps.ts'
import type { Answer, JsonAnswer } from '../../http/route.ts'
import { isObject, type JsonObject } from '../../../shared/json.ts'
import type { Computed } from '../../../kinds/defineKind.ts'
import { kindNamed } from '../../../kinds/registry/kinds.ts'
import { entityOf, incarnationOf } from '../../../events/events.ts'
import { longTexts, shownLength, type ListRow } from '../../../projections/entities/row.ts'
import { makeYielder } from '../../../shared/yieldToEventLoop.ts'
import { mapInChunks } from '../../../shared/bounds.ts'
import {
  entityText,
  storedMembers,
  type ComputedTexts,
  type Group,
  type Part,
  type ReferenceMap,
} from './entityText.ts'
import type { PointInTime } from './pointInTime.ts'
import { referenceText, seenRow, type SeenRow, type Visibility } from './masking.ts'
import { shapeOf, type Shape, type FieldSet } from './shape.ts'

export interface PresenterOptions {
  readonly shown: FieldSet
  /** Further members that are shown as if `fields` named them. */
  readonly named?: ReadonlySet<string> | undefined
  /** Absolute URL of `/api`. */
  readonly baseUrl: string
  /** Kinds whose names the caller may see. */
  readonly sees: Visibility
  readonly at: PointInTime
}

const countsAtOnce = 25

/** Largest number of references in a computed member. */
const computedLimit = 10_000

type ShownOptions = { readonly [Name in 'shown' | 'named' | 'at']?: PresenterOptions[Name] | undefined }

type Reader = Pick<PresenterOptions, 'baseUrl'> & { api: Pick<Api, 'readModels'>; access: { sees: Visibility } }

/**
 * The JSON texts of entities of one or several kinds, in order, as the reader sees them, by default present ones, as a get
 * of one shows them. They are made from stored texts, so that only what they show of other entities is looked up.
 */
export const textsFor = async (
  { api, baseUrl, access: { sees } }: Reader,
  rows: readonly ListRow[],
  { shown = 'get', at = api.readModels, named }: ShownOptions = {},
): Promise<string[]> => {
  const options = { shown, at, named, baseUrl, sees }
  const yieldWhenDue = makeYielder()
  const parts = await partsOf(rows, options)
  const [found, computed] = await Promise.all([
    referencesByIncarnation(referencedIds(parts), options),
    lookUpComputed(parts, options),
  ])
  const assembled: string[] = []
  for (const part of parts) {
    await yieldWhenDue()
    assembled.push(entityText(part, { found, computed, options }))
  }
  return assembled
}

/** One such entity. */
export const entityFor = async (request: CatalogRequest, row: ListRow, options?: ShownOptions): Promise<JsonObject> =>
  JSON.parse((await textsFor(request, [row], options))[0] as string) as JsonObject

/** An entity as an answer. */
export const answerRow = async (
  request: CatalogRequest,
  row: ViewRow,
  { shown, named, at, ...more }: ShownOptions & JsonAnswer = {},
): Promise<Answer & { body: string }> => ({
  status: 200,
  ...more,
  revision: row.revision,
  body: (await textsFor(request, [row], { shown, named, at }))[0] as string,
})

/** An answer with further members. */
export const withMembers = <A extends Answer & { body: string }>(answer: A, more: object): A => ({
  ...answer,
  body: `${answer.body.slice(0, -1)},${JSON.stringify(more).slice(1)}`,
})

const partsOf = async (rows: readonly ListRow[], { shown, named }: PresenterOptions): Promise<readonly Part[]> => {
  let last: Part | undefined
  const parts: Part[] = []
  const yieldWhenDue = makeYielder()
  for (const row of rows) {
    const group: Group =
      last?.row.references === row.references && last.row.kind === row.kind
        ? last.group
        : {
            shape: last?.row.kind === row.kind ? last.group.shape : shapeOf(kindNamed(row.kind), shown, named),
            references: JSON.parse(row.references) as Group['references'],
          }
    parts.push((last = { row, group }))
    if (shownLength(row) > longTexts) await yieldWhenDue()
  }
  return parts
}

/** Ids of all shown references, including nested ones. */
const referencedIds = (parts: readonly Part[]): string[] => {
  const ids = new Set<string>()
  for (const { shape, references } of new Set(parts.map(({ group }) => group)))
    for (const [name, list] of Object.entries(references)) {
      if (shape.hidden.has(name)) continue
      for (const item of list) ids.add(typeof item === 'string' ? entityOf(item) : item.id)
    }
  return [...ids]
}

/** Existing references by incarnation key, masked for the caller. */
export const referencesByIncarnation = async (
  ids: readonly string[],
  { at, sees }: Pick<PresenterOptions, 'at' | 'sees'>,
): Promise<ReferenceMap> => {
  const found = new Map<string, SeenRow>()
  for (const row of (await at.getReferences(ids)).values())
    if (row.status !== 'gone') found.set(incarnationOf(row), seenRow(row, sees))
  return found
}

const lookUpComputed = async (parts: readonly Part[], options: PresenterOptions): Promise<ComputedTexts> => {
  const texts = new Map<string, string>()
  const lookUps: Promise<void>[] = []
  for (const [shape, some] of Map.groupBy(parts, ({ group }) => group.shape))
    for (const member of shape.computed) lookUps.push(lookUpOne(some, member, options, texts))
  await Promise.all(lookUps)
  return texts
}

const lookUpOne = async (
  parts: readonly Part[],
  [name, computed]: Shape['computed'][number],
  { at, sees }: PresenterOptions,
  texts: Map<string, string>,
): Promise<void> => {
  if (computed.from === 'nothing') {
    for (const { row } of parts) texts.set(`${row.id} ${name}`, 'false')
    return
  }
  if (computed.from === 'versions') {
    const parents = await at.getMany(parts.flatMap((part) => parentIn(part) ?? []))
    for (const part of parts) {
      const parent = parents.get(parentIn(part) ?? '')
      const isStale = versionsMoved(computed, storedMembers(part.row), parent && storedMembers(parent))
      if (isStale !== undefined) texts.set(`${part.row.id} ${name}`, String(isStale))
    }
    return
  }
  if (computed.from === 'count') {
    if (!sees(computed.kind)) return
    await mapInChunks(parts, countsAtOnce, async ({ row }) => {
      texts.set(`${row.id} ${name}`, String(await at.countBelow(computed.kind, row.fullyQualifiedName)))
    })
    return
  }
  const related =
    computed.from === 'children'
      ? await at.childrenOf(
          parts.map(({ row }) => row.id),
          computed.kind,
          computedLimit,
        )
      : await at.relatedTo(
          parts.map(({ row }) => incarnationOf(row)),
          computed.rel,
          computedLimit,
        )
  for (const [of, list] of Map.groupBy(related, (item) => item.of))
    texts.set(`${entityOf(of)} ${name}`, `[${list.map(({ row }) => referenceText(seenRow(row, sees))).join(',')}]`)
}

const parentIn = ({ group: { shape, references } }: Part): string | undefined => {
  const [parent] = shape.definition.parents.flatMap(({ field }) => references[field] ?? [])
  return typeof parent === 'string' ? entityOf(parent) : parent?.id
}

/** Whether either has another version than the member says; `undefined` if it says none. */
const versionsMoved = (
  computed: Extract<Computed, { from: 'versions' }>,
  own: JsonObject,
  above: JsonObject | undefined,
): boolean | undefined => {
  const named = own[computed.in]
  if (!isObject(named) || named[computed.own] === undefined) return undefined
  return named[computed.own] !== own['version'] || named[computed.above] !== above?.['version']
}
