import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { LogAhead } from '../../src/commands/errors.ts'
import { makeClock } from '../../src/commands/recording.ts'
import { makeNotifier } from '../../src/events/logTail.ts'
import { write } from '../../src/commands/requests/createOrUpdate.ts'
import { acceptProposal } from '../../src/commands/requests/acceptProposal.ts'
import { entityId } from '../../src/kinds/names.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { readRequest } from '../../src/kinds/request/requestSchema.ts'
import { startIntegrity } from '../../src/processes/integrity.ts'
import { makeCascadeWaits, type CheckpointStore } from '../../src/processes/cascadeProgress.ts'
import type { ContractValidationOptions } from '../../src/processes/contractValidation.ts'
import { limits } from '../../src/shared/limits.ts'
import { makePending } from '../../src/projections/entities/pending.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { StoreUnavailable, type EventBatch, type EventStore } from '../../src/events/eventStore.ts'
import {
  beforeNextAppend,
  causeOf,
  creating,
  openWriteSide,
  patching,
  removing,
  restoring,
  unconditional,
  type WriteSideOptions,
} from '../support/writeSide.ts'

const deletion = '3b241101-e2bb-4255-8caf-4136c566a962'

/** A glossary `g` with the term `g.t`, and below it `g.t.u`. */
const open = async (options: WriteSideOptions = {}) => {
  const side = await openWriteSide(options)
  await side.given(creating('glossary', 'g'), creating('glossaryTerm', 'g.t'), creating('glossaryTerm', 'g.t.u'))
  const statusOf = async (kind: string, fqn: string) => (await side.find(kind, fqn))?.status
  const terms = async () => [await statusOf('glossaryTerm', 'g.t'), await statusOf('glossaryTerm', 'g.t.u')]
  let kept: string | undefined
  const checkpoint: CheckpointStore & { now: () => string | undefined } = {
    read: async () => kept,
    write: async (text) => void (kept = text),
    now: () => kept,
  }
  return { ...side, statusOf, terms, checkpoint }
}

/** The same, on a log that can be away for appends. */
const openDetachable = async () => {
  let isAway = false
  const change = (log: EventStore): EventStore => ({
    ...log,
    append: (appends) => (isAway ? Promise.reject(new StoreUnavailable('away')) : log.append(appends)),
  })
  return { ...(await open({ change })), setAway: (is: boolean) => void (isAway = is) }
}

type Side = Awaited<ReturnType<typeof open>>

interface Started {
  readonly currentTerm?: () => number | undefined
  readonly alone?: boolean
  readonly check?: ContractValidationOptions['check']
  /** Called with each warning. */
  readonly warned?: () => void
  /** Called with what is told of each error. */
  readonly told?: (about: unknown) => void
  /** Called before it is told of a batch. */
  readonly beforeBatch?: (batch: EventBatch) => Promise<void>
}

/** Starts it where several processes share the stores, and tells it what the log gives while it has a turn. */
const start = async (
  side: Side,
  {
    currentTerm = () => 1,
    alone = false,
    check = async () => ({}),
    warned = () => {},
    told = () => {},
    beforeBatch,
  }: Started = {},
) => {
  const { context, readModels, log, checkpoint } = side
  const controller = new AbortController()
  const pending = makePending(readModels, { entities: context.position, search: context.position })
  const integrity = startIntegrity({
    ports: { ...context, waitForPosition: (position) => context.waitForPosition(position) },
    pending,
    reads: readModels,
    checkpoint,
    check,
    logger: { warn: warned, error: told },
    alone,
    currentTerm,
  })
  const after = context.position()
  const watching = (async () => {
    for await (const batch of log.subscribe({ after, signal: controller.signal })) {
      await beforeBatch?.(batch)
      if (currentTerm() !== undefined) integrity.observe(batch)
    }
  })()
  await integrity.begin()
  const stop = async (): Promise<void> => {
    controller.abort()
    await watching
    await integrity.close()
  }
  onTestFinished(stop)
  return { ...integrity, stop }
}

const gone = ['gone', 'gone']
const deleted = ['deleted', 'deleted']
const live = ['live', 'live']

