import { passThroughQueue } from '../../src/commands/unitOfWork/streamQueue.ts'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Ask, WriteSideOptions } from '../support/writeSide.ts'
import {
  adding,
  before,
  beforeNextAppend,
  creating,
  lineOf,
  openWriteSide,
  outcomeOf,
  patching,
  removing,
  restoring,
  unconditional,
  upserting,
} from '../support/writeSide.ts'
import { commit } from '../../src/commands/unitOfWork/unitOfWork.ts'
import { makeVerdicts } from '../../src/events/verdicts.ts'
import type { EventStore } from '../../src/events/eventStore.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import type { EventType } from '../../src/events/events.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'

const kindsOf = ['glossary', 'glossaryTerm', 'glossaryTerm', 'glossaryTerm']
const kindOf = (fqn: string): string => kindsOf[fqn.split('.').length - 1] as string

/** The write side on a log that, like EventStoreDB, cannot make an append depend on what happened elsewhere in it. */
const open = (...given: Ask[]) => openOn(unconditional, given)

const openOn = async (change: typeof unconditional, given: readonly Ask[], options: WriteSideOptions = {}) => {
  const side = await openWriteSide({ ...options, change })
  await side.given(...given)
  const statesOf = async (fqns: readonly string[]): Promise<Record<string, string>> => {
    const found = await Promise.all(fqns.map((fqn) => side.find(kindOf(fqn), fqn)))
    return Object.fromEntries(fqns.map((fqn, at) => [fqn, found[at]?.status ?? 'gone']))
  }
  return { ...side, statesOf }
}

type Side = Awaited<ReturnType<typeof open>>

/** Lets something happen when a request has appended, before it looks whether that holds. */
const afterAppend = ({ context }: Side, happen: () => Promise<unknown>): void => {
  const { verdicts } = context
  if (verdicts === undefined) throw new Error('This log refuses.')
  context.verdicts = {
    ...verdicts,
    eventAt: async (...asked) => {
      context.verdicts = verdicts
      await happen()
      return verdicts.eventAt(...asked)
    },
  }
}

interface Race {
  readonly given: readonly Ask[]
  /** Comes first in the log, after what is asked for was decided. */
  readonly first: Ask
  readonly asked: Ask
  readonly answer: string
  /** After both, and when the glossary has been restored where it is deleted. */
  readonly states: Readonly<Record<string, string>>
  readonly restored?: Readonly<Record<string, string>>
}

const g = creating('glossary', 'g')
const a = creating('glossaryTerm', 'g.a', { description: 'old' })
const forbiddenKinds = [kindNamed('glossaryTerm')]
const recursive = { recursive: true }

