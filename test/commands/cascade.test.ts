import { describe, expect, test } from 'vitest'
import { cascade } from '../../src/processes/cascade.ts'
import type { Command } from '../../src/commands/decide.ts'
import { commit } from '../../src/commands/unitOfWork/unitOfWork.ts'
import { entityId } from '../../src/kinds/names.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { makeHierarchy } from '../../src/projections/entities/hierarchy.ts'
import { creating, openWriteSide, removing, restoring } from '../support/writeSide.ts'

const kindOf = (fqn: string): string => (fqn === 'g' ? 'glossary' : 'glossaryTerm')

/** A glossary `g` with the terms `g.a`, `g.a.b`, `g.a.c`. */
const openGlossary = async () => {
  const side = await openWriteSide()
  const fqns = ['g', 'g.a', 'g.a.b', 'g.a.c']
  await side.given(...fqns.map((fqn) => creating(kindOf(fqn), fqn)))
  return {
    ...side,
    only: (fqn: string, command: Command) => side.only(kindOf(fqn), fqn, command),
    remove: (fqn: string) => side.ask(removing(kindOf(fqn), fqn, { recursive: true })),
    restore: (fqn: string) => side.ask(restoring(kindOf(fqn), fqn)),
    deletionOf: async (fqn: string) => (await side.find(kindOf(fqn), fqn))?.deletion as string,
    statuses: () => Promise.all(fqns.map(async (fqn) => (await side.find(kindOf(fqn), fqn))?.status ?? 'none')),
  }
}

const all = (status: string) => [status, status, status, status]

describe('a restore', () => {
  test('brings back what its deletion took, whatever happened below it meanwhile', async () => {
    const { remove, restore, only, deletionOf, statuses } = await openGlossary()
    await remove('g')
    const deletion = await deletionOf('g')
    await only('g', { type: 'Restore' })
    await only('g.a', { type: 'Restore', deletion })
    expect(await statuses()).toEqual(['live', 'live', 'deleted', 'deleted'])
    await remove('g.a')
    await restore('g.a')
    expect(await statuses()).toEqual(all('live'))
  })

  test('brings back what an earlier restore had not reached when everything was deleted again', async () => {
    const { remove, restore, only, statuses } = await openGlossary()
    await remove('g')
    await only('g', { type: 'Restore' })
    await remove('g')
    expect(await statuses()).toEqual(all('deleted'))
    await restore('g')
    expect(await statuses()).toEqual(all('live'))
  })

  test('that changes nothing is answered when an earlier one has brought back all, however deep', async () => {
    const { remove, restore, only, deletionOf, statuses, events } = await openGlossary()
    await remove('g')
    const deletion = await deletionOf('g')
    await only('g', { type: 'Restore' })
    await only('g.a', { type: 'Restore', deletion })
    await restore('g')
    expect(await statuses()).toEqual(all('live'))
    const written = (await events()).length
    await restore('g')
    expect((await events()).length).toBe(written)
  })

  test('that was asked for again before the first one could be seen is answered when all has come back', async () => {
    const { context, remove, restore, statuses } = await openGlossary()
    await remove('g')
    await commit(context, restoring('glossary', 'g')(context))
    expect(await statuses()).toEqual(all('deleted'))
    await restore('g')
    expect(await statuses()).toEqual(all('live'))
  })

  test('leaves alone what was deleted by itself, and what went with that', async () => {
    const { remove, restore, statuses } = await openGlossary()
    await remove('g.a')
    await remove('g')
    await restore('g')
    expect(await statuses()).toEqual(['live', 'deleted', 'deleted', 'deleted'])
    await restore('g.a')
    expect(await statuses()).toEqual(all('live'))
  })

  test('is caused, below, by the event that took that deletion back', async () => {
    const { remove, restore, only, events } = await openGlossary()
    await remove('g')
    await only('g', { type: 'Restore' })
    await remove('g')
    await restore('g')
    const back = (await events()).filter(({ type }) => type === 'Restored')
    const of = (fqn: string) => back.filter(({ metadata }) => metadata.fullyQualifiedName === fqn)
    expect(of('g.a')).toHaveLength(1)
    expect(of('g.a')[0]?.metadata.causationId).toBe(of('g')[0]?.id)
  })
})

describe('a cascade that was cut', () => {
  test('is finished by the next settling, downwards and upwards', async () => {
    const { only, settle: again, statuses } = await openGlossary()
    await only('g', { type: 'SoftDelete', deletion: crypto.randomUUID() })
    await again()
    expect(await statuses()).toEqual(all('deleted'))
    await only('g', { type: 'Restore' })
    await again()
    expect(await statuses()).toEqual(all('live'))
    await only('g', { type: 'HardDelete', deletion: crypto.randomUUID() })
    await again()
    expect(await statuses()).toEqual(all('gone'))
  })

  test('takes what belongs to an ended life, although the name lives again', async () => {
    const { only, given, find, settle: again, statuses } = await openGlossary()
    await only('g.a', { type: 'HardDelete', deletion: crypto.randomUUID() })
    const reference = { id: entityId('glossary', 'g'), type: 'glossary', fullyQualifiedName: 'g' }
    const location = { id: entityId('glossaryTerm', 'g.a'), name: 'a', fullyQualifiedName: 'g.a' }
    const parent = { reference, deleted: false, members: {} }
    const members = { glossary: { ...reference } }
    await only('g.a', { type: 'Create', location: { ...location, parent }, members })
    expect(await statuses()).toEqual(all('live'))
    await given(creating('glossaryTerm', 'g.a.d'))
    await again()
    expect(await statuses()).toEqual(['live', 'live', 'gone', 'gone'])
    expect((await find('glossaryTerm', 'g.a.d'))?.status).toBe('live')
  })
})

test('of many roots only those that have children are looked below', async () => {
  const { given, only, find, context, readModels } = await openWriteSide()
  const names = Array.from({ length: 20 }, (_, index) => `h${index}`)
  const terms = [creating('glossaryTerm', 'h0.a'), creating('glossaryTerm', 'h0.a.b')]
  await given(...names.map((name) => creating('glossary', name)), ...terms)
  const below: string[] = []
  const list: typeof readModels.list = (query) => {
    below.push(...query.scopes)
    return readModels.list(query)
  }
  const hierarchy = makeHierarchy({ ...readModels, list }, kindNamed)
  for (const name of names) await only('glossary', name, { type: 'SoftDelete', deletion: crypto.randomUUID() })
  await cascade(
    { ...context, hierarchy },
    names.map((name) => entityId('glossary', name)),
  )
  expect(new Set(below)).toEqual(new Set(['h0']))
  expect((await find('glossaryTerm', 'h0.a.b'))?.status).toBe('deleted')
})
