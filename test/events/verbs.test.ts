import { expect, test } from 'vitest'
import { isWork, summarizeEvent, type CatalogEvent } from '../../src/events/verbs.ts'
import { activityProjection } from '../../src/projections/activity/activityProjection.ts'
import { exampleData } from '../support/events.ts'

const deletion = '00000000-0000-4000-8000-000000000000'

test.each([
  ['SoftDeleted', 'Deleted.', 'Deleted with its parent.'],
  ['Restored', 'Restored.', 'Restored with its parent.'],
  ['HardDeleted', 'Hard-deleted.', 'Hard-deleted with its parent.'],
] as const)('%s says whether it only followed the parent', (type, own, inherited) => {
  expect(summarizeEvent({ type, data: { deletion } }).summary).toBe(own)
  expect(summarizeEvent({ type, data: { deletion, inherited: true } }).summary).toBe(inherited)
})

const named = (fullyQualifiedName: string) => ({ id: deletion, type: 'user', fullyQualifiedName })
const user = named('ann')

/** What is told in other words than the example of its type. */
const variants: readonly CatalogEvent[] = [
  { type: 'Updated', data: { set: { a: 1, b: 2 }, unset: [] } },
  { type: 'Updated', data: { set: {}, unset: ['a'] } },
  { type: 'SoftDeleted', data: { deletion, inherited: true } },
  { type: 'Restored', data: { deletion, inherited: true } },
  { type: 'HardDeleted', data: { deletion, inherited: true } },
  { type: 'Voted', data: { user, vote: 'votedDown' } },
  { type: 'Voted', data: { user, vote: 'unVoted' } },
  { type: 'AssetsAdded', data: { assets: ['a', 'b', 'c', 'd', 'e'].map(named) } },
  { type: 'Validated', data: { result: {} } },
  { type: 'Validated', data: { result: { status: 'Failed' }, run: 'newest', incident: { status: 'New' } } },
  { type: 'Validated', data: { result: { status: 'Success' }, run: 'late' } },
  { type: 'Validated', data: { result: { status: 'Success' }, late: true } },
  { type: 'Confirmed', data: { user } },
  { type: 'LineageStated', data: { entity: user, source: 'dbt', edges: [{ from: user }], ended: [named('bob')] } },
  { type: 'Forgotten', data: { members: [], keys: [] } },
  { type: 'PoliciesChanged', data: {} },
]

const stored = [
  'AssetsAdded assets: Added a, b, c and 2 more to its assets.',
  'AssetsAdded assets: Added ann to its assets.',
  'AssetsRemoved assets: Removed ann from its assets.',
  'Confirmed confirmed,confirmBy,due: Confirmed, until 2026-12-31.',
  'Confirmed confirmed,confirmBy,due: Confirmed.',
  'Created : Created.',
  'FellDue due: Was not confirmed by 2026-12-31.',
  'FollowerAdded followers: ann follows it.',
  'FollowerRemoved followers: ann no longer follows it.',
  'Forgotten : Erased who had the name before.',
  'Forgotten email: Erased email, now and in the past.',
  'HardDeleted deleted: Hard-deleted with its parent.',
  'HardDeleted deleted: Hard-deleted.',
  'KeyChanged : Let the key a+02 sign the checkpoints of the log instead of a+01.',
  'LineageStated upstream: dbt states ann upstream; ends bob.',
  'LineageStated upstream: manual states ann upstream.',
  'PoliciesChanged : Took over policies aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.',
  'PoliciesChanged : Went back to the policies that it comes with.',
  'PortsAdded inputPorts: Added ann to its input ports.',
  'PortsRemoved outputPorts: Removed ann from its output ports.',
  'Restored deleted: Restored with its parent.',
  'Restored deleted: Restored.',
  'RunReported runs: Run r: START.',
  'SoftDeleted deleted: Deleted with its parent.',
  'SoftDeleted deleted: Deleted.',
  'Updated a,b: Changed a and b.',
  'Updated a,c: Changed a; cleared c.',
  'Updated a: Cleared a.',
  'Validated : Compared with its asset earlier: Success.',
  'Validated latestResult,incident: Run: Failed. Incident: new.',
  'Validated latestResult: Compared with its asset: Success.',
  'Validated latestResult: Compared with its asset: done.',
  'Validated results: Run: Success.',
  'Voted votes: Voted down.',
  'Voted votes: Voted up.',
  'Voted votes: Withdrew the vote.',
]

test('the texts that activity stores are those of its version: who changes one raises it', () => {
  const examples = Object.entries(exampleData).map(([type, data]) => ({ type, data }) as CatalogEvent)
  const texts = [...examples, ...variants].map((event) => {
    const { summary, changed } = summarizeEvent(event)
    return `${event.type} ${changed.join()}: ${summary}`
  })
  expect({ [activityProjection.version]: texts.toSorted() }).toEqual({ 13: stored.toSorted() })
})

test('votes, follows, soft deletions, what follows from above and comparisons of contracts are no work on an entity', () => {
  const examples = Object.entries(exampleData).map(([type, data]) => ({ type, data }) as CatalogEvent)
  const idle = (event: CatalogEvent): boolean => !isWork(event)
  const named = (events: readonly CatalogEvent[]) => events.map(({ type }) => type).toSorted()
  expect(named(examples.filter(idle))).toEqual([
    'FellDue',
    'FollowerAdded',
    'FollowerRemoved',
    'KeyChanged',
    'PoliciesChanged',
    'SoftDeleted',
    'Validated',
    'Voted',
  ])
  const followed: CatalogEvent = { type: 'Restored', data: { ...exampleData.Restored, inherited: true } }
  const run: CatalogEvent = { type: 'Validated', data: { ...exampleData.Validated, run: 'late' } }
  expect([isWork(followed), isWork(run)]).toEqual([false, true])
})
