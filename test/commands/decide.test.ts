import fc from '../support/fastCheck.ts'
import { readSchemaText } from '../../src/kinds/schemaText/readSchemaText.ts'
import { describe, expect, it } from 'vitest'
import { decide, type Command, type StatusCommand } from '../../src/commands/decide.ts'
import { evolve, type Entity } from '../../src/commands/evolve.ts'
import type { CatalogEvent, Members } from '../../src/events/events.ts'
import { verbs } from '../../src/events/verbs.ts'
import { DomainError } from '../../src/commands/errors.ts'
import type { Json } from '../../src/shared/json.ts'
import { limits } from '../../src/shared/limits.ts'
import { at, given, lineageStated, person, recorded, stateAfter, thing, thingId } from '../support/decider.ts'

const created = (members: Members = { colour: 'red' }): CatalogEvent => ({
  type: 'Created',
  data: { name: 'one', members },
})
const stated = created({ entity: person('asset') })
const stating = (source: string, names: readonly string[]): Command => ({
  type: 'StateLineage',
  location: at(),
  asset: person('asset'),
  source,
  edges: names.map((name) => ({ from: person(name) })),
})
const softDeleted: CatalogEvent = { type: 'SoftDeleted', data: { deletion: 'd1' } }
const hardDeleted: CatalogEvent = { type: 'HardDeleted', data: { deletion: 'd1' } }

describe('create', () => {
  it('begins at 0.1 with defaults', () =>
    given()
      .when({ type: 'Create', location: at(), members: { description: 'x' } })
      .then({ event: created({ colour: 'grey', description: 'x' }), version: 1 }))

  it('is refused when the name is taken', () =>
    given(created())
      .when({ type: 'Create', location: at(), members: {} })
      .refused('already_exists', /change it with PUT/))

  it('is refused when the name is taken by a soft-deleted one, and says what to do', () =>
    given(created(), softDeleted)
      .when({ type: 'Create', location: at(), members: {} })
      .refused('already_exists', /restore/))

  it('begins a new life at 0.1 after a hard delete', () =>
    given(created(), hardDeleted)
      .when({ type: 'Create', location: at(), members: {} })
      .then({ event: created({ colour: 'grey' }), version: 1 }))

  it('is refused where very much would stand above it, and possible one level higher', () => {
    const below = (levels: number) => ({ ...at(), fullyQualifiedName: Array(levels).fill('a').join('.') })
    given()
      .when({ type: 'Create', location: below(limits.levels.value + 1), members: {} })
      .refused('invalid', /\/name: stands 101 levels deep; at most 100 are possible/)
    given()
      .when({ type: 'Create', location: below(limits.levels.value), members: {} })
      .then({ event: created({ colour: 'grey' }), version: 1 })
  })

  it('lets the kind complete and refuse', () => {
    const derive = { derive: ({ members }: { members: Members }) => ({ members: { ...members, rank: '1' } }) }
    given()
      .when({ type: 'Create', location: at(), members: {} }, { definition: thing(derive) })
      .then({ event: created({ colour: 'grey', rank: '1' }), version: 1 })
    const check = { check: () => [{ path: '/colour', message: 'ugly' }] }
    given()
      .when({ type: 'Create', location: at(), members: {} }, { definition: thing(check) })
      .refused('invalid', /colour: ugly/)
  })
})

describe('an entity that is as long as it may be', () => {
  const filled = (length: number) => ({ colour: 'red', description: 'x'.repeat(length) })
  const full = created(filled(limits.entity.value - 100))
  const replace = (members: Members): Command => ({ type: 'Change', members, cleared: [] })

  it('takes nothing more, by whatever command, and says how long it may be', () => {
    const tooLong = { type: 'Create', location: at(), members: filled(limits.entity.value) } as const
    given()
      .when(tooLong)
      .refused('too_large', /at most 8388608 characters/)
    given(full)
      .when(replace(filled(limits.entity.value)))
      .refused('too_large')
    given(full)
      .when({ type: 'Add', list: 'assets', references: [person('a'), person('b'), person('c')] })
      .refused('too_large')
    given(full)
      .when({ type: 'Add', list: 'followers', references: [person('x'.repeat(100))] })
      .refused('too_large')
    given(full)
      .when({ type: 'Record', event: { type: 'Validated', data: { result: { message: 'x'.repeat(200) } } } })
      .refused('too_large')
    given(full)
      .when({ type: 'Add', list: 'inputPorts', references: [person('a'), person('b'), person('c')] })
      .refused('too_large')
  })

  it('becomes shorter also when it is longer than it may be', () => {
    const before = created(filled(limits.entity.value + 1000))
    const members = filled(limits.entity.value + 10)
    given(before)
      .when(replace(members))
      .then({ event: { type: 'Updated', data: { set: { description: members.description }, unset: [] } }, version: 2 })
  })
})

