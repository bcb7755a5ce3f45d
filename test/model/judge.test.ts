import { describe, expect, it } from 'vitest'
import { checkAnswers } from './answers.ts'
import { isReported, reported, type State } from './catalog.ts'
import type { FeedEvent } from './feed.ts'
import type { Rule } from './findings.ts'
import { wantedIn } from './inbox.ts'
import { idOf, type Key } from './kinds.ts'
import { lineageIn } from './lineage.ts'
import { targetOf, type Operation, type Values } from './operations.ts'
import { tell } from './order.ts'
import { checkOutcome, standsHidden } from './outcome.ts'
import type { Seen } from './play.ts'
import { proposalProblems } from './proposals.ts'
import { differences } from './shows.ts'
import { shrink } from './shrink.ts'

const glossary = { kind: 'glossary', fqn: 'w1xg' } as const
const term = { kind: 'glossaryTerm', fqn: 'w1xg.t' } as const
const inner = { kind: 'glossaryTerm', fqn: 'w1xg.t.u' } as const
const late = { kind: 'glossaryTerm', fqn: 'w1xg.late' } as const
const user = { kind: 'user', fqn: 'w1xu' } as const
const named = { glossary, term, inner, late, user } as const
const keys = { glossary: 'glossary w1xg', term: 'glossaryTerm w1xg.t' } as const

const make = (at: { kind: string; fqn: string }): Operation => ({ do: 'create', ...at, values: {}, user: 'ann' })
const remove = (at: { kind: string; fqn: string }, recursive: boolean, hard = false): Operation => ({
  do: 'delete',
  ...at,
  recursive,
  hard,
  user: 'ann',
})
const upsert = (at: { kind: string; fqn: string }, values: Values = { description: 'new' }): Operation => ({
  do: 'upsert',
  ...at,
  values,
  user: 'ann',
})
const restore = (at: { kind: string; fqn: string }): Operation => ({ do: 'restore', ...at, user: 'ann' })

/** An event at 10 times its position; by default version 0.1. */
const event = (
  position: number,
  type: string,
  key: Key,
  correlation: string,
  more: Partial<FeedEvent> = {},
): FeedEvent => ({
  id: `event ${position}`,
  type,
  key,
  entityId: idOf(key),
  version: 1,
  time: position * 10,
  position: String(position),
  actor: 'ann',
  correlation,
  causation: `command of ${correlation}`,
  ...more,
})

interface Shown {
  readonly version?: number
  readonly deleted?: boolean
  readonly body?: object
}

/** An answer between two instants, with the entity at a revision. */
const answer = (
  operation: Operation,
  correlation: string,
  [start, end]: [number, number],
  status: number,
  revision: number,
  shown: Shown = {},
): Seen => {
  const key = targetOf(operation) as Key
  const fqn = key.slice(key.indexOf(' ') + 1)
  const entity = {
    id: idOf(key),
    name: fqn.split('.').at(-1),
    fullyQualifiedName: fqn,
    version: shown.version ?? 0.1,
    updatedBy: 'ann',
    deleted: shown.deleted ?? false,
  }
  return {
    operation,
    correlation,
    start,
    end,
    status,
    revision: status < 300 ? String(revision) : undefined,
    position: undefined,
    demanded: new Map(),
    body: status < 300 ? { ...entity, ...shown.body } : { detail: 'refused' },
  }
}

/** The rules that a history breaks. */
const broken = ({ events, seen }: { events: readonly FeedEvent[]; seen: readonly Seen[] }): Rule[] => {
  const story = tell(events, seen)
  return [
    ...new Set([...story.findings, ...checkAnswers(story, seen), ...checkOutcome(story, seen)].map(({ rule }) => rule)),
  ]
}

/** What happened to an entity, after whose event if it followed from one, and in which request: `term-<3 c`. */
const toldPattern = /^(glossary|term|inner|late|user)(\+|--|-|\^|~)(?:<(\d+))? (\w+)$/
const verbs = { '+': 'Created', '-': 'SoftDeleted', '--': 'HardDeleted', '^': 'Restored', '~': 'Updated' } as const

