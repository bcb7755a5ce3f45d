import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UnsupportedSchemaVersion } from '../../src/events/codec.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { StoreUnavailable, type EventStore } from '../../src/events/eventStore.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import type { ReadModels } from '../../src/projections/readModels/readModels.ts'
import type { Batch, Checkpoint, Projection, ProjectionStore } from '../../src/projections/projection.ts'
import { searchFor } from './entities/contract/corpus.ts'
import { makeLabels } from '../../src/projections/labels.ts'
import { makeProgress, steadily } from '../../src/projections/progress.ts'
import { makeProjector } from '../../src/projections/projector.ts'
import { startRunner, type Runner } from '../../src/projections/runner.ts'
import { openSqliteReadModels } from '../../src/projections/embedded/readModels.ts'
import { thing } from '../support/decider.ts'
import { appendOf, appendOk, freshStream } from '../support/events.ts'
import { temporaryFolder } from '../support/folders.ts'
import { amongOthers, applyingBy, labelsOf } from '../support/projecting.ts'
import { longEnough } from '../support/patience.ts'

type ProjectorOptions = Parameters<typeof makeProjector>[0]

const definition = thing()

const idOf = (stream: string): string => stream.slice('thing-'.length)

interface Running {
  readonly log: EventStore
  readonly lost: Error[]
  readonly readModels: ReadModels
  readonly runner: Runner
}

/** Things that a test may put in the place of what is real. */
interface Changes {
  readonly store?: (readModels: ReadModels) => ProjectionStore
  readonly log?: EventStore
  readonly change?: (log: EventStore) => EventStore
  readonly path?: string
  readonly checkEvery?: number
  /** Is told the lines that are logged. */
  readonly told?: (about: object, line: string) => void
  readonly warned?: (line: string) => void
}

const start = async ({
  store = (readModels) => readModels,
  change = (log) => log,
  ...given
}: Changes = {}): Promise<Running> => {
  const folder = await temporaryFolder()
  const log = given.log ?? openSqliteEventStore({ path: join(folder, 'log.db') })
  const readModels = await openSqliteReadModels({ path: given.path ?? join(folder, 'readModels.db') })
  const logger = {
    warn: (_: object, line: string) => given.warned?.(line),
    info: (given.told ?? (() => {})) as () => void,
  }
  const lost: Error[] = []
  const runner = startRunner({
    log: change(log),
    store: store(readModels),
    readModels,
    kindNamed: () => definition,
    logger,
    onLost: (reason) => lost.push(reason),
    checkEvery: given.checkEvery ?? 10,
  })
  onTestFinished(async () => {
    await runner.stop()
    await readModels.close()
    if (given.log === undefined) await log.close()
  })
  return { log, lost, readModels, runner }
}

const write = async ({ log }: Pick<Running, 'log'>): Promise<{ id: string; position: bigint }> => {
  const stream = freshStream()
  const { position } = await appendOk(log, appendOf(stream, 'no_stream'))
  return { id: idOf(stream), position }
}

test('who waits for a position that nothing reaches is told in time', async () => {
  const { runner } = await start()
  await expect(runner.waitFor(1000n, 20)).rejects.toThrow('have not reached position 1000')
})

test('read models that somebody empties while nothing is written are built again', async () => {
  const running = await start()
  const { readModels, runner } = running
  const { id, position } = await write(running)
  await runner.waitFor(position)
  const { swap } = await readModels.startRebuild()
  await swap()
  await expect.poll(() => readModels.get(id)).toMatchObject({ id })
  await expect.poll(() => runner.failure()).toBeUndefined()
  expect(runner.position()).toBe(position)
})

test.each([
  ['the first', 0n],
  ['a later', 1n],
])('an event that does not come is noticed when the next one of its stream does: %s', async (_, missing) => {
  async function* leavingOut(batches: ReturnType<EventStore['subscribe']>) {
    for await (const { events, position } of batches) {
      yield { events: events.filter(({ revision }) => revision !== missing), position }
    }
  }
  const running = await start({
    change: (log) => ({ ...log, subscribe: (options) => leavingOut(log.subscribe(options)) }),
  })
  const stream = freshStream()
  await appendOk(running.log, appendOf(stream, 'no_stream', 3))
  await expect.poll(() => running.runner.failure()?.name).toBe('EventsMissing')
  expect(running.runner.position()).toBeUndefined()
})

