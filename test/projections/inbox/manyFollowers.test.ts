import { expect, test } from 'vitest'
import { partsOf } from '../../../src/projections/documents/port.ts'
import { inboxDocuments } from '../../../src/projections/inbox/inbox.ts'
import type { RecordedEvent } from '../../../src/events/events.ts'
import type { Batch } from '../../../src/projections/projection.ts'
import { atThisPace, computed } from '../../support/processorTime.ts'

const count = 20_000

const entityEvent = (type: string, data: object, position: number) =>
  ({
    type,
    data,
    stream: 'table-t',
    revision: BigInt(position - 1),
    position: BigInt(position),
    metadata: { user: 'ann', kind: 'table' },
  }) as unknown as RecordedEvent

const user = (index: number) => ({ id: `user-${index}`, type: 'user', fullyQualifiedName: `user-${index}` })

test('very many who begin to follow an entity take a time that grows with their number, and all are told', async () => {
  const events = [
    ...Array.from({ length: count }, (_, at) => entityEvent('FollowerAdded', { user: user(at) }, at + 2)),
    entityEvent('Updated', { set: { description: 'new' }, unset: [] }, count + 2),
  ]
  const none = { find: async () => [] }
  const before = computed()
  const writes = inboxDocuments.writes({ events } as unknown as Batch, none as never, inboxDocuments.cache())
  const written = (await Array.fromAsync(partsOf(writes))).flatMap(([part]) => [...part])
  expect(computed() - before).toBeLessThan(atThisPace(1000))
  const [{ add }] = written.slice(-1) as unknown as [{ add: { readers: readonly string[] } }]
  expect(add.readers).toHaveLength(count)
})
