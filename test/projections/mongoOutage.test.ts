import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../src/events/eventStore.ts'
import type { ReadModels } from '../../src/projections/readModels.ts'
import { describeMongo, freshDatabase, mongoUrl, rowOf } from './mongoSupport.ts'

const patience = { selection: 500, answer: 500 }

/** Between us and the server: can end all connections, refuse new ones, and keep all that is sent to itself. */
const startProxy = async (target: URL) => {
  const sockets = new Set<Socket>()
  const state = { refusing: false, stalled: false }
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (data) => state.stalled || to.write(data))
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const server = createServer((client) => {
    if (state.refusing) return void client.destroy()
    const upstream = connect(Number(target.port || 27_017), target.hostname)
    pass(client, upstream)
    pass(upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: url.href, state, cut }
}

const setUp = async () => {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.dispose())
  const proxy = await startProxy(new URL(mongoUrl as string))
  return { ...proxy, readModels: await fresh.open({ url: proxy.url, patience }) }
}

const everything = { kind: 'thing', include: 'all', scopes: [], edges: [], limit: 10 } as const

/** Each kind of call, and that it fails in time. */
const expectUnavailable = async (readModels: ReadModels): Promise<void> => {
  const calls = [
    readModels.get('x'), readModels.getMany(['x']), readModels.checkpoint(), readModels.ping(), readModels.unsettled(1),
    readModels.list({ ...everything, limit: 1 }), readModels.apply([rowOf()], 9n), Array.fromAsync(readModels.scan()),
  ]
  const begun = performance.now()
  for (const outcome of await Promise.allSettled(calls)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) as unknown })
  }
  expect(performance.now() - begun).toBeLessThan(4000)
}

/** One host that is no name to be looked up: only such a server can be reached through a proxy. */
const single = mongoUrl !== undefined && /^mongodb:\/\/[^,?]*(\?(?!.*replicaSet).*)?$/.test(mongoUrl)

describeMongo('a MongoDB that goes away', () => {
  test.runIf(single)('for a moment: reads do not notice', async () => {
    const { readModels, cut } = await setUp()
    const row = rowOf()
    await readModels.apply([row], 1n)
    cut()
    expect(await readModels.get(row.id)).toEqual(row)
  })

  test.runIf(single)('is unavailable in bounded time, and available when it is back', async () => {
    const { readModels, cut, state } = await setUp()
    const row = rowOf()
    await readModels.apply([row], 1n)
    state.refusing = true
    cut()
    await expectUnavailable(readModels)
    state.refusing = false
    expect(await readModels.get(row.id)).toEqual(row)
    expect(await readModels.checkpoint()).toBe(1n)
  })

  test.runIf(single)('without closing its connections is unavailable in bounded time too', async () => {
    const { readModels, cut, state } = await setUp()
    const row = rowOf()
    await readModels.apply([row], 1n)
    state.stalled = true
    await expectUnavailable(readModels)
    await expectUnavailable(readModels)
    state.stalled = false
    cut()
    expect(await readModels.get(row.id)).toEqual(row)
    await readModels.apply([row], 2n)
    expect(await readModels.checkpoint()).toBe(2n)
  })

  test.runIf(single)('does not keep a process from closing', async () => {
    const { readModels, state } = await setUp()
    state.stalled = true
    const begun = performance.now()
    await readModels.close()
    expect(performance.now() - begun).toBeLessThan(2000)
  })

  test.runIf(single)('between a batch and its checkpoint: the batch comes again, and changes nothing', async () => {
    const fresh = await freshDatabase()
    onTestFinished(() => fresh.dispose())
    const proxy = await startProxy(new URL(mongoUrl as string))
    const cutAtCheckpoint = (command: Readonly<Record<string, unknown>>): void => {
      const isCheckpoint = 'update' in command && JSON.stringify(command['updates']).includes('$max')
      if (isCheckpoint) proxy.state.refusing = proxy.state.stalled = true
    }
    const dying = await fresh.open({ url: proxy.url, patience, onCommand: cutAtCheckpoint })
    const rows = [rowOf(), rowOf({ revision: 3n })]
    await expect(dying.apply(rows, 5n)).rejects.toBeInstanceOf(StoreUnavailable)
    const next = await fresh.open()
    expect(await next.checkpoint()).toBeUndefined()
    expect((await next.getMany(rows.map(({ id }) => id))).size).toBe(2)
    await next.apply(rows, 5n)
    expect(await next.checkpoint()).toBe(5n)
    expect((await next.list(everything)).total).toBe(2)
  })
})