test('children follow a deletion, a restore and a deletion for good', async () => {
  const side = await open()
  await start(side)
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(side.terms).toEqual(deleted)
  await side.only('glossary', 'g', { type: 'Restore' })
  await expect.poll(side.terms).toEqual(live)
  await side.only('glossary', 'g', { type: 'HardDelete', deletion })
  await expect.poll(side.terms).toEqual(gone)
})

test('what came while nobody looked is followed from the checkpoint on, and nothing before it', async () => {
  const side = await open()
  const first = await start(side)
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(side.terms).toEqual(deleted)
  const position = String((await side.events()).at(-1)?.position)
  await expect.poll(() => side.checkpoint.now()).toContain(`{"position":"${position}"`)
  await first.stop()
  await side.only('glossary', 'g', { type: 'Restore' })
  const from: (bigint | undefined)[] = []
  const { readAll } = side.context.log
  side.context.log = {
    ...side.context.log,
    readAll: (options = {}) => {
      from.push(options.after)
      return readAll(options)
    },
  }
  await start(side)
  await expect.poll(side.terms).toEqual(live)
  expect(from.every((after) => after !== undefined && after >= BigInt(position))).toBe(true)
})

test('a cascade whose process was killed in its middle goes on, however far it had come', async () => {
  const side = await open()
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  // One level had followed, and the checkpoint is from before.
  await side.only('glossaryTerm', 'g.t', { type: 'SoftDelete', deletion, inherited: true })
  await start(side)
  await expect.poll(side.terms).toEqual(deleted)
})

test('of a log that is read again, a process that ends in the middle leaves the rest to the next', async () => {
  const side = await open()
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  const { log } = side.context
  side.context.log = {
    ...log,
    readAll: async function* (options) {
      yield* log.readAll({ ...options, limit: 2 })
      if (options?.limit !== undefined) throw new StoreUnavailable('away')
    },
  }
  const failed = Promise.withResolvers<void>()
  const first = await start(side, { warned: failed.resolve })
  await failed.promise
  await first.stop()
  side.context.log = log
  await start(side)
  await expect.poll(side.terms).toEqual(deleted)
})

/** What a process that has led writes late, for the terms from the top down, after the next one knows the log. */
const writingLate = (side: Side, type: 'SoftDelete' | 'Restore' | 'HardDelete', terms: readonly string[]): void => {
  const { hierarchy } = side.context
  const { statusMismatches } = hierarchy
  hierarchy.statusMismatches = async (...asked) => {
    hierarchy.statusMismatches = statusMismatches
    for (const term of terms) {
      const [above] = (await side.events()).slice(-1)
      const cause = { user: 'ann', correlationId: 'c', commandId: `${above?.id}:${term}`, causationId: above?.id ?? '' }
      await side.only('glossaryTerm', term, { type, deletion, inherited: true }, cause)
    }
    return statusMismatches(...asked)
  }
}

describe.each([
  ['one level', ['g.t']],
  ['two levels', ['g.t', 'g.t.u']],
])('what a former leader writes of %s after the next one has begun, the levels below follow', (_, late) => {
  const openDeep = async () => {
    const side = await open()
    await side.given(creating('glossaryTerm', 'g.t.u.v'))
    const all = async () => [...(await side.terms()), await side.statusOf('glossaryTerm', 'g.t.u.v')]
    return { ...side, all }
  }
  const each = (status: string) => [status, status, status]

  test.each([
    ['SoftDelete', 'deleted'],
    ['HardDelete', 'gone'],
  ] as const)('%s', async (type, status) => {
    const side = await openDeep()
    await side.only('glossary', 'g', { type, deletion })
    writingLate(side, type, late)
    await start(side)
    await expect.poll(side.all).toEqual(each(status))
  })

  test('Restore', async () => {
    const side = await openDeep()
    const first = await start(side)
    await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
    await expect.poll(side.all).toEqual(each('deleted'))
    await first.stop()
    await side.only('glossary', 'g', { type: 'Restore' })
    writingLate(side, 'Restore', late)
    await start(side)
    await expect.poll(side.all).toEqual(each('live'))
  })
})

