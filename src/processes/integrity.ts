import type { Logger } from 'pino'
import { isPermanent } from '../commands/errors.ts'
import type { EntityPosition, Ports } from '../commands/ports.ts'
import { acceptance } from '../commands/requests/acceptProposal.ts'
import { consequenceOf } from '../commands/unitOfWork/compensation.ts'
import { commit } from '../commands/unitOfWork/unitOfWork.ts'
import { makeStreamQueue } from '../commands/unitOfWork/streamQueue.ts'
import { makeVerdicts } from '../events/verdicts.ts'
import type { Request } from '../commands/unitOfWork/request.ts'
import { fingerprintOf, hasFingerprint, isBehind, type LogFingerprint, type RecordedEvent } from '../events/events.ts'
import { StoreUnavailable, type EventBatch, type EventStore } from '../events/eventStore.ts'
import { makeNotifier } from '../events/logTail.ts'
import { kindNamed } from '../kinds/registry/kinds.ts'
import { makeHierarchy } from '../projections/entities/hierarchy.ts'
import type { Pending } from '../projections/entities/pending.ts'
import type { EntityLists, EntityReads } from '../projections/entities/port.ts'
import { repeat, sleep } from '../shared/backOff.ts'
import { makeYielder } from '../shared/yieldToEventLoop.ts'
import { cascade, settledPorts } from './cascade.ts'
import {
  makeContractValidation,
  type ContractValidation,
  type ContractValidationOptions,
} from './contractValidation.ts'
import {
  makeDueEntities,
  formatCheckpoint,
  parseCheckpoint,
  type CheckpointStore,
  type IntegrityCheckpoint,
  makeCascadeWaits,
  type CascadeWaitOptions,
} from './cascadeProgress.ts'

interface IntegrityOptions extends CascadeWaitOptions, Pick<ContractValidationOptions, 'check'> {
  readonly ports: Ports
  readonly pending: Pending
  /** Reads that apply pending deletions and restores. */
  readonly reads: EntityReads & EntityLists
  readonly checkpoint: CheckpointStore
  readonly logger: Pick<Logger, 'warn' | 'error'>
  /** Number of this process's term as leader, constant if it is alone; `undefined` if another process leads. */
  readonly currentTerm: () => number | undefined
}

const cannotWrite = 'what follows from events cannot be written at the moment; it is tried again'
const cannotValidate = 'contracts of assets that changed cannot be validated at the moment; it is tried again'

const pauses = { shortest: 50, longest: 5000 }

/** Milliseconds between checks of the lease, and between writes of the checkpoint. */
const interval = 500
const writeInterval = 1000

interface Working {
  readonly options: IntegrityOptions
  readonly context: Ports & { readonly progress: () => void }
  readonly due: ReturnType<typeof makeDueEntities>
  readonly validation: ContractValidation
  readonly progressed: () => void
  /** @throws StoreUnavailable if another process has led since, so that this one's state is outdated */
  readonly mustLead: () => void
}

/** A part of the log to read again: its consequences may be incomplete. */
interface Backlog {
  after: bigint | undefined
  readonly upTo: bigint | undefined
}

/** Number of events whose conditions are judged together. */
const judgedTogether = 100

/** Number of backlog events read in one step. */
const backlogStep = 5000

/** Without a stored checkpoint of this log the whole log is read. */
const readCheckpoint = async (
  checkpoint: CheckpointStore,
  log: Pick<EventStore, 'head' | 'eventAt'>,
): Promise<IntegrityCheckpoint> => {
  const stored = parseCheckpoint(await checkpoint.read())
  if (stored?.newest !== undefined && (await hasFingerprint(log, stored.newest))) return stored
  const head = await log.head()
  const last = head === undefined ? undefined : await log.eventAt(head)
  return { position: undefined, seen: head, newest: last && fingerprintOf(last), pending: new Map() }
}

const minPosition = (positions: readonly bigint[]): bigint =>
  positions.reduce((min, position) => (position < min ? position : min))

const maxPosition = (one: bigint | undefined, other: bigint | undefined): bigint | undefined =>
  (other ?? -1n) > (one ?? -1n) ? other : one

/** Reads one step of a backlog, so that new events do not wait for all of it. @returns whether it is finished */
const readBacklogStep = async (
  { log, progress }: Working['context'],
  backlog: Backlog,
  track: (event: RecordedEvent) => void,
): Promise<boolean> => {
  const { after, upTo = -1n } = backlog
  const yieldWhenDue = makeYielder()
  let read = 0
  for await (const event of log.readAll({ after, limit: backlogStep })) {
    if (event.position > upTo) return true
    read++
    track(event)
    backlog.after = event.position
    progress()
    await yieldWhenDue()
  }
  return read < backlogStep
}

/** Whether the event may have consequences once its condition is judged. */
const hasConsequence = ({ metadata: { condition, proposal } }: RecordedEvent): boolean =>
  condition !== undefined || proposal !== undefined

