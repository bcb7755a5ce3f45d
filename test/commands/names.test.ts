import { expect, test } from 'vitest'
import { makeNameCheck, userId } from '../../src/commands/caller.ts'
import { incarnationOf } from '../../src/events/events.ts'
import { ancestorIds } from '../../src/commands/lookup.ts'
import { buildFqn, entityId } from '../../src/kinds/names.ts'
import { limits } from '../../src/shared/limits.ts'
import { creating, openWriteSide } from '../support/writeSide.ts'

const permissions: Record<string, 'yes' | 'no' | 'ifOwner'> = { glossary: 'ifOwner', team: 'ifOwner', domain: 'yes' }

/** A catalog in which ann owns a team, which owns a glossary, and is in another one; and what ann may name of it. */
const setUp = async () => {
  const { given, context } = await openWriteSide({ caller: 'ann' })
  await given(
    creating('domain', 'd', { domainType: 'Aggregate' }),
    creating('team', 'owned', { owners: ['ann'] }),
    creating('team', 'joined'),
    creating('team', 'strange'),
    creating('glossary', 'hers', { owners: ['ann'] }),
    creating('glossary', 'ofOwned', { owners: [{ type: 'team', fullyQualifiedName: 'owned' }] }),
    creating('glossary', 'ofJoined', { owners: [{ type: 'team', fullyQualifiedName: 'joined' }] }),
  )
  const kindsOf = { domain: ['d'], team: ['owned', 'joined', 'strange'], glossary: ['hers', 'ofOwned', 'ofJoined'] }
  const ids = Object.entries(kindsOf).flatMap(([kind, names]) => names.map((name) => entityId(kind, name)))
  const found = [...(await context.refer([...ids, userId('ann')])).values()]
  const joined = entityId('team', 'joined')
  const caller = {
    visibilityOf: (kind: string) => permissions[kind] ?? 'no',
    incarnations: async () => [userId('ann'), ...found.filter(({ id }) => id === joined).map(incarnationOf)],
  }
  return { context, found, mayName: await makeNameCheck(caller, context, found) }
}

test('a caller names himself, his teams, what he owns himself or by a team of his, and what he may view', async () => {
  const { found, mayName } = await setUp()
  const named = found.filter((entity) => mayName(entity, { fullyQualifiedName: entity.fullyQualifiedName }))
  const names = named.map(({ fullyQualifiedName }) => fullyQualifiedName)
  expect(names.toSorted()).toEqual(['ann', 'd', 'hers', 'joined', 'ofJoined', 'owned'])
})

test('a caller names no former life of a team, nor of his own name, and anything by an opaque id', async () => {
  const { context, found, mayName } = await setUp()
  const former = found.map((entity) => ({ ...entity, born: entity.born + 1n }))
  const named = former.filter((entity) => mayName(entity, { fullyQualifiedName: entity.fullyQualifiedName }))
  expect(named.map(({ fullyQualifiedName }) => fullyQualifiedName)).toEqual(['d'])
  for (const entity of former)
    expect(mayName(entity, { fullyQualifiedName: context.secretCodec.hideId(entity.id) })).toBe(true)
})

test('of a parent with the longest name only as many ancestors are looked up as a new entity may have', () => {
  const longest = buildFqn(Array.from({ length: 1536 }, () => 'a'))
  expect(ancestorIds(['container'], longest)).toHaveLength(2 * limits.levels.value)
})
