import { expect, it } from 'vitest'
import { created, updated, type State, type View } from './catalog.ts'
import type { FeedEvent } from './feed.ts'
import { concerns } from './inbox.ts'
import type { Key } from './kinds.ts'
import { tell } from './order.ts'
import type { Seen } from './play.ts'
import { takenBack } from './takeBack.ts'

const reader: Key = 'user w1xuser1'
const key: Key = 'glossary w1xg'
const nothing: View = { get: () => undefined, below: () => [], version: () => undefined, endedVersion: () => undefined }
const stamp = { at: 0, updatedBy: 'ann', updatedAt: 10 }
const holding = (state: State): View => ({ ...nothing, get: (asked) => (asked === key ? state : undefined) })

const first = created(nothing, key, { description: 'first' }, stamp)
const described = (before: State, description: string): State =>
  updated(before, { ...before, values: { ...before.values, description } }, { ...stamp, at: before.at + 1 })

const event = (type: string, more: Partial<FeedEvent> = {}): FeedEvent => ({
  id: type,
  type,
  key,
  entityId: 'g',
  version: 1,
  time: 10,
  position: '1',
  actor: 'ann',
  correlation: 'a',
  causation: 'a',
  ...more,
})

it('the model takes a change back, unless somebody has changed the same since', () => {
  const second = described(first, 'second')
  const deed = { request: 'r', key, before: first, after: second }
  const titled = updated(second, { ...second, values: { ...second.values, displayName: 'Title' } }, stamp)
  expect(takenBack(nothing, deed, titled)).toMatchObject({ values: { description: 'first', displayName: 'Title' } })
  expect(takenBack(nothing, deed, described(second, 'third'))).toBe('conflict')
  expect(takenBack(nothing, deed, described(second, 'first'))).toBeUndefined()
})

it('the model takes what a source stated back with the return of a deleted lineage', () => {
  const lineage: Key = 'lineage w1xs.b.dashboardLineage'
  const before: State = { ...first, key: lineage, status: 'deleted', values: {} }
  const edge = { key: 'dashboard w1xs.a', life: 1, at: 1 } as const
  const after: State = { ...before, status: 'live', refs: { dbt: [edge] } }
  const deed = { request: 'r', key: lineage, before, after }
  expect(takenBack(nothing, deed, after)).toEqual({ values: {}, refs: {} })
  const again = { ...after, refs: { dbt: [{ ...edge, at: 2 }] } }
  expect(takenBack(nothing, { ...deed, before: again }, after)).toBeUndefined()
  const silent = { ...again, values: { silent: ['dbt'] } }
  expect(takenBack(nothing, { ...deed, before: silent }, after)).toBeUndefined()
})

it('the model tells owners of changes and of overdue confirmations, and followers only of changes', () => {
  const as = (list: string) => holding({ ...first, refs: { [list]: [{ key: reader, life: 1 }] } })
  const told = (type: string, list: string) => concerns(event(type), as(list), as(list), reader)
  expect(['Updated', 'FellDue', 'Voted'].map((type) => told(type, 'owners'))).toEqual([true, true, false])
  expect(['Updated', 'FellDue', 'Voted'].map((type) => told(type, 'followers'))).toEqual([true, false, false])
  expect(concerns(event('Updated'), holding(first), as('owners'), reader)).toBe(true)
  const ended = holding({ ...first, status: 'gone', refs: { owners: [{ key: reader, life: 1 }] } })
  expect(concerns(event('Created'), ended, holding({ ...first, life: 2 }), reader)).toBe(false)
  expect(concerns(event('Updated'), holding(first), holding(first), reader)).toBe(false)
})

it('the checker finds what falls due twice, or for another day', () => {
  const operation = {
    do: 'create',
    kind: 'glossary',
    fqn: 'w1xg',
    values: { confirmBy: '2020-01-31' },
    user: 'ann',
  } as const
  const answer = {
    start: 0,
    end: 20,
    status: 201,
    revision: '0',
    position: '1',
    body: {},
    demanded: new Map<Key, string>(),
  }
  const seen: Seen[] = [{ operation, correlation: 'a', ...answer }]
  const due = (position: number, confirmBy: string) =>
    event('FellDue', { id: `e${position}`, position: String(position), actor: 'system', correlation: 's', confirmBy })
  const rules = (...events: FeedEvent[]) => tell([event('Created'), ...events], seen).findings.map(({ rule }) => rule)
  expect(rules(due(2, '2020-01-31'))).toEqual([])
  expect(rules(due(2, '2020-01-31'), due(3, '2020-01-31'))).toEqual(['no change makes no event'])
  expect(rules(due(2, '2020-02-01'))).toEqual(['no change makes no event'])
})
