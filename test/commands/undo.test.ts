import { expect, test } from 'vitest'
import { decideUndo } from '../../src/commands/requests/undo.ts'
import type { CatalogEvent } from '../../src/events/events.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { exampleData } from '../support/events.ts'
import { stateAfter, thingId } from '../support/decider.ts'

type EventType = 'RunReported' | 'Validated' | 'Confirmed' | 'FellDue' | 'Voted' | 'FollowerAdded'

/** The undo of a creation after such an event, which makes no version. */
const undoneAfter = (type: EventType, more: object = {}) => {
  const created: [CatalogEvent, number] = [{ type: 'Created', data: { name: 'one', members: {} } }, 1]
  const since = { type, data: { ...exampleData[type], ...more } } as CatalogEvent
  const effect = { before: undefined, after: stateAfter([created]), present: stateAfter([created, [since, 1]]) }
  return decideUndo({ ...effect, definition: kindNamed('testCase'), id: thingId, changed: new Set() })
}

test.each(['Voted', 'FollowerAdded', 'Validated', 'FellDue'] as const)(
  '%s keeps no entity from being deleted',
  (type) => expect(undoneAfter(type)).toEqual({ undo: 'delete' }),
)

test.each([
  ['results', () => undoneAfter('Validated', { run: { timestamp: 1, status: 'Success' } })],
  ['runs', () => undoneAfter('RunReported')],
  ['confirmed', () => undoneAfter('Confirmed', { confirmBy: undefined })],
])('an entity stays that has got %s since it was created', (name, undone) =>
  expect(undone).toThrow(`It has got ${name} since it was created.`),
)
