import { setTimeout as delay } from 'node:timers/promises'
import type { Ports, EntityPosition } from '../commands/ports.ts'
import type { Notifier } from '../events/logTail.ts'
import { ProjectionBehind } from '../projections/errors.ts'
import { isStatusEvent, type Pending, type StatusEvent } from '../projections/entities/pending.ts'
import { isDerivedFromCause } from '../commands/recording.ts'
import {
  type LogFingerprint,
  type RecordedEvent,
  fingerprintText,
  parseFingerprint,
  parseStreamName,
} from '../events/events.ts'
import { descendantKinds } from '../kinds/registry/kinds.ts'

/** Whether an event follows that of the parent. A compensation may be inherited too, but its id derives from its cause. */
const isCascaded = (event: StatusEvent): boolean => event.data.inherited === true && !isDerivedFromCause(event)

/**
 * Entities that may contradict a parent or a descendant, with the positions of their events in the log.
 * @param ofEveryKind include kinds without children, because void events may have been compensated
 */
export const makeDueEntities = (ofEveryKind: boolean) => {
  const due = new Map<string, bigint>()
  let statusChanges = 0

  const isDue = (event: StatusEvent): boolean => {
    if (event.metadata.condition?.final === true || isCascaded(event)) return false
    return ofEveryKind || descendantKinds(event.metadata.kind).length > 0
  }
  const add = (id: string, position: bigint): void => {
    due.delete(id)
    due.set(id, position)
  }
  return {
    isEmpty: () => due.size === 0,
    /** Number of status changes caused by requests so far. */
    statusChanges: () => statusChanges,
    add,
    /** @returns the entity, if the event was caused by a request */
    observe: (event: RecordedEvent): EntityPosition | undefined => {
      if (!isStatusEvent(event) || !isDue(event)) return undefined
      const { id } = parseStreamName(event.stream)
      add(id, event.position)
      statusChanges++
      return { id, position: event.position }
    },
    /** Newest first. */
    all: (): EntityPosition[] => [...due].map(([id, position]) => ({ id, position })).toReversed(),
    /** Removes a handled entity. @returns whether its status has not changed again since */
    done: ({ id, position }: EntityPosition): boolean => due.get(id) === position && due.delete(id),
    clear: () => due.clear(),
  }
}

/** Stores the checkpoint of a log consumer as a text, shared by all processes of a log. */
export interface CheckpointStore {
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
}

export interface IntegrityCheckpoint {
  /** Everything up to this position is done; `undefined`: nothing yet. */
  readonly position: bigint | undefined
  /** The log was read up to this position; what is not done of it is pending. */
  readonly seen: bigint | undefined
  /** The newest event that was read, by which its log is known; `undefined` if there was none. */
  readonly newest: LogFingerprint | undefined
  readonly pending: ReadonlyMap<string, bigint>
}

const text = (position: bigint | undefined): string | null => (position === undefined ? null : String(position))

const positionOf = (value: unknown): bigint | undefined => (typeof value === 'string' ? BigInt(value) : undefined)

export const formatCheckpoint = ({ position, seen, newest, pending }: IntegrityCheckpoint): string =>
  JSON.stringify({
    position: text(position),
    seen: text(seen),
    newest: newest && fingerprintText(newest),
    pending: [...pending].map(([id, at]) => [id, String(at)]),
  })

