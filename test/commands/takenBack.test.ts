import { describe, expect, test } from 'vitest'
import type { Ask, WriteSideOptions } from '../support/writeSide.ts'
import {
  before,
  beforeNextAppend,
  creating,
  lineOf,
  openWriteSide,
  patching,
  removing,
  restoring,
  unconditional,
  upserting,
} from '../support/writeSide.ts'
import { finishCascades } from '../../src/commands/cascade.ts'
import { execute } from '../../src/commands/execute.ts'
import { hidingId } from '../../src/commands/overtaken/hiding.ts'
import { revealHidden } from '../../src/commands/overtaken/revealing.ts'
import type { Entity } from '../../src/commands/evolve.ts'
import type { EventType, RecordedEvent } from '../../src/events/events.ts'

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
        const others = [restoring('glossary', 'g'), restoring('glossaryTerm', 'g.a')]
        for (const one of others) await ask(one)
      }
    })
    await expect(ask(restoring('glossaryTerm', 'g.a'))).rejects.toMatchObject({ code: 'invalid' })
    expect(await statusOf('g.a')).toBe('live')
  })

  test('takes back nothing of a restore that came right before it looked, in the same process', async () => {
    const { ask, given, context, find, statusOf } = await openGlossary()
    await given(creating('glossaryTerm', 'g.a'), removing('glossaryTerm', 'g.a'))
    const glossary = (await find('glossary', 'g')) as Entity
    const [reached, queuedBehind] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { projected, queued } = context
    let second: Promise<unknown> | undefined
    beforeNextAppend(context, async () => {
      await ask(removing('glossary', 'g'))
      context.projected = async (position) => {
        context.projected = projected
        await projected(position)
        await finishCascades(context, [glossary.id])
        await ask(restoring('glossary', 'g'))
        beforeNextAppend(context, () => {
          reached.resolve()
          return queuedBehind.promise
        })
        second = ask(restoring('glossaryTerm', 'g.a'))
        await reached.promise
        context.queued = (key, work) => {
          const result = queued(key, work)
          queuedBehind.resolve()
          return result
        }
      }
    })
    await expect(ask(restoring('glossaryTerm', 'g.a'))).rejects.toMatchObject({ code: 'invalid' })
    await second
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

type Side = Awaited<ReturnType<typeof openWriteSide>>

/** Lets a request end right after its append, as if its process had ended. */
const endingAfterAppend = async ({ context, ask, project }: Side, asked: Ask): Promise<void> => {
  const { projected } = context
  const { append } = context.log
  const own: typeof append = async (appends) => {
    context.log = { ...context.log, append }
    const outcomes = await append(appends)
    context.projected = async () => {
      throw new Error('the process has ended')
    }
    return outcomes
  }
  context.log = { ...context.log, append: own }
  await expect(ask(asked)).rejects.toThrow('the process has ended')
  context.projected = projected
  await project()
}

describe('what a process that ended right after its append had begun below what had just been deleted', () => {
  for (const hard of [false, true]) {
    test(`is taken back in the name of its request${hard ? ', below what is gone too' : ', and no restore brings it to life'}`, async () => {
      const side = await openGlossary()
      beforeNextAppend(side.context, () => side.ask(removing('glossary', 'g', { hard })))
      await endingAfterAppend(side, creating('glossaryTerm', 'g.a'))
      expect(await side.statusOf('g.a')).toBe('live')
      await side.settle()
      const [made, taken] = (await side.events()).slice(-2)
      expect([made?.type, taken?.type]).toEqual(['Created', 'HardDeleted'])
      expect(taken?.metadata).toMatchObject({ correlationId: made?.metadata.correlationId, causationId: made?.id })
      if (!hard) await side.ask(restoring('glossary', 'g'))
      expect(await side.statusOf('g.a')).toBe('gone')
    })
  }

  test('is taken back also where the deletion began further above, and what was there before goes with it', async () => {
    const side = await openGlossary()
    await side.given(creating('glossaryTerm', 'g.p'), creating('glossaryTerm', 'g.p.before'))
    const deletion = '3b241101-e2bb-4255-8caf-4136c566a962'
    beforeNextAppend(side.context, () => side.only('glossary', 'g', { type: 'SoftDelete', deletion }))
    await endingAfterAppend(side, creating('glossaryTerm', 'g.p.late'))
    await side.settle()
    const statuses = async () => Promise.all(['g', 'g.p', 'g.p.before', 'g.p.late'].map(side.statusOf))
    expect(await statuses()).toEqual(['deleted', 'deleted', 'deleted', 'gone'])
    await side.ask(restoring('glossary', 'g'))
    expect(await statuses()).toEqual(['live', 'live', 'live', 'gone'])
  })

  test('is what it was when it had come back', async () => {
    for (const asked of [restoring('glossaryTerm', 'g.a'), upserting('glossaryTerm', 'g.a', { description: 'new' })]) {
      const side = await openGlossary()
      await side.given(creating('glossaryTerm', 'g.a', { description: 'old' }), removing('glossaryTerm', 'g.a'))
      const { deletion, members } = (await side.find('glossaryTerm', 'g.a')) ?? {}
      beforeNextAppend(side.context, () => side.ask(removing('glossary', 'g')))
      await endingAfterAppend(side, asked)
      await side.settle()
      const back = { status: 'deleted', deletion, inherited: false, members }
      expect(await side.find('glossaryTerm', 'g.a')).toMatchObject(back)
      await side.ask(restoring('glossary', 'g'))
      expect(await side.find('glossaryTerm', 'g.a')).toMatchObject(back)
    }
  })

  for (const [how, back] of [
    ['restored', restoring('glossary', 'g')],
    ['restored by an upsert', upserting('glossary', 'g', { description: 'new' })],
  ] as const) {
    test(`is taken back also where what stands above is ${how} before anybody has found it`, async () => {
      const side = await openGlossary()
      await side.given(creating('glossaryTerm', 'g.p'), creating('glossaryTerm', 'g.p.before'))
      const deletion = '3b241101-e2bb-4255-8caf-4136c566a962'
      beforeNextAppend(side.context, () => side.only('glossary', 'g', { type: 'SoftDelete', deletion }))
      await endingAfterAppend(side, creating('glossaryTerm', 'g.p.late'))
      await side.ask(back)
      expect(await Promise.all(['g', 'g.p', 'g.p.before', 'g.p.late'].map(side.statusOf))).toEqual([
        'live',
        'live',
        'live',
        'gone',
      ])
      const made = (await side.events()).find(({ metadata }) => metadata.fullyQualifiedName === 'g.p.late')
      expect((await side.events()).at(-1)).toMatchObject({
        type: 'HardDeleted',
        metadata: { correlationId: made?.metadata.correlationId, causationId: made?.id },
      })
    })
  }

  test('is taken back also where a request takes back what it has hidden', async () => {
    const side = await openGlossary()
    await side.given(creating('glossaryTerm', 'g.a'))
    const before = (await side.find('glossary', 'g')) as Entity
    const deletion = hidingId()
    beforeNextAppend(side.context, () => side.only('glossary', 'g', { type: 'SoftDelete', deletion }))
    await endingAfterAppend(side, creating('glossaryTerm', 'g.late'))
    await revealHidden(side.context, [before.id])
    expect(await Promise.all(['g', 'g.a', 'g.late'].map(side.statusOf))).toEqual(['live', 'live', 'gone'])
  })

  test('stays when it was there before the deletion that was restored, or came after the restore', async () => {
    const side = await openGlossary()
    await side.given(creating('glossaryTerm', 'g.a'), removing('glossary', 'g', { recursive: true }))
    await side.ask(restoring('glossary', 'g'))
    await side.given(creating('glossaryTerm', 'g.b'), removing('glossaryTerm', 'g.b'), restoring('glossaryTerm', 'g.b'))
    expect(await Promise.all(['g', 'g.a', 'g.b'].map(side.statusOf))).toEqual(['live', 'live', 'live'])
  })

  test('goes with what stands above, and comes back with it, when it was deleted on its own', async () => {
    const side = await openGlossary()
    await side.given(creating('glossaryTerm', 'g.a'))
    beforeNextAppend(side.context, () => side.ask(removing('glossary', 'g', { recursive: true })))
    expect(await outcomeOf(side.ask(removing('glossaryTerm', 'g.a')))).toBe('not_found')
    await side.settle()
    expect(await side.statusOf('g.a')).toBe('deleted')
    await side.ask(restoring('glossary', 'g'))
    expect(await side.statusOf('g.a')).toBe('live')
  })
})

test('nothing is taken back for a contradiction of rows that were read at different moments', async () => {
  const side = await openGlossary()
  const { context, find, given, statusOf } = side
  await given(removing('glossary', 'g'))
  const parent = (await find('glossary', 'g')) as Entity
  await given(restoring('glossary', 'g'), creating('glossaryTerm', 'g.a'))
  const child = (await find('glossaryTerm', 'g.a')) as Entity
  const { contradictions } = context.tree
  const tree: Partial<typeof context.tree> = context.tree
  tree.contradictions = async () => {
    tree.contradictions = contradictions
    return [{ child, parent }]
  }
  await finishCascades(context, [parent.id])
  expect([await statusOf('g'), await statusOf('g.a')]).toEqual(['live', 'live'])
})

describe('a restore that a deletion above had overtaken, and whose process ended right after its append', () => {
  const openOvertaken = async () => {
    const side = await openGlossary()
    const { ask, context, given } = side
    await given(creating('glossaryTerm', 'g.a'), creating('glossaryTerm', 'g.a.b'))
    await ask(removing('glossaryTerm', 'g.a', { recursive: true }))
    beforeNextAppend(context, () => ask(removing('glossary', 'g', { recursive: true })))
    await endingAfterAppend(side, restoring('glossaryTerm', 'g.a'))
    const a = (await side.find('glossaryTerm', 'g.a')) as Entity
    expect([await side.statusOf('g'), a.status, await side.statusOf('g.a.b')]).toEqual(['deleted', 'live', 'deleted'])
    return { ...side, a }
  }

  test('brings nothing back below it: whoever finds it takes it back', async () => {
    const { a, ask, context, events, statusOf } = await openOvertaken()
    const count = (await events()).length
    await finishCascades(context, [a.id])
    expect((await events()).slice(count).map(lineOf)).toEqual(['SoftDeleted glossaryTerm g.a'])
    await ask(restoring('glossary', 'g'))
    expect([await statusOf('g.a'), await statusOf('g.a.b')]).toEqual(['deleted', 'deleted'])
  })

  test('is not what brought back what the next restore brings back', async () => {
    const side = await openOvertaken()
    const { a, ask, context, events, statusOf } = side
    beforeNextAppend(context, async () => {
      await finishCascades(context, [a.parent as string])
      await ask(restoring('glossary', 'g'))
      await endingAfterAppend(side, restoring('glossaryTerm', 'g.a'))
    })
    await finishCascades(context, [a.id])
    expect([await statusOf('g.a'), await statusOf('g.a.b')]).toEqual(['live', 'live'])
    const [below, restore] = (await events()).toReversed()
    expect([below, restore].map((event) => event && lineOf(event))).toEqual([
      'Restored glossaryTerm g.a.b',
      'Restored glossaryTerm g.a',
    ])
    expect(below?.metadata.causationId).toBe(restore?.id)
  })
})

describe('two requests one after the other, both of which a deletion above had overtaken', () => {
  test('leave what was there before both of them, also when the first one is taken back first', async () => {
    for (const second of [restoring('glossaryTerm', 'g.a'), upserting('glossaryTerm', 'g.a', { description: 'new' })]) {
      const side = await openGlossary()
      const { ask, context, given, find, statusOf } = side
      await given(creating('glossaryTerm', 'g.a', { description: 'old' }))
      const live = (await find('glossary', 'g')) as Entity
      const [appended, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const { lookup, projected } = context
      const other: typeof context = {
        ...context,
        // Another process, which has not been told yet that the glossary is deleted.
        lookup: async (ids) => new Map(await lookup(ids)).set(live.id, live),
        projected: async (position) => {
          appended.resolve()
          await answered.promise
          Object.assign(other, { lookup, projected })
          await projected(position)
        },
      }
      let after: Promise<string> | undefined
      beforeNextAppend(context, async () => {
        await side.only('glossary', 'g', { type: 'SoftDelete', deletion: '3b241101-e2bb-4255-8caf-4136c566a962' })
        context.projected = async (position) => {
          context.projected = projected
          await projected(position)
          after = outcomeOf(execute(other, second(other)))
          await appended.promise
          await projected(position)
        }
      })
      const first = await outcomeOf(ask(removing('glossaryTerm', 'g.a')))
      answered.resolve()
      expect([first, await after]).toEqual(['not_found', 'invalid'])
      await ask(restoring('glossary', 'g'))
      expect(await statusOf('g.a')).toBe('live')
      expect((await find('glossaryTerm', 'g.a'))?.members).toMatchObject({ description: 'old' })
    }
  })
})

describe('a delete without recursive whose process ended before it could look below', () => {
  const openWithChild = async () => {
    const side = await openBefore('SoftDeleted', () => child())
    const child = () => side.ask(creating('glossaryTerm', 'g.a'))
    return side
  }

  test('is taken back in the name of its request when something had come below before it', async () => {
    const side = await openWithChild()
    await endingAfterAppend(side, removing('glossary', 'g'))
    expect(await side.statusOf('g')).toBe('deleted')
    await side.settle()
    expect([await side.statusOf('g'), await side.statusOf('g.a')]).toEqual(['live', 'live'])
    const [hidden, back] = (await side.events()).slice(-2)
    expect([hidden?.type, back?.type]).toEqual(['SoftDeleted', 'Restored'])
    expect(back?.metadata).toMatchObject({ correlationId: hidden?.metadata.correlationId, causationId: hidden?.id })
  })

  test('stays when nothing had: what comes below after it is taken back', async () => {
    const side = await openGlossary()
    await endingAfterAppend(side, removing('glossary', 'g'))
    await side.settle()
    expect(await side.statusOf('g')).toBe('deleted')
    expect((await side.lines()).at(-1)).toBe('SoftDeleted glossary g')
  })

  test('takes nothing along either where a restore of it is taken back, because what stands above was deleted', async () => {
    const side = await openGlossary(before('SoftDeleted', () => side.ask(creating('glossaryTerm', 'g.a.b'))))
    const { ask, context, given, settle, statusOf } = side
    await given(creating('glossaryTerm', 'g.a'))
    await endingAfterAppend(side, removing('glossaryTerm', 'g.a'))
    expect([await statusOf('g.a'), await statusOf('g.a.b')]).toEqual(['deleted', 'live'])
    beforeNextAppend(context, () => ask(removing('glossary', 'g', { recursive: true })))
    expect(await outcomeOf(ask(restoring('glossaryTerm', 'g.a')))).toBe('invalid')
    await settle()
    const ofTerm = ({ type, metadata }: RecordedEvent) => metadata.fullyQualifiedName === 'g.a' && type !== 'Created'
    const [deleted, restored, ...more] = (await side.events()).filter(ofTerm)
    expect(more.map(({ type, metadata: { correlationId } }) => [type, correlationId]).slice(0, 2)).toEqual([
      ['SoftDeleted', restored?.metadata.correlationId],
      ['Restored', deleted?.metadata.correlationId],
    ])
    await ask(restoring('glossary', 'g'))
    expect([await statusOf('g.a'), await statusOf('g.a.b')]).toEqual(['live', 'live'])
  })

  test('is refused by its request, too, when others have taken it back and what was below is gone since', async () => {
    const side = await openWithChild()
    const { context, ask, settle, statusOf } = side
    const { projected } = context
    let appended = false
    const { append } = context.log
    context.log = {
      ...context.log,
      append: async (appends) => {
        const outcomes = await append(appends)
        if (appends[0]?.events[0]?.type === 'SoftDeleted' && !appended) {
          appended = true
          context.projected = async (position) => {
            context.projected = projected
            await projected(position)
            await settle()
            await ask(removing('glossaryTerm', 'g.a'))
          }
        }
        return outcomes
      },
    }
    expect(await outcomeOf(ask(removing('glossary', 'g')))).toBe('invalid')
    expect([await statusOf('g'), await statusOf('g.a')]).toEqual(['live', 'deleted'])
  })

  test('stays with what goes with it without being said', async () => {
    const side = await openWriteSide({ change: unconditional })
    await side.given(creating('messagingService', 'kafka', { serviceType: 'Kafka' }), creating('topic', 'kafka.t'))
    const entity = { type: 'topic', fullyQualifiedName: 'kafka.t' }
    await side.given(creating('dataContract', 'c', { entity }))
    await endingAfterAppend(side, removing('topic', 'kafka.t'))
    await side.settle()
    const lines = (await side.lines()).slice(-2)
    expect(lines[0]).toBe('SoftDeleted topic kafka.t')
    expect(lines[1]).toMatch(/^SoftDeleted dataContract .*\(inherited\)$/)
  })
})

describe('a delete with recursive by somebody who may not delete some kind below, whose process ended before it could look', () => {
  const [service, database, schema] = [
    ['databaseService', 's'],
    ['database', 's.d'],
    ['databaseSchema', 's.d.c'],
  ] as const
  const table = ['table', 's.d.c.t'] as const

  /** A service down to a schema, and what happens right before its deletion by somebody who may not delete tables. */
  const openDatabases = async (happens: (side: Side) => Promise<unknown>) => {
    const side: Side = await openWriteSide({
      change: (log) => before('SoftDeleted', () => happens(side))(unconditional(log)),
    })
    await side.given(creating(...service, { serviceType: 'Mysql' }), creating(...database), creating(...schema))
    const statuses = () =>
      Promise.all([service, database, schema, table].map(async ([kind, fqn]) => (await side.find(kind, fqn))?.status))
    const asked = removing(...service, { recursive: true, spared: [side.context.kindNamed('table')] })
    return { side, statuses, asked }
  }

  test('is taken back, with all that went with it, when such a child had come before it, however deep', async () => {
    const { side, statuses, asked } = await openDatabases(({ ask }) => ask(creating(...table)))
    await endingAfterAppend(side, asked)
    await side.settle()
    expect(await statuses()).toEqual(['live', 'live', 'live', 'live'])
    expect((await side.lines()).filter((line) => line.includes(' table '))).toEqual(['Created table s.d.c.t'])
    const [deleted, back] = (await side.events()).filter(
      ({ type, metadata: { kind } }) => kind === 'databaseService' && type !== 'Created',
    )
    expect([deleted?.type, back?.type]).toEqual(['SoftDeleted', 'Restored'])
    expect(back?.metadata).toMatchObject({ correlationId: deleted?.metadata.correlationId, causationId: deleted?.id })
  })

  test('stays when nothing such had: what came before goes with it, and such a child that comes after it is taken back', async () => {
    const { side, statuses, asked } = await openDatabases(async () => undefined)
    const { projected } = side.context
    await endingAfterAppend(side, asked)
    const hidden = (await side.find(...service)) as Entity
    const { lookup, refer } = side.context
    // Another process, which has not been told yet that the service is deleted.
    const live = { ...hidden, status: 'live', deletion: undefined } as const
    side.context.lookup = async (ids) => {
      const found = new Map(await lookup(ids))
      return found.has(hidden.id) ? found.set(hidden.id, live) : found
    }
    side.context.refer = async (ids) => {
      const found = new Map(await refer(ids))
      return found.has(hidden.id) ? found.set(hidden.id, { ...live, facts: {} }) : found
    }
    await endingAfterAppend(side, creating(...table))
    Object.assign(side.context, { lookup, refer, projected })
    expect(await statuses()).toEqual(['deleted', 'live', 'live', 'live'])
    await side.settle()
    expect(await statuses()).toEqual(['deleted', 'deleted', 'deleted', 'gone'])
    await side.ask(restoring(...service))
    expect(await statuses()).toEqual(['live', 'live', 'live', 'gone'])
  })

  test('is refused by its request, too, when others have taken it back and the child is gone since', async () => {
    const { side, statuses, asked } = await openDatabases(({ ask }) => ask(creating(...table)))
    const { context, ask, settle } = side
    const { append } = context.log
    const { projected } = context
    context.log = {
      ...context.log,
      append: async (appends) => {
        const outcomes = await append(appends)
        if (appends[0]?.events[0]?.type !== 'SoftDeleted') return outcomes
        context.log = { ...context.log, append }
        context.projected = async (position) => {
          context.projected = projected
          await projected(position)
          await settle()
          await ask(removing(...table, { hard: true }))
        }
        return outcomes
      },
    }
    expect(await outcomeOf(ask(asked))).toBe('forbidden')
    expect(await statuses()).toEqual(['live', 'live', 'live', 'gone'])
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
