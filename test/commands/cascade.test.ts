import { describe, expect, test } from 'vitest'
import { settle } from '../../src/commands/cascade.ts'
import type { Command } from '../../src/commands/decide.ts'
import { handleCommand } from '../../src/commands/handleCommand.ts'
import { deleteEntity, existing, restoreEntity, submit } from '../../src/commands/submit.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { entityId } from '../../src/kinds/names.ts'
import { causeOf, openWriteSide } from '../support/writeSide.ts'

/** A glossary `g` with the terms `g.a`, `g.a.b`, `g.a.c`. */
const openGlossary = async () => {
  const side = await openWriteSide()
  const { commands } = side
  const glossary = { fullyQualifiedName: 'g' }
  const term = async (name: string, parent?: string) =>
    submit(
      commands,
      kindNamed('glossaryTerm'),
      'Create',
      {
        name,
        values: { glossary, ...(parent !== undefined && { parent: { fullyQualifiedName: parent } }) },
        cleared: [],
      },
      causeOf(),
    )
  await submit(commands, kindNamed('glossary'), 'Create', { name: 'g', values: {}, cleared: [] }, causeOf())
  await term('a')
  await term('b', 'g.a')
  await term('c', 'g.a')
  const kindOf = (fqn: string) => kindNamed(fqn === 'g' ? 'glossary' : 'glossaryTerm')
  const idOf = (fqn: string) => entityId(kindOf(fqn).name, fqn)
  const find = (fqn: string) => existing(commands, kindOf(fqn).name, idOf(fqn), 'any')
  return {
    ...side,
    term,
    find,
    settle: () => settle(commands),
    /** One step alone, as far as a cascade may have come. */
    only: async (fqn: string, command: Command) => {
      const subject = { kind: kindOf(fqn).name, id: idOf(fqn), fullyQualifiedName: fqn }
      await handleCommand(commands, kindOf(fqn), subject, command, causeOf(), new Map())
      await side.project()
    },
    remove: async (fqn: string, hard = false) =>
      deleteEntity(commands, kindOf(fqn), await find(fqn), { recursive: true, hard, childKinds: [] }, causeOf()),
    restore: async (fqn: string) => restoreEntity(commands, kindOf(fqn), await find(fqn), causeOf()),
    deletionOf: async (fqn: string) => (await find(fqn)).deletion as string,
    statuses: async () => {
      const found = await commands.lookup(['g', 'g.a', 'g.a.b', 'g.a.c'].map(idOf))
      return ['g', 'g.a', 'g.a.b', 'g.a.c'].map((fqn) => found.get(idOf(fqn))?.status ?? 'none')
    },
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
    const { only, term, find, settle: again, statuses } = await openGlossary()
    await only('g.a', { type: 'HardDelete', deletion: crypto.randomUUID() })
    const reference = { id: entityId('glossary', 'g'), type: 'glossary', fullyQualifiedName: 'g' }
    const location = { id: entityId('glossaryTerm', 'g.a'), name: 'a', fullyQualifiedName: 'g.a' }
    const parent = { reference, deleted: false, members: {} }
    const members = { glossary: { ...reference } }
    await only('g.a', { type: 'Create', location: { ...location, parent }, members })
    expect(await statuses()).toEqual(all('live'))
    await term('d', 'g.a')
    await again()
    expect(await statuses()).toEqual(['live', 'live', 'gone', 'gone'])
    expect((await find('g.a.d')).status).toBe('live')
  })
})