/** A projection that keeps the events it was given, in memory, beside those of a file. */
const counting = (apply: (events: readonly RecordedEvent[]) => void = () => {}) => {
  const given: RecordedEvent[] = []
  let checkpoint: Checkpoint | undefined
  const projection: Projection = {
    name: 'counting',
    version: 1,
    apply: async ({ events, checkpoint: reached }) => {
      apply(events)
      given.push(...events)
      checkpoint = reached
    },
  }
  const empty = (): void => {
    given.length = 0
    checkpoint = undefined
  }
  const beside = (readModels: ReadModels): ProjectionStore => ({
    ...readModels,
    projections: [...readModels.projections, projection],
    checkpoints: async () => {
      const checkpoints = new Map(await readModels.checkpoints())
      return checkpoint === undefined ? checkpoints : checkpoints.set('counting', checkpoint)
    },
  })
  return { given, empty, beside, projection }
}

/** A projector of a projection by itself. */
const projectorOf = (
  projection: Projection,
  { log, ...more }: Partial<ProjectorOptions> & Pick<ProjectorOptions, 'log'>,
) =>
  makeProjector({
    projection,
    log,
    store: { checkpoints: async () => new Map() },
    progress: makeProgress(),
    rowsOf: async () => [],
    labelsOf,
    logger: { warn: () => {}, info: () => {} },
    ...more,
  })

/** Batches that a projection is given of single events that come one by one, while so many writes wait for them. */
const batchesWhile = async (writers: number): Promise<number[]> => {
  const name = 'counting'
  const stopping = new AbortController()
  const progress = makeProgress()
  const batches: number[] = []
  const events = 6
  const all = Promise.all(Array.from({ length: writers }, () => progress.waitFor(name, BigInt(events), longEnough)))
  const { projection } = counting()
  const apply = async (batch: Batch): Promise<void> => void batches.push(batch.events.length)
  const projector = projectorOf(
    { ...projection, apply, crowd: { waiting: 3, time: longEnough, size: events } },
    {
      progress,
      log: {
        dense: true,
        head: async () => BigInt(events),
        eventAt: async () => undefined,
        subscribe: async function* () {
          for (let at = 1n; at <= events; at++) {
            yield { events: [{ position: at, metadata: {} } as RecordedEvent], position: at }
            await delay(1)
          }
          await delay(longEnough, undefined, { signal: stopping.signal }).catch(() => {})
        },
      },
    },
  )
  const running = projector.run(stopping.signal)
  await all
  stopping.abort()
  await running
  return batches
}

test('what many writes wait for is projected together, and what few wait for at once', async () => {
  expect(await batchesWhile(3)).toEqual([6])
  expect(await batchesWhile(2)).toEqual([1, 1, 1, 1, 1, 1])
})

