import { describe, expect, test } from 'vitest'
import type { Ask, WriteSideOptions } from '../support/writeSide.ts'
import {
  before,
  beforeNextAppend,
  creating,
  openWriteSide,
  patching,
  removing,
  restoring,
  unconditional,
  upserting,
} from '../support/writeSide.ts'
import type { EventType } from '../../src/events/events.ts'

/** A glossary `g` on a log that, like EventStoreDB, cannot make an append depend on what happened elsewhere in it. */
const openGlossary = async (change: WriteSideOptions['change'] = (log) => log) => {
  const side = await openWriteSide({ change: (log) => change(unconditional(log)) })
  await side.given(creating('glossary', 'g'))
  const statusOf = async (fqn: string) => (await side.find(fqn === 'g' ? 'glossary' : 'glossaryTerm', fqn))?.status
  return { ...side, statusOf }
}

/** The same, and what happens right before the first event of a type. */
const openBefore = async (type: EventType, happens: () => Promise<unknown>) => openGlossary(before(type, happens))

const outcomeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'done',
    ({ code }: { code: string }) => code,
  )

describe('a child that comes below what has just been deleted', () => {
  test('is refused, and no restore brings it to life', async () => {
    const { ask, context, statusOf } = await openGlossary()
    beforeNextAppend(context, () => ask(removing('glossary', 'g')))
    await expect(ask(creating('glossaryTerm', 'g.a'))).rejects.toMatchObject({ code: 'invalid' })
    expect(await statusOf('g.a')).toBe('gone')
    await ask(restoring('glossary', 'g'))
    expect(await statusOf('g.a')).toBe('gone')
    await ask(creating('glossaryTerm', 'g.a'))
    expect(await statusOf('g.a')).toBe('live')
  })

  test('is refused also when the cascade has taken it first, or what stands above is there again', async () => {
    const between: Ask[][] = [
      [],
      [restoring('glossary', 'g')],
      [restoring('glossary', 'g'), removing('glossary', 'g', { recursive: true })],
    ]
    for (const meanwhile of between) {
      const { ask, context, settle, statusOf } = await openGlossary()
      const { projected } = context
      beforeNextAppend(context, async () => {
        await ask(removing('glossary', 'g'))
        context.projected = async (position) => {
          context.projected = projected
          await projected(position)
          await settle()
          for (const one of meanwhile) await ask(one)
        }
      })
      await expect(ask(creating('glossaryTerm', 'g.a'))).rejects.toMatchObject({ code: 'invalid' })
      if ((await statusOf('g')) === 'deleted') await ask(restoring('glossary', 'g'))
      expect(await statusOf('g.a')).toBe('gone')
    }
  })

  test('is refused among many, which are made', async () => {
    const { ask, askAll, given, context, statusOf, find } = await openGlossary()
    await given(creating('glossary', 'h'))
    beforeNextAppend(context, () => ask(removing('glossary', 'g')))
    const { taken } = await askAll([creating('glossaryTerm', 'g.a'), creating('glossaryTerm', 'h.a')])
    expect(taken.map((one) => 'result' in one)).toEqual([false, true])
    expect([await statusOf('g.a'), (await find('glossaryTerm', 'h.a'))?.status]).toEqual(['gone', 'live'])
  })

  test('is refused when it was to come back, and is what it was', async () => {
    const { ask, given, context, find, statusOf } = await openGlossary()
    await given(creating('glossaryTerm', 'g.a', { description: 'old' }), removing('glossaryTerm', 'g.a'))
    for (const asked of [restoring('glossaryTerm', 'g.a'), upserting('glossaryTerm', 'g.a', { description: 'new' })]) {
      const was = await find('glossaryTerm', 'g.a')
      beforeNextAppend(context, () => ask(removing('glossary', 'g')))
      await expect(ask(asked)).rejects.toMatchObject({ code: 'invalid' })
      await ask(restoring('glossary', 'g'))
      const { status, deletion, inherited, members } = (await find('glossaryTerm', 'g.a')) ?? {}
      expect({ status, deletion, inherited, members }).toEqual({
        status: 'deleted',
        deletion: was?.deletion,
        inherited: false,
        members: was?.members,
      })
    }
    expect(await statusOf('g')).toBe('live')
  })

  test('is refused when it was to come back, and stays where somebody else brought it back since', async () => {
    const { ask, given, context, statusOf } = await openGlossary()
    await given(creating('glossaryTerm', 'g.a'), removing('glossaryTerm', 'g.a'))
    const { projected } = context
    beforeNextAppend(context, async () => {
      await ask(removing('glossary', 'g'))
      context.projected = async (position) => {
        context.projected = projected
        await projected(position)
        const others = [restoring('glossary', 'g'), removing('glossaryTerm', 'g.a'), restoring('glossaryTerm', 'g.a')]
        for (const one of others) await ask(one)
      }
    })
    await expect(ask(restoring('glossaryTerm', 'g.a'))).rejects.toMatchObject({ code: 'invalid' })
    expect(await statusOf('g.a')).toBe('live')
  })

  test('a child that was deleted on its own goes with what stands above, and comes back with it', async () => {
    const { ask, given, context, statusOf } = await openGlossary()
    await given(creating('glossaryTerm', 'g.a'))
    beforeNextAppend(context, () => ask(removing('glossary', 'g', { recursive: true })))
    const outcome = outcomeOf(ask(removing('glossaryTerm', 'g.a')))
    expect(await outcome).toBe('not_found')
    await ask(restoring('glossary', 'g'))
    expect(await statusOf('g.a')).toBe('live')
  })

  test('is not refused when the deletion came after it: it goes with that, and comes back with it', async () => {
    const { ask, context, statusOf } = await openGlossary()
    const { projected } = context
    context.projected = async (position) => {
      context.projected = projected
      await projected(position)
      await ask(removing('glossary', 'g', { recursive: true }))
    }
    await ask(creating('glossaryTerm', 'g.a'))
    expect(await statusOf('g.a')).toBe('deleted')
    await ask(restoring('glossary', 'g'))
    expect(await statusOf('g.a')).toBe('live')
  })

  test('is not refused because what stands above was made in the same append', async () => {
    const { askAll } = await openGlossary((log) => ({
      ...log,
      append: async (appends) => (await log.append(appends.toReversed())).toReversed(),
    }))
    const { taken } = await askAll([creating('glossaryTerm', 'g.a'), creating('glossaryTerm', 'g.a.b')])
    expect(taken.map((one) => 'result' in one)).toEqual([true, true])
  })
})

