import { defaultsOf } from '../../src/kinds/perKind.ts'
import type { Json, JsonObject } from '../../src/shared/json.ts'
import type { Members, Reference } from '../../src/events/events.ts'
import { readSchemaText } from '../../src/kinds/schemaText/readSchemaText.ts'
import type { Draft, Fact, Facts, Problem, Effects } from '../../src/kinds/defineKind.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { readRequest, type ParsedRequest, type RequestMode } from '../../src/kinds/request/requestSchema.ts'

/** Parses a body that must be right. */
export const parsed = (kind: string, body: JsonObject, mode: RequestMode = 'create'): ParsedRequest => {
  const result = readRequest(kindNamed(kind), body, mode)
  if (result.problems.length > 0) throw new Error(JSON.stringify(result.problems))
  return result
}

/** The problems of a body that must be wrong, as `path: message`. */
export const problemsIn = (kind: string, body: unknown, mode: RequestMode = 'create'): string[] => {
  const { problems, ...result } = readRequest(kindNamed(kind), body, mode)
  if (problems.length === 0) throw new Error(`was accepted: ${JSON.stringify(result)}`)
  return said(problems)
}

export const said = (problems: readonly Problem[]): string[] =>
  problems.map(({ path, message }) => `${path}: ${message}`)

export const reference = (type: string, fullyQualifiedName: string): Reference => ({
  id: `${type}:${fullyQualifiedName}`,
  type,
  fullyQualifiedName,
})

export const asJson = (value: Reference): JsonObject => ({ ...value })

/** An entity that facts know. */
export const fact = (type: string, fullyQualifiedName: string, members: Members = {}): Fact => ({
  reference: reference(type, fullyQualifiedName),
  deleted: false,
  members,
})

export const factsOf = (...facts: Fact[]): Facts => {
  const byId = new Map(facts.map((each) => [each.reference.id, each]))
  return { get: (id) => byId.get(id) }
}

/** Seals so that every sealing looks different, as real ones do. */
export const makeEffects = (): Effects => {
  let count = 0
  return {
    seal: (plain) => ({ $sealed: `${++count}:${plain}` }),
    open: (sealed) => String(sealed['$sealed']).replace(/^\d+:/, ''),
    schema: readSchemaText,
    user: 'ann',
    now: () => 1_700_000_000_000,
  }
}

export interface Drafted {
  readonly before?: Members | undefined
  readonly parent?: Fact | undefined
  readonly name?: string
  readonly fullyQualifiedName?: string
}

export const draftOf = (
  members: Members,
  { before, parent, name = 'one', fullyQualifiedName = 'svc.one' }: Drafted = {},
): Draft => ({
  name,
  fullyQualifiedName,
  members,
  before,
  parent,
})

/** What the kind makes of the members; problems throw. */
export const derived = (kind: string, members: Members, more: Drafted = {}, effects = makeEffects()): Members => {
  const result = kindNamed(kind).behaviour.derive?.(draftOf(members, more), effects) ?? { members }
  if (result.problems !== undefined && result.problems.length > 0) throw new Error(said(result.problems).join('\n'))
  return result.members
}

/** What the kind finds wrong when it derives and checks. */
export const problemsOf = (kind: string, members: Members, more: Drafted = {}, facts: Facts = factsOf()): string[] => {
  const { behaviour } = kindNamed(kind)
  const result = behaviour.derive?.(draftOf(members, more), makeEffects()) ?? { members }
  return said([...(result.problems ?? []), ...(behaviour.check?.(draftOf(result.members, more), facts) ?? [])])
}

/** The members of a new entity, as a request gives them and the kind completes them; references are left as they are. */
export const created = (kind: string, body: JsonObject): Members => {
  const definition = kindNamed(kind)
  return derived(kind, { ...defaultsOf(definition), ...parsed(kind, { name: 'one', ...body }).values })
}

export const breaks = (kind: string, before: Members, after: Members): boolean =>
  kindNamed(kind).behaviour.breaking?.(before, after) ?? false

/** Just names, types and children of a tree, to compare it with what is expected. */
export const outline = (fields: Json | undefined): Json =>
  (Array.isArray(fields) ? fields : []).map((field) => {
    const { name, dataType, dataTypeDisplay, children } = field as JsonObject
    const label = `${String(name)} ${String(dataType)}${dataTypeDisplay === undefined ? '' : ` (${String(dataTypeDisplay)})`}`
    return children === undefined ? label : { [label]: outline(children) }
  })
