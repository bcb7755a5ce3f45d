import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Documents } from '../../../src/projections/documents/port.ts'
import { readStored } from '../../../src/projections/timeline/readStored.ts'
import type { Span } from '../../../src/projections/timeline/tables.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { newEvent } from '../../support/events.ts'

test('the reads of a batch with many deletions take few connections at once', async () => {
  let [open, most, reads] = [0, 0, 0]
  const find = async () => {
    reads++
    most = Math.max(most, ++open)
    await nextTurn()
    open--
    return []
  }
  const documents: Documents<Span> = {
    find,
    get: async () => [],
    count: async () => 0,
    in: () => ({ ...documents, find }) as never,
    together: (work) => work(documents),
    embedded: false,
  }
  const deletion = entityId('glossary', 'd')
  const events = Array.from({ length: 200 }, (_, at) => {
    const name = `g${Math.floor(at / 2)}`
    const place = { stream: `glossary-${entityId('glossary', name)}`, revision: BigInt(1 + (at % 2)) }
    const event = newEvent({ type: at % 2 === 0 ? 'SoftDeleted' : 'Restored', data: { deletion } }, { name, ...place })
    return { ...event, ...place, position: BigInt(at + 1) }
  })
  await readStored(documents, { events })
  expect(reads).toBeGreaterThan(100)
  expect(most).toBeLessThanOrEqual(10)
})