/** The events that such a text tells, from this position on. */
const log = (text: string, from = 1): FeedEvent[] => {
  const versions = new Map<Key, number>()
  return text.split(', ').map((told, at) => {
    const [, name, verb, cause, correlation = ''] = toldPattern.exec(told) ?? expect.fail(`${told} is not an event`)
    const { kind, fqn } = named[name as keyof typeof named]
    const key: Key = `${kind} ${fqn}`
    const version = verb === '+' ? 1 : (versions.get(key) ?? 0) + 1
    versions.set(key, version)
    const because = cause === undefined ? {} : { causation: `event ${cause}` }
    return event(from + at, verbs[verb as keyof typeof verbs], key, correlation, { version, ...because })
  })
}

type Asked = readonly [operation: Operation, correlation: string, during: [number, number], status?: number]

/** An answer that shows what the last event of its request made of the entity. */
const answerFrom = (events: readonly FeedEvent[], [operation, correlation, during, status = 200]: Asked): Seen => {
  const own = events.filter(({ key }) => key === targetOf(operation))
  const revision = own.findLastIndex((each) => each.correlation === correlation)
  const { version = 1, type, time } = own[revision] ?? {}
  const shown = { version: version / 10, deleted: type === 'SoftDeleted', body: { updatedAt: time } }
  return answer(operation, correlation, during, status, revision, shown)
}

/** What such a text asks, and when: `term- d 26-65 404`. A deletion takes what is below, unless it is for good. */
const asked = (text: string): Asked[] =>
  text.split(', ').map((told) => {
    const [, name, verb, correlation = '', start, end, status = verb === '+' ? 201 : 200] =
      /^(\w+)(\+|--|-|\^|~) (\w+) (\d+)-(\d+)(?: (\d+))?$/.exec(told) ?? expect.fail(`${told} is not a request`)
    const at = named[name as keyof typeof named]
    const hard = verb === '--'
    const operations = {
      '+': make(at),
      '-': remove(at, true),
      '--': remove(at, false, hard),
      '^': restore(at),
      '~': upsert(at),
    }
    const operation = operations[verb as keyof typeof operations]
    return [operation, correlation, [Number(start), Number(end)], Number(status)]
  })

const made = 'glossary+ a, term+ b'

const begun = {
  events: log(made),
  seen: asked('glossary+ a 5-15, term+ b 16-25').map((each) => answerFrom(log(made), each)),
}

/** A history that goes on behind a glossary and its term. */
const history = (text: string, requests = '', ...others: Asked[]) => {
  const events = log(`${made}, ${text}`)
  const all = [...(requests === '' ? [] : asked(requests)), ...others]
  return { events, seen: [...begun.seen, ...all.map((each) => answerFrom(events, each))] }
}

/**
 * Histories that are right: what happened, and what was asked for. Behind `!` stands a rule that another one breaks, and
 * then that one, or what is asked for otherwise in it.
 */
