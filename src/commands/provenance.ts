import { buildFqn, childFqn, splitFqn } from '../kinds/names.ts'
import type { Members } from '../events/events.ts'
import { isObject, ownMember, type Json, type JsonObject } from '../shared/json.ts'
import { memoize } from '../shared/memoize.ts'
import { describeChange, itemKey } from './changes.ts'
import type { Entity, FoldInput } from './evolve.ts'

interface Writer {
  readonly user: string
  /** Whether the writer cleared the value. */
  readonly cleared?: true
}

/** The author of the present value, or of its absence. */
interface Author extends Writer {
  /** ISO 8601. */
  readonly time: string
  readonly correlationId: string
  readonly clientCorrelationId?: string | undefined
  readonly position: bigint
  /** The user who proposed the value. */
  readonly proposer?: string | undefined
}

/** Author by member, or by path into it: `description`, `columns.order_id.description`. */
export type Provenance = Map<string, Author>

const authorOf = ({ metadata, position }: FoldInput): Author => {
  const { user, time, correlationId, clientCorrelationId, proposal } = metadata
  return { user, time, correlationId, clientCorrelationId, proposer: proposal?.proposer, position }
}

/** List items by name. A list of references counts as one value. */
const isNamedList = (value: Json): value is JsonObject[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item) => isObject(item) && !('id' in item) && itemKey(item) !== undefined)

/** Records the author of a value, for each member of an object and each named item of a list. */
const attributeValue = <A>(authors: Map<string, A>, path: string, value: Json, author: A): void => {
  if (isNamedList(value))
    for (const item of value) attributeValue(authors, childFqn(path, itemKey(item) as string), item, author)
  else if (isObject(value) && !('id' in value) && !('$sealed' in value))
    for (const [name, inner] of Object.entries(value)) attributeValue(authors, childFqn(path, name), inner, author)
  else authors.set(path, author)
}

const itemsByKey = memoize((list: Json[]) => new Map(list.toReversed().map((item) => [itemKey(item), item])))

/** The value at a path into members. */
const valueAt = (members: Members, path: string): Json | undefined =>
  (splitFqn(path) ?? []).reduce<Json | undefined>((value, name) => {
    if (Array.isArray(value)) return itemsByKey(value).get(name)
    return isObject(value) ? ownMember(value, name) : undefined
  }, members)

const quotedOrDot = /"(?:[^"]|"")+"|\./g

/** Whether a path, or one that it is inside of, is among others. */
const isInside = (path: string, others: ReadonlySet<string>): boolean => {
  for (const { 0: part, index } of path.matchAll(quotedOrDot))
    if (part === '.' && others.has(path.slice(0, index))) return true
  return others.has(path)
}

/** Authors of the values that a request replaced, by correlation id: undoing the request restores them. */
export type RequestProvenance = Map<string, Provenance>

/** Applies one event to the given maps. A new incarnation starts without earlier authors. */
export const attributeEvent = (
  { authors, replaced }: { readonly authors: Provenance; readonly replaced: RequestProvenance },
  { before, event, after }: { readonly before: Entity | undefined; readonly event: FoldInput; readonly after: Entity },
): void => {
  const former = new Map(authors)
  const created = event.type === 'Created'
  if (created) authors.clear()
  attributeChanges(authors, created ? {} : (before?.members ?? {}), after.members, authorOf(event))
  const { correlationId, causationId } = event.metadata
  const undone = replaced.get(causationId)
  for (const [path, author] of undone ?? [])
    if (authors.get(path)?.position === event.position) authors.set(path, author)
  // Undoing the creation of a value does not count as clearing it.
  for (const [path, { cleared = false, position }] of undone === undefined ? [] : authors)
    if (cleared && position === event.position) authors.delete(path)
  const first = replaced.get(correlationId) ?? new Map<string, Author>()
  for (const [path, author] of former) if (authors.get(path) !== author && !first.has(path)) first.set(path, author)
  replaced.set(correlationId, first)
}

/** Records the author of what differs between two states: of new values, and of cleared ones. */
export const attributeChanges = <A extends Writer>(
  authors: Map<string, A>,
  before: Members,
  after: Members,
  author: A,
): void => {
  const { fieldsAdded, fieldsUpdated, fieldsDeleted } = describeChange(before, after, 0)
  // Reordering a list writes none of its items.
  const updated = fieldsUpdated.filter(({ newValue = null }) => !isNamedList(newValue))
  const overwritten = new Set(updated.map(({ name }) => name))
  const clearing = new Map<string, A>()
  for (const { name, oldValue = null } of fieldsDeleted) {
    const isCleared = valueAt(after, name) === undefined
    if (isNamedList(oldValue) && !isCleared)
      for (const item of oldValue) overwritten.add(childFqn(name, itemKey(item) as string))
    else {
      overwritten.add(name)
      clearing.set(name, isCleared ? { ...author, cleared: true } : author)
    }
  }
  for (const path of authors.keys()) if (isInside(path, overwritten)) authors.delete(path)
  for (const [path, clearer] of clearing) authors.set(path, clearer)
  for (const { name } of fieldsAdded) authors.delete(name)
  for (const { name, newValue = null } of [...updated, ...fieldsAdded]) attributeValue(authors, name, newValue, author)
}

/**
 * Users whose values a change replaces or clears, or who had cleared a value that it sets again, by the path of the
 * value. An item removed from a list counts, with everything that others wrote in it, as the user's who wrote its name.
 */
export const replacedAuthors = (
  authors: ReadonlyMap<string, Writer>,
  before: Members,
  after: Members,
): Map<string, string> => {
  const authorsAfter = new Map(authors)
  attributeChanges(authorsAfter, before, after, { user: '' })
  const itemAuthor = (path: string): Writer | undefined => {
    const parts = splitFqn(path) ?? []
    const names = parts.map((_, at) => childFqn(buildFqn(parts.slice(0, at + 1)), 'name'))
    return authors.get(names.find((name) => authors.has(name) && !authorsAfter.has(name)) ?? '')
  }
  const replaced = [...authors].filter(
    ([path, author]) =>
      authorsAfter.get(path) !== author && (author.cleared === undefined || valueAt(after, path) !== undefined),
  )
  return new Map(replaced.map(([path, author]) => [path, (itemAuthor(path) ?? author).user]))
}
