import { passThroughQueue } from '../../src/commands/unitOfWork/streamQueue.ts'
import { describe, expect, test } from 'vitest'
import type { Ask } from '../support/writeSide.ts'
import {
  before,
  beforeNextAppend,
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
import { execute } from '../../src/commands/requests/execute.ts'
import { commit } from '../../src/commands/unitOfWork/unitOfWork.ts'
import { DomainError } from '../../src/commands/errors.ts'
import type { Entity } from '../../src/commands/evolve.ts'
import { write } from '../../src/commands/requests/createOrUpdate.ts'
import { entityId } from '../../src/kinds/names.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { readRequest } from '../../src/kinds/request/requestSchema.ts'
import type { EventType } from '../../src/events/events.ts'
import type { EventStore } from '../../src/events/eventStore.ts'

/** A glossary `g`, and what happens right before the first event of a type is appended to the log. */
const openGlossary = async (type: EventType, ...meanwhile: Ask[]) => {
  const happen = async (): Promise<void> => {
    for (const asked of meanwhile) await side.ask(asked)
  }
  const side = await openWriteSide({ change: before(type, happen) })
  await side.given(creating('glossary', 'g'))
  return side
}

describe('a parent that comes while it is looked up', () => {
  /** The parent is not there yet where it is looked up whole, and is a moment later, as others refer to it. */
  const openWithout = async () => {
    const side = await openWriteSide()
    await side.given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'))
    const { context } = side
    const { lookup, prefetch } = context
    const without = <T>(found: ReadonlyMap<string, T>): Map<string, T> =>
      new Map([...found].filter(([, each]) => (each as { kind?: string }).kind !== 'glossary'))
    context.lookup = async (...asked) => {
      context.lookup = lookup
      return without(await lookup(...asked))
    }
    context.prefetch = async (ids) => {
      context.prefetch = prefetch
      const { found, left } = await prefetch(ids)
      return { found: without(found), left }
    }
    return side
  }
  const refused = { code: 'invalid', problems: [{ message: expect.stringContaining('does not exist') as unknown }] }

  test('was not there for a request of its own', async () => {
    const { ask } = await openWithout()
    await expect(ask(creating('glossaryTerm', 'g.b'))).rejects.toMatchObject(refused)
  })

  test('was not there for one of many', async () => {
    const { askAll } = await openWithout()
    const { summaries } = await askAll([upserting('glossaryTerm', 'g.b')])
    expect(summaries).toMatchObject([{ error: refused }])
  })
})

test('a delete without recursive goes on when what came has gone again, and when something came elsewhere', async () => {
  const { ask, lines } = await openGlossary(
    'SoftDeleted',
    creating('glossaryTerm', 'g.a'),
    removing('glossaryTerm', 'g.a', { hard: true }),
    creating('glossary', 'h'),
  )
  await ask(removing('glossary', 'g'))
  expect((await lines()).at(-1)).toBe('SoftDeleted glossary g')
})

test('a child that comes while its parent goes is refused also when it was to be brought back among many', async () => {
  const { given, ask, askAll, context, lines } = await openWriteSide()
  await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'), removing('glossaryTerm', 'g.a'))
  beforeNextAppend(context, () => ask(removing('glossary', 'g')))
  const { summaries } = await askAll([
    upserting('glossaryTerm', 'g.a', { description: 'd' }),
    upserting('glossary', 'h'),
  ])
  expect(summaries.map((one) => 'result' in one)).toEqual([false, true])
  await ask(restoring('glossary', 'g'))
  expect((await lines()).slice(3).filter((line) => line !== 'Created glossary h')).toEqual([
    'SoftDeleted glossary g',
    'Restored glossary g',
  ])
})

const nested = [
  creating('databaseService', 's', { serviceType: 'Mysql' }),
  creating('database', 's.d'),
  creating('databaseSchema', 's.d.c'),
]
const deletion = '3b241101-e2bb-4255-8caf-4136c566a962'

describe('a child that comes far below what goes', () => {
  const ancestorIsDeleted = /databaseService s, its ancestor, is deleted/

  test('is refused while the deletion has not reached its parent yet, and so is what would come back there', async () => {
    const { given, only, when } = await openWriteSide()
    await given(...nested, creating('databaseSchema', 's.d.gone'), removing('databaseSchema', 's.d.gone'))
    await only('databaseService', 's', { type: 'SoftDelete', deletion })
    const schema = ['databaseSchema', 's.d.gone'] as const
    for (const asked of [creating('table', 's.d.c.t', { columns: [] }), restoring(...schema), upserting(...schema)])
      await when(asked).refused('invalid', ancestorIsDeleted)
  })

  test('is not deleted on its own: it goes with the deletion, and comes back with its restore', async () => {
    const { given, only, when, ask, find } = await openWriteSide()
    await given(...nested)
    await only('databaseService', 's', { type: 'SoftDelete', deletion })
    await when(removing('databaseSchema', 's.d.c')).refused('not_found')
    await ask(restoring('databaseService', 's'))
    expect((await find('databaseSchema', 's.d.c'))?.status).toBe('live')
  })

  test('is refused below what an ended life has left behind', async () => {
    const { given, only, when, find } = await openWriteSide()
    await given(...nested)
    await only('databaseService', 's', { type: 'HardDelete', deletion })
    const born = (await find('databaseService', 's'))?.revision ?? 0n
    const location = {
      id: (await find('databaseService', 's'))?.id ?? '',
      name: 's',
      fullyQualifiedName: 's',
      parent: undefined,
    }
    await only('databaseService', 's', { type: 'Create', location, members: { serviceType: 'Mysql' } })
    expect((await find('databaseService', 's'))?.born).toBe(born + 1n)
    await when(creating('table', 's.d.c.t', { columns: [] })).refused('invalid', ancestorIsDeleted)
  })

  test('goes with the ended life before the next one begins', async () => {
    const { given, only, when } = await openWriteSide()
    await given(...nested)
    await only('databaseService', 's', { type: 'HardDelete', deletion })
    await when(creating('databaseService', 's', { serviceType: 'Mysql' })).makes(
      'HardDeleted database s.d (inherited)',
      'HardDeleted databaseSchema s.d.c (inherited)',
      'Created databaseService s',
    )
  })
})

describe('a change far below what is deleted', () => {
  const given = [
    creating('user', 'ann'),
    ...nested,
    creating('table', 's.d.c.t', { columns: [] }),
    creating('table', 's.d.c.u', { columns: [] }),
  ]
  const changes: [string, Ask, 'invalid' | 'not_found'][] = [
    ['POST', creating('table', 's.d.c.v', { columns: [] }), 'invalid'],
    ['PATCH', patching('table', 's.d.c.t', { description: 'new' }), 'not_found'],
    ['PUT', upserting('table', 's.d.c.t', { columns: [], description: 'new' }), 'invalid'],
    ['vote', voting('table', 's.d.c.t', 'votedUp'), 'not_found'],
    ['follow', following('table', 's.d.c.t', 'ann'), 'not_found'],
    ['statement of lineage', stating('table', 's.d.c.t', ['table', 's.d.c.u']), 'not_found'],
  ]
  const deletions = ['SoftDelete', 'HardDelete'] as const

  for (const [name, ask, code] of changes)
    for (const type of deletions) {
      test(`a ${name} is refused before the ${type} of its root has reached it`, async () => {
        const side = await openWriteSide({ caller: 'ann' })
        await side.given(...given)
        await side.only('databaseService', 's', { type, deletion })
        const before = await side.lines()
        await expect(side.ask(ask)).rejects.toMatchObject({ code })
        expect(await side.lines()).toEqual(before)
      })

      test(`a ${name} is refused when the ${type} of its root comes right before its append`, async () => {
        const side = await openWriteSide({ caller: 'ann' })
        await side.given(...given)
        const before = await side.lines()
        beforeNextAppend(side.context, () => side.only('databaseService', 's', { type, deletion }))
        await expect(side.ask(ask)).rejects.toMatchObject({ code })
        expect((await side.lines()).slice(0, before.length + 1).at(-1)).toBe(`${type}d databaseService s`)
        expect(await side.lines()).toHaveLength(before.length + 1)
      })
    }
})

describe('an answer that appends nothing', () => {
  /** A term `g.a`, look-ups that stay where they are until they are let go, and the first step of requests. */
  const openBehind = async (...given: Ask[]) => {
    const side = await openWriteSide()
    await side.given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'), ...given)
    const { context } = side
    const { waitForPosition } = context
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    context.waitForPosition = async (position) => {
      await released
      await waitForPosition(position)
    }
    const begin = (asked: Ask) => commit(context, asked(context))
    const describing = upserting('glossaryTerm', 'g.a', { description: 'new' })
    return { ...side, begin, describing, release }
  }

  /** The first finds at its append that it does not hold any more, and the second is answered on the same. */
  const expectBothRefused = async (both: readonly Promise<unknown>[], release: () => void): Promise<void> => {
    const ended = Promise.allSettled(both)
    release()
    expect(await ended).toMatchObject(both.map(() => ({ status: 'rejected', reason: { code: 'invalid' } })))
  }

  test('is given when reads show what it says', async () => {
    const { begin, describing, release } = await openBehind()
    const order: string[] = []
    const [first, second] = [begin(describing), begin(describing)]
    void second.then(() => order.push('answered'))
    await first
    await new Promise(setImmediate)
    order.push('released')
    release()
    expect((await second).changed).toBe(false)
    expect(order).toEqual(['released', 'answered'])
  })

  test('is given on what stands around an entity as it is, not on what look-ups said before', async () => {
    const { begin, context, describing, release, lines } = await openBehind()
    beforeNextAppend(context, () => begin(removing('glossary', 'g', { hard: true, recursive: true })))
    await expectBothRefused([begin(describing), begin(describing)], release)
    expect((await lines()).slice(2)).toEqual(['HardDeleted glossary g'])
  })

  test('is given on references as they are', async () => {
    const { begin, context, release } = await openBehind(creating('team', 'x'))
    const owned = upserting('glossaryTerm', 'g.a', { owners: [{ type: 'team', fullyQualifiedName: 'x' }] })
    beforeNextAppend(context, () => begin(removing('team', 'x', { hard: true })))
    await expectBothRefused([begin(owned), begin(owned)], release)
  })

  test('is given for an item of many on what became of the items before it', async () => {
    const { given, askAll, context, find } = await openWriteSide()
    await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a', { description: 'old' }))
    beforeNextAppend(context, async () => {
      await given(removing('glossary', 'g', { hard: true, recursive: true }))
    })
    const same = upserting('glossaryTerm', 'g.a', { description: 'new' })
    const { summaries } = await askAll([same, same, creating('glossary', 'h')])
    expect(summaries.map((one) => 'result' in one)).toEqual([false, false, true])
    expect((await find('glossaryTerm', 'g.a'))?.status).toBe('gone')
  })

  test('is given for an item of many on its entity as the log has it, not on what reads still show', async () => {
    const { given, askAll, context, find } = await openWriteSide()
    await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a', { description: 'old' }))
    await commit(context, upserting('glossaryTerm', 'g.a', { description: 'new' })(context))
    const { summaries } = await askAll([
      upserting('glossaryTerm', 'g.a', { description: 'old' }),
      creating('glossary', 'h'),
    ])
    expect(summaries).toMatchObject([{ result: { changed: true } }, { result: { changed: true } }])
    expect((await find('glossaryTerm', 'g.a'))?.members['description']).toBe('old')
  })
})

describe('a request that met another', () => {
  test('is refused at once when its entity ended before and its parent ended meanwhile', async () => {
    const { given, ask, context } = await openWriteSide()
    await given(
      creating('glossary', 'g'),
      creating('glossaryTerm', 'g.a'),
      removing('glossaryTerm', 'g.a', { hard: true }),
    )
    beforeNextAppend(context, () => ask(removing('glossary', 'g')))
    await expect(ask(creating('glossaryTerm', 'g.a'))).rejects.toMatchObject({ code: 'invalid' })
  })

  test('a request that met one of another process is decided again on what that left', async () => {
    const { ask, find, context } = await openGlossary('Updated', patching('glossary', 'g', { displayName: 'G' }))
    const queued = context.streamQueue
    context.streamQueue = passThroughQueue
    await ask(patching('glossary', 'g', { description: 'd' }))
    context.streamQueue = queued
    expect((await find('glossary', 'g'))?.members).toMatchObject({ displayName: 'G', description: 'd' })
  })

  test('that somebody else carried out a moment before, as cascades do, is what the log has of it', async () => {
    let now = 0
    const { given, context, find } = await openWriteSide({ machine: () => (now += 1000) })
    await given(creating('glossary', 'g'))
    context.streamQueue = passThroughQueue
    const request = patching('glossary', 'g', { description: 'd' })(context)
    beforeNextAppend(context, () => execute(context, request))
    const { entity } = await execute(context, request)
    const { updatedAt, hash } = (await find('glossary', 'g')) ?? {}
    expect({ updatedAt: entity.updatedAt, hash: entity.hash }).toEqual({ updatedAt, hash })
  })

  describe('that changes the same entity', () => {
    const openCounted = async (options: { maxAppendSize?: number } = {}) => {
      const sizes: number[] = []
      const side = await openWriteSide({
        ...options,
        caller: 'ann',
        change: (log) => ({
          ...log,
          append: (some) => {
            sizes.push(...some.map(({ events }) => events.length))
            return log.append(some)
          },
        }),
      })
      await side.given(creating('user', 'ann'), creating('glossary', 'g'))
      sizes.length = 0
      return { ...side, sizes }
    }

    test('shares an append with all that came meanwhile, each decided on those before it', async () => {
      const { ask, find, sizes } = await openCounted()
      const votes = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'votedUp' : 'votedDown'))
      const results = await Promise.all(votes.map((vote) => ask(voting('glossary', 'g', vote))))
      expect((await find('glossary', 'g'))?.revision).toBe(40n)
      expect(results.map(({ entity }) => Number(entity.revision))).toEqual(votes.map((_, at) => at + 1))
      expect(sizes).toEqual([1, 39])
    })

    test('by PUT creates once and changes it as often as the others ask', async () => {
      const { ask, find } = await openCounted()
      const puts = Array.from({ length: 40 }, (_, at) => ask(upserting('glossary', 'put', { description: `d${at}` })))
      const results = await Promise.all(puts)
      expect(results.filter(({ before }) => before === undefined)).toHaveLength(1)
      expect(results.map(({ entity }) => Number(entity.revision)).toSorted((a, b) => a - b)).toEqual([...puts.keys()])
      expect((await find('glossary', 'put'))?.version).toBe(40)
    })

    test('is told what stands where another one that it shared an append with has done the same', async () => {
      const { ask, sizes } = await openCounted()
      const votes = ['votedDown', 'votedUp', 'votedUp', 'unVoted'] as const
      const results = await Promise.all(votes.map((vote) => ask(voting('glossary', 'g', vote))))
      expect(results.map(({ changed }) => changed)).toEqual([true, true, true, true])
      expect(results.map(({ entity }) => entity.members['upVoters'] ?? [])).toMatchObject([[], [{}], [{}], []])
      expect(sizes).toEqual([1, 2, 1])
    })

    test('is committed alone where all that waits is more than the log takes at once', async () => {
      const { ask, find, sizes } = await openCounted({ maxAppendSize: 3000 })
      const texts = ['one', 'two', 'three']
      const results = texts.map((text) => ask(patching('glossary', 'g', { description: text.padEnd(1500, ' x') })))
      expect((await Promise.all(results)).map(({ entity }) => entity.version)).toEqual([2, 3, 4])
      expect((await find('glossary', 'g'))?.revision).toBe(3n)
      expect(sizes.at(-1)).toBe(1)
    })
  })
})