const right = `
in a history that is right
glossary- c, term- c, glossary^ d, term^ d
glossary- c 26-45, glossary^ d 46-65

in what two refused requests left as it was: the second one took back what the first one did
glossary- c, term- d, term^ e, term- c
glossary- c 26-65, term- d 26-65 404, term^ e 26-65 400
! a refusal wrote nothing
glossary- c 26-65, term- d 26-65, term^ e 26-65 400

where the first one has no answer, because its process ended; unless nothing above had ended
glossary- c, term- d, term^ e, term- c
glossary- c 26-65, term- d 26-65 0, term^ e 26-65 400
! a refusal wrote nothing
term- d, term^ e
term- d 26-65 0, term^ e 26-65 400

where what was brought back went again with what a refused restore took back, before that came back
inner+ u, term- c, inner- c, glossary- g, term^ d, glossary^ h, inner^ e, term-<7 d, inner-<10 d, term^ f, inner^ f
inner+ u 26-35, term- c 36-55, glossary- g 56-65, term^ d 66-125 400, glossary^ h 71-85, inner^ e 86-95, term^ f 105-135

where what was brought back went again with what a refused restore took back, after that came back
inner+ u, term- c, inner- c, glossary- g, term^ d, glossary^ h, inner^ e, term-<7 d, term^ f, inner-<10 d, inner^ f
inner+ u 26-35, term- c 36-55, glossary- g 56-65, term^ d 66-125 400, glossary^ h 71-85, inner^ e 86-95, term^ f 105-135

where nobody was left to take back what was begun below a deletion that was; else that it stands
glossary- c, late+ d, glossary^ e
glossary- c 26-39, late+ d 26-65 0, glossary^ e 40-65 0
! nothing is made below a parent that has ended
glossary- c 26-39, late+ d 26-65 0, glossary^ e 40-65
! nothing is made below a parent that has ended
glossary- c 26-39, late+ d 26-65, glossary^ e 40-65 0

where what was taken back is made anew once its parent is there again; else that it stands
glossary- c, late+ d, glossary^ e, late--<4 d, late+ d
glossary- c 26-39, late+ d 26-85, glossary^ e 40-85
! nothing is made below a parent that has ended
glossary- c, late+ d, glossary^ e, late+ d
glossary- c 26-39, late+ d 26-85, glossary^ e 40-85

where a refused change takes the content back of what a refused deletion had taken
glossary- c, term- d, term^ e, term~ e, glossary^ f, term~<6 e
glossary- c 26-35, term- d 26-85 404, term~ e 26-85 400, glossary^ f 36-75

where something is made below what a refused deletion hides; else that it had ended
glossary- c, late+ d, glossary^ e
glossary-- c 26-65 400, late+ d 26-65, glossary^ e 26-65
! nothing is made below a parent that has ended
glossary- c 26-65, late+ d 26-65, glossary^ e 26-65

where a second attempt is taken back to what others had made after the first one
glossary- c, late+ d, glossary^ e, late--<4 d, late+ f, glossary- g, late~ d, late~<9 d, term- g, late- g
glossary- c 26-39, late~ d 26-125 400, glossary^ e 40-59, late+ f 61-75, glossary- g 76-125

where what a deletion took is brought back to take a change back, and goes again with that deletion
glossary- c, term~ d, glossary^ e, term- c, term^<4 d, term~<4 d, term-<4 d, term^ e
glossary- c 26-105, term~ d 26-105 400, glossary^ e 26-105

where a refused change of one among many takes its content back; else that it stands
term~ c, glossary- d, term~<3 c, term- d
term~ c 26-65 400, glossary- d 26-65
! a refusal wrote nothing
term~ c, glossary- d, term~ c, term- d
term~ c 26-65 400, glossary- d 26-65
`

/** What the term was after each of the events. */
const statusesOf = (events: readonly FeedEvent[], seen: readonly Seen[]) => {
  const story = tell(events, seen)
  return events.map((_, at) => story.viewThen(at).get(keys.term)?.status)
}