test('the checkpoint of another log, as after a take-over, is not believed', async () => {
  const former = await open()
  const first = await start(former)
  await former.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(former.terms).toEqual(deleted)
  await first.stop()
  const side = await open()
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await side.given(...['a', 'b', 'c', 'd'].map((name) => creating('glossary', name)))
  await start({ ...side, checkpoint: former.checkpoint })
  await expect.poll(side.terms).toEqual(deleted)
})

/** Accepts the proposal `p` about the glossary `g`, whose status has not followed yet. */
const acceptOne = async (side: Side, comment = '') => {
  const id = entityId('glossary', 'g')
  const base = { base: 0, members: ['description'], proposer: 'ann' }
  await side.given(
    (context) => {
      const entity = { id, type: 'glossary', fullyQualifiedName: 'g' }
      const definition = kindNamed('proposal')
      const parsed = readRequest(definition, { name: 'p' }, 'create')
      const own = { ...base, entity, comment, status: 'open' }
      return write(context, { type: 'Create', definition, parsed, own }, causeOf())
    },
    (context) => {
      const read = () => ({ values: { description: 'proposed' }, cleared: [], problems: [] })
      const proposed = { ...base, id: entityId('proposal', 'p'), base: 0n, amended: false }
      return acceptProposal(context, { definition: kindNamed('glossary'), id, read }, proposed, causeOf('bob'))
    },
  )
  return async () => (await side.find('proposal', 'p'))?.members['status']
}

test('a proposal whose status could not be written before the process ended is accepted after the next start', async () => {
  const side = await openDetachable()
  const status = await acceptOne(side)
  expect([await status(), (await side.find('glossary', 'g'))?.members['description']]).toEqual(['open', 'proposed'])
  side.setAway(true)
  const failed = Promise.withResolvers<void>()
  const first = await start(side, { warned: failed.resolve })
  await failed.promise
  await first.stop()
  side.setAway(false)
  await start(side)
  await expect.poll(status).toBe('accepted')
})

test('a proposal that is as large as an entity may be is accepted: what follows from an event is never too large', async () => {
  const side = await open()
  const status = await acceptOne(side, 'x'.repeat(limits.entity.value - 220))
  await start(side)
  await expect.poll(status).toBe('accepted')
})

test('a consequence that is refused is told once with its event, and all others follow', async () => {
  const side = await open()
  await acceptOne(side)
  const accepted = (await side.events()).at(-1)
  await side.only('proposal', 'p', { type: 'HardDelete', deletion })
  const told: unknown[] = []
  await start(side, { told: (about) => told.push(about) })
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(side.terms).toEqual(deleted)
  expect(told).toEqual([expect.objectContaining({ event: accepted?.id, position: String(accepted?.position) })])
  await expect.poll(() => side.checkpoint.now()).toContain(`"seen":"${String((await side.events()).at(-1)?.position)}"`)
})

/** A topic `k.t` that has changed since its Active contract was made. */
const changeContracted = (side: Side): Promise<void> =>
  side.given(
    creating('messagingService', 'k', { serviceType: 'Kafka' }),
    creating('topic', 'k.t', { partitions: 1 }),
    creating('dataContract', 'k.t.c', {
      entity: { type: 'topic', fullyQualifiedName: 'k.t' },
      entityStatus: 'Active',
    }),
    patching('topic', 'k.t', { description: 'changed' }),
  )

const resultOf = async (side: Side) =>
  (await side.find('dataContract', entityId('topic', 'k.t')))?.members['latestResult']

test('a contract whose check was not over when its process ended is validated after the next start', async () => {
  const side = await open()
  const begun = Promise.withResolvers<void>()
  const first = await start(side, {
    check: async () => {
      begun.resolve()
      throw new StoreUnavailable('away')
    },
  })
  await changeContracted(side)
  await begun.promise
  const seen = String((await side.events()).at(-1)?.position)
  await expect.poll(() => side.checkpoint.now()).toContain(`"seen":"${seen}"`)
  await first.stop()
  expect(await resultOf(side)).toBeUndefined()
  await start(side, { check: async () => ({ status: 'Success' }) })
  await expect.poll(() => resultOf(side)).toMatchObject({ status: 'Success' })
  const last = String((await side.events()).at(-1)?.position)
  await expect.poll(() => side.checkpoint.now()).toContain(`{"position":"${last}"`)
})