test('a deletion without recursive finds what a restore has not brought back yet', async () => {
  const side = await openWriteSide()
  await side.given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'))
  await side.given(removing('glossary', 'g', { recursive: true }))
  await side.only('glossary', 'g', { type: 'Restore' })
  await expect(side.ask(removing('glossary', 'g'))).rejects.toMatchObject({ code: 'invalid' })
})

test('a deletion without recursive beside a restore finds what the restore brings back, whatever they share', async () => {
  const side = await openWriteSide()
  await side.given(creating('glossary', 'g'), creating('glossaryTerm', 'g.a'))
  await side.given(removing('glossary', 'g', { recursive: true }))
  // The first one makes the others wait, so that they are decided together.
  const asked = [removing('glossary', 'g'), restoring('glossary', 'g'), removing('glossary', 'g')]
  const outcomes = await Promise.allSettled(asked.map(side.ask))
  expect(outcomes).toMatchObject([
    { reason: { code: 'not_found' } },
    { status: 'fulfilled' },
    { reason: { code: 'invalid' } },
  ])
})

test('requests of several callers that are decided together read schemas each for its own: one that leaves takes nobody along', async () => {
  const { given, context } = await openWriteSide()
  const text = (type: string) => ({
    schemaType: 'Avro',
    schemaText: `{"type":"record","name":"R","fields":[{"name":"a","type":"${type}"}]}`,
  })
  const topic = (type: string) => patching('topic', 'm.t', { messageSchema: text(type) })
  await given(creating('messagingService', 'm', { serviceType: 'Kafka' }), creating('topic', 'm.t'))
  const left = { ...context, readSchema: () => Promise.reject(new Error('left')) }
  const outcomes = await Promise.allSettled(
    ([context, left, context] as const).map((own, at) =>
      execute(own, topic(['long', 'float', 'string'][at] as string)(own)),
    ),
  )
  expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { reason: { message: 'left' } }, { status: 'fulfilled' }])
})

