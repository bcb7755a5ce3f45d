import { expect, test } from 'vitest'
import { decideUndo, lostMembers } from '../../src/commands/requests/undo.ts'
import type { CatalogEvent, Members } from '../../src/events/events.ts'
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
])('an entity stays that has been given %s since it was created', (name, undone) =>
  expect(undone).toThrow(`It has been given ${name} since it was created.`),
)

/** What changed the members of a user whose former values were erased since. */
const effectOnErased = (before: object, after: object, changed: string[], forgets?: true) => {
  const stateOf = (members: object) =>
    stateAfter([[{ type: 'Created', data: { name: 'one', members: members as Members } }, 1]])
  const states = { before: stateOf(before), after: stateOf(after), present: stateOf({ displayName: 'new' }) }
  return {
    ...states,
    changed: new Set(changed),
    definition: kindNamed('user'),
    id: thingId,
    ...(forgets && { forgets }),
  }
}

test.each([
  ['changed', { displayName: '(erased)' }],
  ['cleared', {}],
])('what %s a member whose former value was erased cannot be taken back, and that is said', (_, after) => {
  const effect = effectOnErased({ displayName: '(erased)' }, after, ['displayName'])
  expect(decideUndo(effect)).toEqual({ nothing: 'What displayName said before was erased.' })
})

test('what else was changed is taken back, and what was erased is named', () => {
  const [before, after] = [{ displayName: '(erased)' }, { displayName: '(erased)', isAdmin: true }]
  const effect = effectOnErased(before, after, ['displayName', 'isAdmin'])
  expect([decideUndo(effect), lostMembers(effect)]).toEqual([{ undo: 'change' }, ['displayName']])
})

test('an erasure cannot be undone', () =>
  expect(() => decideUndo(effectOnErased({ email: '(erased)' }, {}, ['email'], true))).toThrow(
    'It was erased, which cannot be undone.',
  ))