describe('a delete without recursive, after which something has come below', () => {
  for (const hard of [false, true]) {
    test(`is refused and taken back${hard ? ', for good too' : ''}`, async () => {
      const { ask, statusOf, lines } = await openBefore('SoftDeleted', () => child())
      const child = () => ask(creating('glossaryTerm', 'g.a'))
      await expect(ask(removing('glossary', 'g', { hard }))).rejects.toMatchObject({ code: 'invalid' })
      expect([await statusOf('g'), await statusOf('g.a')]).toEqual(['live', 'live'])
      expect(await lines()).toEqual([
        'Created glossary g',
        'Created glossaryTerm g.a',
        'SoftDeleted glossary g',
        'Restored glossary g',
      ])
    })
  }

  test('is taken back also when others took the child with it meanwhile, and that comes back', async () => {
    const { ask, context, settle, statusOf } = await openBefore('SoftDeleted', async () => {
      await ask(creating('glossaryTerm', 'g.a'))
      const { projected } = context
      context.projected = async (position) => {
        context.projected = projected
        await projected(position)
        await settle()
      }
    })
    await expect(ask(removing('glossary', 'g'))).rejects.toMatchObject({ code: 'invalid' })
    expect([await statusOf('g'), await statusOf('g.a')]).toEqual(['live', 'live'])
  })

  test('is not refused because of what came when it was hidden: that is', async () => {
    const outcomes: string[] = []
    const { ask, statusOf, lines } = await openBefore('HardDeleted', async () =>
      outcomes.push(await outcomeOf(ask(creating('glossaryTerm', 'g.a')))),
    )
    await ask(removing('glossary', 'g', { hard: true }))
    expect([...outcomes, await statusOf('g'), await statusOf('g.a')]).toEqual(['invalid', 'gone', undefined])
    expect(await lines()).toEqual(['Created glossary g', 'SoftDeleted glossary g', 'HardDeleted glossary g'])
  })

  test('hides again what somebody brought back before it was gone, and looks below again', async () => {
    const { ask, context, statusOf } = await openBefore('HardDeleted', async () => {
      context.queued = (_, work) => work(undefined, false)
      await ask(restoring('glossary', 'g'))
      await ask(creating('glossaryTerm', 'g.a'))
    })
    await expect(ask(removing('glossary', 'g', { hard: true }))).rejects.toMatchObject({ code: 'invalid' })
    expect([await statusOf('g'), await statusOf('g.a')]).toEqual(['live', 'live'])
  })

  test('a delete of somebody who may not delete some kind below is taken back too', async () => {
    for (const hard of [false, true]) {
      const { ask, context, statusOf } = await openBefore('SoftDeleted', () => child())
      const child = () => ask(creating('glossaryTerm', 'g.a'))
      const spared = [context.kindNamed('glossaryTerm')]
      const asked = ask(removing('glossary', 'g', { recursive: true, hard, spared }))
      await expect(asked).rejects.toMatchObject({ code: 'forbidden' })
      expect([await statusOf('g'), await statusOf('g.a')]).toEqual(['live', 'live'])
    }
  })

  test('is one event where nothing can stand below', async () => {
    const { ask, given, lines } = await openGlossary()
    await given(creating('user', 'bob'), patching('user', 'bob', { description: 'd' }))
    await ask(removing('user', 'bob', { hard: true }))
    expect((await lines()).at(-1)).toBe('HardDeleted user bob')
    expect((await lines()).filter((line) => line === 'SoftDeleted user bob')).toEqual([])
  })
})