describe('projections that no write waits for', () => {
  /** Counts the batches that each projection is given. */
  const counted = async (changes: Changes = {}) => {
    const batches = new Map<string, number>()
    const running = await start({
      ...changes,
      store: (readModels) =>
        applyingBy(readModels, (projection, batch) => {
          batches.set(projection.name, (batches.get(projection.name) ?? 0) + 1)
          return projection.apply(batch)
        }),
    })
    return { running, batches }
  }

  test('are given many small writes at once, after the first one has them', async () => {
    const { running, batches } = await counted()
    const begun = performance.now()
    for (let count = 0; count < 20; count++) await running.runner.waitFor((await write(running)).position)
    const [first, ...others] = running.readModels.projections
    expect(first?.name).toBe('entities')
    const most = 2 + (performance.now() - begun) / 400
    for (const { name } of others) await running.runner.waitFor(20n, longEnough, name)
    expect(batches.get('entities')).toBe(20)
    for (const { name } of others) expect(batches.get(name)).toBeLessThan(most)
  })

  test.each([
    ['let one go first that somebody begins to wait for before they write', 100, ['timeline', 'tree']],
    ['do not wait long for it', 2000, ['tree', 'timeline']],
  ])('%s', async (_, slowness, expected) => {
    const written: string[] = []
    const running: Running = await start({
      store: (readModels) =>
        applyingBy(readModels, async ({ name, apply }, batch) => {
          if (name === 'tree') setImmediate(() => void running.runner.waitFor(1n, longEnough, 'timeline'))
          if (name === 'timeline') await delay(slowness)
          await apply(batch)
          written.push(name)
        }),
    })
    const order = (): string[] => written.filter((name) => expected.includes(name))
    await write(running)
    await expect.poll(order, { timeout: longEnough }).toHaveLength(2)
    expect(order()).toEqual(expected)
  })

  test('have everything when the runner has stopped', async () => {
    const { running } = await counted()
    await write(running)
    await running.runner.stop()
    const positions = [...(await running.readModels.checkpoints()).values()].map(({ position }) => position)
    expect(positions).toEqual(running.readModels.projections.map(() => 1n))
  })

  test('miss nothing when the store fails for them', async () => {
    let failures = 0
    const running = await start({
      store: (readModels) =>
        applyingBy(readModels, ({ name, apply }, batch) =>
          name === 'entities' || failures++ >= 6 ? apply(batch) : Promise.reject(new StoreUnavailable('away')),
        ),
    })
    const { id } = await write(running)
    await running.runner.waitFor((await write(running)).position)
    for (const { name } of running.readModels.projections) await running.runner.waitFor(2n, longEnough, name)
    expect(failures).toBeGreaterThanOrEqual(6)
    const { rows } = await running.readModels.activity({ limit: 10 })
    expect(rows.map(({ position }) => position)).toEqual([2n, 1n])
    expect(rows.at(-1)?.entityId).toBe(id)
    expect((await running.readModels.treeLeaves())?.hashes).toHaveLength(2 * 32)
  })

  test('read the log once, and nobody waits for one that is slow', async () => {
    let subscriptions = 0
    const { promise: gate, resolve: release } = Promise.withResolvers<void>()
    const running = await start({
      change: (log) => ({
        ...log,
        subscribe: (options) => {
          subscriptions++
          return log.subscribe(options)
        },
      }),
      store: (readModels) =>
        applyingBy(readModels, async ({ name, apply }, batch) => {
          if (name === 'tree') await gate
          return apply(batch)
        }),
    })
    for (let count = 0; count < 5; count++) await write(running)
    for (const name of ['entities', 'search', 'activity', 'timeline'])
      await running.runner.waitFor(5n, longEnough, name)
    expect(running.runner.position('tree')).toBeUndefined()
    release()
    await running.runner.waitFor(5n, longEnough, 'tree')
    expect(subscriptions).toBe(1)
  })
})

test('what is searched is never ahead of the entities, so that nothing is left out that comes while it catches up', async () => {
  const { promise: gate, resolve: opened } = Promise.withResolvers<void>()
  const ahead: bigint[] = []
  let searches = 0
  let second: Promise<{ id: string; position: bigint }> | undefined
  const running: Running = await start({
    store: (readModels) =>
      applyingBy(readModels, async ({ name, apply }, batch) => {
        if (name === 'entities' && second !== undefined) await gate
        if (name !== 'search') return apply(batch)
        if (searches++ === 0) {
          second = write(running)
          await second
          throw new Error('It goes on alone.')
        }
        if ((running.runner.position() ?? -1n) < batch.position) ahead.push(batch.position)
        return apply(batch)
      }),
  })
  const first = await write(running)
  await expect.poll(() => second).toBeDefined()
  const { id, position } = await (second as NonNullable<typeof second>)
  await delay(300)
  opened()
  await running.runner.waitFor(position)
  await running.runner.waitFor(position, longEnough, 'search')
  const { hits } = await searchFor(running.readModels, '*', { kinds: ['thing'], sort: 'name' })
  expect(hits.map(({ row }) => row.id).toSorted()).toEqual([first.id, id].toSorted())
  expect(ahead).toEqual([])
})

test('no batch is larger than the store can take at once', async () => {
  const first = await start()
  let last = 0n
  for (let count = 0; count < 7; count++) last = (await write(first)).position
  const sizes: number[] = []
  const small = (readModels: ReadModels): ProjectionStore => {
    const counted = applyingBy(readModels, ({ name, apply }, batch) => {
      if (name === 'entities') sizes.push(batch.events.length)
      return apply(batch)
    })
    return { ...counted, batchSize: 3 }
  }
  const second = await start({ log: first.log, store: small })
  await second.runner.waitFor(last)
  expect(sizes).toEqual([3, 3, 1])
})