const races: Readonly<Record<string, Race>> = {
  'something comes below a deletion': {
    given: [g],
    first: removing('glossary', 'g'),
    asked: creating('glossaryTerm', 'g.a'),
    answer: 'invalid',
    states: { g: 'deleted', 'g.a': 'gone' },
    restored: { g: 'live', 'g.a': 'gone' },
  },
  'something comes below a deletion for good': {
    given: [g],
    first: removing('glossary', 'g', { hard: true }),
    asked: creating('glossaryTerm', 'g.a'),
    answer: 'invalid',
    states: { g: 'gone', 'g.a': 'gone' },
  },
  'something comes far below a deletion': {
    given: [g, a],
    first: removing('glossary', 'g', recursive),
    asked: creating('glossaryTerm', 'g.a.b'),
    answer: 'invalid',
    states: { g: 'deleted', 'g.a': 'deleted', 'g.a.b': 'gone' },
    restored: { g: 'live', 'g.a': 'live', 'g.a.b': 'gone' },
  },
  'something comes back below a deletion': {
    given: [g, a, removing('glossaryTerm', 'g.a')],
    first: removing('glossary', 'g'),
    asked: restoring('glossaryTerm', 'g.a'),
    answer: 'invalid',
    states: { g: 'deleted', 'g.a': 'deleted' },
    restored: { g: 'live', 'g.a': 'deleted' },
  },
  'something comes back, changed, below a deletion': {
    given: [g, a, removing('glossaryTerm', 'g.a')],
    first: removing('glossary', 'g'),
    asked: upserting('glossaryTerm', 'g.a', { description: 'new' }),
    answer: 'invalid',
    states: { g: 'deleted', 'g.a': 'deleted' },
    restored: { g: 'live', 'g.a': 'deleted' },
  },
  'something is deleted on its own below a deletion': {
    given: [g, a],
    first: removing('glossary', 'g', recursive),
    asked: removing('glossaryTerm', 'g.a'),
    answer: 'not_found',
    states: { g: 'deleted', 'g.a': 'deleted' },
    restored: { g: 'live', 'g.a': 'live' },
  },
  'something is deleted for good below a deletion': {
    given: [g, a],
    first: removing('glossary', 'g', recursive),
    asked: removing('glossaryTerm', 'g.a', { hard: true }),
    answer: 'done',
    states: { g: 'deleted', 'g.a': 'gone' },
    restored: { g: 'live', 'g.a': 'gone' },
  },
  'a deletion without recursive finds what has come': {
    given: [g],
    first: a,
    asked: removing('glossary', 'g'),
    answer: 'invalid',
    states: { g: 'live', 'g.a': 'live' },
  },
  'a deletion for good without recursive finds what has come': {
    given: [g],
    first: a,
    asked: removing('glossary', 'g', { hard: true }),
    answer: 'invalid',
    states: { g: 'live', 'g.a': 'live' },
  },
  'a deletion without recursive finds what has come back': {
    given: [g, a, removing('glossaryTerm', 'g.a')],
    first: restoring('glossaryTerm', 'g.a'),
    asked: removing('glossary', 'g'),
    answer: 'invalid',
    states: { g: 'live', 'g.a': 'live' },
  },
  'a recursive deletion finds what may not be deleted': {
    given: [g],
    first: a,
    asked: removing('glossary', 'g', { recursive: true, forbiddenKinds }),
    answer: 'forbidden',
    states: { g: 'live', 'g.a': 'live' },
  },
  'a recursive deletion for good finds what may not be deleted': {
    given: [g],
    first: a,
    asked: removing('glossary', 'g', { recursive: true, hard: true, forbiddenKinds }),
    answer: 'forbidden',
    states: { g: 'live', 'g.a': 'live' },
  },
  'a recursive deletion takes along what has come': {
    given: [g],
    first: a,
    asked: removing('glossary', 'g', recursive),
    answer: 'done',
    states: { g: 'deleted', 'g.a': 'deleted' },
    restored: { g: 'live', 'g.a': 'live' },
  },
  'a deletion for good of what nothing is below': {
    given: [g],
    first: creating('glossary', 'h'),
    asked: removing('glossary', 'g', { hard: true }),
    answer: 'done',
    states: { g: 'gone' },
  },
}

const tests = Object.entries(races)

const expectStates = async (side: Side, { states, restored }: Race): Promise<void> => {
  const fqns = Object.keys(states)
  expect(await side.statesOf(fqns)).toEqual(states)
  if (restored === undefined) return
  await side.ask(restoring('glossary', 'g'))
  expect(await side.statesOf(fqns)).toEqual(restored)
  const term = (await side.find('glossaryTerm', 'g.a')) ?? { status: 'gone', members: {} }
  if (states['g.a'] === 'deleted' && term.status !== 'gone' && term.members['description'] !== undefined)
    expect(term.members['description']).toBe('old')
}

describe('answers and states are those of the order in the log', () => {
  test.each(tests)('%s', async (_, race) => {
    const side = await open(...race.given)
    beforeNextAppend(side.context, () => side.ask(race.first))
    expect(await outcomeOf(side.ask(race.asked))).toBe(race.answer)
    await expectStates(side, race)
  })

  test.each(tests)('%s, also on a log that refuses: nothing of what is refused is written', async (_, race) => {
    const side = await openOn((log) => log, race.given)
    let before: readonly string[] = []
    beforeNextAppend(side.context, async () => {
      await side.ask(race.first)
      before = await side.lines()
    })
    const outcome = await outcomeOf(side.ask(race.asked))
    expect(outcome).toBe(race.answer)
    if (outcome !== 'done') expect(await side.lines()).toEqual(before)
    await expectStates(side, race)
  })

  test('something is deleted for good below a deletion that it was not told of', async () => {
    const side = await open(g, a)
    await commit(side.context, removing('glossary', 'g', recursive)(side.context))
    expect(await outcomeOf(side.ask(removing('glossaryTerm', 'g.a', { hard: true })))).toBe('done')
    await side.settle()
    expect(await side.statesOf(['g', 'g.a'])).toEqual({ g: 'deleted', 'g.a': 'gone' })
  })

  test.each(tests)('%s, also when the process ends right after its append, and twice is once', async (_, race) => {
    const side = await open(...race.given)
    beforeNextAppend(side.context, () => side.ask(race.first).then(() => afterAppend(side, ending)))
    const ending = () => Promise.reject(new Error('ended'))
    // What depends on nothing is not looked at again, and what met the other in its own stream was never written.
    expect(await outcomeOf(side.ask(race.asked))).toBeOneOf(['ended', 'done', race.answer])
    await side.project()
    await side.settle()
    const written = await side.lines()
    await side.settle()
    expect(await side.lines()).toEqual(written)
    await expectStates(side, race)
  })

  test.each(tests)('%s, also when others write what follows before the request does', async (_, race) => {
    const side = await open(...race.given)
    beforeNextAppend(side.context, () => side.ask(race.first).then(() => afterAppend(side, side.settle)))
    expect(await outcomeOf(side.ask(race.asked))).toBe(race.answer)
    await expectStates(side, race)
  })
})

