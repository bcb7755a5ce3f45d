import { expect, onTestFinished, test } from 'vitest'
import { startContractValidation } from '../../src/processes/contractValidation.ts'
import type { EventBatch } from '../../src/events/eventStore.ts'
import { streamName } from '../../src/events/events.ts'
import { entityId } from '../../src/kinds/names.ts'
import type { EntityRow } from '../../src/projections/entities/row.ts'
import { StoreFailed, StoreUnavailable } from '../../src/stores/errors.ts'
import { stillHeld } from '../support/garbage.ts'
import { makeRow } from '../support/rows.ts'

const assets = ['a', 'b'].map((name) => entityId('table', name))
const contractOf = (asset: string): string => entityId('dataContract', asset)

const contracts = assets.map(contractOf)
const streams = contracts.map((id) => streamName('dataContract', id))

interface Situation {
  /** Thrown by the first validation. */
  readonly failure?: Error
  /** Whether the assets change now, or before this process could see it. */
  readonly seen?: boolean
  readonly readModels?: object
  /** Position of the newest event when this process begins to lead. */
  readonly head?: bigint
}

type Options = Parameters<typeof startContractValidation>[0]

/** Validates the contracts of two changed assets. @returns contracts in order of the attempts, and logged messages */
const validateBoth = ({ failure, seen = true, readModels = {}, head }: Situation) => {
  const attempts: string[] = []
  const logged: string[] = []
  const queued = async (stream: string) => {
    attempts.push(stream)
    if (attempts.length === 1 && failure !== undefined) throw failure
    return { result: { changed: false } }
  }
  const events = assets.map((id, index) => ({
    id: `event-${index}`,
    position: BigInt(index + 1),
    stream: streamName('table', id),
    type: 'Updated',
    data: {},
    metadata: { kind: 'table', correlationId: 'c', commandId: `m${index}` },
  }))
  const catalog = {
    commands: { waitForPosition: async () => undefined, streamQueue: queued },
    log: {
      head: async () => head,
      readStream: async function* (stream: string) {
        yield* events.filter((event) => event.stream === stream)
      },
    },
    readModels: {
      list: async () => ({ rows: [], hasAfter: false }),
      getHeads: async () => new Map(),
      getMany: async (ids: string[]) =>
        new Map(ids.map((id) => [id, { id, kind: 'dataContract', status: 'live', entityStatus: 'Active' }])),
      ...readModels,
    },
    runner: { projects: () => true },
    logger: {
      warn: (_: object, message: string) => void logged.push(`warn: ${message}`),
      error: (_: object, message: string) => void logged.push(`error: ${message}`),
    },
  }
  const validation = startContractValidation(catalog as unknown as Options)
  onTestFinished(() => validation.close())
  const see = (some: object[]): void => validation.observe({ events: some } as unknown as EventBatch)
  if (seen) see(events)
  return { attempts, logged, events, see }
}

test.each([new TypeError('a bug'), new StoreFailed('a row that cannot be read')])(
  'a contract whose validation fails inside does not hold back the others: %s',
  async (failure) => {
    const { attempts, logged } = validateBoth({ failure })
    await expect.poll(() => attempts).toEqual(streams)
    expect(logged).toEqual(['error: a contract cannot be validated'])
  },
)

test('a change from before this process led, or that is read again, does not count as new', async () => {
  const { attempts, events, see } = validateBoth({ head: 1n })
  const [, known] = streams
  await expect.poll(() => attempts).toEqual([known])
  see(events)
  see([{ ...events[1], id: 'newer', position: 3n }])
  await expect.poll(() => attempts).toEqual([known, known])
  see([...events, { ...events[0], id: 'newest', position: 4n }])
  await expect.poll(() => attempts).toEqual([known, known, streams[0]])
})

test('contracts are validated in order once the store can be reached again', async () => {
  const { attempts, logged } = validateBoth({ failure: new StoreUnavailable('down') })
  await expect.poll(() => attempts).toEqual([streams[0], ...streams])
  expect(logged).toEqual([
    'warn: contracts of assets that changed cannot be validated at the moment; it is tried again',
  ])
})

test('a list of contracts that cannot be read does not hold back those of assets that change', async () => {
  const list = () => Promise.reject(new StoreFailed('damaged'))
  const { attempts } = validateBoth({ readModels: { list } })
  await expect.poll(() => attempts).toEqual(streams)
})

test('a contract that cannot be read does not hold back others with results from before this process', async () => {
  const rows = new Map(
    assets.flatMap((asset, index): [string, EntityRow][] => {
      const contract = makeRow(`contract${index}`, {
        kind: 'dataContract',
        id: contracts[index] as string,
        parent: asset,
      })
      const stale = JSON.stringify({ latestResult: { assetVersion: 0.1 } })
      return [
        [contract.id, { ...contract, entityStatus: 'Active', shownOnRequest: index === 0 ? 'broken' : stale }],
        [asset, makeRow(`asset${index}`, { kind: 'table', id: asset, revision: 1n })],
      ]
    }),
  )
  const getMany = async (ids: string[]) => new Map(ids.map((id) => [id, rows.get(id)]))
  const list = async () => ({ rows: contracts.map((id) => ({ id })), hasAfter: false })
  const { attempts, logged } = validateBoth({ seen: false, readModels: { list, getMany } })
  await expect.poll(() => attempts).toEqual([streams[1]])
  expect(logged).toEqual(['error: a contract cannot be validated'])
})

