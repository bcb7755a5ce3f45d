import { describe, expect, test } from 'vitest'
import {
  adding,
  causeOf,
  creating,
  following,
  openWriteSide,
  patching,
  removing,
  restoring,
  stating,
  upserting,
  voting,
} from '../support/writeSide.ts'
import { change } from '../../src/commands/requests/change.ts'
import { execute } from '../../src/commands/requests/execute.ts'
import { remove } from '../../src/commands/requests/remove.ts'
import { watchOthers } from '../../src/commands/requests/othersWork.ts'
import { undo } from '../../src/commands/requests/undo.ts'
import type { Precondition } from '../../src/commands/unitOfWork/request.ts'
import { statedEdges, upstreamIn } from '../../src/commands/statements.ts'
import { entityId } from '../../src/kinds/names.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { readRequest } from '../../src/kinds/request/requestSchema.ts'

describe('create', () => {
  test('makes one event, and another for a caller who has no entity, or none any more', async () => {
    const { given, when } = await openWriteSide({ caller: 'eve' })
    await when(creating('glossary', 'g')).makes('Created user eve', 'Created glossary g')
    await when(creating('glossary', 'h')).makes('Created glossary h')
    await given(removing('user', 'eve', { hard: true }))
    await when(patching('glossary', 'g', { description: 'd' })).makes('Created user eve', 'Updated glossary g')
  })

  test('may refer to its caller, who gets his entity with it', async () => {
    const { when } = await openWriteSide({ caller: 'eve' })
    await when(creating('glossary', 'g', { owners: ['eve'] })).makes('Created user eve', 'Created glossary g')
  })

  test('that is refused gives its caller no entity', async () => {
    const { when } = await openWriteSide({ caller: 'eve' })
    await when(creating('glossaryTerm', 'g.a')).refused('invalid')
    await when(creating('glossary', 'g')).makes('Created user eve', 'Created glossary g')
  })

  test('is refused below what is not there, and when the name is taken', async () => {
    const { given, when } = await openWriteSide()
    await when(creating('glossaryTerm', 'g.a')).refused('invalid', /glossary g does not exist/)
    await given(creating('glossary', 'g'))
    await when(creating('glossary', 'g')).refused('already_exists')
    await given(removing('glossary', 'g'))
    await when(creating('glossary', 'g')).refused('already_exists', /restore it/)
    await when(creating('glossaryTerm', 'g.a')).refused('invalid', /soft-deleted/)
  })

  test('names the problems of rules beside those of references', async () => {
    const { when } = await openWriteSide()
    await when(creating('glossary', 'g', { owners: ['nobody'] })).refused('invalid', /nobody does not exist/)
  })
})

describe('upsert', () => {
  test('creates, changes, and does nothing when nothing changes', async () => {
    const { when } = await openWriteSide()
    await when(upserting('glossary', 'g')).makes('Created glossary g')
    await when(upserting('glossary', 'g', { description: 'd' })).makes('Updated glossary g')
    await when(upserting('glossary', 'g', { description: 'd', tags: [] })).makes()
  })

  test('brings back what was soft-deleted, with all that went with it', async () => {
    const { given, when } = await openWriteSide()
    await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'))
    await given(removing('glossary', 'g', { recursive: true }))
    await when(upserting('glossary', 'g', { description: 'd' })).makes(
      'Restored glossary g',
      'Updated glossary g',
      'Restored glossaryTerm g.a (inherited)',
    )
  })

  test('changes nothing when it says again what is shown of owners of whom one is gone', async () => {
    const { given, when } = await openWriteSide()
    await given(creating('user', 'bob'), creating('user', 'cid'))
    await given(creating('glossary', 'g', { owners: ['bob', 'cid'] }), removing('user', 'bob'))
    await when(upserting('glossary', 'g', { owners: ['bob', 'cid'] })).makes()
    await given(removing('user', 'bob', { hard: true }))
    await when(upserting('glossary', 'g', { owners: ['cid'] })).makes()
    await when(upserting('glossary', 'g', { owners: [] })).makes('Updated glossary g')
  })
})