describe('what is void', () => {
  test('is compensated in the name of the request that wrote it', async () => {
    const side = await open(g)
    beforeNextAppend(side.context, () => side.ask(removing('glossary', 'g')))
    await outcomeOf(side.ask(creating('glossaryTerm', 'g.a')))
    const [made, compensated] = (await side.events()).filter(({ metadata }) => metadata.fullyQualifiedName === 'g.a')
    expect([made?.type, compensated?.type]).toEqual(['Created', 'HardDeleted'])
    const { user, correlationId } = made?.metadata ?? {}
    expect(compensated?.metadata).toMatchObject({ user, correlationId, causationId: made?.id })
  })

  test('breaks no condition itself: what came upon it stays', async () => {
    const side = await open(g, a)
    // A deletion that something has come below in between, and then a child of what it is about.
    beforeNextAppend(side.context, async () => {
      beforeNextAppend(side.context, () => side.ask(creating('glossaryTerm', 'g.a.b')))
      expect(await outcomeOf(side.ask(removing('glossaryTerm', 'g.a')))).toBe('invalid')
    })
    expect(await outcomeOf(side.ask(creating('glossaryTerm', 'g.a.c')))).toBe('done')
    expect((await side.lines()).slice(2)).toEqual([
      'Created glossaryTerm g.a.b',
      'SoftDeleted glossaryTerm g.a',
      'Restored glossaryTerm g.a',
      'Created glossaryTerm g.a.c',
    ])
  })

  test('leaves what others did to the entity since', async () => {
    const side = await open(g, creating('team', 'x'))
    const gone = removing('team', 'x', { hard: true })
    beforeNextAppend(side.context, async () => {
      await side.ask(gone)
      afterAppend(side, () => side.ask(patching('glossary', 'g', { description: 'since' })))
      side.context.streamQueue = passThroughQueue
    })
    const owners = [{ type: 'team', fullyQualifiedName: 'x' }]
    expect(await outcomeOf(side.ask(patching('glossary', 'g', { owners, displayName: 'G' })))).toBe('invalid')
    const { description, displayName, owners: left } = (await side.find('glossary', 'g'))?.members ?? {}
    expect([description, displayName, left]).toEqual(['since', undefined, undefined])
  })

  test('is not what came before a deletion: it goes with that, and comes back with it', async () => {
    const side = await open(g)
    afterAppend(side, () => side.ask(removing('glossary', 'g', recursive)))
    expect(await outcomeOf(side.ask(creating('glossaryTerm', 'g.a')))).toBe('done')
    await side.settle()
    expect(await side.statesOf(['g', 'g.a'])).toEqual({ g: 'deleted', 'g.a': 'deleted' })
    await side.ask(restoring('glossary', 'g'))
    expect(await side.statesOf(['g.a'])).toEqual({ 'g.a': 'live' })
  })

  test('is nothing whose parent was made in the same append', async () => {
    const side = await open(g)
    const { summaries } = await side.askAll([creating('glossaryTerm', 'g.a'), creating('glossaryTerm', 'g.a.b')])
    expect(summaries.map((one) => 'result' in one)).toEqual([true, true])
  })

  test('is compensated once: what came after that is compensated for itself', async () => {
    const side = await open(g)
    const late = creating('glossaryTerm', 'g.a')
    beforeNextAppend(side.context, () => side.ask(removing('glossary', 'g')))
    expect(await outcomeOf(side.ask(late))).toBe('invalid')
    await side.ask(restoring('glossary', 'g'))
    beforeNextAppend(side.context, async () => {
      await side.ask(removing('glossary', 'g'))
      afterAppend(side, () => Promise.reject(new Error('ended')))
    })
    expect(await outcomeOf(side.ask(late))).toBe('ended')
    await side.project()
    await side.settle()
    const events = (await side.events()).filter(({ metadata }) => metadata.fullyQualifiedName === 'g.a')
    expect(events.map(({ type }) => type)).toEqual(['Created', 'HardDeleted', 'Created', 'HardDeleted'])
    expect([1, 3].map((at) => events[at]?.metadata.causationId)).toEqual([events[0]?.id, events[2]?.id])
  })

  test('of a restore leaves the deletion before it, though the entity has followed its parent since', async () => {
    const side = await open(g, a)
    await side.ask(removing('glossaryTerm', 'g.a'))
    beforeNextAppend(side.context, async () => {
      await side.ask(removing('glossary', 'g', recursive))
      afterAppend(side, () => Promise.reject(new Error('ended')))
    })
    expect(await outcomeOf(side.ask(restoring('glossaryTerm', 'g.a')))).toBe('ended')
    await side.project()
    const deletion = (await side.find('glossary', 'g'))?.deletion ?? ''
    await side.only('glossaryTerm', 'g.a', { type: 'SoftDelete', deletion, inherited: true })
    await side.settle()
    await side.ask(restoring('glossary', 'g'))
    await side.settle()
    expect(await side.statesOf(['g', 'g.a'])).toEqual({ g: 'live', 'g.a': 'deleted' })
  })

  test('of two requests one after the other leaves what was there before both', async () => {
    for (const second of [restoring('glossaryTerm', 'g.a'), upserting('glossaryTerm', 'g.a', { description: 'new' })]) {
      const side = await open(g, a)
      const ending = () => Promise.reject(new Error('ended'))
      const { lookup, refer } = side.context
      beforeNextAppend(side.context, async () => {
        const live = await side.find('glossary', 'g')
        if (live === undefined) throw new Error('There is no glossary.')
        await side.only('glossary', 'g', { type: 'SoftDelete', deletion: '3b241101-e2bb-4255-8caf-4136c566a962' })
        // Another process, which has not been told yet that the glossary is deleted.
        const position = side.context.position()
        side.context.position = () => (position ?? 1n) - 1n
        side.context.lookup = async (ids) =>
          new Map([...(await lookup(ids))].map(([id, e]) => [id, id === live.id ? live : e]))
        side.context.refer = async (ids) =>
          new Map([...(await refer(ids))].map(([id, e]) => [id, id === live.id ? { ...live, facts: {} } : e]))
        afterAppend(side, ending)
      })
      expect(await outcomeOf(side.ask(removing('glossaryTerm', 'g.a')))).toBe('ended')
      await side.project()
      afterAppend(side, ending)
      expect(await outcomeOf(side.ask(second))).toBe('ended')
      Object.assign(side.context, { lookup, refer })
      await side.project()
      await side.settle()
      expect(await side.statesOf(['g', 'g.a'])).toEqual({ g: 'deleted', 'g.a': 'deleted' })
      await side.ask(restoring('glossary', 'g'))
      expect(await side.statesOf(['g.a'])).toEqual({ 'g.a': 'live' })
      expect((await side.find('glossaryTerm', 'g.a'))?.members).toMatchObject({ description: 'old' })
    }
  })
})

