import { z } from 'zod'
import { conflict, DomainError, invalidAt } from '../../commands/errors.ts'
import { mapReferences } from '../../commands/requests/resolveRequest.ts'
import type { Problem, KindDefinition } from '../../kinds/defineKind.ts'
import { withoutCounted } from '../../kinds/members/elements.ts'
import { perKind } from '../../kinds/perKind.ts'
import {
  canonicalJson,
  isObject,
  objectsOf,
  pointerSteps,
  sameJson,
  type Json,
  type JsonObject,
} from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { maxDepth } from '../http/jsonText.ts'
import { parseBody } from '../http/readBody.ts'

const pointer = z
  .string()
  .regex(new RegExp(`^(?:/(?:[^/~]|~[01])*){0,${maxDepth}}$`), `must be a JSON Pointer of at most ${maxDepth} levels`)

const operationsSchema = z
  .array(
    z.discriminatedUnion('op', [
      z.object({
        op: z.enum(['add', 'replace', 'test']),
        path: pointer,
        value: z.custom<Json>((value) => value !== undefined, 'is required'),
      }),
      z.object({ op: z.enum(['move', 'copy']), path: pointer, from: pointer }),
      z.object({ op: z.literal('remove'), path: pointer }),
    ]),
  )
  .max(limits.patchOperations.value)

type Operation = z.output<typeof operationsSchema>[number]

/** The document between two operations, modified in place. */
interface PatchState {
  /** The document is the member without a name, so that the pointer to the whole is one like the others. */
  readonly root: { '': Json }
  /** Characters copied so far. */
  copied: number
  /** List items shifted so far by insertions and removals. */
  shifted: number
}

/** An operation that does not apply; the message says why. */
class Inapplicable extends Error {
  override readonly name = 'Inapplicable'
}

/**
 * Applies a JSON Patch (RFC 6902) in linear time, with a pause before each operation. `applyPatch` of fast-json-patch will
 * not do: it follows inherited members (`/constructor/name`), takes `01` for an index, and copies what a move overwrites.
 * @throws DomainError `invalid`, `conflict` when a `test` fails, `too_large`
 */
export function* applyJsonPatch(document: JsonObject, patch: unknown): Generator<void, Json> {
  const operations = parseBody(operationsSchema, patch)
  const patching: PatchState = { root: { '': structuredClone(document) }, copied: 0, shifted: 0 }
  yield
  for (const [index, operation] of operations.entries()) {
    yield
    try {
      apply(patching, operation)
    } catch (error) {
      if (!(error instanceof Inapplicable)) throw error
      const { op, path } = operation
      if (op === 'test') throw conflict(`The test of operation ${index} failed: ${path}: ${error.message}.`)
      throw invalidAt(`/${index}`, `${op} ${path}: ${error.message}`)
    }
  }
  return patching.root['']
}

const apply = (patching: PatchState, operation: Operation): void => {
  const { path } = operation
  switch (operation.op) {
    case 'add':
      return add(patching, path, structuredClone(operation.value))
    case 'replace':
      return replace(patching, path, structuredClone(operation.value))
    case 'remove':
      remove(patching, path)
      return
    case 'move':
      return move(patching, operation.from, path)
    case 'copy':
      return add(patching, path, copied(patching, valueAt(patching, operation.from)))
    case 'test':
      if (!sameJson(valueAt(patching, path), operation.value)) throw new Inapplicable('there is another value')
  }
}

const nothing = 'there is nothing at this path'

const isIndex = (token: string): boolean => /^(0|[1-9]\d*)$/.test(token)

const has = (holder: Json, token: string): holder is JsonObject | Json[] =>
  Array.isArray(holder)
    ? isIndex(token) && Number(token) < holder.length
    : isObject(holder) && Object.hasOwn(holder, token)

const step = (holder: Json, token: string): Json => {
  if (!has(holder, token)) throw new Inapplicable(nothing)
  return (holder as JsonObject)[token] as Json
}