describe('upsert', () => {
  const upsert = (members: Members, cleared: string[] = []): Command => ({
    type: 'Upsert',
    location: at(),
    members,
    cleared,
  })

  it('creates what is not there', () =>
    given()
      .when(upsert({}))
      .then({ event: created({ colour: 'grey' }), version: 1 }))

  it('keeps absent members and adds 0.1', () =>
    given(created({ colour: 'red', description: 'x' }))
      .when(upsert({ description: 'y' }))
      .then({ event: { type: 'Updated', data: { set: { description: 'y' }, unset: [] } }, version: 2 }))

  it('clears what is null, back to the default where there is one', () =>
    given(created({ colour: 'red', description: 'x' }))
      .when(upsert({}, ['description', 'colour']))
      .then({ event: { type: 'Updated', data: { set: { colour: 'grey' }, unset: ['description'] } }, version: 2 }))

  it('does nothing when nothing changes, whatever the order of keys', () =>
    given(created({ colour: 'red', description: { a: 1, b: 2 } }))
      .when(upsert({ description: { b: 2, a: 1 } }))
      .thenNothing())

  it('does nothing for an empty list against none, and takes it for none when it creates', () => {
    given(created({ colour: 'red' }))
      .when(upsert({ tags: [] }))
      .thenNothing()
    given()
      .when(upsert({ colour: 'red', tags: [] }))
      .then({ event: created({ colour: 'red' }), version: 1 })
  })

  it('restores a soft-deleted one, then updates it', () =>
    given(created(), softDeleted)
      .when(upsert({ colour: 'blue' }))
      .then(
        { event: { type: 'Restored', data: { deletion: 'd1' } }, version: 3 },
        { event: { type: 'Updated', data: { set: { colour: 'blue' }, unset: [] } }, version: 4 },
      ))

  it('refuses another value of a member that never changes', () =>
    given(created({ colour: 'red', origin: 'here' }))
      .when(upsert({ origin: 'there' }))
      .refused('invalid', /origin/))

  it('adds 1.0 when the kind calls the change breaking', () =>
    given([created(), 3])
      .when(upsert({ colour: 'blue' }), { definition: thing({ breaking: () => true }) })
      .then({ event: { type: 'Updated', data: { set: { colour: 'blue' }, unset: [] } }, version: 13 }))
})

describe('change', () => {
  const change = (members: Members, cleared: string[] = []): Command => ({ type: 'Change', members, cleared })

  it('sets and clears what it names and keeps the rest', () =>
    given(created({ colour: 'red', description: 'x', rank: '7', origin: 'here' }))
      .when(change({ colour: 'blue' }, ['description']))
      .then({ event: { type: 'Updated', data: { set: { colour: 'blue' }, unset: ['description'] } }, version: 2 }))

  it('takes what is cleared back to its default', () =>
    given(created({ colour: 'red' }))
      .when(change({}, ['colour']))
      .then({ event: { type: 'Updated', data: { set: { colour: 'grey' }, unset: [] } }, version: 2 }))

  it('is refused on a soft-deleted one', () => given(created(), softDeleted).when(change({})).refused('not_found'))

  it('does nothing where it only leaves out references whose entity is gone', () => {
    const [ann, bob] = [person('ann'), person('bob')].map((reference) => ({ ...reference }))
    const there = { reference: person('bob'), deleted: false, members: {} }
    const facts = { get: (id: string) => (id === there.reference.id ? there : undefined) }
    const owned = created({ colour: 'red', assets: [ann, bob] as Json })
    given(owned)
      .when(change({ assets: [bob] as Json }), { facts })
      .thenNothing()
    given(owned)
      .when(change({}, ['assets']), { facts })
      .then({ event: { type: 'Updated', data: { set: {}, unset: ['assets'] } }, version: 2 })
  })

  it('takes another life of the same name for another entity', () => {
    const [first, second] = [person('ann'), { ...person('ann'), life: 4 }].map((reference) => ({ ...reference }))
    const there = { reference: { ...person('ann'), life: 4 }, deleted: false, members: {} }
    given(created({ colour: 'red', assets: [first] as Json }))
      .when(change({ assets: [second] as Json }), { facts: { get: () => there } })
      .then({ event: { type: 'Updated', data: { set: { assets: [second] as Json }, unset: [] } }, version: 2 })
  })
})

