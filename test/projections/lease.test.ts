import { once } from 'node:events'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { test, type TestContext } from 'vitest'
import type { EventStore } from '../../src/events/eventStore.ts'
import { StoreUnavailable } from '../../src/events/eventStore.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import type { ProjectionStore } from '../../src/projections/projection.ts'
import { leadWithLease, type Lease } from '../../src/projections/lease.ts'
import { startRunner, type Runner } from '../../src/projections/runner.ts'
import { openSqliteReadModels } from '../../src/projections/embedded/readModels.ts'
import { thing } from '../support/decider.ts'
import { appendOf, appendOk, freshStream } from '../support/events.ts'
import { amongOthers, applyingBy } from '../support/projecting.ts'
import { temporaryDataDir } from '../support/service.ts'
import { longEnough } from '../support/patience.ts'
import { timeAwake } from '../support/timeAwake.ts'

const definition = thing()

/** Read models in one file that several runners of this process share until the end of a test, with a lease in memory. */
const openShared = async (onTestFinished: TestContext['onTestFinished']) => {
  const { path: folder, remove } = temporaryDataDir()
  const log = openSqliteEventStore({ path: join(folder, 'log.db') })
  const readModels = await openSqliteReadModels({ path: join(folder, 'readModels.db') })
  const runners: Runner[] = []
  onTestFinished(async () => {
    await Promise.all(runners.map((runner) => runner.stop()))
    await readModels.close()
    await log.close()
    await remove()
  })
  let holder: string | undefined
  const readCheckpoint = async (name: string) => (await readModels.checkpoints()).get(name)
  const leaseOf = (id: string): Lease => ({
    id,
    partitions: [readModels.projections.map(({ name }) => name)],
    hold: async () => {
      holder ??= id
      return holder === id ? [0] : []
    },
    release: async () => {
      if (holder === id) holder = undefined
    },
    report: async () => {},
    leave: async () => {
      if (holder === id) holder = undefined
    },
    processes: async () => [],
  })
  const run = (
    id: string,
    change: (log: EventStore) => EventStore = (given) => given,
    changeStore: (store: ProjectionStore) => ProjectionStore = (given) => given,
  ) => {
    const runner = startRunner({
      log: change(log),
      store: changeStore({ ...readModels, lease: leaseOf(id), readCheckpoint }),
      readModels,
      kindNamed: () => definition,
      logger: { warn: () => {}, info: () => {} },
      onLost: () => {},
      renewInterval: 10,
    })
    runners.push(runner)
    return { runner }
  }
  const write = async () => (await appendOk(log, appendOf(freshStream(), 'no_stream'))).position
  return {
    run,
    write,
    shown: async () => (await readCheckpoint('entities'))?.position,
    holder: () => holder,
  }
}

// They wait most of the time: each for the time limits of a lease.
test.concurrent(
  'one of two runners projects, and the other sees what it has projected without reading the log',
  async ({ expect, onTestFinished }) => {
    const { run, write } = await openShared(onTestFinished)
    const first = run('first')
    await expect.poll(() => first.runner.projects()).toBe(true)
    const second = run('second', (log) => ({
      ...log,
      subscribe: () => {
        throw new Error('The log was read.')
      },
    }))
    const position = await write()
    await second.runner.waitFor(position)
    expect([second.runner.position(), second.runner.projects(), second.runner.failure()]).toEqual([
      position,
      false,
      undefined,
    ])
  },
)

test.concurrent(
  'what is shown ends with the newest event of the catalog, where the store goes on with those of others',
  async ({ expect, onTestFinished }) => {
    const { run, write } = await openShared(onTestFinished)
    const { runner } = run('first', amongOthers)
    const position = await write()
    await runner.waitFor(position + 1000n)
    expect(await runner.shownPosition()).toBe(position)
  },
)

test.concurrent(
  'when the runner that projects stops another takes its place and applies what was written meanwhile',
  async ({ expect, onTestFinished }) => {
    const { run, write } = await openShared(onTestFinished)
    const first = run('first')
    await expect.poll(() => first.runner.projects()).toBe(true)
    const second = run('second')
    await first.runner.stop()
    const position = await write()
    await second.runner.waitFor(position)
    expect([second.runner.projects(), second.runner.term()]).toEqual([true, 1])
  },
)