test('a request that meets conflicts again and again is refused alone: those that wait behind it are tried', async () => {
  const change = (log: EventStore): EventStore => ({
    ...log,
    append: async (appends) =>
      appends.some(({ events }) => JSON.stringify(events.map(({ data }) => data)).includes('contested'))
        ? appends.map(({ expected }) => ({ ok: false, actual: expected }))
        : log.append(appends),
  })
  const side = await openWriteSide({ change })
  await side.given(creating('glossary', 'g'))
  const outcomes = await Promise.allSettled(
    ['one', 'contested', 'two'].map((description) => side.ask(patching('glossary', 'g', { description }))),
  )
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect((await side.find('glossary', 'g'))?.members['description']).toBe('two')
})

test('who may not write what came meanwhile is refused, also where its parent is given by its id', async () => {
  const side = await openWriteSide()
  await side.given(creating('glossary', 'g'))
  const definition = kindNamed('glossaryTerm')
  const body = { name: 'a', glossary: { id: entityId('glossary', 'g') } }
  const parsed = readRequest(definition, body, 'upsert')
  const mayWrite = async (entity: Entity | undefined): Promise<void> => {
    if (entity !== undefined) throw new DomainError('forbidden', 'It is not yours.')
  }
  beforeNextAppend(side.context, () => commit(side.context, creating('glossaryTerm', 'g.a')(side.context)))
  const asked = write(side.context, { type: 'Upsert', definition, parsed, mayWrite }, causeOf())
  await expect(execute(side.context, asked)).rejects.toMatchObject({ code: 'forbidden' })
})