/** The position up to which everything is done. @param first the same for events after the backlog */
const doneUpTo = (first: bigint | undefined, backlog: Backlog | undefined): bigint | undefined =>
  backlog === undefined || first === undefined ? first : backlog.after && minPosition([backlog.after, first])

const makeEventTracker = ({ options: { pending, checkpoint }, context, due, validation }: Working) => {
  const judging: RecordedEvent[] = []
  let newest: bigint | undefined
  let fingerprint: LogFingerprint | undefined
  let backlog: Backlog | undefined

  const track = (event: RecordedEvent): EntityPosition | undefined => {
    if (hasConsequence(event)) judging.push(event)
    validation.track(event)
    return due.observe(event)
  }
  const trackAsPending = (event: RecordedEvent): void => {
    const tracked = track(event)
    if (tracked !== undefined) pending.add(tracked.id, tracked.position)
    if (isBehind(newest, event.position)) [newest, fingerprint] = [event.position, fingerprintOf(event)]
  }
  const position = (): bigint | undefined => {
    const known = [...due.all(), ...judging].map((each) => each.position)
    const open = [...pending.all().values(), ...known, ...validation.open()]
    return doneUpTo(open.length === 0 ? newest : minPosition(open) - 1n, backlog)
  }
  return {
    judging,
    newest: () => newest,
    isBehind: () => backlog !== undefined,
    isIdle: () => due.isEmpty() && judging.length === 0 && backlog === undefined,
    observe: ({ events }: EventBatch): void => {
      for (const event of events) if (event.position > (newest ?? -1n)) trackAsPending(event)
    },
    text: () => formatCheckpoint({ position: position(), seen: newest, newest: fingerprint, pending: pending.all() }),
    /** Resumes from the stored checkpoint. */
    resume: async (): Promise<void> => {
      const { position: after, seen: upTo, newest: last, pending: open } = await readCheckpoint(checkpoint, context.log)
      for (const [id, at] of open) pending.add(id, at)
      for (const [id, at] of open) due.add(id, at)
      for await (const event of context.log.readAll({ after: upTo })) {
        trackAsPending(event)
        context.progress()
      }
      if (isBehind(newest, upTo)) [newest, fingerprint] = [upTo, last]
      backlog = { after, upTo }
    },
    readBacklog: async (): Promise<void> => {
      if (backlog !== undefined && (await readBacklogStep(context, backlog, (event) => void track(event))))
        backlog = undefined
    },
    reset: (): void => {
      due.clear()
      validation.clear()
      pending.remove([...pending.all().keys()])
      backlog = undefined
      judging.length = 0
    },
  }
}

/** Writes the checkpoint, at most once per interval; also an unchanged one, if a former leader may have replaced it. */
const makeWriter = ({ options: { checkpoint, alone }, mustLead }: Working, textOf: () => string) => {
  let written = { text: '', at: 0 }
  return async (lazily: boolean): Promise<void> => {
    const now = performance.now()
    if (lazily && now - written.at < writeInterval) return
    mustLead()
    const text = textOf()
    if (!alone || text !== written.text) await checkpoint.write(text)
    written = { text, at: now }
  }
}

/** Writes the consequences of the events to be judged. @param written called with the position of each */
const makeConsequences = (
  { options, context }: Working,
  judging: RecordedEvent[],
  written: (position: bigint) => void,
) => {
  const { ports, logger } = options
  // Separate from the verdicts of requests, which only need the newest events.
  const verdicts = makeVerdicts(ports.log)
  const commitConsequence = async ({ id, position: at }: RecordedEvent, consequence: Request): Promise<void> => {
    try {
      const { position } = await commit(context, consequence)
      await context.waitForPosition(position)
      written(position)
    } catch (error) {
      if (!isPermanent(error)) throw error
      // Later events must not wait for this one.
      const what = 'what follows from an event cannot be written, and is not tried again'
      logger.error({ err: error, event: id, position: String(at) }, what)
    }
  }
  /** Several at once: the consequences of a verdict depend on the log alone, not on those of another. */
  return async (): Promise<void> => {
    while (judging.length > 0) {
      const some = judging.slice(0, judgedTogether)
      const consequences: [RecordedEvent, Request][] = []
      for (const event of some) {
        const isVoid = await verdicts.isVoid(event)
        const consequence = consequenceOf({ ...ports, verdicts }, event, isVoid) ?? acceptance(event)
        if (consequence !== undefined) consequences.push([event, consequence])
      }
      await Promise.all(consequences.map(([event, consequence]) => commitConsequence(event, consequence)))
      judging.splice(0, some.length)
      context.progress()
    }
  }
}