describe('patch', () => {
  test('changes just what it says', async () => {
    const { given, when, find } = await openWriteSide()
    await given(creating('glossary', 'g', { description: 'd', displayName: 'G' }))
    await when(patching('glossary', 'g', { displayName: null })).makes('Updated glossary g')
    expect((await find('glossary', 'g'))?.members).toMatchObject({ description: 'd' })
    await when(patching('glossary', 'g', {})).makes()
    await when(patching('glossary', 'g', { displayName: null })).makes()
  })

  test('is refused on what is not there, and with what cannot be', async () => {
    const { given, when } = await openWriteSide()
    await when(patching('glossary', 'g', {})).refused('not_found')
    await given(creating('glossary', 'g'))
    await when(patching('glossary', 'g', { owners: ['nobody'], displayName: 7 })).refused('invalid', /and 1 more/)
    await given(removing('glossary', 'g'))
    await when(patching('glossary', 'g', { displayName: 'G' })).refused('not_found')
  })

  test('is made on the state that another left that came first, so that neither is lost', async () => {
    const { given, ask, find } = await openWriteSide()
    await given(creating('glossary', 'g'))
    await Promise.all([
      ask(patching('glossary', 'g', { displayName: 'G' })),
      ask(patching('glossary', 'g', { description: 'd' })),
      ask(voting('glossary', 'g', 'votedUp')),
    ])
    expect((await find('glossary', 'g'))?.members).toMatchObject({ displayName: 'G', description: 'd' })
    expect((await find('glossary', 'g'))?.revision).toBe(3n)
  })
})

describe('delete', () => {
  test('soft and hard, takes dependents with it, and children when that is asked for', async () => {
    const { given, when } = await openWriteSide()
    await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'), creating('glossaryTerm', 'g.a.b'))
    await when(removing('glossary', 'g')).refused('invalid', /not empty/)
    await when(removing('glossary', 'g', { recursive: true })).makes(
      'SoftDeleted glossary g',
      'SoftDeleted glossaryTerm g.a (inherited)',
      'SoftDeleted glossaryTerm g.a.b (inherited)',
    )
    await when(removing('glossary', 'g')).refused('not_found')
    await when(removing('glossary', 'g', { hard: true })).refused('invalid', /not empty/)
    await when(removing('glossary', 'g', { hard: true, recursive: true })).makes(
      'HardDeleted glossary g',
      'HardDeleted glossaryTerm g.a (inherited)',
      'HardDeleted glossaryTerm g.a.b (inherited)',
    )
    await when(removing('glossary', 'g', { hard: true })).refused('not_found')
  })

  test('is refused when it would reach what the caller may not delete', async () => {
    const { given, when } = await openWriteSide()
    const forbiddenKinds = [kindNamed('glossaryTerm')]
    await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'))
    await when(removing('glossary', 'g', { recursive: true, forbiddenKinds })).refused('forbidden', /glossaryTerm/)
    const hard = { recursive: true, hard: true, forbiddenKinds }
    await when(removing('glossary', 'g', hard)).refused('forbidden', /glossaryTerm/)
    await given(removing('glossaryTerm', 'g.a'))
    await when(removing('glossary', 'g', hard)).refused('forbidden', /glossaryTerm/)
    await when(removing('glossary', 'g', { recursive: true, forbiddenKinds })).makes('SoftDeleted glossary g')
  })
})

