import { inspect } from 'node:util'
import { readMismatches } from '../../../../src/projections/entities/hierarchy.ts'
import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../../../src/events/eventStore.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { startProxy } from '../../../support/tcpProxy.ts'
import { databaseOfTest, describeMongo, mongoUrl, rowOf, singleServer } from './support.ts'
import { listOf } from '../contract/support.ts'
import { applyRows, checkpointOf } from '../../../support/projecting.ts'

const patience = { selection: 500, answer: 500 }

/** The server behind a proxy. */
const proxied = async () => {
  const target = new URL(mongoUrl as string)
  const proxy = await startProxy({ host: target.hostname, port: Number(target.port || 27_017) })
  onTestFinished(() => proxy.close())
  target.host = `127.0.0.1:${proxy.port}`
  return { proxy, url: target.href }
}

/** Read models behind the proxy, with a row. */
const setUp = async (options: { readonly timeouts?: typeof patience } = { timeouts: patience }) => {
  const fresh = await databaseOfTest()
  const { proxy, url } = await proxied()
  const [readModels, row] = [await fresh.open({ url, ...options }), rowOf()]
  await applyRows(readModels, [row], 1n)
  return { proxy, readModels, row }
}

const everything = listOf({ include: 'all' })

/** Each kind of call, and that it fails in time. */
const expectUnavailable = async (readModels: ReadModels): Promise<void> => {
  const calls = [
    readModels.get('x'),
    readModels.getMany(['x']),
    checkpointOf(readModels),
    readModels.ping(),
    readMismatches(readModels, 1, ['x']),
    readModels.list({ ...everything, limit: 1 }),
    applyRows(readModels, [rowOf()], 9n),
  ]
  const begun = performance.now()
  for (const outcome of await Promise.allSettled(calls)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) as unknown })
  }
  expect(performance.now() - begun).toBeLessThan(8000)
}

describeMongo('a MongoDB that goes away', () => {
  test.runIf(singleServer)('for a moment: reads do not notice', async () => {
    const { readModels, proxy, row } = await setUp({})
    proxy.cut()
    expect(await readModels.get(row.id)).toEqual(row)
  })

  test.runIf(singleServer)('is unavailable in bounded time, and available when it is back', async () => {
    const { readModels, proxy, row } = await setUp()
    proxy.refuse()
    await expectUnavailable(readModels)
    proxy.resume()
    await expect.poll(() => readModels.get(row.id).catch(() => undefined)).toEqual(row)
    expect(await checkpointOf(readModels)).toBe(1n)
  })

  test.runIf(singleServer)('without closing its connections is unavailable in bounded time too', async () => {
    const { readModels, proxy, row } = await setUp()
    proxy.stall()
    await expectUnavailable(readModels)
    await expectUnavailable(readModels)
    proxy.resume()
    expect(await readModels.get(row.id)).toEqual(row)
    await applyRows(readModels, [row], 2n)
    expect(await checkpointOf(readModels)).toBe(2n)
  })

  test.runIf(singleServer)('whose connections went dead without a word is reached over new ones', async () => {
    const { readModels, proxy, row } = await setUp()
    proxy.freeze()
    await Promise.allSettled([readModels.get(row.id), checkpointOf(readModels)])
    await expect.poll(() => readModels.get(row.id).catch(() => undefined)).toEqual(row)
  })

  test.runIf(singleServer)('does not keep a process from closing', async () => {
    const { readModels, proxy } = await setUp()
    proxy.stall()
    const begun = performance.now()
    await readModels.close()
    expect(performance.now() - begun).toBeLessThan(8000)
  })

  test.runIf(singleServer)(
    'between a batch and its checkpoint: the batch comes again, and changes nothing',
    async () => {
      const fresh = await databaseOfTest()
      const { proxy, url } = await proxied()
      const cutAtCheckpoint = (command: Readonly<Record<string, unknown>>): void => {
        const isEntities = String(command['update']).startsWith('entities_')
        const isCheckpoint = isEntities && inspect(command['updates'], { depth: null }).includes('$max')
        if (isCheckpoint) proxy.refuse()
      }
      const dying = await fresh.open({ url, timeouts: patience, onCommand: cutAtCheckpoint })
      const rows = [rowOf(), rowOf({ revision: 3n })]
      await expect(applyRows(dying, rows, 5n)).rejects.toBeInstanceOf(StoreUnavailable)
      const next = await fresh.open()
      expect(await checkpointOf(next)).toBeUndefined()
      expect((await next.getMany(rows.map(({ id }) => id))).size).toBe(2)
      await applyRows(next, rows, 5n)
      expect(await checkpointOf(next)).toBe(5n)
      expect((await next.list(everything)).total).toBe(2)
    },
  )
})