test('without a result, only a change of the asset after that of its contract is made up for', async () => {
  const rows = assets.flatMap((id, index) => {
    const [asset, contract] = [makeRow('a', { kind: 'table', id, revision: 9n }), { kind: 'dataContract', parent: id }]
    const options = { ...contract, id: contractOf(id), position: index === 0 ? 2n : 1n }
    return [asset, { ...makeRow('c', options), entityStatus: 'Active' }]
  })
  const getMany = async (ids: string[]) =>
    new Map(rows.filter(({ id }) => ids.includes(id)).map((row) => [row.id, row]))
  const list = async () => ({ rows: contracts.map((id) => ({ id })), hasAfter: false })
  const { attempts } = validateBoth({ seen: false, readModels: { list, getMany } })
  await expect.poll(() => attempts).toEqual([streams[1]])
})

const semantics = [{ name: 'has an owner', rule: '{"!!":[{"var":"owners"}]}' }]

/** Two contracts with results, the first with a rule, of assets with the same owner. */
const ruledByOwner = (owner: string) => {
  const rows = assets.flatMap((id, index) => {
    const asset = makeRow('a', { kind: 'table', id, edges: { owners: [owner] } })
    const contract = makeRow('c', { kind: 'dataContract', parent: id, id: contractOf(id), position: 5n })
    const members = { latestResult: { assetVersion: 0.1 }, ...(index === 0 && { semantics }) }
    return [asset, { ...contract, entityStatus: 'Active', shownOnRequest: JSON.stringify(members) }]
  })
  return {
    getMany: async (ids: string[]) => new Map(rows.filter(({ id }) => ids.includes(id)).map((row) => [row.id, row])),
    list: async () => ({ rows: contracts.map((id) => ({ id })), hasAfter: false }),
  }
}

test('what rules read of other entities may have changed before this process led', async () => {
  const { attempts } = validateBoth({ seen: false, readModels: ruledByOwner('ann@3') })
  await expect.poll(() => attempts).toEqual([streams[0]])
})

test.each(['SoftDeleted', 'Restored', 'HardDeleted'])(
  'rules are asked again when what an asset refers to is %s, also where the store failed meanwhile',
  async (type) => {
    const { list, getMany } = ruledByOwner('ann@3')
    const none = async () => ({ rows: [], hasAfter: false })
    const answers = [none, () => Promise.reject(new StoreUnavailable('down'))]
    const readModels = { getMany, list: () => (answers.shift() ?? list)() }
    const { attempts, see } = validateBoth({ seen: false, readModels })
    await expect.poll(() => answers.length).toBe(1)
    const turn = (id: string, position: bigint) => ({
      id,
      position,
      type,
      stream: `user-${id}`,
      metadata: { kind: 'user' },
    })
    see([turn('bob', 7n)])
    await expect.poll(() => answers.length).toBe(0)
    see([turn('ann', 8n)])
    await expect.poll(() => attempts, { timeout: 10_000 }).toEqual([streams[0]])
  },
)

test('of very many deletions none is remembered: all contracts with rules are looked at', async () => {
  const { list, getMany } = ruledByOwner('ann@3')
  const answers = [async () => ({ rows: [], hasAfter: false })]
  const readModels = { getMany, list: () => (answers.shift() ?? list)() }
  const { attempts, see } = validateBoth({ seen: false, readModels })
  await expect.poll(() => answers.length).toBe(0)
  const users = Array.from({ length: 10_001 }, (_, at) => ({ id: `u${at}`, position: 7n + BigInt(at) }))
  const turned = { type: 'HardDeleted', metadata: { kind: 'user' } }
  see(users.map(({ id, position }) => ({ id, position, stream: `user-${id}`, ...turned })))
  await expect.poll(() => attempts, { timeout: 10_000 }).toEqual([streams[0]])
})

test('of changes that wait for the validation of others nothing is held that it does not need', async () => {
  const slow = Promise.withResolvers<undefined>()
  const catalog = {
    commands: { waitForPosition: () => slow.promise },
    log: { head: async () => undefined },
    readModels: {
      list: async () => ({ rows: [], hasAfter: false }),
      getHeads: async () => new Map(),
      getMany: async () => new Map(),
    },
    runner: { projects: () => true },
  }
  const validation = startContractValidation(catalog as unknown as Options)
  onTestFinished(() => validation.close())
  const changes = assets.map((id, index) => {
    const data = { changes: { description: 'long' } }
    const event = { id: `${index}`, position: BigInt(index), stream: streamName('table', id), type: 'Updated', data }
    validation.observe({ events: [{ ...event, metadata: { kind: 'table' } }] } as unknown as EventBatch)
    return new WeakRef(data)
  })
  const held = await stillHeld(changes)
  slow.resolve(undefined)
  expect(held).toBe(0)
})
