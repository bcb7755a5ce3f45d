import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore } from '../events/eventStore.ts'
import { streamName } from '../events/streamName.ts'
import type { KindDefinition, Problem, Tools } from '../kinds/defineKind.ts'
import { factsFrom, furtherIds } from './context.ts'
import type { Clock } from './clock.ts'
import { decide, type Command, type Decision } from './decide.ts'
import { DomainError, invalid, overtaken } from './errors.ts'
import { evolve, type Entity } from './evolve.ts'
import type { KindNamed, Known, Lookup, Tree } from './lookup.ts'
import { record, type Cause, type Subject } from './recording.ts'

/** What commands need of the world. Made once, in `main.ts`. */
export interface Commands {
  readonly log: EventStore
  readonly lookup: Lookup
  /** Entities that requests may refer to although they do not exist yet: the caller's own. */
  readonly assumed?: readonly Entity[]
  readonly tree: Tree
  readonly kindNamed: KindNamed
  readonly clock: Clock
  readonly tools: Tools
  /** Resolves when the read models have applied everything up to the position. */
  readonly projected: (position: bigint) => Promise<void>
  readonly inTurn: <T>(key: string, work: (waited: boolean) => Promise<T>) => Promise<T>
}

/** Throws `precondition_failed` when the entity, as it is, does not meet what the request demands of its revision. */
export type Precondition = (entity: Entity | undefined) => void

/** What a command led to. */
export interface Result {
  /** The state after it. */
  readonly entity: Entity
  /** The state that it was decided on. */
  readonly before: Entity | undefined
  /** False when there was nothing to do. */
  readonly changed: boolean
  /** Log position of its last event, or of the entity's newest one. */
  readonly position: bigint
}

/** With several processes each attempt is lost to one of the others about every second time. */
const attempts = 20

/**
 * Load, decide, append, and again when somebody was faster. Does not wait for the projections.
 * @param known what the command refers to, looked up before; what the rules want beyond that is added
 * @param read the entity as it was just looked up; else it is looked up here
 * @throws DomainError when the command is refused, `conflict` (of an upsert `busy`) when others keep changing the entity,
 *   `precondition_failed` when a demanded revision does not hold
 */
export const handleCommand = (
  commands: Commands,
  definition: KindDefinition,
  subject: Subject,
  command: Command,
  cause: Cause,
  known: Map<string, Entity>,
  precondition?: Precondition,
  read?: { readonly entity: Entity | undefined },
): Promise<Result> =>
  commands.inTurn(streamName(subject.kind, subject.id), async (waited) => {
    const isNew = read !== undefined && !waited
    let before = isNew ? read.entity : (await commands.lookup([subject.id])).get(subject.id)
    const tried = new Set<string>()
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const decided = await decideOn(commands, definition, before, command, known, precondition)
      const result = Array.isArray(decided)
        ? await appendDecided(commands, subject, decided, cause, before, tried)
        : await settled(commands, subject, decided, before)
      if (result !== undefined) return result
      const present = await foldStream(commands.log, subject)
      if (present?.ids.values().some((id) => tried.has(id))) return resultOf(present.entity, before, true)
      before = present?.entity
      await delay(Math.random() * 5 * (attempt - 1))
    }
    throw overtaken(command.type === 'Upsert' ? 'busy' : 'conflict')
  })

/** What a request refers to: looked up, and what may be assumed. */
export const lookUpReferred = async (
  { lookup, assumed = [] }: Commands,
  ids: readonly string[],
): Promise<Map<string, Entity>> => {
  const known = new Map(await lookup(ids))
  for (const entity of assumed) if (!known.has(entity.id)) known.set(entity.id, entity)
  return known
}

/** Something to append, or an end without an append: the refusal, or `'unchanged'`. */
type Decided = Decision[] | DomainError | 'unchanged'

