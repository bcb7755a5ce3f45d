import type { Column, Entity } from '../api/types.ts'
import { wordsOf } from '../ui/format.ts'
import { isRecord } from '../entity/parts.ts'

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

/** Members of what stands in an entity that follow from its place. */
const ofThePlace = new Set(['ordinalPosition'])

/** Members of references that say how the other entity was called, which is not a change of this one. */
const ofTheOther = new Set(['displayName', 'deleted', 'name', 'description', 'style', 'labelType', 'state', 'source'])

const isOther = (value: Readonly<Record<string, unknown>>): boolean =>
  'tagFQN' in value || ('fullyQualifiedName' in value && 'type' in value && 'id' in value)

/** What a thing of a list is shown by in one line. */
const ofTheLine = new Set([...ofThePlace, 'name', 'fullyQualifiedName', 'dataType', 'description'])

/** What a thing of a list holds beside its line; links and tags are shown whole. */
export const beside = (thing: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  isOther(thing) ? {} : Object.fromEntries(Object.entries(thing).filter(([name]) => !ofTheLine.has(name)))

/** The value without what says nothing about a change. */
const essence = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(essence)
  if (!isRecord(value)) return value
  const dropped = isOther(value) ? ofTheOther : ofThePlace
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !dropped.has(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, essence(member)]),
  )
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(essence(a)) === JSON.stringify(essence(b))

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
export const below = '\0'

/** Columns are compared one by one, however deep they stand. */
const flatten = (items: readonly unknown[], above = ''): (readonly [string, unknown])[] =>
  items.flatMap((item) => {
    const key = `${above}${keyOf(item)}`
    if (!isRecord(item) || !Array.isArray(item['children']) || isOther(item)) return [[key, item] as const]
    const { children, ...own } = item as Readonly<Record<string, unknown>> & { children: readonly Column[] }
    return [[key, own] as const, ...flatten(children, `${key}${below}`)]
  })

const itemsIn = (value: unknown): readonly unknown[] | undefined => {
  if (value === undefined) return []
  return Array.isArray(value) && value.every((item) => keyOf(item) !== undefined) ? value : undefined
}

const itemChanges = (before: readonly unknown[], after: readonly unknown[]): ItemChange[] => {
  const was = new Map(flatten(before))
  const is = new Map(flatten(after))
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [old, now] = [was.get(key), is.get(key)]
    return same(old, now) ? [] : [{ key, before: old, after: now }]
  })
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

const membersThatDiffer = (before: Members, after: Members, dropped: ReadonlySet<string>): MemberChange[] => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !dropped.has(name))
  return names.flatMap((name) => {
    const [old, now] = [before[name], after[name]]
    if (same(old, now)) return []
    if (!opened.has(name) || !isRecord(old) || !isRecord(now)) return [change(name, old, now)]
    return membersThatDiffer(old, now, ofThePlace).map((each) => ({ ...each, member: `${name}.${each.member}` }))
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
  isRecord(before) && isRecord(after) ? membersThatDiffer(before, after, ofThePlace) : []
