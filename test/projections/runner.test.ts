import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { EventStore } from '../../src/events/eventStore.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import type { ReadModels } from '../../src/projections/entities/readModels.ts'
import { startRunner, type Runner } from '../../src/projections/runner.ts'
import { openSqliteReadModels } from '../../src/projections/entities/sqlite/readModels.ts'
import { thing } from '../support/decider.ts'
import { appendOf, appendOk, freshStream } from '../support/events.ts'
import { temporaryFolder } from '../support/folders.ts'

const definition = thing()

const idOf = (stream: string): string => stream.slice('thing-'.length)

interface Running {
  readonly log: EventStore
  readonly readModels: ReadModels
  readonly runner: Runner
}

const start = async (
  change: (readModels: ReadModels) => ReadModels = (readModels) => readModels,
  changeLog: (log: EventStore) => EventStore = (log) => log,
): Promise<Running> => {
  const folder = await temporaryFolder()
  const log = openSqliteEventStore({ path: join(folder, 'log.db') })
  const readModels = await openSqliteReadModels({ path: join(folder, 'readModels.db') })
  const logger = { warn: () => {}, info: () => {} }
  const runner = startRunner({
    log: changeLog(log),
    readModels: change(readModels),
    kindNamed: () => definition,
    logger,
    checkEvery: 10,
  })
  onTestFinished(async () => {
    await runner.stop()
    await readModels.close()
    await log.close()
  })
  return { log, readModels, runner }
}

const write = async ({ log }: Running): Promise<{ id: string; position: bigint }> => {
  const stream = freshStream()
  const { position } = await appendOk(log, appendOf(stream, 'no_stream'))
  return { id: idOf(stream), position }
}

test('who waits for a position sees what was written there', async () => {
  const running = await start()
  const { id, position } = await write(running)
  await running.runner.waitFor(position)
  expect(await running.readModels.get(id)).toMatchObject({ id, position })
})

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

test('a failure is over as soon as everything is applied, also when nothing more is written', async () => {
  let failing = false
  const running = await start((readModels) => ({
    ...readModels,
    checkpoint: () => (failing ? Promise.reject(new Error('away')) : readModels.checkpoint()),
    apply: (rows, position) => (failing ? Promise.reject(new Error('away')) : readModels.apply(rows, position)),
  }))
  failing = true
  const { position } = await write(running)
  await expect.poll(() => running.runner.failure()?.message).toBe('away')
  failing = false
  await running.runner.waitFor(position)
  expect(running.runner.failure()).toBeUndefined()
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
  const running = await start(undefined, (log) => ({
    ...log,
    subscribe: (options) => leavingOut(log.subscribe(options)),
  }))
  const stream = freshStream()
  await appendOk(running.log, appendOf(stream, 'no_stream', 3))
  await expect.poll(() => running.runner.failure()?.name).toBe('EventsMissing')
  expect(running.runner.position()).toBeUndefined()
})