/** The object or list that contains the target of a pointer, and the pointer's last token. */
const placeOf = ({ root }: PatchState, path: string): { holder: JsonObject | Json[]; token: string } => {
  const tokens = ['', ...pointerSteps(path)]
  const token = tokens.pop() as string
  const holder = tokens.reduce(step, root as Json)
  if (!Array.isArray(holder) && !isObject(holder)) throw new Inapplicable(nothing)
  if (token === '__proto__') throw new Inapplicable('__proto__ is not allowed as the name of a member')
  return { holder, token }
}

const valueAt = (patching: PatchState, path: string): Json => {
  const { holder, token } = placeOf(patching, path)
  return step(holder, token)
}

const add = (patching: PatchState, path: string, value: Json): void => {
  const { holder, token } = placeOf(patching, path)
  if (!Array.isArray(holder)) holder[token] = value
  else if (token === '-') holder.push(value)
  else if (!isIndex(token) || Number(token) > holder.length)
    throw new Inapplicable('there is no such place in the list')
  else {
    shift(patching, holder.length - Number(token))
    holder.splice(Number(token), 0, value)
  }
}

const replace = (patching: PatchState, path: string, value: Json): void => {
  const { holder, token } = placeOf(patching, path)
  if (!has(holder, token)) throw new Inapplicable(nothing)
  ;(holder as JsonObject)[token] = value
}

const remove = (patching: PatchState, path: string): Json => {
  if (path === '') throw new Inapplicable('the whole cannot be taken away')
  const { holder, token } = placeOf(patching, path)
  const value = step(holder, token)
  if (Array.isArray(holder)) {
    shift(patching, holder.length - Number(token))
    holder.splice(Number(token), 1)
  } else delete holder[token]
  return value
}

const move = (patching: PatchState, from: string, path: string): void => {
  valueAt(patching, from)
  if (path === from) return
  if (path.startsWith(`${from}/`)) throw new Inapplicable('nothing can be moved into itself')
  add(patching, path, remove(patching, from))
}

const copied = (patching: PatchState, value: Json): Json => {
  const text = JSON.stringify(value)
  const most = limits.patchCopies.value
  patching.copied += text.length
  if (patching.copied > most)
    throw new DomainError('too_large', `The copies of the patch make more than ${most} characters.`)
  return JSON.parse(text) as Json
}

/** Limits shifting of long lists, the only operation beyond linear time. */
const shift = (patching: PatchState, items: number): void => {
  const most = limits.patchShifts.value
  patching.shifted += items
  if (patching.shifted > most)
    throw new DomainError(
      'too_large',
      `The patch moves more than ${most} items of lists aside: replace those lists as a whole.`,
    )
}

/** Names of the members that a patch of either format reads or sets. What a merge patch clears need not be there. */
export const membersOfPatch = (patch: unknown): ReadonlySet<string> => {
  if (!Array.isArray(patch))
    return new Set(isObject(patch) ? Object.keys(patch).filter((name) => patch[name] !== null) : [])
  const pointers = objectsOf(patch).flatMap(({ path, from }) => [path, from])
  return new Set(pointers.flatMap((given) => (typeof given === 'string' ? (given.split('/', 2)[1] ?? []) : [])))
}

/**
 * Applies a JSON Patch (RFC 6902) or a merge patch (RFC 7396), by media type, with pauses between the operations of a JSON
 * Patch. @param definition the kind of the entity that the document shows, if it shows one
 * @throws DomainError as {@link applyJsonPatch}
 */
export function* applyPatch(
  document: JsonObject,
  patch: unknown,
  contentType: string,
  definition?: KindDefinition,
): Generator<void, JsonObject> {
  const patched =
    contentType === 'application/merge-patch+json'
      ? mergePatch(definition ? withoutReplaced(definition, document, patch) : document, patch as Json)
      : countedAgain(document, yield* applyJsonPatch(document, patch), definition)
  if (!isObject(patched)) throw invalidAt('', 'the patch must leave an object')
  return patched
}

