import { isObject, jsonLength, ownMember, sameJson, type Json, type JsonObject } from '../shared/json.ts'
import { isRedacted } from '../shared/secrets/sealed.ts'
import { limits } from '../shared/limits.ts'
import { childFqn } from '../kinds/names.ts'
import { incarnationKey, type Members } from '../events/events.ts'
import { DomainError } from './errors.ts'

type FieldChange = {
  /** Member, or path into it: `description`, `columns.order_id.description`, `extension.costCenter`. */
  readonly name: string
  readonly oldValue?: Json
  readonly newValue?: Json
}

/** What the newest version changed. Versions are counted in tenths; answers show them as numbers. */
export type ChangeDescription = {
  readonly fieldsAdded: FieldChange[]
  readonly fieldsUpdated: FieldChange[]
  readonly fieldsDeleted: FieldChange[]
  readonly previousVersion: number
}

/** The members without empty lists: an empty list equals an absent one. */
export const withoutEmpty = (members: Members): Members =>
  Object.values(members).some(isEmptyList)
    ? Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmptyList(value)))
    : members

const isEmptyList = (value: Json | undefined): boolean => Array.isArray(value) && value.length === 0

/** The members that differ: the new values, and the names of removed members. An empty list counts as absent. */
export const membersDelta = (before: Members, after: Members): { set: Members; unset: string[] } => {
  const [was, is] = [withoutEmpty(before), withoutEmpty(after)]
  const set = Object.fromEntries(Object.entries(is).filter(([name, value]) => !sameJson(was[name], value)))
  return { set, unset: Object.keys(was).filter((name) => is[name] === undefined && was[name] !== undefined) }
}

/** Next version in tenths: +0.1, or +1.0 when the change breaks readers (0.3 → 1.3). */
export const nextVersion = (version: number, breaking: boolean): number => version + (breaking ? 10 : 1)

export const noChanges = (previousVersion: number): ChangeDescription => ({
  fieldsAdded: [],
  fieldsUpdated: [],
  fieldsDeleted: [],
  previousVersion,
})

/** Names of members whose values in both states cannot be read any more: whether they differ is not known. */
export const unknownMembers = (before: JsonObject, after: JsonObject): string[] =>
  Object.keys(after).filter((name) => isRedacted(ownMember(before, name)) && isRedacted(after[name]))

/**
 * Describes the difference of two states, ordered by member name. Lists are compared item by item where items have a
 * name or an id.
 * @param written members that were given another value, which may not be seen any more
 */
export const describeChange = (
  before: Members,
  after: Members,
  previousVersion: number,
  written: readonly string[] = [],
): ChangeDescription => {
  const changes = noChanges(previousVersion)
  describeObject(changes, undefined, before, after)
  const unknown = unknownMembers(before, after).filter((name) => written.includes(name))
  if (unknown.length === 0) return changes
  const fieldsUpdated = [...changes.fieldsUpdated, ...unknown.map((name) => ({ name }))]
  return { ...changes, fieldsUpdated: fieldsUpdated.toSorted((one, other) => (one.name < other.name ? -1 : 1)) }
}

const describeObject = (
  into: ChangeDescription,
  path: string | undefined,
  before: JsonObject,
  after: JsonObject,
): void => {
  for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const [old, now] = [ownMember(before, name), ownMember(after, name)]
    describeValue(into, path === undefined ? name : childFqn(path, name), old, now)
  }
}

const describeValue = (
  into: ChangeDescription,
  name: string,
  before: Json | undefined,
  after: Json | undefined,
): void => {
  if (sameJson(before, after)) return
  if (before === undefined) into.fieldsAdded.push({ name, newValue: after as Json })
  else if (after === undefined) into.fieldsDeleted.push({ name, oldValue: before })
  else if (isPlain(before) && isPlain(after)) describeObject(into, name, before, after)
  else if (Array.isArray(before) && Array.isArray(after)) describeList(into, name, before, after)
  else into.fieldsUpdated.push({ name, oldValue: before, newValue: after })
}

const isPlain = (value: Json): value is JsonObject => isObject(value) && !('$sealed' in value) && !('id' in value)

/** The key of a list item: its name, or the incarnation that a reference means. */
export const itemKey = (item: Json): string | undefined => {
  if (!isObject(item)) return undefined
  const { name, id, life } = item
  if (name === undefined && typeof id === 'string')
    return incarnationKey(typeof life === 'number' ? { id, life } : { id })
  return typeof name === 'string' ? name : undefined
}

const byKey = (list: readonly Json[]): Map<string, JsonObject> | undefined => {
  const items = new Map<string, JsonObject>()
  for (const item of list) {
    const key = itemKey(item)
    if (key === undefined || items.has(key)) return undefined
    items.set(key, item as JsonObject)
  }
  return items
}

const describeList = (into: ChangeDescription, name: string, before: Json[], after: Json[]): void => {
  const old = byKey(before)
  const now = byKey(after)
  if (old === undefined || now === undefined) {
    into.fieldsUpdated.push({ name, oldValue: before, newValue: after })
    return
  }
  const added = [...now].filter(([key]) => !old.has(key)).map(([, item]) => item)
  const deleted = [...old].filter(([key]) => !now.has(key)).map(([, item]) => item)
  if (added.length > 0) into.fieldsAdded.push({ name, newValue: added })
  if (deleted.length > 0) into.fieldsDeleted.push({ name, oldValue: deleted })
  let described = added.length + deleted.length > 0
  for (const [key, item] of now) {
    const previous = old.get(key)
    if (previous === undefined || sameJson(previous, item)) continue
    describeObject(into, childFqn(name, key), previous, item)
    described = true
  }
  if (!described) into.fieldsUpdated.push({ name, oldValue: before, newValue: after })
}

/**
 * Refuses what makes an entity longer than it may be; what is longer already may become shorter. @throws DomainError
 * `too_large`
 */
export const mustFit = (before: Members, after: Members): void => {
  const [most, length] = [limits.entity.value, jsonLength(after)]
  if (length <= most || length <= jsonLength(before)) return
  const message = `An entity may have at most ${most} characters as JSON, and this one would have ${length}.`
  throw new DomainError('too_large', message)
}
