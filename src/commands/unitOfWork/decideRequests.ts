import { type Members, streamName } from '../../events/events.ts'
import { enumerate } from '../../events/verbs.ts'
import { sealPersonal } from '../../events/personal/sealing.ts'
import type { Draft, Effects, KindDefinition, Problem } from '../../kinds/defineKind.ts'
import type { ParsedSchema, SchemaText } from '../../kinds/schemaText/readSchemaText.ts'
import { doThenYield, inSlices } from '../../shared/yieldToEventLoop.ts'
import { kinds } from '../../kinds/registry/kinds.ts'
import { personalMembers } from '../../kinds/perKind.ts'
import { sameJson } from '../../shared/json.ts'
import { inSpan } from '../../shared/tracing.ts'
import { mustFit } from '../changes.ts'
import { record } from '../recording.ts'
import { decide, type Decision } from '../decide.ts'
import { DomainError, entityNotFound, forbidden, invalid, invalidAt, nameTaken } from '../errors.ts'
import type { Entity, EntityHead } from '../evolve.ts'
import { mayView, type Context } from '../caller.ts'
import type { Ports } from '../ports.ts'
import { ancestorIds, referredIds } from '../lookup.ts'
import { makeReads, type Loaded, type Reads } from './reads.ts'
import { type Plan, type Request } from './request.ts'

/** A request with its caller's permissions, since requests of several callers are decided together. */
export type CallerRequest = Request & Pick<Context, 'caller' | 'mayChange' | 'readSchema'>

/** A decided request, with everything that it read. */
export interface Decided {
  readonly request: CallerRequest
  readonly reads: Reads
  /** Absent if the request is refused before it is resolved. */
  readonly plan: Plan | undefined
  readonly before: Entity | undefined
  /** Empty if nothing changes or the request is refused. */
  readonly decisions: readonly Decision[]
  /** The state that the decisions lead to, for the following requests. */
  readonly after?: Entity
  readonly refused?: unknown
}

/**
 * Resolves and decides requests in order, each on the results of those before it. Appends nothing. As each stream is
 * appended on its own, it stops before a request that reads the provisional state of another entity.
 * @returns at least the first
 */
export const decideAll = async (
  ports: Ports,
  requests: readonly CallerRequest[],
  loaded: Loaded,
): Promise<Decided[]> => {
  const decided: Decided[] = []
  for await (const request of inSlices(requests)) {
    const one = await inSpan('decide', {}, () => decideOne(ports, request, loaded))
    if (decided.length > 0 && one.reads.readProvisional(one.plan?.subject.id ?? '')) break
    if (one.after !== undefined) loaded.known.set(one.after.id, one.after)
    decided.push(one)
  }
  return decided
}

const decideOne = async (ports: Ports, request: CallerRequest, loaded: Loaded): Promise<Decided> => {
  const reads = makeReads(ports, loaded)
  let plan: Plan | undefined
  try {
    plan = await request.resolve(reads)
    await request.precondition?.(plan.before)
    const decisions = await sealDecisions(
      ports,
      plan,
      await decideWith({ ...request, secretCodec: ports.secretCodec, clock: ports.clock }, plan, reads),
    )
    if (plan.before !== undefined && decisions.length > 0)
      await request.mayChange?.(
        plan.definition,
        plan.before,
        decisions.map(({ event }) => event),
      )
    if (decisions.some(({ event }) => event.type === 'Created')) await mustHaveFreeName(plan, reads, request)
    const { subject, before } = plan
    if (decisions.length === 0) return { request, reads, plan, before, decisions }
    const made = { subject, before, decisions, cause: request.cause }
    const after = await doThenYield(() => record(made).entity as Entity)
    await mustHaveLiveAncestors(plan, after, reads)
    if (plan.isConsequence !== true) mustFit(before?.members ?? {}, after.members)
    return { request, reads, plan, before, decisions, after }
  } catch (refused) {
    const before = plan === undefined ? reads.own(request.target?.id ?? '') : plan.before
    return { request, reads, plan, before, decisions: [], refused }
  }
}

/** Refuses what is live, or soft-deleted by this request, below a deleted ancestor. @throws DomainError */
const mustHaveLiveAncestors = async (plan: Plan, after: Entity, reads: Reads): Promise<void> => {
  const { before, isConsequence = false, isFinal = false } = plan
  const isDeletedAnyway = after.status === 'deleted' && before?.status === 'deleted'
  if (after.status === 'gone' || isFinal || isDeletedAnyway || isConsequence) return
  const ended = await endedAncestor(after, reads)
  if (ended !== undefined) throw refusalBelow(ended, plan)
}

