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
const keys = { glossary: 'glossary w1xg', term: 'glossaryTerm w1xg.t' } as const

const make = (at: { kind: string; fqn: string }): Operation => ({ do: 'create', ...at, values: {}, user: 'ann' })
const remove = (at: { kind: string; fqn: string }, recursive: boolean, hard = false): Operation => ({
  do: 'delete',
  ...at,
  recursive,
  hard,
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
const broken = (events: readonly FeedEvent[], seen: readonly Seen[]): Rule[] => {
  const story = tell(events, seen)
  return [
    ...new Set([...story.findings, ...checkAnswers(story, seen), ...checkOutcome(story, seen)].map(({ rule }) => rule)),
  ]
}

const begun = {
  events: [event(1, 'Created', keys.glossary, 'a'), event(2, 'Created', keys.term, 'b')],
  seen: [
    answer(make(glossary), 'a', [5, 15], 201, 0, { body: { updatedAt: 10 } }),
    answer(make(term), 'b', [16, 25], 201, 0, { body: { updatedAt: 20 } }),
  ],
}

describe('the checker finds', () => {
  it('what was written although its condition did not hold, and what was refused although it held', () => {
    const rules = (status: number, demanded: string, events: readonly FeedEvent[] = []) => {
      const upsert: Operation = { do: 'bulk', kind: term.kind, items: [{ fqn: term.fqn, values: {} }], user: 'ann' }
      const item = { request: term.fqn, status }
      const body = { successRequest: status < 300 ? [item] : [], failedRequest: status < 300 ? [] : [item] }
      const bulk = { ...answer(make(term), 'c', [26, 35], 200, 0), operation: upsert, revision: undefined, body }
      const all = [...begun.seen, { ...bulk, demanded: new Map([[keys.term, demanded]]) }]
      return broken([...begun.events, ...events], all)
    }
    const changed = event(3, 'Updated', keys.term, 'c', { version: 2 })
    const rule = 'an answer is explained by some order' satisfies Rule
    expect([rules(200, '0'), rules(412, '1'), rules(412, '*')]).toEqual([[], [], []])
    expect([rules(200, '1'), rules(200, '*'), rules(412, '0')]).toEqual([[rule], [rule], [rule]])
    expect(rules(200, '1', [changed])).toContain(rule)
  })

  it('nothing in a history that is right', () => {
    const gone = [
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'SoftDeleted', keys.term, 'c', { version: 2 }),
    ]
    const back = [
      event(5, 'Restored', keys.glossary, 'd', { version: 3 }),
      event(6, 'Restored', keys.term, 'd', { version: 3 }),
    ]
    const seen = [
      answer(remove(glossary, true), 'c', [26, 45], 200, 1, { version: 0.2, deleted: true, body: { updatedAt: 30 } }),
      answer(restore(glossary), 'd', [46, 65], 200, 2, { version: 0.3, body: { updatedAt: 50 } }),
    ]
    expect(broken([...begun.events, ...gone, ...back], [...begun.seen, ...seen])).toEqual([])
  })

  it('nothing in what two refused requests left as it was: the second one took back what the first one did', () => {
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'SoftDeleted', keys.term, 'd', { version: 2 }),
      event(5, 'Restored', keys.term, 'e', { version: 3 }),
      event(6, 'SoftDeleted', keys.term, 'c', { version: 4 }),
    ]
    const shown = { version: 0.2, deleted: true, body: { updatedAt: 30 } }
    const deleted = answer(remove(glossary, true), 'c', [26, 65], 200, 1, shown)
    const others = (first: number) => [
      answer(remove(term, true), 'd', [26, 65], first, 1, { version: 0.2, deleted: true, body: { updatedAt: 40 } }),
      answer(restore(term), 'e', [26, 65], 400, 2),
    ]
    expect(broken(events, [...begun.seen, deleted, ...others(404)])).toEqual([])
    expect(broken(events, [...begun.seen, deleted, ...others(200)])).toContain('a refusal wrote nothing')
  })

  it('nothing either where the first one has no answer, because its process ended; unless nothing above had ended', () => {
    const unanswered = answer(remove(term, true), 'd', [26, 65], 0, 1)
    const refused = answer(restore(term), 'e', [26, 65], 400, 2)
    const ending = event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 })
    const events = [
      ...begun.events,
      ending,
      event(4, 'SoftDeleted', keys.term, 'd', { version: 2 }),
      event(5, 'Restored', keys.term, 'e', { version: 3 }),
      event(6, 'SoftDeleted', keys.term, 'c', { version: 4 }),
    ]
    const shown = { version: 0.2, deleted: true, body: { updatedAt: 30 } }
    const deleted = answer(remove(glossary, true), 'c', [26, 65], 200, 1, shown)
    expect(broken(events, [...begun.seen, deleted, unanswered, refused])).toEqual([])
    const alone = events.slice(0, -1).filter((each) => each !== ending)
    expect(broken(alone, [...begun.seen, unanswered, refused])).toContain('a refusal wrote nothing')
  })

  it.each([
    ['before', 110, 120],
    ['after', 120, 110],
  ])(
    'nothing where what somebody else had brought back went again with what a refused restore took back, %s that came back',
    (_, gone, back) => {
      const inner = { kind: 'glossaryTerm', fqn: 'w1xg.t.u' } as const
      const innerKey = 'glossaryTerm w1xg.t.u'
      const events = [
        ...begun.events,
        event(3, 'Created', innerKey, 'u'),
        event(4, 'SoftDeleted', keys.term, 'c', { version: 2 }),
        event(5, 'SoftDeleted', innerKey, 'c', { version: 2 }),
        event(6, 'SoftDeleted', keys.glossary, 'g', { version: 2 }),
        event(7, 'Restored', keys.term, 'd', { version: 3 }),
        event(8, 'Restored', keys.glossary, 'h', { version: 3 }),
        event(9, 'Restored', innerKey, 'e', { version: 3 }),
        event(10, 'SoftDeleted', keys.term, 'd', { version: 4, causation: 'event 7' }),
        event(gone / 10, 'SoftDeleted', innerKey, 'd', { version: 4, causation: 'event 10' }),
        event(back / 10, 'Restored', keys.term, 'f', { version: 5 }),
        event(13, 'Restored', innerKey, 'f', { version: 5 }),
      ].toSorted((a, b) => Number(a.position) - Number(b.position))
      const shown = (tenths: number, updatedAt: number, deleted = false) => ({
        version: tenths / 10,
        deleted,
        body: { updatedAt },
      })
      const seen = [
        ...begun.seen,
        answer(make(inner), 'u', [26, 35], 201, 0, shown(1, 30)),
        answer(remove(term, true), 'c', [36, 55], 200, 1, shown(2, 40, true)),
        answer(remove(glossary, true), 'g', [56, 65], 200, 1, shown(2, 60, true)),
        answer(restore(term), 'd', [66, 125], 400, 2),
        answer(restore(glossary), 'h', [71, 85], 200, 2, shown(3, 80)),
        answer(restore(inner), 'e', [86, 95], 200, 2, shown(3, 90)),
        answer(restore(term), 'f', [105, 135], 200, 4, shown(5, back)),
      ]
      expect(broken(events, seen)).toEqual([])
    },
  )

  it('nothing where nobody was left to take back what was begun below a deletion that was; else that it stands', () => {
    const late = { kind: 'glossaryTerm', fqn: 'w1xg.late' } as const
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'Created', 'glossaryTerm w1xg.late', 'd'),
      event(5, 'Restored', keys.glossary, 'e', { version: 3 }),
    ]
    const shown = { version: 0.2, deleted: true, body: { updatedAt: 30 } }
    const back = { version: 0.3, body: { updatedAt: 50 } }
    const told = (made: number, restored: number) => [
      ...begun.seen,
      answer(remove(glossary, true), 'c', [26, 39], 200, 1, shown),
      answer(make(late), 'd', [26, 65], made, 0, { body: { updatedAt: 40 } }),
      answer(restore(glossary), 'e', [40, 65], restored, 2, back),
    ]
    expect(broken(events, told(0, 0))).toEqual([])
    expect(broken(events, told(0, 200))).toContain('nothing is made below a parent that has ended')
    expect(broken(events, told(201, 0))).toContain('nothing is made below a parent that has ended')
  })

  it('nothing where what was taken back is made anew once its parent is there again; else that it stands', () => {
    const late = { kind: 'glossaryTerm', fqn: 'w1xg.late' } as const
    const key = 'glossaryTerm w1xg.late' as const
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'Created', key, 'd'),
      event(5, 'Restored', keys.glossary, 'e', { version: 3 }),
      event(6, 'HardDeleted', key, 'd', { version: 2, causation: 'event 4' }),
    ]
    const seen = [
      ...begun.seen,
      answer(remove(glossary, true), 'c', [26, 39], 200, 1, { version: 0.2, deleted: true, body: { updatedAt: 30 } }),
      answer(make(late), 'd', [26, 85], 201, 2, { body: { updatedAt: 70 } }),
      answer(restore(glossary), 'e', [40, 85], 200, 2, { version: 0.3, body: { updatedAt: 50 } }),
    ]
    expect(broken([...events, event(7, 'Created', key, 'd')], seen)).toEqual([])
    const kept = events.filter(({ type }) => type !== 'HardDeleted')
    expect(broken([...kept, event(7, 'Created', key, 'd')], seen)).toContain(
      'nothing is made below a parent that has ended',
    )
  })

  it('nothing where a refused change takes the content back of what a refused deletion had taken', () => {
    const change: Operation = { do: 'upsert', ...term, values: { description: 'new' }, user: 'ann' }
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'SoftDeleted', keys.term, 'd', { version: 2 }),
      event(5, 'Restored', keys.term, 'e', { version: 3 }),
      event(6, 'Updated', keys.term, 'e', { version: 4 }),
      event(7, 'Restored', keys.glossary, 'f', { version: 3 }),
      event(8, 'Updated', keys.term, 'e', { version: 5, causation: 'event 6' }),
    ]
    const seen = [
      ...begun.seen,
      answer(remove(glossary, true), 'c', [26, 35], 200, 1, { version: 0.2, deleted: true, body: { updatedAt: 30 } }),
      answer(remove(term, true), 'd', [26, 85], 404, 1),
      answer(change, 'e', [26, 85], 400, 1),
      answer(restore(glossary), 'f', [36, 75], 200, 2, { version: 0.3, body: { updatedAt: 70 } }),
    ]
    expect(broken(events, seen)).toEqual([])
    expect(tell(events, seen).states.get(keys.term)?.at(-1)?.status).toBe('live')
  })

  it('nothing where what was taken back had been made by others when it was decided anew; else that it was not', () => {
    const late = { kind: 'glossaryTerm', fqn: 'w1xg.late' } as const
    const key = 'glossaryTerm w1xg.late' as const
    const upsert: Operation = { do: 'upsert', ...late, values: {}, user: 'ann' }
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'Created', key, 'd'),
      event(5, 'Restored', keys.glossary, 'e', { version: 3 }),
      event(6, 'HardDeleted', key, 'd', { version: 2, causation: 'event 4' }),
    ]
    const made = event(7, 'Created', key, 'f')
    const seen = [
      ...begun.seen,
      answer(remove(glossary, true), 'c', [26, 39], 200, 1, { version: 0.2, deleted: true, body: { updatedAt: 30 } }),
      answer(restore(glossary), 'e', [40, 59], 200, 2, { version: 0.3, body: { updatedAt: 50 } }),
    ]
    const again = answer(upsert, 'd', [26, 85], 200, 2, { body: { updatedAt: 70 } })
    const others = answer(make(late), 'f', [61, 75], 201, 2, { body: { updatedAt: 70 } })
    expect(broken([...events, made], [...seen, again, others])).toEqual([])
    expect(broken(events, [...seen, { ...again, revision: '1' }])).toContain('an answer is explained by some order')
  })

  it('nothing where something is made below what a refused deletion hides; else that it had ended', () => {
    const late = { kind: 'glossaryTerm', fqn: 'w1xg.late' } as const
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'Created', 'glossaryTerm w1xg.late', 'd'),
      event(5, 'Restored', keys.glossary, 'e', { version: 3 }),
    ]
    const seen = (hidden: Seen) => [
      ...begun.seen,
      hidden,
      answer(make(late), 'd', [26, 65], 201, 0, { body: { updatedAt: 40 } }),
      answer(restore(glossary), 'e', [26, 65], 200, 2, { version: 0.3, body: { updatedAt: 50 } }),
    ]
    expect(broken(events, seen(answer(remove(glossary, false, true), 'c', [26, 65], 400, 1)))).toEqual([])
    const deleted = { version: 0.2, deleted: true, body: { updatedAt: 30 } }
    expect(broken(events, seen(answer(remove(glossary, true), 'c', [26, 65], 200, 1, deleted)))).toContain(
      'nothing is made below a parent that has ended',
    )
  })

  it('nothing where a second attempt is taken back to what others had made after the first one', () => {
    const late = { kind: 'glossaryTerm', fqn: 'w1xg.late' } as const
    const key = 'glossaryTerm w1xg.late' as const
    const upsert: Operation = { do: 'upsert', ...late, values: { description: 'new' }, user: 'ann' }
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'Created', key, 'd'),
      event(5, 'Restored', keys.glossary, 'e', { version: 3 }),
      event(6, 'HardDeleted', key, 'd', { version: 2, causation: 'event 4' }),
      event(7, 'Created', key, 'f'),
      event(8, 'SoftDeleted', keys.glossary, 'g', { version: 4 }),
      event(9, 'Updated', key, 'd', { version: 2 }),
      event(10, 'Updated', key, 'd', { version: 3, causation: 'event 9' }),
      event(11, 'SoftDeleted', keys.term, 'g', { version: 2 }),
      event(12, 'SoftDeleted', key, 'g', { version: 4 }),
    ]
    const seen = [
      ...begun.seen,
      answer(remove(glossary, true), 'c', [26, 39], 200, 1, { version: 0.2, deleted: true, body: { updatedAt: 30 } }),
      answer(upsert, 'd', [26, 125], 400, 2),
      answer(restore(glossary), 'e', [40, 59], 200, 2, { version: 0.3, body: { updatedAt: 50 } }),
      answer(make(late), 'f', [61, 75], 201, 2, { body: { updatedAt: 70 } }),
      answer(remove(glossary, true), 'g', [76, 125], 200, 3, { version: 0.4, deleted: true, body: { updatedAt: 80 } }),
    ]
    expect(broken(events, seen)).toEqual([])
  })

  it('nothing where what a deletion took is brought back to take a change back, and goes again with that deletion', () => {
    const upsert: Operation = { do: 'upsert', ...term, values: { description: 'new' }, user: 'ann' }
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'Updated', keys.term, 'd', { version: 2 }),
      event(5, 'Restored', keys.glossary, 'e', { version: 3 }),
      event(6, 'SoftDeleted', keys.term, 'c', { version: 3 }),
      event(7, 'Restored', keys.term, 'd', { version: 4, causation: 'event 4' }),
      event(8, 'Updated', keys.term, 'd', { version: 5, causation: 'event 4' }),
      event(9, 'SoftDeleted', keys.term, 'd', { version: 6, causation: 'event 4' }),
      event(10, 'Restored', keys.term, 'e', { version: 7 }),
    ]
    const seen = [
      ...begun.seen,
      answer(remove(glossary, true), 'c', [26, 105], 200, 1, { version: 0.2, deleted: true, body: { updatedAt: 30 } }),
      answer(upsert, 'd', [26, 105], 400, 1),
      answer(restore(glossary), 'e', [26, 105], 200, 2, { version: 0.3, body: { updatedAt: 50 } }),
    ]
    expect(broken(events, seen)).toEqual([])
  })

  it('nothing where a refused change of one among many takes its content back; else that it stands', () => {
    const values = { description: 'new' }
    const change: Operation = { do: 'upsert', ...term, values, user: 'ann' }
    const back = (causation: string) => [
      ...begun.events,
      event(3, 'Updated', keys.term, 'c', { version: 2 }),
      event(4, 'SoftDeleted', keys.glossary, 'd', { version: 2 }),
      event(5, 'Updated', keys.term, 'c', { version: 3, causation }),
      event(6, 'SoftDeleted', keys.term, 'd', { version: 4 }),
    ]
    const seen = [
      ...begun.seen,
      answer(change, 'c', [26, 65], 400, 1),
      answer(remove(glossary, true), 'd', [26, 65], 200, 1, { version: 0.2, deleted: true, body: { updatedAt: 40 } }),
    ]
    expect(broken(back('event 3'), seen)).toEqual([])
    expect(broken(back('command of c'), seen)).toContain('a refusal wrote nothing')
  })

  it('a child that a deletion without recursive took', () => {
    const gone = [
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'SoftDeleted', keys.term, 'c', { version: 2 }),
    ]
    const seen = [
      answer(remove(glossary, false), 'c', [26, 45], 200, 1, { version: 0.2, deleted: true, body: { updatedAt: 30 } }),
    ]
    expect(broken([...begun.events, ...gone], [...begun.seen, ...seen])).toContain(
      'a delete without recursive takes no child',
    )
  })

  it('a child that a restore left behind', () => {
    const gone = [
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'SoftDeleted', keys.term, 'c', { version: 2 }),
    ]
    const back = [event(5, 'Restored', keys.glossary, 'd', { version: 3 })]
    const seen = [
      answer(remove(glossary, true), 'c', [26, 45], 200, 1, { version: 0.2, deleted: true, body: { updatedAt: 30 } }),
      answer(restore(glossary), 'd', [46, 65], 200, 2, { version: 0.3, body: { updatedAt: 50 } }),
    ]
    expect(broken([...begun.events, ...gone, ...back], [...begun.seen, ...seen])).toEqual([
      'a restore brings back what its deletion took',
    ])
  })

  it('a 503 that does not say when to ask again', () => {
    const read = answer({ do: 'get', ...term, include: 'all', user: 'ann' }, 'c', [26, 35], 503, 0)
    expect(broken(begun.events, [...begun.seen, { ...read, retryAfter: 1 }])).toEqual([])
    expect(broken(begun.events, [...begun.seen, read])).toEqual(['no request fails within the service'])
  })

  it('an event of a request that was refused', () => {
    const [first, second] = begun.seen as [Seen, Seen]
    expect(
      broken(begun.events, [first, { ...second, status: 400, revision: undefined, body: { detail: 'refused' } }]),
    ).toEqual(['a refusal wrote nothing'])
  })

  it('a refusal that nothing explains', () => {
    expect(broken(begun.events, [...begun.seen, answer(remove(term, false), 'c', [26, 30], 404, 0)])).toEqual([
      'an answer is explained by some order',
    ])
  })

  it('an answer that was acknowledged and is not in the log', () => {
    const seen = [
      ...begun.seen,
      answer(make({ kind: 'glossaryTerm', fqn: 'w1xg.lost' }), 'c', [26, 30], 201, 0, { body: { updatedAt: 28 } }),
    ]
    expect(broken(begun.events, seen)).toContain('an answer shows what was written')
  })

  it('a read of what was overwritten before it was asked', () => {
    const patch: Operation = { do: 'patch', ...term, merge: true, values: { description: 'new' }, user: 'ann' }
    const read: Operation = { do: 'get', ...term, include: 'all', user: 'ann' }
    const changed = event(3, 'Updated', keys.term, 'c', { version: 2 })
    const seen = [
      answer(patch, 'c', [26, 35], 200, 1, { version: 0.2, body: { description: 'new', updatedAt: 30 } }),
      answer(read, 'd', [40, 45], 200, 0, { body: { updatedAt: 20 } }),
    ]
    expect(broken([...begun.events, changed], [...begun.seen, ...seen])).toEqual([
      'an answer is explained by some order',
    ])
  })

  it('nothing in a read that shows a deletion above before its own event, but a deletion that nobody asked for', () => {
    const read: Operation = { do: 'get', ...term, include: 'all', user: 'ann' }
    const deleted = event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 })
    const follows = event(4, 'SoftDeleted', keys.term, 'c', { version: 2, causation: deleted.id })
    const shown = { version: 0.2, deleted: true, body: { updatedAt: 30 } }
    const seen = (start: number) => [
      ...begun.seen,
      answer(remove(glossary, true), 'c', [28, 45], 200, 1, shown),
      answer(read, 'd', [start, start + 1], 200, 0, { deleted: true, body: { updatedAt: 20 } }),
    ]
    expect(broken([...begun.events, deleted, follows], seen(41))).toEqual([])
    expect(broken([...begun.events, deleted, follows], seen(26))).toEqual(['an answer shows what was written'])
  })

  it('an answer with a value that nobody wrote', () => {
    const [first, second] = begun.seen as [Seen, Seen]
    expect(broken(begun.events, [first, { ...second, body: { ...second.body, description: 'strange' } }])).toEqual([
      'an answer shows what was written',
    ])
  })

  it('what an answer shows of others as it was at another time', () => {
    const renames: Operation = { do: 'patch', ...glossary, merge: true, values: { displayName: 'G' }, user: 'ann' }
    const seen = [
      ...begun.seen,
      answer(renames, 'c', [26, 35], 200, 1, { version: 0.2, body: { displayName: 'G', updatedAt: 30 } }),
    ]
    const story = tell([...begun.events, event(3, 'Updated', keys.glossary, 'c', { version: 2 })], seen)
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
      incident: { status: 'Open', openedAt: 4 },
    })
    expect([isReported(failed, result('Failed', 3)), isReported(failed, result('Success', 3))]).toEqual([true, false])
    expect(reported(failed, result('Success', 5), 'bob')['incident']).toEqual({
      status: 'Resolved',
      openedAt: 4,
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
      expect(broken(events, seen)).toEqual([])
      const wrong = { ...stated, body: { edges: [] } }
      expect(broken(events, seen.with(3, wrong))).toEqual(['an answer shows what was written'])
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

  it('what others wrote before a void change was compensated', () => {
    const change = (values: Values): Operation => ({ do: 'patch', ...term, values, merge: true, user: 'ann' })
    const seen = [
      ...begun.seen,
      answer(change({ description: 'first', extension: { a: 1 } }), 'c', [26, 55], 404, 0),
      answer(change({ displayName: 'second', extension: { a: 2 } }), 'd', [36, 45], 200, 2),
    ]
    const events = [
      ...begun.events,
      event(3, 'Updated', keys.term, 'c', { version: 2 }),
      event(4, 'Updated', keys.term, 'd', { version: 3 }),
      event(5, 'Updated', keys.term, 'c', { version: 4, causation: 'event 3' }),
    ]
    const story = tell(events, seen)
    expect(story.findings).toEqual([])
    expect(story.viewAt(4).get(keys.term)?.values).toEqual({ displayName: 'second', extension: { a: 2 } })
  })

  it('a void change that the compensation of another one has taken back, before it was made again', () => {
    const change = (values: Values): Operation => ({ do: 'patch', ...term, values, merge: true, user: 'ann' })
    const seen = [
      ...begun.seen,
      answer(change({ extension: { a: 1 } }), 'c', [26, 65], 200, 3),
      answer(change({ displayName: 'second' }), 'd', [26, 55], 404, 0),
    ]
    const events = [
      ...begun.events,
      event(3, 'Updated', keys.term, 'c', { version: 2 }),
      event(4, 'Updated', keys.term, 'd', { version: 3 }),
      event(5, 'Updated', keys.term, 'd', { version: 4, causation: 'event 4' }),
      event(6, 'Updated', keys.term, 'c', { version: 5 }),
    ]
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
    const change: Operation = { do: 'patch', ...term, values: { displayName: 'late' }, merge: true, user: 'ann' }
    const seen = [
      begun.seen[0] as Seen,
      answer(make(term), 'b', [16, 65], 201, 2),
      answer(change, 'c', [16, 85], 404, 0),
    ]
    const events = [
      begun.events[0] as FeedEvent,
      event(2, 'Created', keys.term, 'b'),
      event(3, 'Updated', keys.term, 'c', { version: 2 }),
      event(4, 'HardDeleted', keys.term, 'b', { version: 3, causation: 'event 2' }),
      event(5, 'Created', keys.term, 'b'),
      event(6, 'Updated', keys.term, 'c', { version: 2 }),
      event(7, 'Updated', keys.term, 'c', { version: 3, causation: 'event 6' }),
    ]
    const story = tell(events, seen)
    expect(story.findings).toEqual([])
    expect([4, 5, 6].map((at) => story.viewAt(at).get(keys.term)?.values)).toEqual([{}, { displayName: 'late' }, {}])
  })

  it('a child deleted for as long as its parent is, whenever its own events come', () => {
    const seen = [
      ...begun.seen,
      answer(remove(glossary, true), 'c', [26, 35], 200, 1, { version: 0.2, deleted: true }),
      answer(restore(glossary), 'd', [36, 45], 200, 2, { version: 0.3 }),
      answer(remove(glossary, true), 'e', [46, 55], 200, 3, { version: 0.4, deleted: true }),
    ]
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'Restored', keys.glossary, 'd', { version: 3 }),
      event(5, 'SoftDeleted', keys.glossary, 'e', { version: 4 }),
      event(6, 'SoftDeleted', keys.term, 'c', { version: 2, causation: 'event 3' }),
      event(7, 'Restored', keys.term, 'd', { version: 3, causation: 'event 4' }),
      event(8, 'SoftDeleted', keys.term, 'e', { version: 4, causation: 'event 5' }),
    ]
    const statuses = (upTo: number): (string | undefined)[] => {
      const story = tell(events.slice(0, upTo), seen)
      return events.slice(0, upTo).map((_, at) => story.viewThen(at).get(keys.term)?.status)
    }
    const expected = [undefined, 'live', 'deleted', 'live', 'deleted', 'deleted', 'deleted', 'deleted']
    for (const upTo of [5, 7, 8]) expect(statuses(upTo)).toEqual(expected.slice(0, upTo))
  })

  it('a child deleted while its parent is, also where a void restore of that was taken back before its own event came', () => {
    const seen = [
      ...begun.seen,
      answer(remove(glossary, true), 'c', [26, 35], 200, 1, { version: 0.2, deleted: true }),
      answer(restore(glossary), 'd', [36, 45], 409, 0),
    ]
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'Restored', keys.glossary, 'd', { version: 3 }),
      event(5, 'SoftDeleted', keys.glossary, 'd', { version: 4, causation: 'event 4' }),
      event(6, 'SoftDeleted', keys.term, 'c', { version: 2, causation: 'event 3' }),
    ]
    const story = tell(events, seen)
    const statuses = events.map((_, at) => story.viewThen(at).get(keys.term)?.status)
    expect(statuses).toEqual([undefined, 'live', 'deleted', 'deleted', 'deleted', 'deleted'])
  })

  it('a child live as soon as its parent is, also where a compensation had given it back its deletion with that', () => {
    const seen = [
      ...begun.seen,
      answer(remove(glossary, true), 'c', [26, 35], 200, 1, { version: 0.2, deleted: true }),
      answer(restore(term), 'd', [36, 45], 409, 0),
      answer(restore(glossary), 'e', [46, 55], 200, 2, { version: 0.3 }),
    ]
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(4, 'SoftDeleted', keys.term, 'c', { version: 2, causation: 'event 3' }),
      event(5, 'Restored', keys.term, 'd', { version: 3 }),
      event(6, 'SoftDeleted', keys.term, 'd', { version: 4, causation: 'event 5' }),
      event(7, 'Restored', keys.glossary, 'e', { version: 3 }),
    ]
    const story = tell(events, seen)
    const statuses = events.map((_, at) => story.viewThen(at).get(keys.term)?.status)
    expect(statuses).toEqual([undefined, 'live', ...Array.from({ length: 4 }, () => 'deleted'), 'live'])
  })

  it('a child in the last deletion of its parent after a void restore of it, and what follows from that after the answer', () => {
    const user = { kind: 'user', fqn: 'w1xu' } as const
    const below = { kind: 'glossaryTerm', fqn: 'w1xg.t.u' } as const
    const [belowKey, userKey] = ['glossaryTerm w1xg.t.u', 'user w1xu'] as const
    const owned: Operation = { do: 'create', ...term, values: { owners: [userKey] }, user: 'ann' }
    const upsert: Operation = {
      do: 'bulk',
      kind: term.kind,
      items: [{ fqn: term.fqn, values: { owners: [userKey] } }],
      user: 'ann',
    }
    const refused = { successRequest: [], failedRequest: [{ request: term.fqn, status: 404 }] }
    const seen = [
      answer(make(user), 'u', [0, 5], 201, 0, { body: { updatedAt: 0 } }),
      answer(make(glossary), 'a', [6, 15], 201, 0, { body: { updatedAt: 10 } }),
      answer(owned, 'b', [16, 25], 201, 0, { body: { updatedAt: 20, owners: [{ id: idOf(userKey) }] } }),
      answer(make(below), 'below', [26, 35], 201, 0, { body: { updatedAt: 30 } }),
      answer(remove(glossary, true), 'c', [36, 65], 200, 1, { version: 0.2, deleted: true }),
      answer(restore(glossary), 'd', [66, 75], 200, 2, { version: 0.3 }),
      answer(remove(glossary, true), 'e', [76, 125], 200, 3, { version: 0.4, deleted: true }),
      { ...answer(owned, 'f', [66, 125], 200, 0), operation: upsert, revision: undefined, body: refused },
      answer(restore(glossary), 'g', [136, 165], 200, 4, { version: 0.5 }),
    ]
    const events = [
      event(0, 'Created', userKey, 'u'),
      event(1, 'Created', keys.glossary, 'a'),
      event(2, 'Created', keys.term, 'b'),
      event(3, 'Created', belowKey, 'below'),
      event(4, 'SoftDeleted', keys.glossary, 'c', { version: 2 }),
      event(5, 'SoftDeleted', keys.term, 'c', { version: 2, causation: 'event 4' }),
      event(6, 'SoftDeleted', belowKey, 'c', { version: 2, causation: 'event 4' }),
      event(7, 'Restored', keys.glossary, 'd', { version: 3 }),
      event(8, 'SoftDeleted', keys.glossary, 'e', { version: 4 }),
      event(9, 'Restored', keys.term, 'f', { version: 3 }),
      event(10, 'SoftDeleted', keys.term, 'e', { version: 4, causation: 'event 8' }),
      event(11, 'Restored', keys.term, 'f', { version: 5, causation: 'event 9' }),
      event(12, 'SoftDeleted', keys.term, 'f', { version: 6, causation: 'event 9' }),
      event(13, 'SoftDeleted', belowKey, 'f', { version: 3, causation: 'event 12' }),
      event(14, 'Restored', keys.glossary, 'g', { version: 5 }),
      event(15, 'Restored', keys.term, 'g', { version: 7, causation: 'event 14' }),
    ]
    const story = tell(events, seen)
    expect(story.findings).toEqual([])
    const rules = checkAnswers(story, seen).map(({ rule }) => rule)
    expect(rules).not.toContain('the time of an event is within its request' satisfies Rule)
    expect(wantedIn(story, userKey)).toEqual(['2', '9', '11'])
  })

  it('a child that was deleted alone gone as soon as its parent is, before its own event comes', () => {
    const seen = [
      ...begun.seen,
      answer(remove(term, true), 'c', [26, 35], 200, 1, { version: 0.2, deleted: true }),
      answer(remove(glossary, true, true), 'd', [36, 45], 204, 2),
    ]
    const events = [
      ...begun.events,
      event(3, 'SoftDeleted', keys.term, 'c', { version: 2 }),
      event(4, 'HardDeleted', keys.glossary, 'd', { version: 2 }),
      event(5, 'HardDeleted', keys.term, 'd', { version: 3, causation: 'event 4' }),
    ]
    for (const upTo of [4, 5]) {
      const story = tell(events.slice(0, upTo), seen)
      const statuses = events.slice(0, upTo).map((_, at) => story.viewThen(at).get(keys.term)?.status)
      expect(statuses).toEqual([undefined, 'live', 'deleted', 'gone', 'gone'].slice(0, upTo))
    }
  })

  it('times that go back, and ids that come twice', () => {
    const [first, second] = begun.events as [FeedEvent, FeedEvent]
    expect(broken([first, { ...second, time: 9, id: first.id }], begun.seen)).toEqual([
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
    const back = event(3, 'HardDeleted', keys.term, 'b', { version: 2, causation: 'event 2' })
    return broken([...begun.events, back], [begun.seen[0] as Seen, bulk])
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
  const made = answer(make(glossary), 'a', [0, 11], 201, 0)
  const hide = (hard: boolean) => answer(remove(glossary, false, hard), 'b', [15, 25], 503, 1)
  const events = [event(1, 'Created', keys.glossary, 'a'), event(2, 'SoftDeleted', keys.glossary, 'b', { version: 2 })]
  const hides = (all: readonly FeedEvent[], hard = true) =>
    standsHidden(tell(all, [made, hide(hard)]), [made, hide(hard)])
  expect(hides(events)).toBe(true)
  expect(hides(events, false)).toBe(false)
  expect(hides([...events, event(3, 'Restored', keys.glossary, 'b', { version: 3 })])).toBe(false)
  expect(hides([...events, event(3, 'HardDeleted', keys.glossary, 'b', { version: 3 })])).toBe(false)
})
