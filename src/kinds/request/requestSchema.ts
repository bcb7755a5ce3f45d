import type { z } from 'zod'
import { runToEnd, runInSlices } from '../../shared/yieldToEventLoop.ts'
import { storableText } from '../../shared/entityName.ts'
import { isObject, type Json, type JsonObject, jsonPointer, pointerSteps, safeParse } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { didYouMean } from '../../shared/nearest.ts'
import type { Field, KindDefinition, Problem, ReferenceInput } from '../defineKind.ts'
import { contentProblems } from './contentChecks.ts'
import { collectCleared, type MemberPaths } from '../members/elements.ts'
import { perKind, systemMembers } from '../perKind.ts'
import { name as nameSchema } from '../members/shapes.ts'
import { problemsOf, type ValuePlace, withoutNulls } from './zodProblems.ts'

export type RequestMode = 'create' | 'upsert' | 'patch'

/** The readable part of a body, and all problems of its shape. */
export interface ParsedRequest {
  /** Empty in a `patch`, since names never change. */
  readonly name: string
  /** Members under their own names; references as `ReferenceInput`s. */
  readonly values: JsonObject
  /** Members that an `upsert` or a `patch` clears with `null`. */
  readonly cleared: readonly string[]
  /** Element members that an `upsert` clears. If absent, elements are not merged. */
  readonly clearedInside?: MemberPaths | undefined
  /** Problems of its shape, with JSON Pointers into the body as the client sent it. */
  readonly problems: readonly Problem[]
  /** Members that `values` lacks because of problems. Lists of references have `null` for unreadable items. */
  readonly unreadable: ReadonlySet<string>
}

interface Entry {
  readonly member: string
  readonly field: Field
  /** The member was given under an alias: a single value becomes a list. */
  readonly alias: boolean
}

/** What stands for members in requests: their own names, then their aliases. */
const entriesOf = perKind(({ fields }): ReadonlyMap<string, Entry> => {
  const all = Object.entries(fields)
  const own = all.map(([member, field]) => [member, { member, field, alias: false }] as const)
  const aliases = all.flatMap(([member, field]) =>
    (field.aliases ?? []).map((alias) => [alias, { member, field, alias: true }] as const),
  )
  return new Map<string, Entry>([...own, ...aliases])
})

/**
 * Reads a body strictly. On `create`, and inside members, `null` equals absent, but open objects keep it and references
 * refuse it. On `upsert` and `patch` it clears the member. Defaults are not filled in: see `defaultsOf`.
 */
export const readRequest = (definition: KindDefinition, body: unknown, mode: RequestMode): ParsedRequest =>
  runToEnd(readInSteps(definition, body, mode))

/** {@link readRequest} in slices that yield to the event loop. */
export const readRequestInSlices = (
  definition: KindDefinition,
  body: unknown,
  mode: RequestMode,
): Promise<ParsedRequest> => runInSlices(readInSteps(definition, body, mode))

function* readInSteps(definition: KindDefinition, body: unknown, mode: RequestMode): Generator<void, ParsedRequest> {
  const read = nothingRead(mode)
  if (!isObject(body)) return { ...read, name: '', problems: [{ path: '', message: 'must be an object' }] }
  const state: ParseState = { mode, definition, entries: entriesOf(definition), ...read }
  const flaws = Map.groupBy(contentProblems(body), ({ path }) => pointerSteps(path)[0])
  yield
  const [overflow] = flaws.get(undefined) ?? []
  if (overflow !== undefined) return notRead(definition, overflow)
  let name = ''
  for (const key of Object.keys(body)) {
    const value = body[key]
    if (value === undefined) continue
    const own = flaws.size === 0 ? undefined : flaws.get(storableText(key))
    if (own !== undefined) {
      for (const flaw of own) read.problems.push(flaw)
      read.unreadable.add(state.entries.get(key)?.member ?? key)
    } else if (key === 'name') name = readName(value, state)
    else yield* readMember(key, value, body, state)
    yield
  }
  if (mode !== 'patch') findMissing(body, state)
  const references = countReferences(definition, read.values)
  yield
  const most = limits.references.value
  if (references <= most) return { ...read, name }
  const message = `must refer to at most ${most} other entities and refers to ${references}`
  return notRead(definition, { path: '', message })
}

/** The result for a body that is too large to read. */
const notRead = (definition: KindDefinition, problem: Problem): ParsedRequest => ({
  name: '',
  values: {},
  cleared: [],
  problems: [problem],
  unreadable: new Set(['name', ...Object.keys(definition.fields)]),
})

const countReferences = (definition: KindDefinition, values: JsonObject): number => {
  const found = new Set<string>()
  const note = (reference: Json): undefined => {
    const { id, type, fullyQualifiedName } = reference as ReferenceInput
    found.add(`${type ?? ''} ${id ?? ''} ${fullyQualifiedName ?? ''}`)
  }
  for (const [member, value] of Object.entries(values)) {
    const field = definition.fields[member]
    if (field?.references) [value].flat().forEach((each) => each !== null && note(each))
    else field?.nested?.(value, note)
  }
  return found.size
}