const decideOn = async (
  commands: Commands,
  definition: KindDefinition,
  before: Entity | undefined,
  command: Command,
  known: Map<string, Entity>,
  precondition: Precondition | undefined,
): Promise<Decided> => {
  try {
    precondition?.(before)
    const decisions = await decideWith(commands, definition, before, command, known)
    return decisions.length === 0 ? 'unchanged' : decisions
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
}

/**
 * @param tried is given the ids of what is appended
 * @returns `undefined` when the append met another revision than it was decided on
 */
const appendDecided = async (
  commands: Commands,
  subject: Subject,
  decisions: readonly Decision[],
  cause: Cause,
  before: Entity | undefined,
  tried: Set<string>,
): Promise<Result | undefined> => {
  const { events, entity } = record(subject, before, decisions, cause, commands.clock.now())
  for (const { id } of events) tried.add(id)
  const append = {
    stream: streamName(subject.kind, subject.id),
    expected: before?.revision ?? 'no_stream',
    events,
  } as const
  const [outcome] = await commands.log.append([append])
  if (outcome?.ok) return resultOf({ ...(entity as Entity), position: outcome.position }, before, true)
  if (outcome !== undefined && 'tooLarge' in outcome) throw new DomainError('too_large', outcome.tooLarge.message)
  return undefined
}

/**
 * An answer that appends nothing is not checked by the store, and a read model may be behind: it stands only when the
 * stream has nothing newer.
 */
const settled = async (
  { log }: Commands,
  subject: Subject,
  decided: DomainError | 'unchanged',
  before: Entity | undefined,
): Promise<Result | undefined> => {
  if ((await newestRevision(log, streamName(subject.kind, subject.id))) !== before?.revision) return undefined
  if (decided !== 'unchanged') throw decided
  return resultOf(before as Entity, before, false)
}

const newestRevision = async (log: EventStore, stream: string): Promise<bigint | undefined> => {
  if (log.revisionOf !== undefined) return log.revisionOf(stream)
  for await (const { revision } of log.readStream(stream, { backwards: true, limit: 1 })) return revision
  return undefined
}

const resultOf = (entity: Entity, before: Entity | undefined, changed: boolean): Result => ({
  entity,
  before,
  changed,
  position: entity.position,
})

/** Looks up what the kind's rules want to see beyond `known`, adds it there, then decides. */
export const decideWith = async (
  { lookup, tools }: Pick<Commands, 'lookup' | 'tools'>,
  definition: KindDefinition,
  before: Entity | undefined,
  command: Command,
  known: Map<string, Entity>,
  unreadable?: ReadonlySet<string>,
): Promise<Decision[]> => {
  const asked = new Set<string>()
  for (;;) {
    const ids = wantedIds(definition, before, command, known).filter((id) => !known.has(id) && !asked.has(id))
    if (ids.length === 0) break
    for (const id of ids) asked.add(id)
    for (const [id, entity] of await lookup(ids)) known.set(id, entity)
  }
  return decide(before, command, { definition, facts: factsFrom(known), tools, unreadable })
}

/**
 * Why a request is refused: what was found wrong with it, and what the rules find wrong with the rest of it.
 * @param problems at least one
 * @param unreadable members that the command lacks because of them
 */
export const refusal = async (
  commands: Pick<Commands, 'lookup' | 'tools'>,
  definition: KindDefinition,
  before: Entity | undefined,
  command: Command,
  known: Map<string, Entity>,
  problems: readonly Problem[],
  unreadable: ReadonlySet<string> = new Set(),
): Promise<DomainError> => {
  const found = await decideWith(commands, definition, before, command, known, unreadable).then(
    () => [],
    (error: unknown) => {
      if (error instanceof DomainError) return error.problems
      throw error
    },
  )
  // Places in a list have shifted where an item of it was not found.
  const shifted = new Set(problems.map(({ path }) => listOf(path)))
  const more = found.filter(
    ({ path }) => !unreadable.has(path.split('/')[1] ?? '') && !shifted.has(listOf(path) ?? path),
  )
  const distinct = new Map([...problems, ...more].map((problem) => [`${problem.path} ${problem.message}`, problem]))
  return invalid([...distinct.values()])
}

/** Path of the list that a path names an item of. */
const listOf = (path: string): string | undefined => /^(.*)\/\d+$/.exec(path)?.[1]

const wantedIds = (
  definition: KindDefinition,
  before: Entity | undefined,
  command: Command,
  known: Known,
): string[] => {
  const place = 'location' in command ? command.location : before
  if (place === undefined || !('members' in command)) return []
  const parentId = before?.parent
  const parent = parentId === undefined ? undefined : factsFrom(known).get(parentId)
  const draft = {
    name: place.name,
    fullyQualifiedName: place.fullyQualifiedName,
    members: { ...before?.members, ...command.members },
    before: before?.members,
    parent: parent ?? ('location' in command ? command.location.parent : undefined),
  }
  return [...(parentId === undefined ? [] : [parentId]), ...furtherIds(definition, draft, known)]
}

/** The state that a stream folds to, and the ids of its events; `undefined` for an empty stream. */
export const foldStream = async (
  log: EventStore,
  { kind, id }: Pick<Subject, 'kind' | 'id'>,
): Promise<{ entity: Entity; ids: ReadonlySet<string> } | undefined> => {
  let entity: Entity | undefined
  const ids = new Set<string>()
  for await (const event of log.readStream(streamName(kind, id))) {
    entity = evolve(id, entity, event)
    ids.add(event.id)
  }
  return entity && { entity, ids }
}