describe('what is void, and larger than one append to undo,', () => {
  const [description, text] = ['d'.repeat(2000), 'e'.repeat(2000)]
  const given = [
    g,
    a,
    creating('team', 'x'),
    patching('glossaryTerm', 'g.a', { description }),
    patching('glossaryTerm', 'g.a', { extension: { text } }),
  ]
  const undescribed = patching('glossaryTerm', 'g.a', {
    description: null,
    extension: null,
    owners: [{ type: 'team', fullyQualifiedName: 'x' }],
  })
  /** A log whose process ends after the first part of something that is too large. */
  const endingAfterPart = (log: EventStore): EventStore => {
    let parts: number | undefined
    const append: EventStore['append'] = async (appends) => {
      if (parts === 1) {
        parts = undefined
        throw new Error('ended')
      }
      const outcomes = await log.append(appends)
      if (outcomes.some((one) => 'tooLarge' in one)) parts = 0
      else if (parts === 0) parts = 1
      return outcomes
    }
    return { ...log, append }
  }

  const race = async (change: typeof unconditional) => {
    const side = await openOn(change, given, { maxAppendSize: 4000 })
    const members = async () => (await side.find('glossaryTerm', 'g.a'))?.members
    const former = await members()
    beforeNextAppend(side.context, () => side.ask(removing('team', 'x', { hard: true })))
    return { side, members, former, answer: await outcomeOf(side.ask(undescribed)) }
  }

  test('is compensated in several appends, all with it as their cause', async () => {
    const { side, members, former, answer } = await race(unconditional)
    expect([answer, await members()]).toEqual(['invalid', former])
    const events = (await side.events()).filter(({ metadata }) => metadata.fullyQualifiedName === 'g.a')
    const [undone, ...parts] = events.slice(3)
    expect(undone?.data).toMatchObject({ unset: ['description', 'extension'] })
    expect(parts.map(({ metadata }) => metadata.causationId)).toEqual([undone?.id, undone?.id])
  })

  test('is compensated to its end also when the process ended in between, and once', async () => {
    const { side, members, former, answer } = await race((log) => endingAfterPart(unconditional(log)))
    expect(answer).toBe('ended')
    await side.project()
    expect(await members()).toHaveProperty('description')
    expect(await members()).not.toHaveProperty('extension')
    await side.settle()
    expect(await members()).toEqual(former)
    const written = await side.lines()
    await side.settle()
    expect(await side.lines()).toEqual(written)
  })

  test('is not a list as a whole: only what came into it goes', async () => {
    const topics = Array.from({ length: 50 }, (_, at) => `m.topic ${at}`)
    const add = (some: readonly string[]) =>
      adding(
        'dataProduct',
        'p',
        some.map((fqn) => ['topic', fqn] as const),
      )
    const before = [
      creating('domain', 'd', { domainType: 'Source-aligned' }),
      creating('dataProduct', 'p', { domain: 'd' }),
      creating('messagingService', 'm', { serviceType: 'Kafka' }),
      ...[...topics, 'm.late'].map((fqn) => creating('topic', fqn)),
      ...[0, 15, 30].map((from) => add(topics.slice(from, from + 20))),
    ]
    const side = await openOn(unconditional, before, { maxAppendSize: 5000 })
    beforeNextAppend(side.context, () => side.ask(removing('topic', 'm.late', { hard: true })))
    expect(await outcomeOf(side.ask(add(['m.late'])))).toBe('not_found')
    expect((await side.find('dataProduct', 'p'))?.members['assets']).toHaveLength(50)
    expect((await side.lines()).slice(-2)).toEqual(['AssetsAdded dataProduct p', 'AssetsRemoved dataProduct p'])
  })
})

