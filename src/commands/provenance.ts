import { childFqn } from '../kinds/names.ts'
import { isObject, type Json, type JsonObject } from '../shared/json.ts'
import { describeChange, itemKey } from './changes.ts'
import type { Entity, FoldableEvent } from './evolve.ts'

/** Who wrote the value that stands. */
export interface Author {
  readonly user: string
  /** ISO 8601. */
  readonly time: string
  readonly correlationId: string
  readonly clientCorrelationId?: string | undefined
  readonly position: bigint
  /** Who had proposed it. */
  readonly proposer?: string | undefined
}

/** Author by member, or by path into it: `description`, `columns.order_id.description`. */
export type Provenance = Map<string, Author>

const authorOf = ({ metadata, position }: FoldableEvent): Author => {
  const { user, time, correlationId, clientCorrelationId, proposal } = metadata
  return { user, time, correlationId, clientCorrelationId, proposer: proposal?.proposer, position }
}

/** Items of a list that are told apart by their names; references are one value together. */
const isNamedList = (value: Json): value is JsonObject[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item) => isObject(item) && !('id' in item) && itemKey(item) !== undefined)

/** Notes the author of a value: of each member of what has members, and of each item of a list whose items have names. */
const note = (authors: Provenance, path: string, value: Json, author: Author): void => {
  if (isNamedList(value)) for (const item of value) note(authors, childFqn(path, itemKey(item) as string), item, author)
  else if (isObject(value) && !('id' in value) && !('$sealed' in value))
    for (const [name, inner] of Object.entries(value)) note(authors, childFqn(path, name), inner, author)
  else authors.set(path, author)
}

const forget = (authors: Provenance, path: string): void => {
  for (const name of authors.keys()) if (name === path || name.startsWith(`${path}.`)) authors.delete(name)
}

/** Authors of values that each request replaced, by its correlation id: what is undone has its former author again. */
export type RequestProvenance = Map<string, Provenance>

/** Follows one event. Pure but for the maps that it is given: what a new life begins with has no author before it. */
export const attribute = (
  authors: Provenance,
  replaced: RequestProvenance,
  before: Entity | undefined,
  event: FoldableEvent,
  after: Entity,
): void => {
  const stood = new Map(authors)
  write(authors, before, event, after)
  const { correlationId, causationId } = event.metadata
  for (const [path, author] of replaced.get(causationId) ?? [])
    if (authors.get(path)?.position === event.position) authors.set(path, author)
  const first = replaced.get(correlationId) ?? new Map<string, Author>()
  for (const [path, author] of stood) if (authors.get(path) !== author && !first.has(path)) first.set(path, author)
  replaced.set(correlationId, first)
}

const write = (authors: Provenance, before: Entity | undefined, event: FoldableEvent, after: Entity): void => {
  const author = authorOf(event)
  const old = event.type === 'Created' ? {} : (before?.members ?? {})
  if (event.type === 'Created') authors.clear()
  const { fieldsAdded, fieldsUpdated, fieldsDeleted } = describeChange(old, after.members, 0)
  for (const { name, oldValue = null } of fieldsDeleted) {
    if (isNamedList(oldValue)) for (const item of oldValue) forget(authors, childFqn(name, itemKey(item) as string))
    else if (name in after.members) authors.set(name, author)
    else forget(authors, name)
  }
  // Of a list that is only ordered anew nothing was written.
  const updated = fieldsUpdated.filter(({ newValue = null }) => !isNamedList(newValue))
  for (const { name } of updated) forget(authors, name)
  for (const { name, newValue = null } of [...updated, ...fieldsAdded]) note(authors, name, newValue, author)
}