test('a slow check of a contract holds up no children', async () => {
  const side = await open()
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await start(side, {
    check: async () => {
      begun.resolve()
      await goOn.promise
      return { status: 'Success' }
    },
  })
  await changeContracted(side)
  await begun.promise
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(side.terms).toEqual(deleted)
  goOn.resolve()
  await expect.poll(() => resultOf(side)).toMatchObject({ status: 'Success' })
})

test('a cascade whose process was killed in its middle, before it kept anything of it, goes on', async () => {
  const side = await open()
  const first = await start(side)
  await side.given(creating('glossary', 'other'))
  await expect.poll(() => side.checkpoint.now()).toBeDefined()
  await first.stop()
  await side.only('glossary', 'g', { type: 'HardDelete', deletion })
  const [root] = (await side.events()).slice(-1)
  const cause = { user: 'ann', correlationId: 'c', commandId: `${root?.id}:g.t`, causationId: root?.id ?? '' }
  await side.only('glossaryTerm', 'g.t', { type: 'HardDelete', deletion }, cause)
  await start(side)
  await expect.poll(side.terms).toEqual(gone)
})

test('what cannot be written while the store is away is written when it is back', async () => {
  const side = await openDetachable()
  await start(side)
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  side.setAway(true)
  await expect.poll(() => side.statusOf('glossary', 'g')).toBe('deleted')
  side.setAway(false)
  await expect.poll(side.terms).toEqual(deleted)
})

test('what a cascade has written before an error is followed in turn, though it comes after the error', async () => {
  const failed = Promise.withResolvers<void>()
  const isOfTerm = ({ type, metadata }: RecordedEvent) =>
    type === 'SoftDeleted' && metadata.fullyQualifiedName === 'g.t'
  const side = await open()
  const { waitForPosition } = side.context
  side.context.waitForPosition = async (position) => {
    const [last] = (await side.events()).slice(-1)
    if (last === undefined || !isOfTerm(last) || last.position !== position) return waitForPosition(position)
    side.context.waitForPosition = waitForPosition
    throw new StoreUnavailable('the read models are late')
  }
  await start(side, {
    warned: failed.resolve,
    beforeBatch: async ({ events }) => {
      if (events.some(isOfTerm)) await failed.promise
    },
  })
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await failed.promise
  await side.project()
  await expect.poll(side.terms).toEqual(deleted)
})

test('a cascade after an error asks for each child a few times, however many there are', async () => {
  const side = await open()
  const depth = 20
  const names = Array.from({ length: depth }, (_, at) => `g${'.a'.repeat(at + 1)}`)
  await side.given(...names.map((name) => creating('glossaryTerm', name)))
  const { waitForPosition, hierarchy } = side.context
  let asked = 0
  side.context.hierarchy = {
    ...hierarchy,
    statusMismatches: (limit, ids) => {
      asked += ids.length
      return hierarchy.statusMismatches(limit, ids)
    },
  }
  side.context.waitForPosition = async () => {
    side.context.waitForPosition = waitForPosition
    throw new StoreUnavailable('the read models are late')
  }
  await start(side)
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(() => side.statusOf('glossaryTerm', names.at(-1) as string)).toBe('deleted')
  expect(asked).toBeLessThan(5 * depth)
})

test('what a process has written that was void, and could not compensate, is compensated', async () => {
  const side = await open({ change: unconditional })
  const { verdicts } = side.context
  beforeNextAppend(side.context, async () => {
    await side.ask(removing('glossary', 'g', { recursive: true }))
    if (verdicts !== undefined)
      side.context.verdicts = { ...verdicts, eventAt: () => Promise.reject(new StoreUnavailable('ended')) }
  })
  await expect(side.ask(creating('glossaryTerm', 'g.late'))).rejects.toThrow('ended')
  side.context.verdicts = verdicts
  await side.project()
  expect(await side.statusOf('glossaryTerm', 'g.late')).toBe('live')
  await start(side)
  await expect.poll(() => side.statusOf('glossaryTerm', 'g.late')).toBe('gone')
})

