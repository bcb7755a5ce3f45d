import fc from '../support/fastCheck.ts'
import { expect, test } from 'vitest'
import { evolve, referencesIn, type Entity } from '../../src/commands/evolve.ts'
import { decideUndo, joined, lostMembers, type StateChange } from '../../src/commands/requests/undo.ts'
import { undoEdges } from '../../src/commands/statements.ts'
import type { CatalogEvent, Members } from '../../src/events/events.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { exampleData } from '../support/events.ts'
import { person, recorded, stateAfter, thing, thingId } from '../support/decider.ts'

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
  ['It was hard-deleted', [create], [hardDelete, create], []],
  ['It was hard-deleted', [create], [hardDelete, create, update], [update]],
  ['deleted again since', [create], [softDelete('a')], [restore('a'), softDelete('b')]],
  ['restored since', [create, softDelete('a')], [restore('a'), update, softDelete('b')], [restore('b')]],
  ['deleted since', [create], [update], [softDelete('a')]],
])('nothing is undone where the entity is not what the request left: %s', (why, before, request, since) =>
  expect(() => undone(before, request, since)).toThrow(why),
)

test('a vote is not undone, and that is said', () =>
  expect(undone([create], [{ type: 'Voted', data: exampleData.Voted }], [])).toEqual({
    nothing: 'It changed nothing, or only votes, follows and validation results, which are not undone.',
  }))

/** Lineage of one source: how `a` comes from upstream. */
const edge = (description: string) => ({ dbt: [{ from: person('a'), description }] })

test.each([
  ['as the request left it, is as it was before', edge('new'), edge('old')],
  ['that is as it was before, stays', edge('old'), edge('old')],
  ['that others stated again since stays, and cannot be undone', edge('theirs'), undefined],
])('an edge %s', (_, present, expected) => expect(undoEdges(edge('old'), edge('new'), present)).toEqual(expected))

interface Written {
  /** Whether it belongs to the request. */
  readonly own: boolean
  readonly event: CatalogEvent
}

const existing = (state: Entity | undefined) => (state?.status === 'gone' ? undefined : state)

/** What the request changed, and the state that all of these events lead to. */
const writtenAfter = (begin: readonly CatalogEvent[], written: readonly Written[]) => {
  let change: StateChange = { definition: thing(), before: undefined, after: undefined }
  let state = stateAfter(begin)
  for (const [index, { own, event }] of written.entries()) {
    const before = state
    const revision = BigInt(begin.length + index)
    state = evolve(thingId, before, recorded(event, revision, Number(revision) + 1))
    if (own) change = joined(change, { before: existing(before), after: existing(state) })
  }
  return { change, present: state }
}

const set = (members: Members): CatalogEvent => ({ type: 'Updated', data: { set: members, unset: [] } })

const contentOf = (state: Entity | undefined) => {
  const { description, colour, ...others } = state?.members ?? {}
  const assets = referencesIn(others, 'assets').map(({ id }) => id)
  return [description, colour, ...assets.toSorted()]
}

const someEvent = fc.oneof(
  fc
    .tuple(fc.constantFrom('description', 'colour'), fc.constantFrom('old', 'new'))
    .map(([name, to]) => ({ about: name, event: set({ [name]: to }) })),
  fc
    .tuple(fc.constantFrom('AssetsAdded' as const, 'AssetsRemoved' as const), fc.constantFrom('a', 'b'))
    .map(([type, name]) => ({ about: name, event: { type, data: { assets: [person(name)] } } })),
)

/** Events that change something, up to the last one of the request. In between, others change each thing at most once. */
const someWritten = fc.array(fc.tuple(fc.boolean(), someEvent), { minLength: 1, maxLength: 12 }).map((wanted) => {
  const written: Written[] = []
  const between = new Set<string>()
  const content = (more: readonly CatalogEvent[]) =>
    contentOf(stateAfter([create, ...written.map(({ event }) => event), ...more])).join(' ')
  for (const [own, { about, event }] of wanted) {
    if (content([event]) === content([]) || (!own && between.has(about))) continue
    written.push({ own, event })
    if (own) between.clear()
    else between.add(about)
  }
  return written.slice(0, written.findLastIndex(({ own }) => own) + 1)
})

test('without a request there is what others wrote, and a conflict only where both changed the same member', () => {
  let conflicts = 0
  const property = fc.property(someWritten, (written) => {
    const { refusal, before } = writtenAfter([create], written).change
    const others = written.flatMap((each) => (each.own ? [] : [each.event]))
    if (refusal === undefined) {
      expect(contentOf(before)).toEqual(contentOf(stateAfter([create, ...others])))
      return
    }
    conflicts++
    const name = /since: (description|colour)/.exec(refusal.message)?.[1] as string
    const writers = written.flatMap(({ own, event }) =>
      event.type === 'Updated' && name in event.data.set ? [own] : [],
    )
    expect(writers.indexOf(true)).toBeLessThan(writers.lastIndexOf(false))
  })
  fc.assert(property, { numRuns: 500 })
  expect(conflicts).toBeGreaterThan(0)
})

const own = (event: CatalogEvent): Written => ({ own: true, event })
const others = (event: CatalogEvent): Written => ({ own: false, event })

/** The undo of a request among whose events others have written. */
const undoneAmong = (begin: readonly CatalogEvent[], written: readonly Written[]) => {
  const { change, present } = writtenAfter(begin, written)
  return decideUndo({ ...change, id: thingId, present, changed: new Set() })
}

test.each([
  ['created, others deleted and it restored', [], [own(create), others(softDelete('a')), own(restore('a'))], 'delete'],
  ['created, others deleted and restored', [], [own(create), others(softDelete('a')), others(restore('a'))], 'delete'],
  ['restored what others had deleted', [create], [own(update), others(softDelete('a')), own(restore('a'))], 'delete'],
  [
    'deleted what others had restored',
    [create],
    [own(softDelete('a')), others(restore('a')), own(softDelete('b'))],
    'restore',
  ],
  ['created anew after others had hard-deleted it', [create], [own(update), others(hardDelete), own(create)], 'delete'],
  [
    'changed in the life that others began',
    [],
    [own(create), others(hardDelete), others(create), own(set({ colour: 'red' }))],
    'change',
  ],
])('what a request %s ends as it would be without it', (_, begin, written, undo) =>
  expect(undoneAmong(begin, written)).toEqual({ undo }),
)

test.each([
  ['changed since it was created', [], [own(create), others(set({ colour: 'red' })), own(set({ colour: 'green' }))]],
  [
    'changed since it was restored',
    [create, softDelete('a')],
    [own(restore('a')), others(update), own(set({ colour: 'red' }))],
  ],
  ['It was hard-deleted, which cannot be undone.', [create], [own(hardDelete)]],
  ['It was hard-deleted', [create], [own(hardDelete), others(create), own(set({ colour: 'red' }))]],
  [
    'Changed again since: colour',
    [create],
    [own(set({ colour: 'red' })), others(set({ colour: 'green' })), own(set({ colour: 'blue' }))],
  ],
])('what others did among the events of a request is a conflict: %s', (why, begin, written) =>
  expect(() => undoneAmong(begin, written)).toThrow(why),
)

test('that a former value was erased is still known after others have written', () => {
  const begin = [{ ...create, data: { ...create.data, members: { description: '(erased)' } } }]
  const written = [own(set({ description: 'new' })), others(set({ colour: 'red' })), own(set({ origin: 'here' }))]
  const { before } = writtenAfter(begin, written).change
  expect(lostMembers({ before, changed: new Set(['description', 'origin']) })).toEqual(['description'])
})