describe('restore', () => {
  test('takes a deletion back, once, and not below a deleted parent', async () => {
    const { given, when } = await openWriteSide()
    await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'))
    await given(removing('glossary', 'g', { recursive: true }))
    await when(restoring('glossaryTerm', 'g.a')).refused('invalid', /restore that first/)
    await when(restoring('glossary', 'g')).makes('Restored glossary g', 'Restored glossaryTerm g.a (inherited)')
    await when(restoring('glossary', 'g')).makes()
    await when(restoring('glossary', 'h')).refused('not_found')
  })

  test('is refused when it would bring back what the caller may not restore, and only then', async () => {
    const { given, when } = await openWriteSide()
    await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'))
    await given(removing('glossaryTerm', 'g.a'), removing('glossary', 'g'))
    await when(restoring('glossary', 'g', ['glossaryTerm'])).makes('Restored glossary g')
    await given(restoring('glossaryTerm', 'g.a'), removing('glossary', 'g', { recursive: true }))
    await when(restoring('glossary', 'g', ['glossaryTerm'])).refused('forbidden', /glossaryTerm/)
  })

  test('is refused also while the deletion has not reached what the caller may not restore', async () => {
    const { given, only, ask } = await openWriteSide()
    await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'))
    await only('glossary', 'g', { type: 'SoftDelete', deletion: crypto.randomUUID() })
    await expect(ask(restoring('glossary', 'g', ['glossaryTerm']))).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('votes, followers and assets', () => {
  test('are events of their own, and the same again is none', async () => {
    const { given, when } = await openWriteSide({ caller: 'eve' })
    await given(creating('glossary', 'g'), creating('user', 'bob'), removing('user', 'eve', { hard: true }))
    await when(voting('glossary', 'g', 'votedUp')).makes('Created user eve', 'Voted glossary g')
    await when(voting('glossary', 'g', 'votedUp')).makes()
    await when(following('glossary', 'g', 'bob')).makes('FollowerAdded glossary g')
    await when(following('glossary', 'g', 'bob')).makes()
    await when(following('glossary', 'g', 'nobody')).refused('not_found', /no user/)
    await given(removing('user', 'bob'))
    await when(following('glossary', 'g', 'bob')).refused('not_found', /no user/)
    await when(following('glossary', 'g', 'bob', 'Remove')).makes('FollowerRemoved glossary g')
    await given(removing('glossary', 'g'))
    await when(voting('glossary', 'g', 'votedDown')).refused('not_found')
  })

  test('votes, followers and assets of a caller whose entity is gone give him one again', async () => {
    const { given, when } = await openWriteSide({ caller: 'eve' })
    await given(creating('glossary', 'g'), voting('glossary', 'g', 'votedUp'), removing('user', 'eve', { hard: true }))
    await when(voting('glossary', 'g', 'votedDown')).makes('Created user eve', 'Voted glossary g')
  })

  test('of a caller who deletes himself for good give him no other entity', async () => {
    const { given, when } = await openWriteSide({ caller: 'eve' })
    await given(creating('glossary', 'g'), voting('glossary', 'g', 'votedUp'))
    await when(removing('user', 'eve', { hard: true })).makes('HardDeleted user eve')
  })

  test('are added all or not at all', async () => {
    const { given, when } = await openWriteSide()
    await given(creating('domain', 'd'), creating('dataProduct', 'p', { domain: 'd' }))
    await given(creating('databaseService', 's', { serviceType: 'x' }), creating('database', 's.a'))
    await when(
      adding('dataProduct', 'p', [
        ['database', 's.a'],
        ['database', 's.b'],
      ]),
    ).refused('not_found', /assets.1/)
    await when(adding('dataProduct', 'p', [['database', 's.a']])).makes('AssetsAdded dataProduct p')
    await when(adding('dataProduct', 'p', [['database', 's.a']])).makes()
  })
})

describe('many at once', () => {
  test('are taken in order, each on what the ones before it made, and fail alone', async () => {
    const { askAll, lines } = await openWriteSide()
    const { summaries } = await askAll([
      upserting('glossary', 'g'),
      upserting('glossaryTerm', 'g.a'),
      upserting('glossaryTerm', 'h.a'),
      upserting('glossary', 'g', { description: 'd' }),
      upserting('glossary', 'g', { description: 'd' }),
    ])
    expect(summaries.map((one) => ('result' in one ? one.result.changed : 'refused'))).toEqual([
      true,
      true,
      'refused',
      true,
      false,
    ])
    expect(await lines()).toEqual(['Created glossary g', 'Created glossaryTerm g.a', 'Updated glossary g'])
  })

  test('bring back what went with those that they bring back', async () => {
    const { given, askAll, lines } = await openWriteSide()
    await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'))
    await given(removing('glossary', 'g', { recursive: true }))
    await askAll([upserting('glossary', 'g')])
    expect((await lines()).slice(-2)).toEqual(['Restored glossary g', 'Restored glossaryTerm g.a (inherited)'])
  })
})

test.each(['constructor', 'toString'])('lineage is stated by a source called %s as by any other', async (source) => {
  const { given, ask } = await openWriteSide()
  await given(
    creating('messagingService', 'm', { serviceType: 'Kafka' }),
    creating('topic', 'm.a', { partitions: 1 }),
    creating('topic', 'm.b', { partitions: 1 }),
  )
  const { entity } = await ask(stating('topic', 'm.b', ['topic', 'm.a'], source))
  expect(statedEdges(upstreamIn(entity.members), source)).toMatchObject([{ from: { fullyQualifiedName: 'm.a' } }])
  expect(statedEdges({}, source)).toEqual([])
})

test('a POST below a parent that is named by its id is a conflict where the body refers to what is there', async () => {
  const { given, when } = await openWriteSide()
  await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.x'))
  const glossary = { id: entityId('glossary', 'g'), type: 'glossary' }
  await when(creating('glossaryTerm', 'x', { glossary, relatedTerms: ['g.x'] })).refused('already_exists')
})

test('what must hold of an entity is asked once, before anything is decided', async () => {
  const { given, context } = await openWriteSide()
  await given(creating('glossary', 'g'))
  const [definition, id] = [kindNamed('glossary'), entityId('glossary', 'g')]
  const asked: string[] = []
  const askedBy =
    (name: string): Precondition =>
    () =>
      void asked.push(name)
  const read = () => readRequest(definition, { description: 'new' }, 'patch')
  await execute(context, change(context, { definition, id, read }, causeOf(), askedBy('change')))
  const present = (await context.lookup([id])).get(id)
  const effect = { definition, id, before: undefined, after: present, present, changed: new Set<string>() }
  const undoing = { effect, undo: 'delete', forbiddenKinds: [], others: watchOthers(context, '') } as const
  await execute(context, undo(context, undoing, causeOf(), askedBy('undo')))
  const removal = { definition, id, hard: true, recursive: false, forbiddenKinds: [] }
  await execute(context, remove(context, removal, causeOf(), askedBy('remove')))
  expect(asked).toEqual(['change', 'undo', 'remove'])
})