/** Refuses a name that belongs to another entity that is not hard-deleted. @throws DomainError */
const mustHaveFreeName = async (
  { definition, subject, command }: Plan,
  reads: Reads,
  { caller }: CallerRequest,
): Promise<void> => {
  const namesake = await reads.namesake(definition, subject)
  if (namesake === undefined) return
  await reads.load({ referred: namesake.parent === undefined ? [] : [namesake.parent] })
  const owner = reads.get(namesake.parent ?? '')
  const isShown = owner !== undefined && (caller === undefined || caller.visibilityOf(owner.kind) === 'yes')
  const message = nameTaken(namesake, isShown ? owner : undefined)
  // A PUT is never a conflict.
  throw command.type === 'Upsert' ? invalidAt('/name', message) : new DomainError('already_exists', message)
}

type EffectPorts = Pick<Context, 'secretCodec' | 'readSchema' | 'caller' | 'clock'>

type PlannedCommand = Pick<Plan, 'definition' | 'before' | 'command'>

/**
 * Loads what the kind's rules need, then decides.
 * @param unreadable members that the command lacks because they could not be read
 * @throws DomainError when the command is refused
 */
const decideWith = async (
  ports: EffectPorts,
  planned: PlannedCommand,
  reads: Reads,
  unreadable?: ReadonlySet<string>,
): Promise<Decision[]> => {
  const { definition, before, command } = planned
  await mustViewCompared(ports, planned, reads)
  await loadForRules(planned, reads)
  const effects = await withSchemas(ports, planned)
  return doThenYield(() => decide(before, command, { definition, facts: reads.facts, effects, unreadable }))
}

/** Refuses what is compared with a parent that the caller may not view. @throws DomainError `forbidden` */
const mustViewCompared = async (
  { caller }: Pick<Context, 'caller'>,
  { definition, before, command }: PlannedCommand,
  reads: Reads,
): Promise<void> => {
  const location = 'location' in command ? command.location : undefined
  const parent = before?.parent ?? location?.parent?.reference.id
  if (caller === undefined || parent === undefined || !('members' in command)) return
  const isWritten = (name: string): boolean => !sameJson(before?.members[name], command.members[name])
  const written = Object.keys(command.members).filter((name) => definition.fields[name]?.compared && isWritten(name))
  if (written.length === 0) return
  await reads.load({ whole: [parent] })
  const about = reads.facts.get(parent)
  const mayChange = `may change ${enumerate(written)} of ${definition.name} ${before?.fullyQualifiedName ?? location?.name}`
  if (about === undefined || !(await mayView(caller, about)))
    throw forbidden(`Only somebody who may view its ${definition.parents[0]?.field} ${mayChange}.`)
  const read = new Set(written.flatMap((name) => definition.fields[name]?.compared ?? []))
  const hides = ({ name }: KindDefinition): boolean =>
    name !== about.reference.type && (read.has('*') || read.has(name)) && caller.visibilityOf(name) !== 'yes'
  if (!kinds.some(hides)) return
  const readKinds = read.has('*') ? 'all kinds' : enumerate([...read])
  throw forbidden(`Only somebody who may view ${readKinds} ${mayChange}: rules read what these show.`)
}

const loadForRules = async ({ definition, before, command }: PlannedCommand, reads: Reads): Promise<void> => {
  const place = 'location' in command ? command.location : before
  if (place === undefined || !('members' in command)) return
  await reads.load({
    whole: before?.parent === undefined ? [] : [before.parent],
    referred:
      before === undefined
        ? []
        : referredIds(definition, before.members, changedNames(definition, command, before.members)),
  })
  const parent = before?.parent === undefined ? undefined : reads.facts.get(before.parent)
  const draft: Draft = {
    name: place.name,
    fullyQualifiedName: place.fullyQualifiedName,
    members: { ...before?.members, ...command.members },
    before: before?.members,
    parent: parent ?? ('location' in command ? command.location.parent : undefined),
  }
  const requested = new Set<string>()
  for (;;) {
    const ids = (definition.behaviour.needs?.(draft, reads.facts) ?? []).filter((id) => !requested.has(id))
    if (ids.length === 0) return
    for (const id of ids) requested.add(id)
    await reads.load({ referred: ids })
  }
}

