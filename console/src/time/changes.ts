import type { Column, Entity } from '../api/types.ts'
import { wordsOf } from '../ui/format.ts'
import { isOther, isRecord, same } from '../entity/parts.ts'

/** One thing of a list that was added, removed or changed. */
export interface ItemChange {
  readonly key: string
  readonly before: unknown
  readonly after: unknown
}

/** What became of one member between two states. */
export interface MemberChange {
  readonly member: string
  readonly label: string
  /** `items`: lists whose things have names; `text`: long texts; `value`: everything else. */
  readonly form: 'text' | 'value' | 'items'
  readonly before: unknown
  readonly after: unknown
  readonly items: readonly ItemChange[]
}

/** Members of an entity that differ between any two states, or say nothing of the entity itself. */
const noise = new Set([
  'id',
  'href',
  'version',
  'updatedAt',
  'updatedBy',
  'changeDescription',
  'followers',
  'votes',
  'owner',
  'domain',
])

/** What a thing of a list is shown by in one line. */
const ofTheLine = new Set(['ordinalPosition', 'name', 'fullyQualifiedName', 'dataType', 'description'])

/** What a thing of a list holds beside its line; links and tags are shown whole. */
export const beside = (thing: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  isOther(thing) ? {} : Object.fromEntries(Object.entries(thing).filter(([name]) => !ofTheLine.has(name)))

/** The name by which a thing of a list is known from state to state. */
const keyOf = (item: unknown): string | undefined => {
  if (typeof item === 'string') return item
  if (!isRecord(item)) return undefined
  const { tagFQN, source, type, fullyQualifiedName, name, id } = item
  if (typeof tagFQN === 'string') return `${String(source)} ${tagFQN}`
  if (typeof fullyQualifiedName === 'string' && typeof type === 'string') return `${type} ${fullyQualifiedName}`
  if (typeof name === 'string') return name
  return typeof id === 'string' ? id : undefined
}

/** Between the names of a column and of one within it: no name has it. */
const below = '\0'

export const wordsOfKey = (key: string): string =>
  key
    .split(below)
    .filter((name) => name !== '')
    .join('.')

/** A thing of a list, and whether its position says only where it stands there. */
type Placed = readonly [thing: unknown, counted: boolean]

const nothing: Placed = [undefined, false]

/** Columns are compared one by one, however deep they stand. */
const flatten = (items: readonly unknown[], above = ''): (readonly [string, Placed])[] =>
  items.flatMap((item, at) => {
    const key = `${above}${keyOf(item)}`
    if (!isRecord(item) || isOther(item)) return [[key, [item, false]] as const]
    const counted = item['ordinalPosition'] === at + 1
    if (!Array.isArray(item['children'])) return [[key, [item, counted]] as const]
    const { children, ...own } = item as Readonly<Record<string, unknown>> & { children: readonly Column[] }
    return [[key, [own, counted]] as const, ...flatten(children, `${key}${below}`)]
  })

const itemsIn = (value: unknown): readonly unknown[] | undefined => {
  if (value === undefined) return []
  return Array.isArray(value) && value.every((item) => keyOf(item) !== undefined) ? value : undefined
}

const withoutPosition = (thing: unknown): unknown =>
  isRecord(thing) ? Object.fromEntries(Object.entries(thing).filter(([name]) => name !== 'ordinalPosition')) : thing

const itemChanges = (before: readonly unknown[], after: readonly unknown[]): ItemChange[] => {
  const was = new Map(flatten(before))
  const is = new Map(flatten(after))
  const changes = [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [[old, wasCounted], [now, isCounted]] = [was.get(key) ?? nothing, is.get(key) ?? nothing]
    const [first, then] = wasCounted && isCounted ? [withoutPosition(old), withoutPosition(now)] : [old, now]
    return same([first], [then]) ? [] : [{ key, before: first, after: then }]
  })
  const orderOf = (one: typeof was, other: typeof was): unknown[] =>
    [...one].flatMap(([key, [thing]]) => (other.has(key) ? [isOther(thing) ? thing : wordsOfKey(key)] : []))
  const [order, reordered] = [orderOf(was, is), orderOf(is, was)]
  return same(order, reordered) ? changes : [{ key: `${below}order`, before: order, after: reordered }, ...changes]
}

const isLong = (value: unknown): boolean => typeof value === 'string' && (value.length > 60 || value.includes('\n'))

const change = (member: string, before: unknown, after: unknown): MemberChange => {
  const [old, now] = [itemsIn(before), itemsIn(after)]
  const items =
    old !== undefined && now !== undefined && (old.length > 0 || now.length > 0) ? itemChanges(old, now) : []
  const texts = typeof before === 'string' && typeof after === 'string'
  const form = items.length > 0 ? 'items' : texts || isLong(before) || isLong(after) ? 'text' : 'value'
  return { member, label: wordsOf(member.split('.').at(-1) as string), form, before, after, items }
}

/** Members that hold lists of named things one level down. */
const opened = new Set(['messageSchema', 'requestSchema', 'responseSchema', 'dataModel'])

type Members = Readonly<Record<string, unknown>>

const membersThatDiffer = (before: Members, after: Members, dropped = new Set<string>()): MemberChange[] => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !dropped.has(name))
  return names.flatMap((name) => {
    const [old, now] = [before[name], after[name]]
    if (same(old, now)) return []
    if (!opened.has(name) || !isRecord(old) || !isRecord(now)) return [change(name, old, now)]
    return membersThatDiffer(old, now).map((each) => ({ ...each, member: `${name}.${each.member}` }))
  })
}

/** What is different between two states of an entity, without what only says that there was a change. */
export const changesBetween = (before: Partial<Entity>, after: Partial<Entity>): MemberChange[] =>
  membersThatDiffer(before, after, noise)

/** What is seen of a value: whether something is a number or a text is not. */
const look = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, each: unknown) => {
    if (typeof each === 'boolean') return each ? 'yes' : 'no'
    return each === null || each === '' ? '–' : typeof each === 'number' ? String(each) : each
  })

/** Whether two values that differ are shown with the same words, as 5 and "5" are. */
export const lookAlike = (before: unknown, after: unknown): boolean => look(before) === look(after)

/** The change of one value, under a name of its own. */
export const valueChange = (label: string, before: unknown, after: unknown): MemberChange => ({
  ...change(label, before, after),
  label,
})

/** Members of a thing that differ, and its name where it stands on one side alone. */
export const memberChanges = (before: unknown, after: unknown): MemberChange[] =>
  isRecord(before) && isRecord(after) ? membersThatDiffer(before, after) : []
