import { z } from 'zod'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { Reference } from '../../events/events.ts'
import type { Computed, Field, KindDefinition } from '../../kinds/defineKind.ts'
import { maskSecrets } from '../../kinds/index.ts'
import { entityOf, lifeOf, presentLife } from '../../events/lives.ts'
import type { Computing } from './past/relations.ts'
import { changeSeen, seenThrough, type Relations } from './seen.ts'
import { nestedReferences, onRequest } from '../../projections/entities/entityRow.ts'
import { longTexts, shownLength, type ListedRow, type ReferenceRow } from '../../projections/entities/row.ts'
import { perKind } from '../../kinds/perKind.ts'
import { atOnce, inSlices, makeBreather } from '../../shared/breathe.ts'
import { mapInChunks } from '../../shared/chunks.ts'
import { namesMarked } from '../../shared/secrets/marked.ts'
import { sealedMember } from '../../shared/secrets/sealed.ts'

/** Which optional members an answer has: `list`: none, `get`: those of a single get, else those that `fields` named. */
export type Shown = 'list' | 'get' | ReadonlySet<string>

/** What is shown of a moment beside what the entities were then. */
export interface Past {
  /** What ended lives were then. */
  readonly ended: (references: readonly Reference[]) => Promise<readonly ReferenceRow[]>
  /** What computed members were then; left out: what they are now. */
  readonly computed?: Computing | undefined
}

export interface PresentOptions {
  readonly shown: Shown
  /** Lists that are answered also when they are empty, beside those that `fields` named. */
  readonly lists?: readonly string[]
  /** Absolute URL of `/api`. */
  readonly baseUrl: string
  /** Of what kinds references may show names. */
  readonly sees: (kind: string) => boolean
  /** A position that is known to be shown: what is remembered from then on will do. */
  readonly reached?: bigint | undefined
  /** The moment that is shown; left out: the present. */
  readonly past?: Past | undefined
}

export interface Presenter {
  /** The JSON texts of the entities that clients see, in order; all of one kind or of several. */
  texts(rows: readonly ListedRow[], options: PresentOptions): Promise<string[]>
  text(row: ListedRow, options: PresentOptions): Promise<string>
}

/** Numbers that are counted at once. */
const countsAtOnce = 25

/** Largest number of references that a computed member gives. */
const computedLimit = 10_000

const isShown = (name: string, shown: 'always' | 'request' | 'only-request' | undefined, wanted: Shown): boolean => {
  if (shown === undefined || shown === 'always') return true
  if (wanted === 'list') return false
  if (wanted === 'get') return shown === 'request'
  return wanted.has(name) || wanted.has('*')
}

/** Members whose value is a list. */
const listMembers = perKind((definition) => [
  ...Object.entries(definition.fields)
    .filter(
      ([name, { references, schema }]) =>
        shownName(name) === name && (references?.many ?? schema instanceof z.ZodArray),
    )
    .map(([name]) => name),
  ...Object.entries(definition.computed)
    .filter(([, { from }]) => from === 'children' || from === 'related')
    .map(([name]) => name),
])

/** The lists that an answer has even when nothing is in them. */
const demandedLists = (definition: KindDefinition, { shown, lists = [] }: PresentOptions): ReadonlySet<string> => {
  if (typeof shown === 'string' && lists.length === 0) return none
  const named = (name: string): boolean => typeof shown !== 'string' && (shown.has(name) || shown.has('*'))
  return new Set(listMembers(definition).filter((name) => lists.includes(name) || named(name)))
}

const none: ReadonlySet<string> = new Set()

/** Does an answer have anything of a row's `more`? */
export const showsMore = (definition: KindDefinition, shown: Shown): boolean =>
  shown !== 'list' &&
  Object.entries(definition.fields).some(
    ([name, field]) => onRequest(field) && field.references === undefined && isShown(name, field.shown, shown),
  )