describe('delete and restore', () => {
  it('soft-deletes once', () => {
    given(created()).when({ type: 'SoftDelete', deletion: 'd1' }).then({ event: softDeleted, version: 2 })
    given(created(), softDeleted).when({ type: 'SoftDelete', deletion: 'd2' }).refused('not_found')
  })

  it('gives what is deleted with its parent a deletion of its own', () => {
    const inherited: CatalogEvent = { type: 'SoftDeleted', data: { deletion: 'd1', inherited: true } }
    given(created(), inherited)
      .when({ type: 'SoftDelete', deletion: 'd2' })
      .then(
        { event: { type: 'Restored', data: { deletion: 'd1' } }, version: 3 },
        { event: { type: 'SoftDeleted', data: { deletion: 'd2' } }, version: 4 },
      )
    given(created(), inherited).when({ type: 'SoftDelete', deletion: 'd2', inherited: true }).refused('not_found')
  })

  it('hard-deletes live and soft-deleted ones, not gone ones', () => {
    given(created()).when({ type: 'HardDelete', deletion: 'd1' }).then({ event: hardDeleted, version: 2 })
    given(created(), softDeleted).when({ type: 'HardDelete', deletion: 'd1' }).then({ event: hardDeleted, version: 3 })
    given(created(), hardDeleted).when({ type: 'HardDelete', deletion: 'd2' }).refused('not_found')
  })

  it('restores what is deleted, leaves a live one alone, refuses a gone one', () => {
    given(created(), softDeleted)
      .when({ type: 'Restore' })
      .then({ event: { type: 'Restored', data: { deletion: 'd1' } }, version: 3 })
    given(created()).when({ type: 'Restore' }).thenNothing()
    given(created(), hardDeleted).when({ type: 'Restore' }).refused('not_found')
  })

  it('a cascade restores only what its own deletion took', () =>
    given(created(), softDeleted).when({ type: 'Restore', deletion: 'another' }).thenNothing())
})

describe('votes, followers, assets', () => {
  const ann = person('ann')
  const voted: CatalogEvent = { type: 'Voted', data: { user: ann, vote: 'votedUp' } }

  it('notes how a validation went each time, without a new version', () => {
    const validated = { type: 'Validated', data: { result: { status: 'Failed' } } } as const
    const validate = { type: 'Record', event: validated } as const
    given(created()).when(validate).then({ event: validated, version: 1 })
    given(created(), [validated, 1]).when(validate).then({ event: validated, version: 1 })
    given(created(), softDeleted).when(validate).refused('not_found')
  })

  it('a vote is an event without a new version, and the same vote is none', () => {
    given(created()).when({ type: 'Vote', user: ann, vote: 'votedUp' }).then({ event: voted, version: 1 })
    given(created(), [voted, 1]).when({ type: 'Vote', user: ann, vote: 'votedUp' }).thenNothing()
    given(created()).when({ type: 'Vote', user: ann, vote: 'unVoted' }).thenNothing()
    given(created(), [voted, 1])
      .when({ type: 'Vote', user: ann, vote: 'votedDown' })
      .then({ event: { type: 'Voted', data: { user: ann, vote: 'votedDown' } }, version: 1 })
  })

  it('following twice is one event', () => {
    const followed: CatalogEvent = { type: 'FollowerAdded', data: { user: ann } }
    given(created())
      .when({ type: 'Add', list: 'followers', references: [ann] })
      .then({ event: followed, version: 1 })
    given(created(), [followed, 1])
      .when({ type: 'Add', list: 'followers', references: [ann] })
      .thenNothing()
    given(created(), [followed, 1])
      .when({ type: 'Remove', list: 'followers', references: [ann] })
      .then({ event: { type: 'FollowerRemoved', data: { user: ann } }, version: 1 })
  })

  it('adds only the assets that are not there, with a new version', () => {
    const added: CatalogEvent = { type: 'AssetsAdded', data: { assets: [ann] } }
    const bob = person('bob')
    given(created(), added)
      .when({ type: 'Add', list: 'assets', references: [ann, bob, bob] })
      .then({ event: { type: 'AssetsAdded', data: { assets: [bob] } }, version: 3 })
    given(created(), added)
      .when({ type: 'Add', list: 'assets', references: [ann] })
      .thenNothing()
    given(created(), added)
      .when({ type: 'Remove', list: 'assets', references: [bob] })
      .thenNothing()
  })
})