describe('the checker finds', () => {
  it('what was written although its condition did not hold, and what was refused although it held', () => {
    const rules = (status: number, demanded: string, events: readonly FeedEvent[] = []) => {
      const upsert: Operation = { do: 'bulk', kind: term.kind, items: [{ fqn: term.fqn, values: {} }], user: 'ann' }
      const item = { request: term.fqn, status }
      const body = { successRequest: status < 300 ? [item] : [], failedRequest: status < 300 ? [] : [item] }
      const bulk = { ...answer(make(term), 'c', [26, 35], 200, 0), operation: upsert, revision: undefined, body }
      const all = [...begun.seen, { ...bulk, demanded: new Map([[keys.term, demanded]]) }]
      return broken({ events: [...begun.events, ...events], seen: all })
    }
    const changed = event(3, 'Updated', keys.term, 'c', { version: 2 })
    const rule = 'an answer is explained by some order' satisfies Rule
    expect([rules(200, '0'), rules(412, '1'), rules(412, '*')]).toEqual([[], [], []])
    expect([rules(200, '1'), rules(200, '*'), rules(412, '0')]).toEqual([[rule], [rule], [rule]])
    expect(rules(200, '1', [changed])).toContain(rule)
  })

  it.each(
    right
      .trim()
      .split('\n\n')
      .map((story) => story.split('\n')),
  )('nothing %s', (_, ...lines) => {
    const [own = '', ...others] = lines.join('\n').split('\n! ')
    const [text = '', requests = ''] = own.split('\n')
    expect(broken(history(text, requests))).toEqual([])
    for (const other of others) {
      const [rule, ...told] = other.split('\n')
      expect(broken(history(told.at(-2) ?? text, told.at(-1)))).toContain(rule)
    }
  })

  it('nothing where what was taken back had been made by others when it was decided anew; else that it was not', () => {
    const requests = 'glossary- c 26-39, glossary^ e 40-59'
    const text = 'glossary- c, late+ d, glossary^ e, late--<4 d'
    const withOthers = history(`${text}, late+ f`, `${requests}, late+ f 61-75`)
    const alone = history(text, requests)
    const again = answer(upsert(late, {}), 'd', [26, 85], 200, 2, { body: { updatedAt: 70 } })
    const { events, seen } = withOthers
    expect(broken({ events, seen: [...seen, again] })).toEqual([])
    const wrong = [...alone.seen, { ...again, revision: '1' }]
    expect(broken({ events: alone.events, seen: wrong })).toContain('an answer is explained by some order')
  })

  it('a child that a deletion without recursive took', () => {
    const told = history('glossary- c, term- c', '', [remove(glossary, false), 'c', [26, 45]])
    expect(broken(told)).toContain('a delete without recursive takes no child')
  })

  it('a child that a restore left behind', () => {
    const told = history('glossary- c, term- c, glossary^ d', 'glossary- c 26-45, glossary^ d 46-65')
    expect(broken(told)).toEqual(['a restore brings back what its deletion took'])
  })

  it('a 503 that does not say when to ask again', () => {
    const read = answer({ do: 'get', ...term, include: 'all', user: 'ann' }, 'c', [26, 35], 503, 0)
    expect(broken({ ...begun, seen: [...begun.seen, { ...read, retryAfter: 1 }] })).toEqual([])
    expect(broken({ ...begun, seen: [...begun.seen, read] })).toEqual(['no request fails within the service'])
  })

  it('an event of a request that was refused', () => {
    const [first, second] = begun.seen as [Seen, Seen]
    const refused = { ...second, status: 400, revision: undefined, body: { detail: 'refused' } }
    expect(broken({ ...begun, seen: [first, refused] })).toEqual(['a refusal wrote nothing'])
  })

  it('a refusal that nothing explains', () => {
    const refused = answer(remove(term, false), 'c', [26, 30], 404, 0)
    expect(broken({ ...begun, seen: [...begun.seen, refused] })).toEqual(['an answer is explained by some order'])
  })

  it('an answer that was acknowledged and is not in the log', () => {
    const lost = answer(make(late), 'c', [26, 30], 201, 0, { body: { updatedAt: 28 } })
    expect(broken({ ...begun, seen: [...begun.seen, lost] })).toContain('an answer shows what was written')
  })

  it('a read of what was overwritten before it was asked', () => {
    const patch: Operation = { do: 'patch', ...term, merge: true, values: { description: 'new' }, user: 'ann' }
    const read: Operation = { do: 'get', ...term, include: 'all', user: 'ann' }
    const { events, seen } = history('term~ c')
    const answers = [
      answer(patch, 'c', [26, 35], 200, 1, { version: 0.2, body: { description: 'new', updatedAt: 30 } }),
      answer(read, 'd', [40, 45], 200, 0, { body: { updatedAt: 20 } }),
    ]
    expect(broken({ events, seen: [...seen, ...answers] })).toEqual(['an answer is explained by some order'])
  })

  it('nothing in a read that shows a deletion above before its own event, but a deletion that nobody asked for', () => {
    const read: Operation = { do: 'get', ...term, include: 'all', user: 'ann' }
    const told = (start: number) => {
      const { events, seen } = history('glossary- c, term-<3 c', 'glossary- c 28-45')
      const shown = answer(read, 'd', [start, start + 1], 200, 0, { deleted: true, body: { updatedAt: 20 } })
      return { events, seen: [...seen, shown] }
    }
    expect(broken(told(41))).toEqual([])
    expect(broken(told(26))).toEqual(['an answer shows what was written'])
  })

  it('an answer with a value that nobody wrote', () => {
    const [first, second] = begun.seen as [Seen, Seen]
    const strange = { ...second, body: { ...second.body, description: 'strange' } }
    expect(broken({ ...begun, seen: [first, strange] })).toEqual(['an answer shows what was written'])
  })

  it('what an answer shows of others as it was at another time', () => {
    const renames: Operation = { do: 'patch', ...glossary, merge: true, values: { displayName: 'G' }, user: 'ann' }
    const { events, seen } = history('glossary~ c', '', [renames, 'c', [26, 35]])
    const story = tell(events, seen)
    const state = story.states.get(keys.term)?.[0] as State
    const above = { type: 'glossary', fullyQualifiedName: glossary.fqn, name: glossary.fqn, deleted: false }
    const showing = (at: number, shown: object) =>
      differences(
        { ...(begun.seen[1] as Seen).body, children: [], glossary: { ...above, ...shown } },
        state,
        story.viewAt(at),
      )
    expect(showing(1, {})).toEqual([])
    expect(showing(2, { displayName: 'G' })).toEqual([])
    expect(showing(1, { displayName: 'G' })).toHaveLength(1)
    expect(showing(2, {})).toHaveLength(1)
    expect(showing(1, { deleted: true })).toHaveLength(1)
    expect(showing(1, { fullyQualifiedName: 'w1xother' }).length).toBeGreaterThan(0)
  })

  it('results of a test that do not follow from its reports, in any order of their times', () => {
    const result = (status: 'Success' | 'Failed' | 'Aborted', timestamp: number) =>
      ({ do: 'result', kind: 'testCase', fqn: 'w1xd.a.b.c.t', status, timestamp, user: 'ann' }) as const
    const story = tell(begun.events, begun.seen)
    const after = (...results: ReturnType<typeof result>[]): State =>
      results.reduce<State>(
        (state, one) => ({ ...state, values: reported(state, one, 'ann') }),
        story.states.get(keys.term)?.[0] as State,
      )
    const failed = after(result('Success', 2), result('Failed', 4), result('Failed', 3))
    expect(failed.values).toMatchObject({
      latestResult: { status: 'Failed', timestamp: 4 },
      results: [{ timestamp: 4 }, { timestamp: 3 }, { timestamp: 2 }],
      incident: { status: 'Open', openedAt: 3 },
    })
    expect([isReported(failed, result('Failed', 3)), isReported(failed, result('Success', 3))]).toEqual([true, false])
    expect(reported(failed, result('Success', 5), 'bob')['incident']).toEqual({
      status: 'Resolved',
      openedAt: 3,
      resolvedAt: 5,
      resolvedBy: 'bob',
    })
    const body = { ...(begun.seen[1] as Seen).body, ...failed.values }
    expect(differences(body, failed)).toEqual([])
    expect(differences({ ...body, latestResult: { status: 'Failed', timestamp: 3 } }, failed)).toHaveLength(1)
    expect(differences({ ...body, results: [] }, failed)).toHaveLength(1)
    expect(differences({ ...body, incident: undefined }, failed)).toHaveLength(1)
  })

  it('a proposal that is accepted twice, or otherwise than was told', () => {
    const asked = (status: number, accept = true) => [{ accept, correlation: 'c', status }]
    const once = [{ correlation: 'c', revision: 3 }]
    const accepted = { status: 'accepted', accepted: 3 }
    expect(proposalProblems(asked(200), once, accepted)).toEqual([])
    expect(proposalProblems(asked(0), once, accepted)).toEqual([])
    expect(proposalProblems(asked(0), [], { status: 'open' })).toEqual([])
    expect(proposalProblems(asked(200, false), [], { status: 'refused' })).toEqual([])
    const wrong = [
      proposalProblems(asked(200), [...once, ...once], accepted),
      proposalProblems(asked(200), once, { status: 'open' }),
      proposalProblems(asked(200), once, { status: 'accepted', accepted: 4 }),
      proposalProblems(asked(409), once, accepted),
      proposalProblems(asked(200), [], { status: 'open' }),
      proposalProblems(asked(0), [], accepted),
      proposalProblems(asked(409, false), [], { status: 'refused' }),
      proposalProblems(asked(200, false), [], { status: 'open' }),
    ]
    expect(wrong.map(({ length }) => length)).toEqual(wrong.map(() => 1))
  })

  describe('in lineage', () => {
    const key = 'lineage w1xs.b.dashboardLineage'
    const [service, a, b] = [
      { kind: 'dashboardService', fqn: 'w1xs' },
      { kind: 'dashboard', fqn: 'w1xs.a' },
      { kind: 'dashboard', fqn: 'w1xs.b' },
    ] as const
    const states = (edges: (Operation & { do: 'state' })['edges']): Operation => ({
      do: 'state',
      kind: 'lineage',
      fqn: 'w1xs.b.dashboardLineage',
      source: 'dbt',
      edges,
      user: 'ann',
    })
    const stated = answer(states([{ from: 'dashboard w1xs.a', sql: 'select 1' }]), 'd', [36, 55], 200, 1, {
      body: { edges: [{ from: { id: idOf('dashboard w1xs.a') } }] },
    })
    /** An edge from `a` to `b`. */
    const linked = {
      seen: [
        answer(make(service), 'a', [5, 15], 201, 0, { body: { updatedAt: 10 } }),
        answer(make(a), 'b', [16, 25], 201, 0, { body: { updatedAt: 20 } }),
        answer(make(b), 'c', [26, 35], 201, 0, { body: { updatedAt: 30 } }),
        stated,
      ],
      events: [
        event(1, 'Created', 'dashboardService w1xs', 'a'),
        event(2, 'Created', 'dashboard w1xs.a', 'b'),
        event(3, 'Created', 'dashboard w1xs.b', 'c'),
        event(4, 'Created', key, 'd'),
        event(5, 'LineageStated', key, 'd', { version: 2, source: 'dbt' }),
      ],
    }
    const shownIn = (story: ReturnType<typeof tell>, at: number) =>
      lineageIn(story.viewAt(at), [key], { start: 'dashboard w1xs.b', up: 2, down: 2, source: undefined })

    it('an edge that is not what its source states, and one to a life that has ended', () => {
      const seen = [...linked.seen, answer(remove(a, false, true), 'e', [56, 65], 204, 1)]
      const events = [...linked.events, event(6, 'HardDeleted', 'dashboard w1xs.a', 'e', { version: 2 })]
      expect(broken({ events, seen })).toEqual([])
      const wrong = { ...stated, body: { edges: [] } }
      expect(broken({ events, seen: seen.with(3, wrong) })).toEqual(['an answer shows what was written'])
      const story = tell(events, seen)
      expect([...shownIn(story, 4).nodes]).toEqual([
        ['dashboard w1xs.b', 0],
        ['dashboard w1xs.a', -1],
      ])
      expect(shownIn(story, 4).edges).toMatchObject([{ up: 'dashboard w1xs.a', source: 'dbt', sql: 'select 1', at: 4 }])
      expect(shownIn(story, 3).edges).toEqual([])
      expect(shownIn(story, 5).edges).toEqual([])
    })

    it('an edge that a refused statement had ended as one that begins when that is compensated', () => {
      const seen = [...linked.seen, answer(states([]), 'e', [56, 75], 404, 1)]
      const events = [
        ...linked.events,
        event(6, 'LineageStated', key, 'e', { version: 3, source: 'dbt' }),
        event(7, 'LineageStated', key, 'e', { version: 4, source: 'dbt', causation: 'event 6' }),
      ]
      const story = tell(events, seen)
      expect(story.findings).toEqual([])
      const began = [4, 5, 6].map((at) => shownIn(story, at).edges.map((edge) => edge.at))
      expect(began).toEqual([[4], [], [6]])
    })
  })

  const change = (values: Values): Operation => ({ do: 'patch', ...term, values, merge: true, user: 'ann' })

  it('what others wrote before a void change was compensated', () => {
    const { events, seen } = history(
      'term~ c, term~ d, term~<3 c',
      '',
      [change({ description: 'first', extension: { a: 1 } }), 'c', [26, 55], 404],
      [change({ displayName: 'second', extension: { a: 2 } }), 'd', [36, 45]],
    )
    const story = tell(events, seen)
    expect(story.findings).toEqual([])
    expect(story.viewAt(4).get(keys.term)?.values).toEqual({ displayName: 'second', extension: { a: 2 } })
  })

  it('a void change that the compensation of another one has taken back, before it was made again', () => {
    const { events, seen } = history(
      'term~ c, term~ d, term~<4 d, term~ c',
      '',
      [change({ extension: { a: 1 } }), 'c', [26, 65]],
      [change({ displayName: 'second' }), 'd', [26, 55], 404],
    )
    const story = tell(events, seen)
    expect(story.findings).toEqual([])
    expect([2, 3, 4, 5].map((at) => story.viewAt(at).get(keys.term)?.values)).toEqual([
      { extension: { a: 1 } },
      { extension: { a: 1 }, displayName: 'second' },
      {},
      { extension: { a: 1 } },
    ])
  })

  it('a void change whose first attempt went with a void life of another request', () => {
    const events = log(`${made}, term~ c, term--<2 b, term+ b, term~ c, term~<6 c`)
    const seen = [
      begun.seen[0] as Seen,
      answerFrom(events, [make(term), 'b', [16, 65], 201]),
      answerFrom(events, [change({ displayName: 'late' }), 'c', [16, 85], 404]),
    ]
    const story = tell(events, seen)
    expect(story.findings).toEqual([])
    expect([4, 5, 6].map((at) => story.viewAt(at).get(keys.term)?.values)).toEqual([{}, { displayName: 'late' }, {}])
  })

  it('a child deleted for as long as its parent is, whenever its own events come', () => {
    const { events, seen } = history(
      'glossary- c, glossary^ d, glossary- e, term-<3 c, term^<4 d, term-<5 e',
      'glossary- c 26-35, glossary^ d 36-45, glossary- e 46-55',
    )
    const expected = [undefined, 'live', 'deleted', 'live', 'deleted', 'deleted', 'deleted', 'deleted']
    for (const upTo of [5, 7, 8]) expect(statusesOf(events.slice(0, upTo), seen)).toEqual(expected.slice(0, upTo))
  })

  it.each([
    [
      'deleted while its parent is, also where a void restore of that was taken back before its own event came',
      history('glossary- c, glossary^ d, glossary-<4 d, term-<3 c', 'glossary- c 26-35, glossary^ d 36-45 409'),
      ['deleted', 'deleted', 'deleted', 'deleted'],
    ],
    [
      'live as soon as its parent is, also where a compensation had given it back its deletion with that',
      history(
        'glossary- c, term-<3 c, term^ d, term-<5 d, glossary^ e',
        'glossary- c 26-35, term^ d 36-45 409, glossary^ e 46-55',
      ),
      ['deleted', 'deleted', 'deleted', 'deleted', 'live'],
    ],
  ])('a child %s', (_, { events, seen }, then) => {
    expect(statusesOf(events, seen)).toEqual([undefined, 'live', ...then])
  })

  it('a child in the last deletion of its parent after a void restore of it, and what follows from that after the answer', () => {
    const userKey = 'user w1xu'
    const owned: Operation = { do: 'create', ...term, values: { owners: [userKey] }, user: 'ann' }
    const items = [{ fqn: term.fqn, values: { owners: [userKey] } }]
    const bulk: Operation = { do: 'bulk', kind: term.kind, items, user: 'ann' }
    const refused = { successRequest: [], failedRequest: [{ request: term.fqn, status: 404 }] }
    const events = log(
      `user+ u, ${made}, inner+ below, glossary- c, term-<4 c, inner-<4 c, glossary^ d, glossary- e, term^ f, ` +
        'term-<8 e, term^<9 f, term-<9 f, inner-<12 f, glossary^ g, term^<14 g',
      0,
    )
    const requests = asked(
      'user+ u 0-5, glossary+ a 6-15, inner+ below 26-35, glossary- c 36-65, glossary^ d 66-75, glossary- e 76-125, glossary^ g 136-165',
    )
    const seen = [
      ...requests.map((each) => answerFrom(events, each)),
      answer(owned, 'b', [16, 25], 201, 0, { body: { updatedAt: 20, owners: [{ id: idOf(userKey) }] } }),
      { ...answer(owned, 'f', [66, 125], 200, 0), operation: bulk, revision: undefined, body: refused },
    ]
    const story = tell(events, seen)
    expect(story.findings).toEqual([])
    const rules = checkAnswers(story, seen).map(({ rule }) => rule)
    expect(rules).not.toContain('the time of an event is within its request' satisfies Rule)
    expect(wantedIn(story, userKey)).toEqual(['2', '9', '11'])
  })

  it('a child that was deleted alone gone as soon as its parent is, before its own event comes', () => {
    const { events, seen } = history('term- c, glossary-- d, term--<4 d', 'term- c 26-35', [
      remove(glossary, true, true),
      'd',
      [36, 45],
      204,
    ])
    const expected = [undefined, 'live', 'deleted', 'gone', 'gone']
    for (const upTo of [4, 5]) expect(statusesOf(events.slice(0, upTo), seen)).toEqual(expected.slice(0, upTo))
  })

  it('times that go back, and ids that come twice', () => {
    const [first, second] = begun.events as [FeedEvent, FeedEvent]
    expect(broken({ ...begun, events: [first, { ...second, time: 9, id: first.id }] })).toEqual([
      'an event id is given once',
      'time never goes back along the log',
      'the time of an event is within its request',
      'an answer shows what was written',
    ])
  })
})