/** Answers are put together from texts that the read models hold ready; only references are looked up. */
export const makePresenter = (readModels: Relations, kindNamed: (name: string) => KindDefinition): Presenter => {
  const texts: Presenter['texts'] = async (rows, options) => {
    const parts = await partsOf(rows, kindNamed)
    const groups = [...new Set(parts.map(({ group }) => group))]
    const ids = new Set(groups.flatMap((each) => referencedIds(each, options.shown)))
    const seen = seenThrough(readModels, options.sees)
    const [rowsById, computed] = await Promise.all([
      seen.getReferences([...ids], options.reached),
      lookUpComputed(
        options.past?.computed ? seenThrough({ ...readModels, ...options.past.computed }, options.sees) : seen,
        parts,
        options,
      ),
    ])
    const found = byLife([...rowsById.values(), ...(await pastOf(groups, byLife(rowsById.values()), options))])
    const shared = new Map(groups.map((each) => [each, sharedOf(each, found, options)]))
    const assembled: string[] = []
    const breathe = makeBreather()
    for (const part of parts) {
      const shown = { shared: shared.get(part.group) as Shared, found, computed, options }
      assembled.push(
        isLong(part.row) ? await inSlices(assembleInSteps(part, shown)) : atOnce(assembleInSteps(part, shown)),
      )
      const pause = breathe()
      if (pause !== undefined) await pause
    }
    return assembled
  }
  return { texts, text: async (row, options) => (await texts([row], options))[0] as string }
}

/** What is referred to, by the name of its present life: nothing is found under that of one that has ended. */
type Found = ReadonlyMap<string, ReferenceRow>

/** Those that are there, by their present lives. */
export const byLife = (rows: Iterable<ReferenceRow>): Found =>
  new Map([...rows].flatMap((row) => (row.status === 'gone' ? [] : [[presentLife(row), row] as const])))

/** What the past knew of the lives that have ended since. */
const pastOf = async (
  groups: readonly Group[],
  present: Found,
  { past, shown, sees }: PresentOptions,
): Promise<readonly ReferenceRow[]> => {
  if (past === undefined) return []
  const ended = groups.flatMap((group) =>
    Object.entries(group.references)
      .filter(([name]) => name !== nestedReferences && referenceShown(group, name, shown))
      .flatMap(([, list]) => list)
      .filter((reference) => !present.has(lifeOf(reference)) && sees(reference.type)),
  )
  return ended.length === 0 ? [] : past.ended(ended)
}

/** Neighbours of one kind with the same references, as of one page: these are read and shown once. */
interface Group {
  readonly definition: KindDefinition
  readonly references: Readonly<Record<string, readonly Reference[]>>
}

interface Part {
  readonly row: ListedRow
  readonly group: Group
}

const partsOf = async (
  rows: readonly ListedRow[],
  kindNamed: (name: string) => KindDefinition,
): Promise<readonly Part[]> => {
  let last: Part | undefined
  const groupOf = (row: ListedRow): Group =>
    last?.row.references === row.references && last.row.kind === row.kind
      ? last.group
      : { definition: kindNamed(row.kind), references: parseReferences(row) }
  const parts: Part[] = []
  const breathe = makeBreather()
  for (const row of rows) {
    parts.push((last = { row, group: groupOf(row) }))
    const pause = isLong(row) ? breathe() : undefined
    if (pause !== undefined) await pause
  }
  return parts
}

const noReferences = {}

const parseReferences = (row: ListedRow): Group['references'] =>
  row.references === '{}' ? noReferences : (JSON.parse(row.references) as Group['references'])

/** Voters are shown as one member, `votes`. */
const shownName = (name: string): string => (name === 'upVoters' || name === 'downVoters' ? 'votes' : name)

const referenceShown = ({ definition }: Group, name: string, shown: Shown): boolean =>
  name === nestedReferences || isShown(shownName(name), definition.fields[name]?.shown, shown)

const referencedIds = (group: Group, shown: Shown): string[] => {
  const ids: string[] = []
  for (const [name, list] of Object.entries(group.references)) {
    if (!referenceShown(group, name, shown)) continue
    for (const item of list) ids.push(typeof item === 'string' ? entityOf(item) : item.id)
  }
  return ids
}

/** Texts of computed members: `<entity id> <member>` → JSON text. */
type ComputedTexts = ReadonlyMap<string, string>

const lookUpComputed = async (
  readModels: Relations,
  parts: readonly Part[],
  { shown, reached }: PresentOptions,
): Promise<ComputedTexts> => {
  const texts = new Map<string, string>()
  const some = parts.filter(({ group }) =>
    computedOf(group.definition).some(([name, { shown: when }]) => isShown(name, when, shown)),
  )
  const lookUps = [...Map.groupBy(some, (part) => part.group.definition)].flatMap(([definition, group]) =>
    computedOf(definition)
      .filter(([name, computed]) => isShown(name, computed.shown, shown))
      .map(([name, computed]) => lookUpOne(readModels, group, { name, computed, reached }, texts)),
  )
  await Promise.all(lookUps)
  return texts
}

const computedOf = perKind((definition) => Object.entries(definition.computed))