/** @returns `undefined` for a truncated text: then the log is read from its beginning */
export const parseCheckpoint = (stored: string | undefined): IntegrityCheckpoint | undefined => {
  try {
    const { position, seen, newest, pending } = JSON.parse(stored ?? '') as Record<string, unknown>
    return {
      position: positionOf(position),
      seen: positionOf(seen),
      newest: typeof newest === 'string' ? parseFingerprint(newest) : undefined,
      pending: new Map((pending as [string, string][]).map(([id, at]) => [id, BigInt(at)])),
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Milliseconds: longest wait before checking again, interval of reading the checkpoint, timeout while it is unchanged. */
const longestWait = 60_000
const pollInterval = 25
const silenceTimeout = 20_000

export interface CascadeWaitOptions {
  readonly ports: Pick<Ports, 'waitForPosition' | 'clock'>
  readonly pending: Pick<Pending, 'all'>
  readonly checkpoint: Pick<CheckpointStore, 'read'>
  /** Whether this is the only process of the log and the read models, which then knows everything that is pending. */
  readonly alone: boolean
  /** Milliseconds that an answer waits for events of descendants (default 900, or without limit if not alone). */
  readonly timeout?: number
}

type CascadeWait = Ports['waitForCascades']

interface Waiting {
  readonly progressed: Notifier
  /** Position of the last event that was written or handled. */
  readonly last: () => bigint | undefined
  readonly stopping: AbortSignal
}

/** Waits for events that this process writes, up to a timeout. */
const makeLocalWait =
  ({ pending, timeout: usual = 900 }: CascadeWaitOptions, { progressed, last, stopping }: Waiting): CascadeWait =>
  async (roots, timeout = usual) => {
    const end = performance.now() + timeout
    const isDone = (): boolean => !roots.some(({ id }) => pending.all().has(id))
    for (let left = timeout; left > 0 && !isDone() && !stopping.aborted; left = end - performance.now())
      await progressed.wait(stopping, Math.min(left, longestWait))
    return isDone() ? (last() ?? 0n) : undefined
  }

/** Waits for events that any process writes, by the shared checkpoint. */
const makeSharedWait =
  ({ checkpoint, ports, timeout: usual = Infinity }: CascadeWaitOptions, { stopping }: Waiting): CascadeWait =>
  async (roots, timeout = usual) => {
    const end = performance.now() + timeout
    const isDone = (text: string | undefined): bigint | undefined => {
      const { seen, pending } = parseCheckpoint(text) ?? {}
      const isFollowed = ({ id, position }: EntityPosition): boolean =>
        seen !== undefined && seen >= position && pending?.has(id) === false
      return roots.every(isFollowed) ? seen : undefined
    }
    let silence = { text: '', since: performance.now() }
    while (performance.now() < end) {
      const text = await checkpoint.read()
      const seen = isDone(text)
      if (seen !== undefined) {
        await ports.waitForPosition(seen)
        return seen
      }
      if (text !== silence.text) silence = { text: text ?? '', since: performance.now() }
      if (stopping.aborted || performance.now() - silence.since > silenceTimeout)
        throw new ProjectionBehind(
          'The entities below do not have their events yet: nothing writes them at the moment.',
        )
      await delay(pollInterval)
    }
    return undefined
  }

/** Timeout of `waitForCascadesUpTo`, in milliseconds. */
const settleTimeout = 20_000

const makeSettled =
  (
    { alone, pending, checkpoint, ports: { clock } }: CascadeWaitOptions,
    last: Waiting['last'],
    followed: CascadeWait,
  ): Ports['waitForCascadesUpTo'] =>
  async (position) => {
    const stored = alone ? { seen: last(), pending: pending.all() } : parseCheckpoint(await checkpoint.read())
    const roots = [...(stored?.pending ?? [])].flatMap(([id, at]) => (at <= position ? { id, position: at } : []))
    if (roots.length === 0) return stored?.seen
    // Where other processes write, their clocks may be right.
    const refusal = alone ? clock.refusal() : undefined
    const settled = refusal ? undefined : await followed(roots, settleTimeout)
    if (settled !== undefined) return settled
    throw (
      refusal ??
      new ProjectionBehind('Entities below something that was deleted or restored then do not have their events yet.')
    )
  }

export const makeCascadeWaits = (options: CascadeWaitOptions, waiting: Waiting) => {
  const waitForCascades = options.alone ? makeLocalWait(options, waiting) : makeSharedWait(options, waiting)
  return { waitForCascades, waitForCascadesUpTo: makeSettled(options, waiting.last, waitForCascades) }
}