/** The patched document without counted positions, where elements were added, moved or removed. */
const countedAgain = (document: JsonObject, patched: Json, definition: KindDefinition | undefined): Json => {
  if (!isObject(patched) || definition === undefined) return patched
  const result = { ...patched }
  for (const [name, { numbered, elements }] of Object.entries(definition.fields)) {
    const [before, after] = [document[name], patched[name]]
    if (numbered && after !== undefined && !sameJson(before, after))
      result[name] = withoutCounted(before, after, elements) as Json
  }
  return result
}

/** The document without the references that a merge patch replaces, since no reference is made of members of two. */
const withoutReplaced = (definition: KindDefinition, document: JsonObject, patch: unknown): JsonObject => {
  const aliases = aliasesOf(definition)
  const rest = { ...document }
  for (const [name, value] of isObject(patch) ? Object.entries(patch) : []) {
    const member = aliases.get(name) ?? name
    if (definition.fields[member]?.references) delete rest[name]
    if (value === null) delete rest[member]
  }
  return rest
}

/** RFC 7396, section 2. */
const mergePatch = (target: Json | undefined, patch: Json): Json => {
  if (!isObject(patch)) return patch
  const result: JsonObject = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = mergePatch(result[name], value)
  }
  return result
}

const isSettable = (definition: KindDefinition, name: string): boolean => {
  const field = definition.fields[name]
  return field !== undefined && !field.readOnly && !field.fixed
}

const aliasesOf = perKind(
  ({ fields }): ReadonlyMap<string, string> =>
    new Map(Object.entries(fields).flatMap(([name, field]) => (field.aliases ?? []).map((alias) => [alias, name]))),
)

/** Problems of changed read-only members. */
export const readOnlyProblems = (definition: KindDefinition, before: JsonObject, after: JsonObject): Problem[] => {
  const aliases = aliasesOf(definition)
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter(
      (name) =>
        !isSettable(definition, name) && !aliases.has(name) && name in before && !sameJson(before[name], after[name]),
    )
    .map((name) => ({ path: `/${name}`, message: 'is read-only' }))
}

/** Problems of references that stay, with other values of what they refer to. @param unreadable members left out */
export const referenceProblems = (
  definition: KindDefinition,
  before: JsonObject,
  written: JsonObject,
  unreadable: ReadonlySet<string>,
): Problem[] => {
  const names = new Set(Object.keys(written).filter((name) => !unreadable.has(name)))
  const shown = new Map(
    referencesOf(definition, before, names).flatMap(({ reference }) =>
      [{ ...reference, source: null }, reference].map((named) => [keyOf(named), reference]),
    ),
  )
  return referencesOf(definition, written, names).flatMap(({ path, reference }) => {
    const is = shown.get(keyOf(reference)) ?? {}
    const isChanged = (member: string): boolean => is[member] !== undefined && !sameJson(is[member], reference[member])
    const changed = Object.keys(reference).filter(isChanged)
    return changed.map((member) => ({ path: `${path}/${member}`, message: 'is read-only' }))
  })
}

/** A tag and a term can have one name. */
const keyOf = ({ id, tagFQN = null, source = null }: JsonObject): string => canonicalJson(id ?? [source, tagFQN])

/** The references in these members that are objects, with their JSON Pointers. */
const referencesOf = (definition: KindDefinition, members: JsonObject, names: ReadonlySet<string>) => {
  const found: { readonly path: string; readonly reference: JsonObject }[] = []
  const given = Object.entries(members).filter(([name, value]) => names.has(name) && value != null)
  mapReferences(definition, Object.fromEntries(given), (reference, _, path) => {
    if (isObject(reference)) found.push({ path, reference })
    return undefined
  })
  return found
}

/**
 * The members changed by a patch of an answer, as a request: `null` for removed ones, under the name that the patch
 * used. Unknown members that the patch added are included.
 */
export const changedMembers = (definition: KindDefinition, before: JsonObject, after: JsonObject): JsonObject => {
  const aliases = aliasesOf(definition)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => !sameJson(before[name], after[name]))
  const isRequested = (name: string): boolean => aliases.has(name) || isSettable(definition, name) || !(name in before)
  return Object.fromEntries(changed.filter(isRequested).map((name) => [name, after[name] ?? null]))
}