describe('a deletion for good', () => {
  const openBefore = async (type: EventType, happens: (side: Side) => Promise<unknown>) => {
    const side: Side = await openOn((log) => before(type, () => happens(side))(unconditional(log)), [g])
    return side
  }

  test('hides first, so that what comes then is refused', async () => {
    const answers: string[] = []
    const side = await openBefore('HardDeleted', async ({ ask }) =>
      answers.push(await outcomeOf(ask(creating('glossaryTerm', 'g.a')))),
    )
    await side.ask(removing('glossary', 'g', { hard: true }))
    expect(answers).toEqual(['invalid'])
    expect(await side.lines()).toEqual([
      'Created glossary g',
      'SoftDeleted glossary g',
      'Created glossaryTerm g.a',
      'HardDeleted glossaryTerm g.a',
      'HardDeleted glossary g',
    ])
  })

  test('looks below again when somebody has brought it back before it was gone', async () => {
    const side = await openBefore('HardDeleted', async ({ ask, context }) => {
      context.streamQueue = passThroughQueue
      await ask(restoring('glossary', 'g'))
      await ask(creating('glossaryTerm', 'g.a'))
    })
    expect(await outcomeOf(side.ask(removing('glossary', 'g', { hard: true })))).toBe('invalid')
    expect(await side.statesOf(['g', 'g.a'])).toEqual({ g: 'live', 'g.a': 'live' })
  })

  test('is not that of another deletion: who brought it back and deleted it again keeps it', async () => {
    const side = await open(g)
    afterAppend(side, () => Promise.reject(new Error('ended')))
    expect(await outcomeOf(side.ask(removing('glossary', 'g', { hard: true })))).toBe('ended')
    await side.project()
    await side.given(restoring('glossary', 'g'), removing('glossary', 'g'))
    await side.settle()
    expect(await side.statesOf(['g'])).toEqual({ g: 'deleted' })
  })

  test('is one event where nothing can stand below', async () => {
    const side = await open(creating('user', 'bob'))
    await side.ask(removing('user', 'bob', { hard: true }))
    expect((await side.lines()).slice(1)).toEqual(['HardDeleted user bob'])
    expect((await side.events()).at(-1)?.metadata.condition).toBeUndefined()
  })
})