test.concurrent(
  'the term of a runner ends when it stops, though it still works on a batch',
  async ({ expect, onTestFinished }) => {
    const { run, write } = await openShared(onTestFinished)
    const [applying, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { runner } = run('first', undefined, (store) =>
      applyingBy(store, async ({ apply }, batch) => {
        applying.resolve()
        await goOn.promise
        return apply(batch)
      }),
    )
    onTestFinished(() => goOn.resolve())
    await expect.poll(runner.term).toBe(1)
    await write()
    await applying.promise
    const stopped = runner.stop()
    await expect.poll(runner.term, { timeout: 10_000 }).toBeUndefined()
    goOn.resolve()
    await stopped
  },
)

/** A log that, once it is silent, gives subscriptions nothing; its other answers do not come, or are errors. */
const silencing = (answer: () => Promise<never>) => {
  let isSilent = false
  const change = (log: EventStore): EventStore => ({
    ...log,
    head: () => (isSilent ? answer() : log.head()),
    subscribe: async function* (options) {
      for await (const page of log.subscribe(options)) {
        while (isSilent) await delay(10, undefined, { signal: options.signal })
        yield page
      }
    },
  })
  return { change, silence: (is: boolean): void => void (isSilent = is) }
}

const failing = (): Promise<never> => delay(100).then(() => Promise.reject(new StoreUnavailable('silent')))

test.concurrent.for<[string, () => Promise<never>]>([
  ['fails', failing],
  ['does not answer', () => new Promise(() => {})],
])(
  'a runner whose log %s leaves its place to another one within ten seconds, though nobody waits',
  async ([, answer], { expect, onTestFinished }) => {
    const { run, write, shown, holder } = await openShared(onTestFinished)
    const { change, silence } = silencing(answer)
    const deaf = run('deaf', change)
    await expect.poll(() => deaf.runner.projects()).toBe(true)
    const awake = timeAwake()
    silence(true)
    const other = run('other')
    const position = await write()
    await expect.poll(shown).toBe(position)
    expect(awake()).toBeLessThan(10_000)
    expect([holder(), other.runner.projects()]).toEqual(['other', true])
    await deaf.runner.waitFor(position)
    expect(deaf.runner.projects()).toBe(false)
  },
)

test.concurrent(
  'a runner that works long on a batch, while nobody waits, keeps its place',
  async ({ expect, onTestFinished }) => {
    const { run, write, shown, holder } = await openShared(onTestFinished)
    const busy = run('busy', undefined, (store) =>
      applyingBy(store, async ({ apply }, batch) => {
        await delay(3000)
        return apply(batch)
      }),
    )
    await expect.poll(() => busy.runner.projects()).toBe(true)
    const other = run('other')
    await write()
    const position = await write()
    await expect.poll(shown).toBe(position)
    expect([holder(), other.runner.term()]).toEqual(['busy', undefined])
  },
)

test.concurrent(
  'a runner that is alone and whose log is silent leaves its place to nobody, and goes on when the log answers again',
  async ({ expect, onTestFinished }) => {
    const { run, write, holder } = await openShared(onTestFinished)
    const { change, silence } = silencing(failing)
    const { runner } = run('alone', change)
    await expect.poll(() => runner.projects()).toBe(true)
    silence(true)
    await expect.poll(holder, { timeout: longEnough }).toBeUndefined()
    silence(false)
    await runner.waitFor(await write(), longEnough)
    expect([holder(), runner.term()]).toEqual(['alone', 2])
  },
)

/** A log whose every answer takes its time. */
const slowly = (log: EventStore): EventStore => ({
  ...log,
  head: () => delay(slowness).then(log.head),
  eventAt: (position) => delay(slowness).then(() => log.eventAt(position)),
  subscribe: async function* (options) {
    for await (const page of log.subscribe(options)) {
      await delay(slowness)
      yield page
    }
  },
})

const slowness = 1000

test.concurrent(
  'a log that takes a second for each answer slows runners down, and none of them gives its place to another',
  async ({ expect, onTestFinished }) => {
    const { run, write } = await openShared(onTestFinished)
    const first = run('first', slowly)
    await expect.poll(() => first.runner.projects()).toBe(true)
    const second = run('second', slowly)
    await first.runner.waitFor(await write())
    await delay(5 * slowness)
    await second.runner.waitFor(await write())
    expect([first.runner.term(), second.runner.term()]).toEqual([1, undefined])
    await first.runner.stop()
    await second.runner.waitFor(await write())
    expect(second.runner.term()).toBe(1)
  },
)

test.concurrent.for<[string, () => Promise<readonly number[]>]>([
  ['is held by another one', async () => []],
  ['cannot be renewed', () => Promise.reject(new StoreUnavailable('away'))],
])('a runner leads until its lease %s and follows then, never both', async ([, lose], { expect }) => {
  const told: string[] = []
  const work = (name: string) => async (term: AbortSignal) => {
    told.push(`begins to ${name}`)
    await once(term, 'abort')
    await nextTurn()
    told.push(`ends to ${name}`)
  }
  let hold: Lease['hold'] = async () => [0]
  const lease: Lease = {
    id: 'one',
    partitions: [['entities']],
    hold: () => hold(),
    release: async () => {},
    report: async () => {},
    leave: async () => {},
    processes: async () => [],
  }
  const stopping = new AbortController()
  const running = leadWithLease({
    lease,
    work: [{ lead: work('lead'), follow: work('follow') }],
    position: () => undefined,
    askLog: async () => {},
    stopping: stopping.signal,
    renewInterval: 1,
  })
  await expect.poll(() => told.at(-1)).toBe('begins to lead')
  hold = lose
  await expect.poll(() => told.at(-1)).toBe('begins to follow')
  stopping.abort()
  await running
  const [lead, follow] = ['lead', 'follow'].map((name) => [`begins to ${name}`, `ends to ${name}`])
  expect(told).toEqual([follow, lead, follow].flat())
})

test.concurrent(
  'a runner that follows tells that read models were emptied until they are there again',
  async ({ expect, onTestFinished }) => {
    const { run, write } = await openShared(onTestFinished)
    const first = run('first')
    await expect.poll(() => first.runner.projects()).toBe(true)
    let isEmpty = false
    const { runner } = run('second', undefined, (store) => ({
      ...store,
      readCheckpoint: async (name) => (isEmpty ? undefined : store.readCheckpoint?.(name)),
    }))
    await runner.waitFor(await write())
    isEmpty = true
    await expect.poll(() => runner.failure()?.message).toContain('were emptied or replaced')
    isEmpty = false
    await expect.poll(() => runner.failure()).toBeUndefined()
  },
)