describe('lineage', () => {
  const [dbt, manual] = [lineageStated(['a']), lineageStated(['b'], [], 'manual')]
  const restored: CatalogEvent = { type: 'Restored', data: { deletion: 'd1' } }

  it('has only what is stated after its deletion', () => {
    given(stated, dbt, manual, softDeleted)
      .when(stating('manual', ['b']))
      .then(
        { event: restored, version: 5 },
        { event: lineageStated([], ['a']), version: 6 },
        { event: manual, version: 7 },
      )
    given(stated, dbt, softDeleted)
      .when(stating('manual', []))
      .then({ event: restored, version: 4 }, { event: lineageStated([], ['a']), version: 5 })
  })

  it('has all its edges again where it is restored, before it is changed', () =>
    given(stated, dbt, manual, softDeleted)
      .when({ type: 'Upsert', location: at(), members: { description: 'x' }, cleared: [] })
      .then(
        { event: restored, version: 5 },
        { event: dbt, version: 6 },
        { event: manual, version: 7 },
        { event: { type: 'Updated', data: { set: { description: 'x' }, unset: [] } }, version: 8 },
      ))
})

describe('any sequence of commands', () => {
  const user = fc.constantFrom('ann', 'bob').map(person)
  const deleting = { type: 'SoftDelete', deletion: 'd2' } as const
  const members = fc.record(
    { description: fc.constantFrom('x', 'y'), colour: fc.constantFrom('red', 'blue') },
    { requiredKeys: [] },
  )
  const command: fc.Arbitrary<Command> = fc.oneof(
    members.map((set): Command => ({ type: 'Create', location: at(), members: set as Members })),
    fc.tuple(members, fc.subarray(['description', 'colour'])).map(([set, cleared]): Command => ({
      type: 'Upsert',
      location: at(),
      members: set as Members,
      cleared: cleared.filter((name) => !(name in set)),
    })),
    members.map((set): Command => ({ type: 'Change', members: set as Members, cleared: [] })),
    fc.uuid().map((deletion): Command => ({ type: 'SoftDelete', deletion })),
    fc.uuid().map((deletion): Command => ({ type: 'HardDelete', deletion })),
    fc.constant<Command>({ type: 'Restore' }),
    fc
      .tuple(user, fc.constantFrom('votedUp', 'votedDown', 'unVoted'))
      .map(([who, vote]): Command => ({ type: 'Vote', user: who, vote: vote as 'votedUp' })),
    user.map((who): Command => ({ type: 'Add', list: 'followers', references: [who] })),
    user.map((who): Command => ({ type: 'Add', list: 'assets', references: [who] })),
    user.map((who): Command => ({ type: 'Remove', list: 'assets', references: [who] })),
    fc
      .tuple(fc.constantFrom('dbt', 'manual'), fc.subarray(['a', 'b']))
      .map(([source, names]) => stating(source, names)),
    fc
      .tuple(members, fc.constantFrom<StatusCommand | undefined>(undefined, { type: 'Restore' }, deleting))
      .map(([set, statusCommand]): Command => ({
        type: 'Revert',
        members: set as Members,
        cleared: [],
        lists: [{ type: 'Add', list: 'assets', references: [person('ann')] }],
        statusCommand,
        upstream: { manual: [{ from: person('b') }] },
      })),
    fc.constant<Command>({ type: 'Compensate', to: stateAfter([stated, lineageStated(['a'])]), deletion: 'd3' }),
  )
  const effects = { seal: () => ({}), open: () => '', schema: readSchemaText, user: 'ann', now: () => 0 }
  const around = { definition: thing(), facts: { get: () => undefined }, effects }
  const apply = (
    state: Entity | undefined,
    wanted: Command,
  ): { state: Entity | undefined; count: number; refused: boolean } => {
    try {
      const decisions = decide(state, wanted, around)
      let next = state
      for (const { event, version } of decisions) {
        if (verbs[event.type].makesVersion && event.type !== 'Created')
          expect(version).toBeGreaterThan(next?.version ?? 0)
        const revision = (next?.revision ?? -1n) + 1n
        next = evolve(thingId, next, recorded(event, revision, version))
      }
      return { state: next, count: decisions.length, refused: false }
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return { state, count: 0, refused: true }
    }
  }

  it('never decides twice what was decided once, and versions only grow within a life', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 25 }), (commands) => {
        let state: Entity | undefined
        for (const wanted of commands) {
          const first = apply(state, wanted)
          const again = apply(first.state, wanted)
          if (!first.refused) expect(again.count).toBe(0)
          if (state && first.state && first.state.status !== 'gone' && state.status !== 'gone') {
            expect(first.state.version).toBeGreaterThanOrEqual(state.version)
          }
          state = first.state
        }
      }),
    )
  })
})