test('a void child that appears while a cascade looks for children is compensated, and does not follow the deletion', async () => {
  const [deletedRoot, looking] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const side = await open({ change: unconditional })
  const { verdicts, hierarchy } = side.context
  beforeNextAppend(side.context, async () => {
    await side.ask(removing('glossary', 'g', { recursive: true }))
    deletedRoot.resolve()
    await looking.promise
    if (verdicts !== undefined)
      side.context.verdicts = { ...verdicts, eventAt: () => Promise.reject(new StoreUnavailable('ended')) }
  })
  const interrupted = side.ask(creating('glossaryTerm', 'g.late')).catch(() => undefined)
  await deletedRoot.promise
  side.context.hierarchy = {
    ...hierarchy,
    statusMismatches: async (...asked) => {
      looking.resolve()
      await interrupted
      await side.project()
      return hierarchy.statusMismatches(...asked)
    },
  }
  await start(side)
  await expect.poll(() => side.statusOf('glossaryTerm', 'g.late')).toBe('gone')
  expect(await side.terms()).toEqual(deleted)
  const late = (await side.events()).filter(({ metadata }) => metadata.fullyQualifiedName === 'g.late')
  expect(late.map(({ type }) => type)).toEqual(['Created', 'HardDeleted'])
})

test('who waits for another process goes on when its checkpoint says that all have followed', async () => {
  const side = await open()
  const { requests, stop } = await start(side)
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  const glossary = await side.find('glossary', 'g')
  if (glossary === undefined) throw new Error('There is no glossary.')
  await requests.waitForCascades([glossary], Infinity)
  expect(await side.terms()).toEqual(deleted)
  await stop()
  await side.ask(restoring('glossary', 'g'))
})

test('what changes again while its former change is followed stays pending until that is followed, too', async () => {
  const side = await open()
  const seen = Promise.withResolvers<void>()
  const kept: string[] = []
  const { write: keep } = side.checkpoint
  side.checkpoint.write = (text) => {
    kept.push(text)
    return keep(text)
  }
  const { waitForPosition } = side.context
  const restoreMeanwhile = async (): Promise<void> => {
    side.context.waitForPosition = waitForPosition
    await side.only('glossary', 'g', { type: 'Restore' })
    await seen.promise
  }
  await start(side, {
    beforeBatch: async ({ events }) => {
      const [event] = events.slice(-1)
      if (event?.metadata.fullyQualifiedName !== 'g') return
      if (event.type === 'SoftDeleted') side.context.waitForPosition = restoreMeanwhile
      if (event.type === 'Restored') setImmediate(seen.resolve)
    },
  })
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await seen.promise
  const restored = (await side.find('glossary', 'g'))?.position
  const since = () => kept.filter((text) => text.includes(`"seen":"${restored}"`))
  await expect.poll(() => since().at(-1)).toContain('"pending":[]')
  await expect.poll(() => since().at(-1)).toContain(`{"position":"${restored}"`)
})

test('whoever waits for one large deletion sees it go on: the checkpoint moves between its rounds', async () => {
  const kept: (string | undefined)[] = []
  const told = Promise.withResolvers<void>()
  const side = await open({
    change: (log) => ({
      ...log,
      append: async (appends) => {
        const [{ type, metadata } = {}] = appends[0]?.events ?? []
        const turned = type === 'SoftDeleted' ? metadata?.fullyQualifiedName : undefined
        if (turned === 'g.t.u') kept.push(side.checkpoint.now())
        const appended = await log.append(appends)
        if (turned === 'g.t') await told.promise
        return appended
      },
    }),
  })
  const { hierarchy } = side.context
  const { statusMismatches } = hierarchy
  const now = performance.now.bind(performance)
  let passed = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed)
  onTestFinished(() => void clock.mockRestore())
  hierarchy.statusMismatches = async (...asked) => {
    passed += 1000
    return statusMismatches(...asked)
  }
  await start(side, {
    beforeBatch: async ({ events }) => {
      const isTurned = ({ type, metadata }: RecordedEvent) =>
        type === 'SoftDeleted' && metadata.fullyQualifiedName === 'g.t'
      if (events.some(isTurned)) setImmediate(told.resolve)
    },
  })
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(side.terms).toEqual(deleted)
  const [glossary, term] = [await side.find('glossary', 'g'), await side.find('glossaryTerm', 'g.t')]
  expect(kept.map((text) => JSON.parse(text ?? '{}') as unknown)).toEqual([
    expect.objectContaining({
      seen: String(term?.position),
      pending: [[glossary?.id, String(glossary?.position)]],
    }),
  ])
})