const makeWork = (working: Working, tracker: ReturnType<typeof makeEventTracker>) => {
  const { options, context, due, progressed } = working
  const { pending } = options
  const write = makeWriter(working, tracker.text)
  let last: bigint | undefined
  const applyVerdicts = makeConsequences(working, tracker.judging, (position) => (last = maxPosition(last, position)))
  const runCascades = async (): Promise<void> => {
    while (!due.isEmpty() && tracker.judging.length === 0) {
      // New status changes come first, since the rest may have changed with them.
      const entities = new Map(due.all().map((each) => [each.id, each]))
      const newest = tracker.newest()
      if (newest !== undefined) await context.waitForPosition(newest)
      const statusChanges = due.statusChanges()
      const progress = async (): Promise<void> => {
        context.progress()
        await write(true)
      }
      await cascade({ ...context, progress }, [...entities.keys()], {
        stop: () => due.statusChanges() > statusChanges || tracker.judging.length > 0,
        completed: async (id, written) => {
          const root = entities.get(id) as EntityPosition
          last = maxPosition(maxPosition(last, root.position), written)
          if (due.done(root)) pending.remove([id])
          progressed()
          await write(true)
        },
      })
      await write(options.alone)
    }
  }
  return {
    /** Position of the last event that was written or handled. */
    last: () => last,
    write,
    step: async (): Promise<void> => {
      await tracker.readBacklog()
      await applyVerdicts()
      await runCascades()
      await applyVerdicts()
      await write(true)
    },
  }
}

const requestPorts = ({ options, context }: Working, waits: ReturnType<typeof makeCascadeWaits>): Ports => {
  const { ports, pending, reads, alone } = options
  if (!alone) return { ...ports, ...waits }
  const { hasChild, hasDescendant } = makeHierarchy(reads, kindNamed)
  return {
    ...ports,
    ...settledPorts(ports, context, pending),
    showsPending: true,
    hierarchy: { ...ports.hierarchy, hasChild, hasDescendant },
    ...waits,
  }
}

/** This process's present term as leader. */
const makeTerm = ({ currentTerm, alone }: IntegrityOptions) => {
  let term: number | undefined
  let resumed = false
  const isSame = (): boolean => currentTerm() === term
  return {
    isListening: () => alone || term !== undefined,
    isMine: () => resumed && isSame(),
    mustLead: (): void => {
      if (!isSame()) throw new StoreUnavailable('Another process writes what follows from events.')
    },
    /** Resumes where another term has begun. @returns whether this process leads */
    enter: async (tracker: Pick<ReturnType<typeof makeEventTracker>, 'resume' | 'reset'>): Promise<boolean> => {
      if (!isSame()) {
        if (resumed) tracker.reset()
        resumed = false
        term = currentTerm()
      }
      if (term === undefined || !isSame()) return false
      if (!resumed) await tracker.resume()
      return (resumed = true)
    },
  }
}

/**
 * Starts the consumer of the log that writes consequences of events: it appends the events of children, validates
 * contracts, and where the log cannot check append conditions it compensates void events. It resumes from its own
 * checkpoint.
 */
export const startIntegrity = (options: IntegrityOptions) => {
  const { ports, reads, check, logger } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const term = makeTerm(options)
  const progress = (): void => {
    if (signal.aborted) throw new StoreUnavailable('The service stops.')
    term.mustLead()
  }
  // A queue of its own: a request may wait for this work while it holds the queue of its entity.
  const context = { ...ports, verdicts: undefined, streamQueue: makeStreamQueue(), progress }
  const due = makeDueEntities(ports.verdicts !== undefined)
  const validation = makeContractValidation({ readModels: reads, check, logger, progress })
  const workNotifier = makeNotifier()
  const doneNotifier = makeNotifier()
  const working = { options, context, due, validation, progressed: doneNotifier.notify, mustLead: term.mustLead }
  const tracker = makeEventTracker(working)
  const work = makeWork(working, tracker)
  let begun = false
  const warn = (message: string) => (error: unknown) => logger.warn({ err: error }, message)
  const waits = makeCascadeWaits(options, { progressed: doneNotifier, last: work.last, stopping: signal })
  const requests = requestPorts(working, waits)
  const runTerm = async (): Promise<void> => {
    if (begun && (await term.enter(tracker)))
      do await work.step()
      while (tracker.isBehind())
    await workNotifier.wait(signal, interval)
  }
  const validateContracts = async (): Promise<void> => {
    if (term.isMine()) await validation.work(requests)
    await sleep(interval, signal)
  }
  const running = [
    repeat(runTerm, { signal, pauses, failed: warn(cannotWrite) }),
    // Apart, since a slow check must not hold up the events of children and compensations.
    repeat(validateContracts, { signal, pauses, failed: warn(cannotValidate) }),
  ]
  return {
    /** Receives batches of the log in order, before the read models show them. Repeated batches do nothing. */
    observe: (batch: EventBatch): void => {
      if (!term.isListening()) return
      tracker.observe(batch)
      if (!tracker.isIdle()) workNotifier.notify()
    },
    /** Resolves when all pending work is known; the work continues in the background. */
    begin: async (): Promise<void> => {
      if (options.alone) await term.enter(tracker)
      begun = true
      workNotifier.notify()
    },
    /** The ports for requests. */
    requests,
    close: async (): Promise<void> => {
      stopping.abort()
      await Promise.all(running)
      if (term.isMine())
        await work.write(false).catch(warn('how far children have followed was not kept: the next start looks again'))
    },
  }
}
