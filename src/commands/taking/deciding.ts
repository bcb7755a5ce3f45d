import type { Members } from '../../events/events.ts'
import type { Effects, KindDefinition, Problem } from '../../kinds/defineKind.ts'
import type { SchemaReading, SchemaText } from '../../kinds/schemaText/operations.ts'
import { makeBreather } from '../../shared/breathe.ts'
import { sameJson } from '../../shared/json.ts'
import { factsFrom, furtherIds } from '../context.ts'
import { decide, type Decision } from '../decide.ts'
import { DomainError, invalid } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import { isWhole, type Knowing, type Known, type Needed, type Referred } from '../lookup.ts'
import type { Ports } from '../ports.ts'
import { referredIds } from '../references.ts'
import type { Plan } from './take.ts'

type Looking = Pick<Ports, 'lookup' | 'refer' | 'sealer' | 'readSchema'>

type Case = Pick<Plan, 'definition' | 'before' | 'command'>

/** Looks up what is wanted, and what is wanted then, and adds it to `known`. */
export const lookUpInto = async (
  { lookup, refer }: Pick<Ports, 'lookup' | 'refer'>,
  known: Knowing,
  wanted: () => Partial<Needed>,
): Promise<void> => {
  const [read, referredTo] = [new Set<string>(), new Set<string>()]
  const breathe = makeBreather()
  for (;;) {
    const now = wanted()
    await breathe()
    const whole = (now.whole ?? []).filter((id) => !isWhole(known.get(id)) && !read.has(id))
    for (const id of whole) read.add(id)
    const referred = (now.referred ?? []).filter((id) => !known.has(id) && !read.has(id) && !referredTo.has(id))
    for (const id of referred) referredTo.add(id)
    if (whole.length === 0 && referred.length === 0) return
    addTo(known, await both({ lookup, refer }, { whole, referred }))
  }
}

/** Both at one moment, as far as the store can. What is wanted whole is not asked for again, as it was a moment later. */
export const both = async (
  { lookup, refer }: Pick<Ports, 'lookup' | 'refer'>,
  { whole, referred }: Needed,
): Promise<readonly Known[]> => {
  const asked = new Set(whole)
  const others = referred.filter((id) => !asked.has(id))
  return Promise.all([whole.length === 0 ? nothing : lookup(whole), others.length === 0 ? nothing : refer(others)])
}

const nothing: Known = new Map()

/** What is known whole stays so. */
export const addTo = (known: Knowing, found: readonly Known[]): void => {
  for (const some of found) for (const [id, each] of some) if (isWhole(each) || !known.has(id)) known.set(id, each)
}

/**
 * Looks up what the kind's rules want to see, adds it to `known`, then decides.
 * @param unreadable members that the command lacks because they could not be read
 * @throws DomainError when the command is refused
 */
export const decideWith = async (
  ports: Looking,
  { definition, before, command }: Case,
  known: Knowing,
  unreadable?: ReadonlySet<string>,
): Promise<Decision[]> => {
  const breathe = makeBreather()
  await lookUpInto(ports, known, () => wantedBy({ definition, before, command }, known))
  await breathe()
  const effects = await withSchemas(ports, { definition, before, command })
  await breathe()
  return decide(before, command, { definition, facts: factsFrom(known), effects, unreadable })
}

/** The effects that rules may use, once the schema texts have been read that they want to see. */
const withSchemas = async (
  { sealer, readSchema }: Looking,
  { definition, before, command }: Case,
): Promise<Effects> => {
  const members = { ...before?.members, ...('members' in command ? command.members : {}) }
  const texts = 'members' in command ? definition.behaviour.schemas?.({ members, before: before?.members }) : undefined
  const read = new Map<string, SchemaReading>()
  for (const text of texts ?? []) read.set(schemaKey(text), await readSchema(text))
  const schema: Effects['schema'] = (text) => {
    const reading = read.get(schemaKey(text))
    if (reading === undefined) throw new Error(`${definition.name} wants a schema text that it has not named.`)
    return reading
  }
  return { ...sealer, schema }
}