describe('revert', () => {
  const written: CatalogEvent = { type: 'Created', data: { name: 'one', members: { description: 'good' } } }
  const deleted = (deletion: string): CatalogEvent => ({ type: 'SoftDeleted', data: { deletion } })
  const restored: CatalogEvent = { type: 'Restored', data: { deletion: 'd1' } }
  const to = (description: string): CatalogEvent => ({ type: 'Updated', data: { set: { description }, unset: [] } })
  const back: Command = {
    type: 'Revert',
    members: { description: 'good' },
    cleared: [],
    lists: [],
    statusCommand: undefined,
    upstream: undefined,
  }
  const deletion = { type: 'SoftDelete', deletion: 'd2' } as const
  const spoilt = [written, to('bad'), deleted('d1')]

  const cases: [string, CatalogEvent[], Command, [CatalogEvent, number][]][] = [
    ['changes what is live', [written, to('bad')], back, [[to('good'), 3]]],
    ['does nothing to what is as it was', [written], back, []],
    [
      'changes, then deletes',
      [written, to('bad')],
      { ...back, statusCommand: deletion },
      [
        [to('good'), 3],
        [deleted('d2'), 4],
      ],
    ],
    [
      'restores, then changes',
      spoilt,
      { ...back, statusCommand: { type: 'Restore' } },
      [
        [restored, 4],
        [to('good'), 5],
      ],
    ],
    [
      'restores what is deleted only to change it',
      spoilt,
      back,
      [
        [restored, 4],
        [to('good'), 5],
        [deleted('d1'), 6],
      ],
    ],
    ['leaves what is deleted with the same members', [written, deleted('d1')], back, []],
  ]
  it.each(cases)('%s', (_, events, command, expected) => {
    const decisions = expected.map(([event, version]) => ({ event, version }))
    given(...events)
      .when(command)
      .then(...decisions)
  })
})

describe('compensate', () => {
  const begun = [created({ entity: person('asset') }), lineageStated(['a', 'b'])]

  it.each(['a', 'b'])('states an edge that was ended again, and nothing else: %s', (name) =>
    given(...begun, lineageStated([], [name]))
      .when({ type: 'Compensate', to: stateAfter(begun), deletion: 'd1' })
      .then({ event: lineageStated([name]), version: 4 }),
  )

  it('takes a restore back to the deletion of the parent, with which it is restored', () => {
    const inherited: CatalogEvent = { type: 'SoftDeleted', data: { deletion: 'd1', inherited: true } }
    given(created(), inherited, { type: 'Restored', data: { deletion: 'd1' } })
      .when({ type: 'Compensate', to: stateAfter([created(), inherited]), deletion: 'd2' })
      .then({ event: inherited, version: 4 })
  })

  const [ann, ben] = [person('ann'), person('ben')]
  const assets = (type: 'AssetsAdded' | 'AssetsRemoved', ...some: (typeof ann)[]): CatalogEvent => ({
    type,
    data: { assets: some },
  })
  const users = (type: 'FollowerAdded' | 'FollowerRemoved', user: typeof ann): CatalogEvent => ({
    type,
    data: { user },
  })
  const voted = (user: typeof ann, vote: 'votedUp' | 'votedDown' | 'unVoted'): CatalogEvent => ({
    type: 'Voted',
    data: { user, vote },
  })
  const listed = [created(), assets('AssetsAdded', ann), users('FollowerAdded', ann), voted(ann, 'votedUp')]

  it.each([
    [assets('AssetsAdded', ben), assets('AssetsRemoved', ben), 6],
    [assets('AssetsRemoved', ann), assets('AssetsAdded', ann), 6],
    [users('FollowerAdded', ben), users('FollowerRemoved', ben), 2],
    [users('FollowerRemoved', ann), users('FollowerAdded', ann), 2],
    [voted(ben, 'votedUp'), voted(ben, 'unVoted'), 2],
    [voted(ann, 'votedDown'), voted(ann, 'votedUp'), 2],
  ])('takes back what came into a list and went, not the list: %j', (event, back, version) =>
    given(...listed, event)
      .when({ type: 'Compensate', to: stateAfter(listed), deletion: 'd1' })
      .then({ event: back, version }),
  )
})
