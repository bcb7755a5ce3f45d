import { readMismatches } from '../../../../src/projections/entities/hierarchy.ts'
import { expect, test } from 'vitest'
import { StoreFailed, StoreUnavailable } from '../../../../src/events/eventStore.ts'
import { StaleReadModels } from '../../../../src/projections/errors.ts'
import { kinds } from '../../../../src/kinds/registry/kinds.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import type { MongoAnswerer } from '../../../support/mongoProxy.ts'
import { applyRows, checkpointOf } from '../../../support/projecting.ts'
import { behindServer, describeMongo, rowOf, singleServer } from './support.ts'
import { listOf } from '../contract/support.ts'

const everything = listOf({ include: 'all' })

/** Commands that the read models send. */
const sent = new Set(['find', 'insert', 'update', 'aggregate', 'getMore', 'count', 'listCollections', 'createIndexes'])

const head = (size: number, opCode: number): Buffer => {
  const bytes = Buffer.alloc(21)
  bytes.writeInt32LE(size, 0)
  bytes.writeInt32LE(opCode, 12)
  return bytes
}

/** What a server says that is dying, or that is half there, and the failure that it is taken for. */
const sayings: readonly (readonly [string, ReturnType<MongoAnswerer>, typeof StoreFailed])[] = [
  [
    'an error of a code that nobody knows',
    { ok: 0, code: 8, codeName: 'UnknownError', errmsg: 'The map is closed' },
    StoreFailed,
  ],
  ['an error without a code', { ok: 0, errmsg: 'Unknown error: null' }, StoreFailed],
  [
    'that the operation was interrupted',
    { ok: 0, code: 11_601, codeName: 'Interrupted', errmsg: 'interrupted' },
    StoreUnavailable,
  ],
  ['an answer without what was asked for', { ok: 1 }, StoreFailed],
  ['half an answer', Buffer.concat([head(900, 2013), Buffer.alloc(100)]), StoreUnavailable],
  ['bytes that are not a message', Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n'), StoreUnavailable],
]

const kind = (kinds[0] as (typeof kinds)[number]).name

/** Each kind of call. */
const calls: Readonly<Record<string, (readModels: ReadModels) => Promise<unknown>>> = {
  get: (readModels) => readModels.get('x'),
  getByFqn: (readModels) => readModels.getByFqn(kind, 'x'),
  getMany: (readModels) => readModels.getMany(['x', 'y']),
  getHeads: (readModels) => readModels.getHeads(['x']),
  getReferences: (readModels) => readModels.getReferences(['x']),
  relatedTo: (readModels) => readModels.relatedTo(['x', 'y'], 'owners', 1),
  childrenOf: (readModels) => readModels.childrenOf(['x', 'y'], kind, 1),
  countBelow: (readModels) => readModels.countBelow(kind, 'x'),
  list: (readModels) => readModels.list(everything),
  unsettled: (readModels) => readMismatches(readModels, 1, ['x']),
  checkpoints: checkpointOf,
  apply: (readModels) => applyRows(readModels, [rowOf(), rowOf({ revision: 3n })], 9n),
}

describeMongo('a MongoDB that says', () => {
  test.runIf(singleServer).each(sayings)(
    '%s has failed, for every call, and works when it is back',
    async (_, said, { name: failure }) => {
      const { says, readModels } = await behindServer({ timeouts: { selection: 1000, answer: 5000 } })
      const row = rowOf()
      await applyRows(readModels, [row], 1n)
      says.now = (command) => (sent.has(Object.keys(command)[0] as string) ? said : undefined)
      for (const [name, call] of Object.entries(calls)) {
        const outcome = await call(readModels).then(
          () => 'an answer',
          (error: unknown) => error,
        )
        // Whoever applies is told to read the checkpoint again, and fails at that.
        const known = name === 'apply' ? [failure, StaleReadModels.name] : [failure]
        expect.soft(known, name).toContain(outcome instanceof Error ? outcome.name : outcome)
      }
      says.now = () => undefined
      await expect.poll(() => readModels.get(row.id)).toEqual(row)
    },
  )
})