const schemaKey = ({ schemaType, schemaText }: SchemaText): string => `${schemaType}\0${schemaText}`

/** Looks up everything that stands above, nearest first, and adds it to `known`. @param nearest id of the parent */
export const lookUpAbove = async (
  ports: Pick<Ports, 'lookup' | 'refer'>,
  nearest: string | undefined,
  known: Knowing,
): Promise<Above[]> => {
  const above: Above[] = []
  for (let id = nearest; id !== undefined; id = above.at(-1)?.parent) {
    const wanted = [id]
    if (!known.has(id)) await lookUpInto(ports, known, () => ({ referred: wanted }))
    const entity = known.get(id)
    if (entity === undefined) break
    above.push(entity)
  }
  return above
}

/** What stands above something: all that matters is in which state. */
export type Above = Entity | Referred

/**
 * The one of these, each the parent of the one before, with which the others end: deleted, or gone, perhaps followed by
 * a next life.
 */
export const endedAbove = (above: readonly Above[]): Above | undefined =>
  above.find(({ status, born }, at) => status !== 'live' || born > (above[at - 1]?.parentBorn ?? born))

const wantedBy = ({ definition, before, command }: Case, known: Known): Partial<Needed> => {
  const place = 'location' in command ? command.location : before
  if (place === undefined || !('members' in command)) return {}
  const parentId = before?.parent
  const isKnown = parentId !== undefined && isWhole(known.get(parentId))
  const parent = isKnown ? factsFrom(known).get(parentId) : undefined
  const draft = {
    name: place.name,
    fullyQualifiedName: place.fullyQualifiedName,
    members: { ...before?.members, ...command.members },
    before: before?.members,
    parent: parent ?? ('location' in command ? command.location.parent : undefined),
  }
  return {
    whole: parentId === undefined ? [] : [parentId],
    referred: [
      ...(before === undefined
        ? []
        : referredIds(definition, before.members, changedNames(definition, command, before.members))),
      ...furtherIds(definition, draft, known),
    ],
  }
}

/** Members that a command may change: whether it does depends on whether what they referred to is still there. */
const changedNames = ({ fields }: KindDefinition, command: Plan['command'], before: Members): string[] => {
  const set = 'members' in command ? Object.entries(command.members) : []
  const differing = set.filter(([name, value]) => {
    const field = fields[name]
    return (field?.references ?? field?.nested) !== undefined && !sameJson(before[name], value)
  })
  return [...differing.map(([name]) => name), ...('cleared' in command ? command.cleared : [])]
}

/** What is wrong with a request before any rule has looked at it. */
export interface Flawed {
  readonly problems: readonly Problem[]
  /** Members that the command lacks because of them. */
  readonly unreadable?: ReadonlySet<string> | undefined
}

/** Why a request is refused: what was found wrong with it, and what the rules find wrong with the rest of it. */
export const refusal = async (
  ports: Looking,
  about: Case,
  known: Knowing,
  { problems, unreadable = new Set() }: Flawed,
): Promise<DomainError> => {
  const refused = await decideWith(ports, about, known, unreadable).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof DomainError) return error
      throw error
    },
  )
  const found = refused?.problems ?? []
  // Places in a list have shifted where an item of it was not found.
  const shifted = new Set(problems.map(({ path }) => listOf(path)))
  const more = found.filter(
    ({ path }) => !unreadable.has(path.split('/')[1] ?? '') && !shifted.has(listOf(path) ?? path),
  )
  const distinct = new Map([...problems, ...more].map((problem) => [`${problem.path} ${problem.message}`, problem]))
  return invalid([...distinct.values()], refused?.unlisted)
}

/** Path of the list that a path names an item of. */
const listOf = (path: string): string | undefined => /^(.*)\/\d+$/.exec(path)?.[1]