const nothingRead = (mode: RequestMode) => ({
  values: {} as JsonObject,
  cleared: [] as string[],
  ...(mode === 'upsert' && { clearedInside: new Set<string>() }),
  problems: [] as Problem[],
  unreadable: new Set<string>(),
})

interface ParseState extends Readonly<ReturnType<typeof nothingRead>> {
  readonly mode: RequestMode
  readonly definition: KindDefinition
  readonly entries: ReadonlyMap<string, Entry>
}

const readName = (value: Json, { problems, unreadable }: ParseState): string => {
  if (value === null) return ''
  const name = parseValue({ schema: nameSchema, path: '/name' }, value, problems) as string | undefined
  if (name === undefined) unreadable.add('name')
  return name ?? ''
}

function* readMember(key: string, value: Json, body: JsonObject, state: ParseState): Generator<void, void> {
  const { definition, entries, mode, problems, unreadable, values } = state
  const entry = entries.get(key)
  if (entry === undefined || entry.field.readOnly) {
    const known = entry !== undefined || systemMembers.has(key) || Object.hasOwn(definition.computed, key)
    // Clients that write all members of their types say nothing by `null`.
    if (known && value === null && mode !== 'patch') return
    const message = known
      ? 'is set by the catalog: leave it out'
      : `unknown member${didYouMean(key, writable(entries))}`
    problems.push({ path: jsonPointer(key), message })
    return
  }
  const { member, field, alias } = entry
  const others = [member, ...(field.aliases ?? [])].filter((name) => name !== key && body[name] !== undefined)
  if (value === null && others.length > 0) {
    if (!alias && others.every((name) => body[name] === null)) clear(key, entry, state)
  } else if (alias && body[member] !== undefined && body[member] !== null) {
    problems.push({ path: `/${key}`, message: `stands for ${member}, which is given too` })
  } else if (value === null) clear(key, entry, state)
  else if (alias && Array.isArray(value)) {
    problems.push({ path: `/${key}`, message: `must be one reference, not a list: that is ${member}` })
    unreadable.add(member)
  } else {
    const single = alias && field.references?.many === true
    const parsed = single
      ? parseValue({ schema: field.schema, path: `/${key}`, skip: 1 }, [value], problems)
      : yield* parseInSteps(field, value, `/${key}`, problems)
    if (parsed !== undefined) {
      values[member] = parsed
      if (state.clearedInside !== undefined && field.elements !== undefined)
        collectCleared(value, field.elements, [member], state.clearedInside)
    } else {
      unreadable.add(member)
      if (field.references?.many && Array.isArray(value))
        values[member] = value.map((item) => itemOf(field.schema, item))
    }
  }
}

const writable = (entries: ParseState['entries']): string[] => [
  'name',
  ...[...entries].flatMap(([key, { field }]) => (field.readOnly ? [] : [key])),
]

/** An item of a list that has a problem; `null` if it has one itself. */
const itemOf = (schema: z.ZodType, item: Json): Json => {
  const result = safeParse(schema, [item])
  return result.success ? ((result.data as Json[])[0] ?? null) : null
}

const clear = (key: string, { member, field }: Entry, { mode, cleared, problems }: ParseState): void => {
  // An optional parent is a part of the name: without it, an upsert is about an entity that has none.
  if (mode === 'create' || (mode === 'upsert' && field.fixed && !field.required)) return
  if (field.required || field.fixed) problems.push({ path: `/${key}`, message: 'cannot be cleared' })
  else cleared.push(member)
}

const parseValue = (
  place: ValuePlace & { readonly schema: z.ZodType },
  value: Json,
  problems: Problem[],
): Json | undefined => {
  const result = safeParse(place.schema, value)
  if (result.success) return result.data as Json
  const bare = withoutNulls(value, result.error)
  if (bare !== undefined) return parseValue(place, bare, problems)
  // One by one: a spread of very many would exceed the limit of arguments.
  for (const problem of problemsOf(result.error, value, place)) problems.push(problem)
  return undefined
}

/** Number of list items checked in one step. */
const itemsAtOnce = 250

/** {@link parseValue}, in steps for long lists with independent items. */
function* parseInSteps(
  { schema, itemwise }: Field,
  value: Json,
  path: string,
  problems: Problem[],
): Generator<void, Json | undefined> {
  if (!itemwise || !Array.isArray(value) || value.length <= itemsAtOnce)
    return parseValue({ schema, path }, value, problems)
  const parsed: Json[] = []
  let right = true
  for (let from = 0; from < value.length; from += itemsAtOnce) {
    const some = parseValue({ schema, path, from }, value.slice(from, from + itemsAtOnce), problems)
    if (some === undefined) right = false
    else for (const item of some as Json[]) parsed.push(item)
    yield
  }
  return right ? parsed : undefined
}

const findMissing = (body: JsonObject, { mode, definition, problems }: ParseState): void => {
  if (body['name'] === undefined || body['name'] === null) problems.push({ path: '/name', message: 'is required' })
  for (const [member, field] of Object.entries(definition.fields)) {
    if (field.required !== true || field.readOnly === true) continue
    const keys = [member, ...(field.aliases ?? [])]
    if (keys.some((key) => body[key] !== undefined && (body[key] !== null || mode === 'upsert'))) continue
    problems.push({ path: `/${member}`, message: 'is required' })
  }
}