test('a far event is judged as long as the log goes on giving what comes before it', async () => {
  const side = await open(g, ...Array.from({ length: 20 }, (_, at) => creating('glossaryTerm', `g.term ${at}`)))
  const last = (await side.events()).at(-1)
  if (last === undefined) throw new Error('There is no event.')
  let pages = 0
  const ages: (() => void)[] = []
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController()
    const begun = pages
    ages.push(() => {
      if (pages > begun + 1) controller.abort()
    })
    return controller.signal
  })
  onTestFinished(() => timeout.mockRestore())
  const verdicts = makeVerdicts({
    ...side.log,
    subscribe: async function* (options) {
      for await (const batch of side.log.subscribe({ ...options, batchSize: 1 })) {
        pages++
        for (const age of ages) age()
        yield batch
      }
    },
  })
  expect(await verdicts.eventAt(last.position, last.id, undefined)).toEqual(last)
})

test('the log that is read for long, page by page, is not left as one that nobody reads', async () => {
  const side = await open(creating('user', 'zoe'), g, a)
  const last = (await side.events()).at(-1)
  if (last === undefined) throw new Error('There is no event.')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const verdicts = makeVerdicts({
    ...side.log,
    subscribe: async function* (options) {
      for await (const batch of side.log.subscribe({ ...options, batchSize: 1 })) {
        await vi.advanceTimersByTimeAsync(9000)
        yield batch
      }
    },
  })
  expect(await verdicts.eventAt(last.position, last.id, undefined)).toEqual(last)
})

test('a copy in a log that gives other positions, and checks conditions itself, has the verdicts of its original', async () => {
  const side = await open(creating('user', 'zoe'), g, a)
  await side.given(removing('glossary', 'g', recursive), restoring('glossary', 'g'), creating('glossaryTerm', 'g.b'))
  beforeNextAppend(side.context, () => side.ask(removing('glossary', 'g', recursive)))
  await outcomeOf(side.ask(creating('glossaryTerm', 'g.late')))
  await side.given(creating('glossary', 'h'))
  beforeNextAppend(side.context, () => side.ask(creating('glossaryTerm', 'h.c')))
  await outcomeOf(side.ask(removing('glossary', 'h')))
  await side.given(removing('glossaryTerm', 'h.c', { hard: true }), removing('glossary', 'h', { hard: true }))
  const copy = openSqliteEventStore({ path: ':memory:' })
  // Without its first event: so all positions are others.
  for (const { stream, revision, position: _, ...event } of (await side.events()).slice(1))
    await copy.append([{ stream, expected: revision === 0n ? 'no_stream' : revision - 1n, events: [event] }])
  const voidsIn = async (log: EventStore): Promise<string[]> => {
    const { isVoid } = makeVerdicts(log)
    const voids: string[] = []
    for await (const event of log.readAll()) if (await isVoid(event)) voids.push(lineOf(event))
    return voids
  }
  const voids = ['Created glossaryTerm g.late', 'SoftDeleted glossary h']
  expect(await voidsIn(unconditional(side.log))).toEqual(voids)
  expect(await voidsIn(copy)).toEqual(voids)
  await copy.close()
})

test('events that are judged one after the other are read once, and as soon as they are there', async () => {
  const side = await open(g)
  let subscriptions = 0
  const verdicts = makeVerdicts({
    ...unconditional(side.log),
    subscribe: (options) => {
      subscriptions++
      return side.log.subscribe(options)
    },
    readAll: () => {
      throw new Error('It reads what it has been given.')
    },
  })
  const after = side.context.position()
  for (let at = 0; at < 20; at++) {
    await side.ask(creating('glossaryTerm', `g.term ${at}`))
    const made = (await side.events()).at(-1)
    if (made === undefined) throw new Error('There is no event.')
    expect(await verdicts.eventAt(made.position, made.id, after)).toEqual(made)
    expect(await verdicts.isVoid(made)).toBe(false)
  }
  expect(subscriptions).toBe(1)
})