test.each([false, true])(
  'lineage that is stated ahead is refused where its asset came and was deleted meanwhile (for good: %s)',
  async (hard) => {
    const { context, given, ask, find } = await openWriteSide()
    await given(creating('storageService', 's', { serviceType: 'S3' }), creating('container', 's.from'))
    beforeNextAppend(context, async () => {
      await ask(creating('container', 's.to'))
      await ask(removing('container', 's.to', { hard }))
    })
    const stated = ask(stating('container', 's.to', ['container', 's.from'], 'openlineage:jobs/load'))
    await expect(stated).rejects.toMatchObject({ code: 'not_found' })
    expect(await find('lineage', 's.to.containerLineage')).toBeUndefined()
  },
)

test('lineage that is stated ahead stands where its asset came meanwhile', async () => {
  const { context, given, ask, find } = await openWriteSide()
  await given(creating('storageService', 's', { serviceType: 'S3' }), creating('container', 's.from'))
  beforeNextAppend(context, () => ask(creating('container', 's.to')))
  const { entity } = await ask(stating('container', 's.to', ['container', 's.from'], 'openlineage:jobs/load'))
  expect(entity.parent).toBe((await find('container', 's.to'))?.id)
})

test('lineage that is stated ahead is from the next life of what is deleted for good meanwhile', async () => {
  const { context, given, ask } = await openWriteSide()
  await given(
    creating('storageService', 's', { serviceType: 'S3' }),
    ...['s.from', 's.to'].map((name) => creating('container', name)),
    removing('container', 's.from'),
  )
  beforeNextAppend(context, () => ask(removing('container', 's.from', { hard: true })))
  const { entity } = await ask(stating('container', 's.to', ['container', 's.from'], 'openlineage:jobs/load'))
  expect(entity.members['upstream']).toMatchObject({ 'openlineage:jobs/load': [{ from: { life: 3 } }] })
  expect(await ask(creating('container', 's.from'))).toMatchObject({ entity: { born: 3n } })
})
