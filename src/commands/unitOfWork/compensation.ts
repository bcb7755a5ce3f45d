import { type RecordedEvent, parseStreamName } from '../../events/events.ts'
import { isCompensated, makeVerdicts } from '../../events/verdicts.ts'
import { kindNamed } from '../../kinds/registry/kinds.ts'
import { nameUuid } from '../../shared/uuids.ts'
import type { Command } from '../decide.ts'
import { evolve, type Entity } from '../evolve.ts'
import type { Ports } from '../ports.ts'
import { isDerivedFromCause, originOf } from '../recording.ts'
import type { Plan, Request } from './request.ts'

type VerdictPorts = Pick<Ports, 'log' | 'verdicts'>

/** Valid events of a stream after a revision: neither void nor compensations. */
export async function* validEvents(
  { log, verdicts }: VerdictPorts,
  stream: string,
  after = -1n,
): AsyncGenerator<RecordedEvent> {
  const { isVoid } = verdicts ?? makeVerdicts(log)
  const voided = new Set<string>()
  for await (const event of log.readStream(stream, { from: after + 1n })) {
    if (await isVoid(event)) voided.add(event.id)
    else if (!voided.has(event.metadata.causationId)) yield event
  }
}

/** The state of a stream without void events and their compensations. @param isLeftOut further events to leave out */
export const validState = async (
  ports: VerdictPorts,
  stream: string,
  isLeftOut?: (event: RecordedEvent) => boolean,
): Promise<Entity | undefined> => {
  const { id } = parseStreamName(stream)
  let state: Entity | undefined
  for await (const event of validEvents(ports, stream)) {
    if (isLeftOut?.(event) === true) continue
    // An event after a void creation has no state to apply to, and a cascade after a void restore no live one.
    const isOwnDeletion = state?.status === 'deleted' && !state.inherited
    if (isOwnDeletion && event.type === 'SoftDeleted' && event.data.inherited) continue
    if (state !== undefined || event.type === 'Created')
      state = evolve(id, state, { ...event, revision: state === undefined ? 0n : state.revision + 1n })
  }
  return state
}

const consequenceRequest = (event: RecordedEvent, command: (now: Entity) => Command | Promise<Command>): Request => {
  const { kind, id } = parseStreamName(event.stream)
  const subject = { kind, id, fullyQualifiedName: event.metadata.fullyQualifiedName }
  return {
    cause: { ...originOf(event), commandId: event.id },
    target: subject,
    ids: [id],
    resolve: async (reads): Promise<Plan> => {
      const before = reads.own(id)
      return {
        definition: kindNamed(kind),
        subject,
        before,
        command: before === undefined ? { type: 'NoOp' } : await command(before),
        isConsequence: true,
      }
    },
  }
}

/**
 * The compensation of a void event, in the name of its request. It is written once, whichever process judges the event,
 * and resumed if a process ended halfway.
 */
const compensation = (ports: VerdictPorts, event: RecordedEvent): Request =>
  consequenceRequest(event, async () => {
    if (await isCompensated(ports.log, event, isDerivedFromCause)) return { type: 'NoOp' }
    const to = await validState(ports, event.stream)
    return { type: 'Compensate', to, deletion: nameUuid(`deletion:${event.id}`) }
  })

/** The hard delete that follows a valid soft delete, which prevented new children. */
const finalDeletion = (event: RecordedEvent & { readonly type: 'SoftDeleted' }): Request =>
  consequenceRequest(event, ({ status, deletion }) =>
    status === 'deleted' && deletion === event.data.deletion ? { type: 'HardDelete', deletion } : { type: 'NoOp' },
  )

/** The consequence of a verdict on an event; `undefined` if it is simply valid. */
export const consequenceOf = (ports: VerdictPorts, event: RecordedEvent, isVoid: boolean): Request | undefined => {
  if (isVoid) return compensation(ports, event)
  const isFinal = event.type === 'SoftDeleted' && event.metadata.condition?.final === true
  return isFinal ? finalDeletion(event) : undefined
}