const lookUpOne = async (
  readModels: Relations,
  group: readonly Part[],
  { name, computed, reached }: { name: string; computed: Computed; reached: bigint | undefined },
  texts: Map<string, string>,
): Promise<void> => {
  if (computed.from === 'nothing') {
    for (const { row } of group) texts.set(`${row.id} ${name}`, 'false')
    return
  }
  if (computed.from === 'count') {
    await mapInChunks(group, countsAtOnce, async ({ row }) => {
      texts.set(
        `${row.id} ${name}`,
        String(await readModels.countBelow(computed.kind, row.fullyQualifiedName, reached)),
      )
    })
    return
  }
  const related =
    computed.from === 'children'
      ? await readModels.childrenOf(
          group.map(({ row }) => row.id),
          computed.kind,
          computedLimit,
          reached,
        )
      : await readModels.relatedTo(
          group.map(({ row }) => presentLife(row)),
          computed.rel,
          computedLimit,
          reached,
        )
  for (const [of, list] of Map.groupBy(related, (item) => item.of)) {
    texts.set(`${entityOf(of)} ${name}`, `[${list.map((item) => referenceText(item.row)).join(',')}]`)
  }
}

/** The reference object of a row, ready to send. */
export const referenceText = (row: ReferenceRow): string =>
  `${row.reference.slice(0, -1)},"deleted":${row.status === 'deleted'}}`

interface Shared {
  readonly text: string
  /** Lists that each of them has, also an empty one. */
  readonly demanded: ReadonlySet<string>
}

/** What a row is shown with. */
interface Beside {
  readonly shared: Shared
  readonly found: Found
  readonly computed: ComputedTexts
  readonly options: PresentOptions
}

const isLong = (row: ListedRow): boolean => shownLength(row) > longTexts

/** The text of an entity, of what is shown of all, what is shown on request, and what others add. */
const joinedText = ({ row, group }: Part, beside: Beside, plain: string, more: string): string => {
  const { definition } = group
  const { shared, computed, options } = beside
  const { demanded } = shared
  let text = inner(plain) + more + shared.text
  for (const [name] of computed.size === 0 && demanded.size === 0 ? [] : computedOf(definition)) {
    const value = computed.get(`${row.id} ${name}`)
    text += value === undefined ? emptyList(name, demanded) : `,${JSON.stringify(name)}:${value}`
  }
  if (demanded.size > 0) text += emptyLists(row, definition, demanded)
  return `{${text},"href":${JSON.stringify(`${options.baseUrl}/v1/${definition.path}/${row.id}`)}}`
}

function* assembleInSteps(part: Part, beside: Beside): Generator<void, string> {
  const { definition } = part.group
  const { shown, sees } = beside.options
  const labelled = nestedLabels(part.group, beside.found)
  const seen = changeSeen(part.row.shownAlways, sees)
  yield
  const plain = isPlain(seen, labelled) ? seen : yield* plainText(seen, definition, labelled)
  const more =
    part.row.shownOnRequest === '{}' || shown === 'list' ? '' : yield* moreText(part.row, definition, shown, labelled)
  yield
  return joinedText(part, beside, plain, more)
}

/** Demanded lists that are no references, and that the row does not have. */
const emptyLists = (row: ListedRow, definition: KindDefinition, demanded: ReadonlySet<string>): string => {
  const plain = [...demanded].filter((name) => definition.fields[name]?.references === undefined)
  const own = plain.filter((name) => name in definition.fields)
  if (own.length === 0) return ''
  const present = { ...(JSON.parse(row.shownAlways) as JsonObject), ...(JSON.parse(row.shownOnRequest) as JsonObject) }
  return own.map((name) => (name in present ? '' : `,${JSON.stringify(name)}:[]`)).join('')
}

/** What an answer says of the references, and takes over from them. */
const sharedOf = (group: Group, found: Found, options: PresentOptions): Shared => {
  const { definition, references } = group
  const { shown } = options
  const demanded = demandedLists(definition, options)
  let text = ''
  for (const [name, list] of Object.entries(references)) {
    if (name === nestedReferences || shownName(name) === 'votes' || !referenceShown(group, name, shown)) continue
    text += referencesText(name, list, definition.fields[name], found, shown) || emptyList(name, demanded)
  }
  for (const name of demanded) {
    if (definition.fields[name]?.references && references[name] === undefined) text += emptyList(name, demanded)
  }
  if (definition.traits.votes && isShown('votes', 'request', shown)) text += votesText(group, found)
  return { text: text + textFromAbove(group, found), demanded }
}

const emptyList = (name: string, demanded: ReadonlySet<string>): string =>
  demanded.has(name) ? `,${JSON.stringify(name)}:[]` : ''