/** The effects for rules, after the schema texts that they need are parsed. */
const withSchemas = async (
  { secretCodec, readSchema, caller, clock }: EffectPorts,
  { definition, before, command }: PlannedCommand,
): Promise<Effects> => {
  const members = { ...before?.members, ...('members' in command ? command.members : {}) }
  const texts = 'members' in command ? definition.behaviour.schemas?.({ members, before: before?.members }) : undefined
  const read = new Map<string, ParsedSchema>()
  for (const text of texts ?? []) read.set(schemaKey(text), await readSchema(text))
  const schema: Effects['schema'] = (text) => {
    const reading = read.get(schemaKey(text))
    if (reading === undefined) throw new Error(`${definition.name} wants a schema text that it has not named.`)
    return reading
  }
  return { ...secretCodec, schema, user: caller?.name, now: clock.time }
}

const schemaKey = ({ schemaType, schemaText }: SchemaText): string => `${schemaType}\0${schemaText}`

/** The nearest ended ancestor: deleted, gone, or of a later incarnation than its child belongs to. */
const endedAncestor = async (entity: Entity, reads: Reads): Promise<EntityHead | undefined> => {
  for (let below: EntityHead = entity; below.parent !== undefined;) {
    await reads.load({ referred: [below.parent] })
    const above = reads.get(below.parent)
    if (above === undefined) return undefined
    // The rest in one read.
    if (below === entity) await reads.load({ referred: ancestorIds([above.kind], above.fullyQualifiedName) })
    if (above.status !== 'live' || (below !== entity && above.born > below.parentBorn)) return above
    below = above
  }
  return undefined
}

/** Members that a command may change: that depends on whether their references still exist. */
const changedNames = ({ fields }: KindDefinition, command: Plan['command'], before: Members): string[] => {
  const set = 'members' in command ? Object.entries(command.members) : []
  const differing = set.filter(([name, value]) => {
    const field = fields[name]
    return (field?.references ?? field?.nested) !== undefined && !sameJson(before[name], value)
  })
  return [...differing.map(([name]) => name), ...('cleared' in command ? command.cleared : [])]
}

/**
 * The refusal of a request: its known problems, and those that rules find in the rest.
 * @param unreadable members that the command lacks because of the problems
 */
export const refusal = async (
  ports: EffectPorts,
  about: PlannedCommand,
  reads: Reads,
  problems: readonly Problem[],
  unreadable: ReadonlySet<string> = new Set(),
): Promise<DomainError> => {
  const refused = await decideWith(ports, about, reads, unreadable).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof DomainError) return error
      throw error
    },
  )
  const found = refused?.problems ?? []
  // Indexes in a list are shifted if one of its items was not found.
  const shifted = new Set(problems.map(({ path }) => listOf(path)))
  const more = found.filter(
    ({ path }) => !unreadable.has(path.split('/')[1] ?? '') && !shifted.has(listOf(path) ?? path),
  )
  const distinct = new Map([...problems, ...more].map((problem) => [`${problem.path} ${problem.message}`, problem]))
  return invalid([...distinct.values()], refused?.unlisted)
}

/** The path of the list that an item is in; `undefined` for other paths. */
const listOf = (path: string): string | undefined => /^(.*)\/\d+$/.exec(path)?.[1]

/** The live target of a request. @throws DomainError `not_found` when it does not exist or is deleted */
export const liveTarget = (reads: Reads, id: string): Entity => {
  const entity = reads.own(id)
  if (entity?.status !== 'live') throw entityNotFound()
  return entity
}

/** The refusal of a request below an ended ancestor. Lineage is stated of an asset, which does not exist then. */
const refusalBelow = ({ kind, fullyQualifiedName }: EntityHead, { command }: Plan): DomainError =>
  command.type === 'Restore' || ('location' in command && command.type !== 'StateLineage')
    ? invalidAt('', `${kind} ${fullyQualifiedName}, its ancestor, is deleted: restore that first`)
    : entityNotFound()

/** The decisions with their written form: personal values encrypted. */
const sealDecisions = async (
  { vault }: Pick<Ports, 'vault'>,
  { definition, subject: { kind, id } }: Plan,
  decisions: readonly Decision[],
): Promise<readonly Decision[]> => {
  const names = personalMembers(definition)
  if (names.size === 0) return decisions
  const sealed: Decision[] = []
  for (const decision of decisions)
    sealed.push({ ...decision, written: await sealPersonal(vault, streamName(kind, id), decision.event, names) })
  return sealed
}