describe('a projection beside the others', () => {
  test('is given what they are given, once', async () => {
    const { given, beside } = counting()
    const running = await start({ store: beside })
    const { position } = await write(running)
    await running.runner.waitFor(position, longEnough, 'counting')
    expect(given.map((event) => event.position)).toEqual([position])
    await running.runner.waitFor(position)
  })

  test('a projection beside the others that is new catches up with an old log by itself and then goes on with the others', async () => {
    const first = await start()
    const path = join(await temporaryFolder(), 'readModels.db')
    const old = [await write(first), await write(first)]
    const before = await start({ log: first.log, path })
    await before.runner.waitFor(old.at(-1)!.position)
    await before.runner.stop()
    await before.readModels.close()

    const { given, beside } = counting()
    const lines: object[] = []
    const told = (about: object, line: string) => void lines.push({ ...about, line })
    const running = await start({ log: first.log, path, store: beside, told })
    const next = await write(first)
    await running.runner.waitFor(next.position)
    await running.runner.waitFor(next.position, longEnough, 'counting')
    const last = await write(first)
    await running.runner.waitFor(last.position, longEnough, 'counting')
    expect(given.map(({ position }) => position)).toEqual([...old, next, last].map(({ position }) => position))
    expect(lines[0]).toMatchObject({
      projection: 'counting',
      position: '0',
      line: 'a projection catches up with the log',
    })
    expect(lines.at(-1)).toMatchObject({ projection: 'counting', line: 'a projection has caught up with the log' })
  })

  test('a projection beside the others that fails does not hold up the others, and goes on when it can', async () => {
    let failing = true
    const { given, beside } = counting(() => {
      if (failing) throw new Error('cannot')
    })
    const running = await start({ store: beside })
    const { id, position } = await write(running)
    await running.runner.waitFor(position)
    expect(await running.readModels.get(id)).toMatchObject({ id, position })
    expect(running.runner.failure()).toBeUndefined()
    await expect(running.runner.waitFor(position, 20, 'counting')).rejects.toThrow('have not reached')
    failing = false
    await running.runner.waitFor(position, longEnough, 'counting')
    expect(given.map((event) => event.position)).toEqual([position])
  })

  test('a projection beside the others that begins anew is given everything again while the others go on', async () => {
    const { given, beside, empty } = counting()
    const running = await start({ store: beside })
    const first = await write(running)
    await running.runner.waitFor(first.position)
    empty()
    await expect.poll(() => given.length).toBe(1)
    const second = await write(running)
    await running.runner.waitFor(second.position)
    await running.runner.waitFor(second.position, longEnough, 'counting')
    expect(given.map((event) => event.position)).toEqual([first.position, second.position])
  })
})

test('read models that are replaced miss nothing that is written at that moment', async () => {
  const running = await start({ checkEvery: 60_000 })
  const first = await write(running)
  for (const { name } of running.readModels.projections) await running.runner.waitFor(first.position, longEnough, name)
  const { swap } = await running.readModels.startRebuild()
  await swap()
  const second = await write(running)
  for (const { name } of running.readModels.projections) await running.runner.waitFor(second.position, longEnough, name)
  const { rows } = await running.readModels.activity({ limit: 10 })
  expect(rows.map(({ position }) => position)).toEqual([second.position, first.position])
  expect(await running.readModels.get(first.id)).toMatchObject(first)
  expect((await running.readModels.treeLeaves())?.hashes).toHaveLength(2 * 32)
  expect((await searchFor(running.readModels, 'somewhere', { kinds: ['thing'] })).total).toBe(2)
})

test('a log in which another one has taken the place of what was applied is told, and nobody waits any more', async () => {
  let present: EventStore | undefined
  const running = await start({
    change: (log) => ({ ...log, eventAt: (position) => (present ?? log).eventAt(position) }),
  })
  const { position } = await write(running)
  await running.runner.waitFor(position)
  const other = openSqliteEventStore({ path: join(await temporaryFolder(), 'log.db') })
  onTestFinished(() => other.close())
  await appendOk(other, appendOf(freshStream(), 'no_stream'))
  const waiting = running.runner.waitFor(1000n)
  present = other
  await expect(waiting).rejects.toThrow('which the log does not have')
  await expect(running.runner.waitFor(1000n)).rejects.toThrow('which the log does not have')
  expect(running.lost).toHaveLength(1)
})

test('an event that a newer version of the catalog wrote ends projecting, and is told once to all who wait', async () => {
  const newer = new UnsupportedSchemaVersion({ stream: freshStream(), revision: 0n, position: 1n }, 4)
  const lines: string[] = []
  const { runner, lost } = await start({
    change: (log) => ({
      ...log,
      subscribe: () => {
        throw newer
      },
    }),
    warned: (line) => lines.push(line),
  })
  await expect(runner.waitFor(1n)).rejects.toBe(newer)
  await expect(runner.waitFor(1n)).rejects.toBe(newer)
  expect([lost, lines]).toEqual([[newer], []])
})