/** The members of an object's text, without the braces. */
const inner = (text: string): string => text.slice(1, -1)

/** Is there nothing in a text that must be masked or resolved? */
const isPlain = (text: string, labels: LabelOf | undefined): boolean =>
  labels === undefined && !namesMarked(text, sealedMember)

/** A text with what must be masked or resolved in it. */
function* plainText(text: string, definition: KindDefinition, labels: LabelOf | undefined): Generator<void, string> {
  const members = JSON.parse(text) as JsonObject
  yield
  const masked = namesMarked(text, sealedMember) ? (maskSecrets(members) as JsonObject) : members
  const shown = withLabels(masked, definition, labels)
  yield
  return JSON.stringify(shown)
}

type LabelOf = (reference: JsonObject) => Json | undefined

const nestedLabels = ({ references }: Group, found: Found): LabelOf | undefined => {
  if (references[nestedReferences] === undefined) return undefined
  const read = new Map<string, Json | undefined>()
  return (reference) => {
    const life = lifeOf(reference as Reference)
    if (!read.has(life)) {
      const label = found.get(life)?.label
      read.set(life, label === undefined ? undefined : (JSON.parse(label) as Json))
    }
    return read.get(life)
  }
}

const withLabels = (members: JsonObject, definition: KindDefinition, labels: LabelOf | undefined): JsonObject => {
  if (labels === undefined) return members
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, definition.fields[name]?.nested?.(value, labels) ?? value]),
  )
}

function* moreText(
  row: ListedRow,
  definition: KindDefinition,
  shown: Exclude<Shown, 'list'>,
  labels: LabelOf | undefined,
): Generator<void, string> {
  const all = row.shownOnRequest
  const text = isPlain(all, labels) ? all : yield* plainText(all, definition, labels)
  yield
  const partial = shown !== 'get' && !shown.has('*')
  if (!partial && !hasOnlyRequest(definition)) return `,${inner(text)}`
  const members = JSON.parse(text) as JsonObject
  return Object.entries(members)
    .filter(([name]) => isShown(name, definition.fields[name]?.shown, shown))
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('')
}

const hasOnlyRequest = perKind((definition) =>
  Object.values(definition.fields).some((field) => field.shown === 'only-request' && field.references === undefined),
)

const referencesText = (
  name: string,
  list: readonly Reference[],
  field: Field | undefined,
  found: Found,
  shown: Shown,
): string => {
  const asLabel = field?.references?.as === 'label'
  const items: string[] = []
  for (const reference of list) {
    const row = found.get(lifeOf(reference))
    if (row === undefined) continue
    const text = asLabel ? row.label : referenceText(row)
    if (text !== undefined) items.push(text)
  }
  if (field?.references?.many) {
    if (items.length === 0) return ''
    const alone = firstNames(field, shown).map((first) => `,${JSON.stringify(first)}:${items[0]}`)
    return `,${JSON.stringify(name)}:[${items.join(',')}]${alone.join('')}`
  }
  return items[0] === undefined ? '' : `,${JSON.stringify(name)}:${items[0]}`
}

/** The names under which the first of many is answered alone: the field's own, and those that `fields` asked for. */
const firstNames = ({ first, aliases = [] }: Field, shown: Shown): readonly string[] => {
  const asked = typeof shown === 'string' ? [] : aliases.filter((alias) => shown.has(alias))
  return first === undefined ? asked : [...new Set([first, ...asked])]
}

const votesText = ({ references }: Group, found: Found): string => {
  const voters = (name: string): string[] =>
    (references[name] ?? []).flatMap((reference) => {
      const row = found.get(lifeOf(reference))
      return row === undefined ? [] : [referenceText(row)]
    })
  const up = voters('upVoters')
  const down = voters('downVoters')
  return `,"votes":{"upVotes":${up.length},"downVotes":${down.length},"upVoters":[${up.join(',')}],"downVoters":[${down.join(',')}]}`
}

/** Members that name what stands above. */
const ancestorsOf = perKind((definition) => [
  ...new Set([...definition.parents.map((parent) => parent.field), ...definition.ancestors]),
])

/** What the ancestors show on everything below them. */
const textFromAbove = ({ definition, references }: Group, found: Found): string => {
  let text = ''
  for (const name of ancestorsOf(definition)) {
    const above = references[name]?.[0]
    const shownBelow = above && found.get(lifeOf(above))?.shownBelow
    if (shownBelow !== undefined && shownBelow !== '{}') text += `,${inner(shownBelow)}`
  }
  return text
}
