import { expect, test } from 'vitest'
import { summarizeEvent, type CatalogEvent, type EventType } from '../../src/events/verbs.ts'
import { activityProjection } from '../../src/projections/activity/activityProjection.ts'

const deletion = '00000000-0000-4000-8000-000000000000'

test.each([
  ['SoftDeleted', 'Deleted.', 'Deleted with its parent.'],
  ['Restored', 'Restored.', 'Restored with its parent.'],
  ['HardDeleted', 'Hard-deleted.', 'Hard-deleted with its parent.'],
] as const)('%s says whether it only followed the parent', (type, own, inherited) => {
  expect(summarizeEvent({ type, data: { deletion } }).summary).toBe(own)
  expect(summarizeEvent({ type, data: { deletion, inherited: true } }).summary).toBe(inherited)
})

type Samples = { readonly [T in EventType]: readonly Extract<CatalogEvent, { type: T }>['data'][] }

const named = (fullyQualifiedName: string) => ({ id: deletion, type: 'user', fullyQualifiedName })
const [user, time] = [named('ann'), '2026-01-01T00:00:00Z']
const [one, five] = [[named('a')], ['a', 'b', 'c', 'd', 'e'].map(named)]

const samples: Samples = {
  Created: [{ name: 'a', members: {} }],
  Updated: [
    { set: { a: 1, b: 2 }, unset: [] },
    { set: { a: 1 }, unset: ['b'] },
    { set: {}, unset: ['b'] },
  ],
  SoftDeleted: [{ deletion }, { deletion, inherited: true }],
  Restored: [{ deletion }, { deletion, inherited: true }],
  HardDeleted: [{ deletion }, { deletion, inherited: true }],
  Voted: [
    { user, vote: 'votedUp' },
    { user, vote: 'votedDown' },
    { user, vote: 'unVoted' },
  ],
  FollowerAdded: [{ user }],
  FollowerRemoved: [{ user }],
  AssetsAdded: [{ assets: one }, { assets: five }],
  AssetsRemoved: [{ assets: one }],
  PortsAdded: [{ direction: 'input', ports: one }],
  PortsRemoved: [{ direction: 'output', ports: one }],
  Validated: [
    { result: {} },
    { result: { status: 'Failed' }, run: 'newest', incident: { status: 'New' } },
    { result: { status: 'Success' }, run: 'late' },
  ],
  Confirmed: [{ user }, { user, confirmBy: '2026-01-01' }],
  FellDue: [{ confirmBy: '2026-01-01' }],
  LineageStated: [
    { entity: user, source: 'dbt', edges: [{ from: named('a') }], ended: [] },
    { entity: user, source: 'dbt', edges: [{ from: named('a') }], ended: [named('b')] },
  ],
  RunReported: [{ run: 'r', state: 'START', time, inputs: [], outputs: [] }],
  Forgotten: [
    { members: ['email'], keys: [] },
    { members: [], keys: [] },
  ],
  KeyChanged: [{ former: 'a+1+x', key: 'b+2+y', note: '' }],
  PoliciesChanged: [{}, { digest: 'abc' }],
}

const stored = [
  'Created : Created.',
  'Updated a,b: Changed a and b.',
  'Updated a,b: Changed a; cleared b.',
  'Updated b: Cleared b.',
  'SoftDeleted deleted: Deleted.',
  'SoftDeleted deleted: Deleted with its parent.',
  'Restored deleted: Restored.',
  'Restored deleted: Restored with its parent.',
  'HardDeleted deleted: Hard-deleted.',
  'HardDeleted deleted: Hard-deleted with its parent.',
  'Voted votes: Voted up.',
  'Voted votes: Voted down.',
  'Voted votes: Withdrew the vote.',
  'FollowerAdded followers: ann follows it.',
  'FollowerRemoved followers: ann no longer follows it.',
  'AssetsAdded assets: Added a to its assets.',
  'AssetsAdded assets: Added a, b, c and 2 more to its assets.',
  'AssetsRemoved assets: Removed a from its assets.',
  'PortsAdded inputPorts: Added a to its input ports.',
  'PortsRemoved outputPorts: Removed a from its output ports.',
  'Validated latestResult: Compared with its asset: done.',
  'Validated latestResult,incident: Run: Failed. Incident: new.',
  'Validated results: Run: Success.',
  'Confirmed confirmed,confirmBy,due: Confirmed.',
  'Confirmed confirmed,confirmBy,due: Confirmed, until 2026-01-01.',
  'FellDue due: Was not confirmed by 2026-01-01.',
  'LineageStated upstream: dbt states a upstream.',
  'LineageStated upstream: dbt states a upstream; ends b.',
  'RunReported runs: Run r: START.',
  'Forgotten email: Erased email, now and in the past.',
  'Forgotten : Erased who had the name before.',
  'KeyChanged : Let the key b+2 sign the checkpoints of the log instead of a+1.',
  'PoliciesChanged : Went back to the policies that it comes with.',
  'PoliciesChanged : Took over policies abc.',
]

test('the texts that activity stores are those of its version: who changes a text raises the version', () => {
  const texts = Object.entries(samples).flatMap(([type, all]) =>
    all.map((data) => {
      const { summary, changed } = summarizeEvent({ type, data } as CatalogEvent)
      return `${type} ${changed.join()}: ${summary}`
    }),
  )
  expect({ [activityProjection.version]: texts }).toEqual({ 13: stored })
})