test('what is shown ends with the newest event of the catalog, where the store goes on with those of others', async () => {
  const { runner, log } = await start({ change: amongOthers })
  expect(await runner.shownPosition()).toBe(undefined)
  const { position } = await appendOk(log, appendOf(freshStream(), 'no_stream'))
  await runner.waitFor(position + 1000n)
  expect(await runner.shownPosition()).toBe(position)
})

test('a projection that uses the rows of another waits for its events, not for those of others', async () => {
  const { log } = await start()
  const { position } = await appendOk(log, appendOf(freshStream(), 'no_stream'))
  const { given, projection } = counting()
  const progress = makeProgress()
  progress.moveTo('entities', position)
  const stopping = new AbortController()
  const running = projectorOf({ ...projection, uses: 'entities' }, { log: amongOthers(log), progress }).run(
    stopping.signal,
  )
  await progress.waitFor('counting', position + 1000n, longEnough)
  expect(given.map((event) => event.position)).toEqual([position])
  stopping.abort()
  await running
})

test('a batch that is undone after it was shown takes the position back at once, and is applied again', async () => {
  const { log } = await start()
  const first = await appendOk(log, appendOf(freshStream(), 'no_stream'))
  const second = await appendOk(log, appendOf(freshStream(), 'no_stream'))
  const applied: Batch[] = []
  const { projections } = counting().beside({ projections: [] as readonly Projection[] } as ReadModels)
  const [projection] = projections as [Projection]
  const apply = async (batch: Batch): Promise<void> => void applied.push(batch)
  const progress = makeProgress()
  const checkpoints = new Map([['counting', { position: first.position }]])
  const stopping = new AbortController()
  const projector = makeProjector({
    projection: { ...projection, apply },
    store: { checkpoints: async () => checkpoints },
    log,
    progress,
    rowsOf: async () => [],
    labelsOf: makeLabels(log),
    logger: { warn: () => {}, info: () => {} },
  })
  const running = projector.run(stopping.signal)
  await progress.waitFor('counting', second.position, longEnough)
  const seen: (bigint | undefined)[] = []
  await steadily(
    progress,
    'counting',
    longEnough,
  )(async () => {
    seen.push(progress.of('counting'))
    if (seen.length > 1) return
    applied[0]?.undone?.(new Error('full'))
    seen.push(progress.of('counting'))
    expect(projector.failure()?.message).toBe('full')
  })
  expect(seen).toEqual([second.position, first.position, second.position])
  expect(applied.map(({ after, position }) => [after, position])).toEqual([
    [first.position, second.position],
    [first.position, second.position],
  ])
  expect(projector.failure()).toBeUndefined()
  stopping.abort()
  await running
})

test('nothing is applied of a log in which another one has taken the place of what was applied', async () => {
  const { log } = await start()
  await appendOk(log, appendOf(freshStream(), 'no_stream', 2))
  const newest = { position: 1n, tag: 'another' }
  const { given, projection } = counting()
  const projector = projectorOf(projection, {
    log,
    store: { checkpoints: async () => new Map([['counting', { position: 1n, newest }]]) },
    upTo: 2n,
  })
  await expect(projector.follow(new AbortController().signal)).rejects.toThrow('which the log does not have')
  expect(given).toEqual([])
})

test('a failure is told until what failed is done, and with each step forward pauses are short again', async () => {
  const told: (string | undefined)[] = []
  const pauses: number[] = []
  const stopping = new AbortController()
  let reached: bigint | undefined
  const apply: Projection['apply'] = async ({ position }) => {
    told.push(projector.failure()?.message)
    if (told.length % 2 === 1) throw new Error(`not ${position}`)
    reached = position
    if (reached === 8n) stopping.abort()
  }
  const checkpoints = async (): Promise<Map<string, Checkpoint>> => {
    if (reached === undefined) {
      reached = 0n
      throw new Error('The store is away.')
    }
    return new Map([['counting', { position: reached, newest: undefined }]])
  }
  const subscribe: EventStore['subscribe'] = async function* ({ after = 0n, signal }) {
    for (let position = after + 1n; !signal.aborted; position++) yield { events: [], position }
  }
  const projector = projectorOf(
    { ...counting().projection, apply },
    {
      log: { dense: false, head: async () => 8n, eventAt: async () => undefined, subscribe },
      store: { checkpoints },
      logger: { warn: (about) => pauses.push((about as { pause: number }).pause), info: () => {} },
    },
  )
  await projector.run(stopping.signal)
  expect(told).toEqual(Array.from({ length: 8 }, (_, at) => [undefined, `not ${at + 1}`]).flat())
  expect(Math.max(...pauses)).toBeLessThan(50)
})
