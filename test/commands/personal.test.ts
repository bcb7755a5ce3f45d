import { expect, test } from 'vitest'
import { forget, finishForgetting, type Lives } from '../../src/commands/requests/forget.ts'
import { revertingChanges } from '../../src/commands/requests/change.ts'
import { personalMembers } from '../../src/kinds/perKind.ts'
import { execute } from '../../src/commands/requests/execute.ts'
import { forDryRun } from '../../src/commands/unitOfWork/streamQueue.ts'
import { eventHash } from '../../src/events/codec.ts'
import { kindNamed, kinds } from '../../src/kinds/registry/kinds.ts'
import { entityId } from '../../src/kinds/names.ts'
import type { Vault } from '../../src/events/personal/vault.ts'
import { collect, created, updated } from '../support/events.ts'
import { causeOf, creating, openWriteSide, patching, removing } from '../support/writeSide.ts'

const id = entityId('user', 'bob')
const definition = kindNamed('user')

const keysOf = async (vault: Vault, only?: 'retired'): Promise<string[]> => {
  const ids: string[] = []
  for await (const key of vault.all(only)) ids.push(key.id)
  return ids
}

const emails = (events: readonly { type: string; data: unknown }[]): unknown[] =>
  events.flatMap(({ data }) => {
    const { members, set } = data as { members?: { email?: string }; set?: { email?: string } }
    return (members ?? set)?.email ?? []
  })

test('users alone have personal members', () => {
  const marked = kinds.filter((kind) => personalMembers(kind).size > 0).map(({ name }) => name)
  expect(marked).toEqual(['user'])
})

test('the state after a write has the values, and so has the log', async () => {
  const side = await openWriteSide()
  const { entity } = await side.ask(creating('user', 'bob', { email: 'bob@example.org' }))
  expect(entity.members).toMatchObject({ email: 'bob@example.org' })
  await side.ask(patching('user', 'bob', { email: 'robert@example.org' }))
  expect(emails(await side.events())).toEqual(['bob@example.org', 'robert@example.org'])
  expect(await keysOf(side.context.vault)).toHaveLength(1)
})

test('the hash of an event is that of what is sealed', async () => {
  const side = await openWriteSide()
  await side.ask(creating('user', 'bob', { email: 'bob@example.org', isBot: true }))
  const [event] = await side.events()
  expect(event?.metadata.hash).not.toBe(event && eventHash(event))
  await side.ask(creating('glossary', 'g'))
  const [, other] = await side.events()
  expect(other?.metadata.hash).toBe(other && eventHash(other))
})

test('what a process did not come to is done at the next start', async () => {
  const side = await openWriteSide()
  const { vault } = side.context
  await side.ask(creating('user', 'bob', { email: 'bob@example.org' }))
  const keys = await vault.retire(`user-${id}`)
  await finishForgetting(vault, side.context.log.readAll())
  expect(emails(await side.events())).toEqual(['bob@example.org'])
  await side.only('user', 'bob', { type: 'Forget', erased: ['email'], keys })
  await side.ask(patching('user', 'bob', { email: 'new@example.org' }))
  expect(emails(await side.events())).toEqual(['bob@example.org', 'new@example.org'])
  await finishForgetting(vault, side.context.log.readAll())
  expect(emails(await side.events())).toEqual(['(erased)', 'new@example.org'])
  expect(await keysOf(vault, 'retired')).toEqual([])
  expect(await keysOf(vault)).toHaveLength(1)
})

test('keys that the log reports as destroyed are destroyed, also where the answer comes too late', async () => {
  const side = await openWriteSide()
  await side.ask(creating('user', 'bob', { email: 'bob@example.org' }))
  const late = { ...side.context, waitForPosition: () => Promise.reject(new Error('late')) }
  await expect(forget(late, { definition, id }, causeOf())).rejects.toThrow('late')
  expect((await side.lines()).at(-1)).toBe('Forgotten user bob')
  expect(emails(await side.events())).toEqual(['(erased)'])
})

/** Two events of bob, as versions up to 0.2.0 wrote them. */
const writtenInTheClear = async () => {
  const side = await openWriteSide()
  const stream = `user-${id}`
  const first = created({ email: 'bob@example.org', profile: { picture: 'b.png' } }, { stream, name: 'bob' })
  const place = { stream, name: 'bob', revision: 1n, version: 2, previousHash: first.metadata.hash }
  const second = updated({ email: 'robert@example.org' }, place)
  await side.context.log.append([{ stream, expected: 'no_stream', events: [first, second] }])
  await side.project()
  return side
}