it('what is taken back after a bulk request was answered is within it only where nobody knows what became of the item', () => {
  const upsert: Operation = { do: 'bulk', kind: term.kind, items: [{ fqn: term.fqn, values: {} }], user: 'ann' }
  const rules = (status: number): Rule[] => {
    const body = { successRequest: [], failedRequest: [{ request: term.fqn, status }] }
    const bulk = { ...answer(make(term), 'b', [16, 25], 200, 0), operation: upsert, revision: undefined, body }
    return broken({ events: log(`${made}, term--<2 b`), seen: [begun.seen[0] as Seen, bulk] })
  }
  const rule = 'the time of an event is within its request' satisfies Rule
  expect(rules(404)).toContain(rule)
  expect(rules(503)).not.toContain(rule)
})

describe('shrinking', () => {
  it('leaves just the steps that it takes to fail', async () => {
    const steps = Array.from({ length: 50 }, (_, index): Operation => make({ kind: 'glossary', fqn: `w1xg${index}` }))
    const wanted = [steps[7], steps[31], steps[32]]
    const shortest = await shrink(
      steps,
      async (part) => wanted.every((step) => part.includes(step as Operation)),
      Date.now() + 60_000,
    )
    expect(shortest).toEqual(wanted)
  })
})

it('what a deletion for good has hidden is waited for until it is gone or back', () => {
  const hides = (text: string, hard = true) => {
    const seen = [
      answer(make(glossary), 'a', [0, 11], 201, 0),
      answer(remove(glossary, false, hard), 'b', [15, 25], 503, 1),
    ]
    return standsHidden(tell(log(text), seen), seen)
  }
  const hidden = 'glossary+ a, glossary- b'
  expect([hides(hidden), hides(hidden, false)]).toEqual([true, false])
  expect([hides(`${hidden}, glossary^ b`), hides(`${hidden}, glossary-- b`)]).toEqual([false, false])
})
