import { expect, test } from 'vitest'
import { StoreUnavailable } from '../../../../src/events/eventStore.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { behindServer, describeMongo, rowOf, singleServer } from './support.ts'
import { listOf } from '../contract/support.ts'
import { applyRows, checkpointOf } from '../../../support/projecting.ts'

const everything = listOf({ include: 'all' })

/** Commands that a member that is not a primary refuses. */
const refused = new Set(['find', 'insert', 'update', 'aggregate', 'listCollections', 'createIndexes'])

/** What members say that are no longer, or not yet, the primary, or that end. */
const errors = [
  [10_107, 'NotWritablePrimary'],
  [13_435, 'NotPrimaryNoSecondaryOk'],
  [13_436, 'NotPrimaryOrSecondary'],
  [10_058, 'LegacyNotPrimary'],
  [189, 'PrimarySteppedDown'],
  [11_600, 'InterruptedAtShutdown'],
  [11_602, 'InterruptedDueToReplStateChange'],
  [91, 'ShutdownInProgress'],
  [9001, 'SocketException'],
] as const

const calls = (readModels: ReadModels): Promise<unknown>[] => [
  readModels.get('x'),
  readModels.getMany(['x', 'y']),
  readModels.relatedTo(['x'], 'owners', 1),
  readModels.list(everything),
  checkpointOf(readModels),
  applyRows(readModels, [rowOf(), rowOf({ revision: 3n })], 9n),
]

describeMongo('a primary of MongoDB that steps down', () => {
  test.runIf(singleServer).each(errors)(
    '%i %s: every call says that the store is unavailable, and works with the next primary',
    async (code, codeName) => {
      const { says, readModels } = await behindServer()
      const row = rowOf()
      await applyRows(readModels, [row], 1n)
      says.now = (command) =>
        refused.has(Object.keys(command)[0] as string) ? { ok: 0, code, codeName, errmsg: codeName } : undefined
      for (const outcome of await Promise.allSettled(calls(readModels))) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) as unknown })
      }
      says.now = () => undefined
      expect(await readModels.get(row.id)).toEqual(row)
      expect(await checkpointOf(readModels)).toBe(1n)
      await applyRows(readModels, [rowOf()], 2n)
      expect((await readModels.list(everything)).total).toBe(2)
    },
  )

  test.runIf(singleServer)('before the majority had a write: it does not count as made', async () => {
    const { says, readModels } = await behindServer()
    const writeConcernError = { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting for replication timed out' }
    says.now = (command) =>
      'insert' in command || 'update' in command ? { ok: 1, n: 1, writeConcernError } : undefined
    const row = rowOf()
    await expect(applyRows(readModels, [row], 5n)).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await checkpointOf(readModels)).toBeUndefined()
    says.now = () => undefined
    await applyRows(readModels, [row], 5n)
    expect(await readModels.get(row.id)).toEqual(row)
  })
})