test('what an older version wrote in the clear is erased for every reader', async () => {
  const side = await writtenInTheClear()
  expect(emails(await side.events())).toEqual(['bob@example.org', 'robert@example.org'])
  await forget(side.context, { definition, id }, causeOf())
  await side.ask(patching('user', 'bob', { email: 'new@example.org' }))
  const { log } = side.context
  for (const events of [await side.events(), await collect(log.proven.readAll())]) {
    expect(emails(events)).toEqual(['(erased)', '(erased)', 'new@example.org'])
    expect(events[0]?.data).toMatchObject({ members: { profile: { erased: true } } })
  }
  expect((await log.eventAt(2n))?.data).toMatchObject({ set: { email: '(erased)' } })
})

test('whom an earlier build forgot without a key is forgotten at the next start', async () => {
  const side = await writtenInTheClear()
  await side.only('user', 'bob', { type: 'Forget', erased: ['email', 'profile'], keys: [] })
  await finishForgetting(side.context.vault, side.context.log.readAll())
  expect(emails(await side.events())).toEqual(['(erased)', '(erased)'])
})

test('what is written while somebody is forgotten is forgotten too, or has another key', async () => {
  const side = await openWriteSide()
  await side.ask(creating('user', 'bob', { email: 'bob@example.org' }))
  const changes = Array.from({ length: 5 }, (_, at) =>
    side.ask(patching('user', 'bob', { email: `${at}@example.org` })),
  )
  await Promise.all([...changes.slice(0, 3), forget(side.context, { definition, id }, causeOf()), ...changes.slice(3)])
  const events = await side.events()
  const at = events.findIndex(({ type }) => type === 'Forgotten')
  expect(at).toBeGreaterThan(0)
  expect(new Set(emails(events.slice(0, at)))).toEqual(new Set(['(erased)']))
  for (const email of emails(events.slice(at))) expect(email).toMatch(/^\d@example\.org$/)
})

test('a dry run leaves no key', async () => {
  const side = await openWriteSide()
  const paper = { ...forDryRun(side.context), caller: side.context.caller }
  await execute(paper, creating('user', 'bob', { email: 'bob@example.org' })(paper))
  expect(await keysOf(side.context.vault)).toEqual([])
})

test('a revert leaves what was written since in the place of what was erased', async () => {
  const side = await openWriteSide()
  const { entity: old } = await side.ask(creating('user', 'bob', { email: 'bob@example.org', isAdmin: true }))
  const { entity: now } = await side.ask(patching('user', 'bob', { email: 'new@example.org', isAdmin: false }))
  const erased = { ...old, members: { ...old.members, email: '(erased)' } }
  expect(await revertingChanges(side.context, { definition, old: erased, entity: now })).toEqual({
    values: { isAdmin: true },
    cleared: [],
    lists: [],
  })
})

/** Bob was deleted for good, and another Bob came. */
const withNamesake = async () => {
  const side = await openWriteSide()
  await side.ask(creating('user', 'bob', { email: 'first@example.org' }))
  await side.ask(removing('user', 'bob', { hard: true }))
  await side.ask(creating('user', 'bob', { email: 'second@example.org', description: 'another' }))
  const forgetting = (lives?: Lives) => forget(side.context, { definition, id, lives }, causeOf())
  return { ...side, forgetting, emails: async () => emails(await side.events()) }
}

test('who had the name before is forgotten without who has it now, and the other way round', async () => {
  const one = await withNamesake()
  await expect(one.forgetting()).rejects.toThrow('Somebody else had the name bob before. Say whose values')
  expect(await one.emails()).toEqual(['first@example.org', 'second@example.org'])
  const { entity } = await one.forgetting('former')
  expect(entity).toMatchObject({ version: 1, members: { email: 'second@example.org', description: 'another' } })
  expect(await one.emails()).toEqual(['(erased)', 'second@example.org'])
  const before = (await one.events()).length
  await one.forgetting('former')
  expect((await one.events()).length).toBe(before)
  expect((await one.forgetting()).entity.members).not.toHaveProperty('email')
  expect(await one.emails()).toEqual(['(erased)', '(erased)'])
  const other = await withNamesake()
  expect((await other.forgetting('present')).entity.members).not.toHaveProperty('email')
  expect(await other.emails()).toEqual(['first@example.org', '(erased)'])
  const both = await withNamesake()
  await both.forgetting('all')
  expect(await both.emails()).toEqual(['(erased)', '(erased)'])
})

test('whoever is forgotten after the end is so with all who had the name', async () => {
  const side = await withNamesake()
  await side.ask(removing('user', 'bob', { hard: true }))
  await side.forgetting()
  expect(await side.emails()).toEqual(['(erased)', '(erased)'])
})

test('what was written in plain text by two who had one name is erased of both or not at all', async () => {
  const side = await writtenInTheClear()
  await side.ask(removing('user', 'bob', { hard: true }))
  await side.ask(creating('user', 'bob', { email: 'second@example.org' }))
  const forgetting = (lives: Lives) => forget(side.context, { definition, id, lives }, causeOf())
  await expect(forgetting('present')).rejects.toThrow('only lives=all erases them')
  await forgetting('former')
  expect(emails(await side.events())).toEqual(['(erased)', '(erased)', 'second@example.org'])
})