test('what another process has begun in a turn between two of this one is done, though that was in the middle of a step', async () => {
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let turn: number | undefined = 1
  const side = await open({
    change: (log) => ({
      ...log,
      append: async (appends) => {
        if (appends[0]?.events[0]?.metadata.fullyQualifiedName === 'g.t' && appends[0].expected !== 'no_stream') {
          reached.resolve()
          await goOn.promise
        }
        return log.append(appends)
      },
    }),
  })
  await side.given(creating('glossary', 'h'), creating('glossaryTerm', 'h.t'))
  await start(side, { currentTerm: () => turn })
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await reached.promise
  turn = undefined
  await side.only('glossary', 'h', { type: 'SoftDelete', deletion })
  const h = await side.find('glossary', 'h')
  const at = String(h?.position)
  await side.checkpoint.write(JSON.stringify({ position: at, seen: at, pending: [[h?.id, at]] }))
  turn = 2
  goOn.resolve()
  await expect.poll(() => side.statusOf('glossaryTerm', 'h.t')).toBe('deleted')
  await expect.poll(side.terms).toEqual(deleted)
})

test('a process whose turn ends in the middle of a step keeps no checkpoint of it', async () => {
  const side = await open()
  await side.given(creating('glossary', 'h'))
  const over = Promise.withResolvers<string>()
  let turn: number | undefined = 1
  const { hierarchy } = side.context
  side.context.hierarchy = {
    ...hierarchy,
    statusMismatches: async (limit, ids) => {
      const found = await hierarchy.statusMismatches(limit, ids)
      if (found.length === 0 && ids?.includes(entityId('glossary', 'h'))) turn = undefined
      return found
    },
  }
  const { write: keep } = side.checkpoint
  side.checkpoint.write = (text) => {
    if (turn === undefined) over.resolve('kept')
    return keep(text)
  }
  await start(side, { currentTerm: () => turn, warned: () => over.resolve('refused') })
  await side.only('glossary', 'h', { type: 'SoftDelete', deletion })
  expect(await over.promise).toBe('refused')
})

test('a checkpoint that a process wrote after its turn does not stay', async () => {
  const side = await open()
  await start(side)
  const outdated = side.checkpoint.now() ?? JSON.stringify({ position: null, seen: null, pending: [] })
  await side.only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(side.terms).toEqual(deleted)
  await expect.poll(side.checkpoint.now).not.toBe(outdated)
  await side.checkpoint.write(outdated)
  await expect.poll(side.checkpoint.now).not.toBe(outdated)
})

test('where nothing has to follow, all has followed, also before anything ever did', async () => {
  const side = await open()
  await side.given(creating('user', 'bob'))
  const { requests } = await start(side, { alone: true })
  await side.only('user', 'bob', { type: 'SoftDelete', deletion })
  const bob = await side.find('user', 'bob')
  if (bob === undefined) throw new Error('There is no user.')
  expect(await requests.waitForCascades([bob])).toBeDefined()
})

test('a read of the past says at once that the clock forbids the events that it would wait for', async () => {
  const clock = makeClock(() => 0)
  clock.observe(3_600_000)
  const ports = { clock, waitForPosition: async () => {} }
  const pending = { all: () => new Map([['g', 1n]]) }
  const checkpoint = { read: async () => undefined, write: async () => {} }
  const waiting = { progressed: makeNotifier(), last: () => 1n, stopping: new AbortController().signal }
  const { waitForCascadesUpTo } = makeCascadeWaits({ ports, pending, checkpoint, alone: true }, waiting)
  await expect(waitForCascadesUpTo(1n)).rejects.toThrow(LogAhead)
  expect(await waitForCascadesUpTo(0n)).toBe(1n)
})
