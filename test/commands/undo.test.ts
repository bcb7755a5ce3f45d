import { expect, test } from 'vitest'
import { decideUndo, lostMembers } from '../../src/commands/requests/undo.ts'
import { undoEdges } from '../../src/commands/statements.ts'
import type { CatalogEvent, Members } from '../../src/events/events.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { exampleData } from '../support/events.ts'
import { person, stateAfter, thingId } from '../support/decider.ts'

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

/** The undo of the events of a request, after what has happened since. */
const undone = (before: readonly CatalogEvent[], request: readonly CatalogEvent[], since: readonly CatalogEvent[]) => {
  const after = [...before, ...request]
  const states = { before: stateAfter(before), after: stateAfter(after), present: stateAfter([...after, ...since]) }
  return decideUndo({ ...states, definition: kindNamed('glossary'), id: thingId, changed: new Set() })
}

const create: CatalogEvent = { type: 'Created', data: { name: 'one', members: {} } }
const update: CatalogEvent = { type: 'Updated', data: { set: { displayName: 'new' }, unset: [] } }
const softDelete = (deletion: string): CatalogEvent => ({ type: 'SoftDeleted', data: { deletion } })
const restore = (deletion: string): CatalogEvent => ({ type: 'Restored', data: { deletion } })
const hardDelete: CatalogEvent = { type: 'HardDeleted', data: { deletion: 'last' } }

test.each([
  ['a new entity has its name', [create], [update], [hardDelete, create]],
  ['deleted again since', [create], [softDelete('a')], [restore('a'), softDelete('b')]],
  ['restored since', [create, softDelete('a')], [restore('a'), update, softDelete('b')], [restore('b')]],
  ['deleted since', [create], [update], [softDelete('a')]],
])('nothing is undone where the entity is not what the request left: %s', (why, before, request, since) =>
  expect(() => undone(before, request, since)).toThrow(why),
)

/** Lineage of one source: how `a` comes from upstream. */
const edge = (description: string) => ({ dbt: [{ from: person('a'), description }] })

test.each([
  ['as the request left it, is as it was before', edge('new'), edge('old')],
  ['that is as it was before, stays', edge('old'), edge('old')],
  ['that others stated again since stays, and cannot be undone', edge('theirs'), undefined],
])('an edge %s', (_, present, expected) => expect(undoEdges(edge('old'), edge('new'), present)).toEqual(expected))
