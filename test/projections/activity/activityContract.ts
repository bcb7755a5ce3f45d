import fc, { examples } from '../../support/fastCheck.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CatalogEvent, RecordedEvent } from '../../../src/events/events.ts'
import type { ActivityQuery, ActivityRow } from '../../../src/projections/activity/port.ts'
import { makeLabels } from '../../../src/projections/labels.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import { summarizeEvent } from '../../../src/events/verbs.ts'
import { recordedEvent } from '../../support/events.ts'
import { applyBatch } from '../../support/projecting.ts'
import type { MakeReadModels } from '../entities/contract/support.ts'

const users = ['ann', 'bob', 'eve "the \u0001 admin"']
const domains = ['sales', 'sales.emea', '"a.b"']
const owners = ['o1', 'o2']
const streams = ['thing-1', 'thing-2', 'other-3']
const requests = ['r1', 'r2', 'r3']

const referenceTo = (type: string, name: string) => ({ id: name, type, fullyQualifiedName: name })

/** What happens next to one of a few entities. */
const step = fc.record({
  stream: fc.constantFrom(...streams),
  user: fc.constantFrom(...users),
  request: fc.constantFrom(...requests),
  pause: fc.integer({ min: -2, max: 3 }),
  domains: fc.option(fc.subarray(domains), { nil: undefined }),
  owners: fc.option(fc.subarray(owners), { nil: undefined }),
  vote: fc.boolean(),
})

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const changeOf = (some: Step, isFirst: boolean): CatalogEvent => {
  const members = {
    ...(some.domains && { domains: some.domains.map((name) => referenceTo('domain', name)) }),
    ...(some.owners && { owners: some.owners.map((name) => referenceTo('user', name)) }),
  }
  if (isFirst) return { type: 'Created', data: { name: 'n', members } }
  if (some.vote) return { type: 'Voted', data: { user: referenceTo('user', some.user), vote: 'votedUp' } }
  return { type: 'Updated', data: { set: { ...members, description: 'd' }, unset: [] } }
}

const usual: Step = {
  stream: 'thing-1',
  user: 'ann',
  request: 'r1',
  pause: 0,
  domains: undefined,
  owners: undefined,
  vote: true,
}

/** A log in which positions have holes, and times go back as those of processes with different clocks do. */
const logOf = (steps: readonly Step[]): RecordedEvent[] => {
  const revisions = new Map<string, bigint>()
  let time = 1_700_000_000_000
  return steps.map((some, index) => {
    const revision = (revisions.get(some.stream) ?? -1n) + 1n
    revisions.set(some.stream, revision)
    time += some.pause
    const name = `s."${some.stream}"`
    const position = BigInt(index * 7 + 3)
    const event = recordedEvent(changeOf(some, revision === 0n), { stream: some.stream, revision, position, name })
    const client = { clientCorrelationId: some.request }
    const metadata = {
      user: some.user,
      correlationId: some.request,
      ...(index % 2 === 0 && client),
      time: new Date(time).toISOString(),
    }
    return { ...event, metadata: { ...event.metadata, ...metadata } }
  })
}

const readStreamOf = (events: readonly RecordedEvent[]) =>
  async function* (stream: string, { from, backwards = false }: { from?: bigint; backwards?: boolean } = {}) {
    const own = events.filter((event) => event.stream === stream)
    const wanted = backwards ? own.toReversed() : own
    for (const event of wanted)
      if (from === undefined || (backwards ? event.revision <= from : event.revision >= from)) yield event
  }

/** The labels that an entity had just before and just after an event, found the long way. */
const labelsOf = (
  events: readonly RecordedEvent[],
  { stream, revision }: RecordedEvent,
  name: 'domains' | 'owners',
) => {
  const after = (until: bigint): readonly string[] =>
    events
      .filter((event) => event.stream === stream && event.revision <= until)
      .reduce<readonly string[]>((known, event) => {
        const members = event.type === 'Created' ? event.data.members : event.type === 'Updated' ? event.data.set : {}
        const list = members[name] as { fullyQualifiedName: string }[] | undefined
        if (list === undefined) return event.type === 'Created' ? [] : known
        return list.map((reference) => reference.fullyQualifiedName)
      }, [])
  return new Set([...after(revision - 1n), ...after(revision)])
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const filter = fc.record({
  kinds: maybe(fc.constantFrom(new Set(['thing']), new Set(['thing', 'other']))),
  types: maybe(fc.constantFrom(new Set(['Voted'] as const), new Set(['Created', 'Updated'] as const))),
  user: maybe(fc.constantFrom(...users)),
  entityId: maybe(fc.constantFrom('1', '2')),
  correlationId: maybe(fc.constantFrom(...requests)),
  clientCorrelationId: maybe(fc.constantFrom(...requests)),
  changed: maybe(fc.constantFrom(new Set(['votes']), new Set(['owners', 'description']))),
  domains: maybe(fc.subarray(domains, { minLength: 1 }).map((some) => new Set(some))),
  since: maybe(fc.nat(40)),
  until: maybe(fc.nat(40)),
  owned: maybe(fc.constantFrom({ kinds: new Set(['thing']), owners: ['o1'] })),
})

type Filter = typeof filter extends fc.Arbitrary<infer F> ? F : never

const begin = 1_700_000_000_000

const queryOf = ({ since, until, ...rest }: Filter): Omit<ActivityQuery, 'limit'> => ({
  ...rest,
  since: since === undefined ? undefined : begin + since,
  until: until === undefined ? undefined : begin + until,
})

const expected = (events: readonly RecordedEvent[], query: Omit<ActivityQuery, 'limit'>): bigint[] => {
  const {
    kinds,
    types,
    user,
    entityId,
    correlationId,
    clientCorrelationId,
    domains: wanted,
    since = 0,
    until = Infinity,
    owned,
    changed,
  } = query
  return events
    .filter((event) => {
      const time = Date.parse(event.metadata.time)
      const [inDomains, ownedBy] = [labelsOf(events, event, 'domains'), labelsOf(events, event, 'owners')]
      return (
        (kinds?.has(event.metadata.kind) ?? true) &&
        (types?.has(event.type) ?? true) &&
        (user ?? event.metadata.user) === event.metadata.user &&
        (entityId === undefined || event.stream.endsWith(`-${entityId}`)) &&
        (correlationId ?? event.metadata.correlationId) === event.metadata.correlationId &&
        (clientCorrelationId ?? event.metadata.clientCorrelationId) === event.metadata.clientCorrelationId &&
        (changed === undefined || summarizeEvent(event).changed.some((member) => changed.has(member))) &&
        (wanted === undefined || [...wanted].some((domain) => inDomains.has(domain))) &&
        since <= time &&
        time <= until &&
        (!owned?.kinds.has(event.metadata.kind) || owned.owners.some((owner) => ownedBy.has(owner)))
      )
    })
    .map(({ position }) => position)
    .toReversed()
}

/** Pages whose events, as many as are looked through, do not match, and others behind them do. */
const fewMatches = [
  logOf(['thing-1', 'thing-1', 'other-3', 'thing-1', 'thing-1'].map((stream) => ({ ...usual, stream }))),
  [{ kinds: new Set(['other']) } as Filter],
  4,
  2,
] satisfies [RecordedEvent[], Filter[], number, number]

/** All pages one after the other. */
const walk = async (
  page: (from: bigint | undefined) => ReturnType<ReadModels['activity']>,
  limit: number,
  oldestFirst = false,
) => {
  const rows: ActivityRow[] = []
  for (let from: bigint | undefined; ;) {
    const found = await page(from)
    expect(found.rows.length).toBeLessThanOrEqual(limit)
    rows.push(...found.rows)
    if (found.next === undefined) return rows
    expect(from === undefined || (oldestFirst ? found.next > from : found.next < from)).toBe(true)
    from = found.next
  }
}

/** What activity of every adapter must give. @param runs how many random logs are compared with a plain array */
export const activityContract = (name: string, make: MakeReadModels, { runs = 60 } = {}): void => {
  /** Read models that were given a log in batches. */
  const given = async (events: readonly RecordedEvent[], batchSize = 5, isRestarted = false) => {
    const underTest = await make()
    let { readModels } = underTest
    const labels = makeLabels({ readStream: readStreamOf(events) })
    for (let at = 0; at < events.length; at += batchSize) {
      const batch = events.slice(at, at + batchSize)
      const position = (batch.at(-1) as RecordedEvent).position
      await applyBatch(readModels, { events: batch, position, rows: async () => [], labelsOf: labels })
      if (isRestarted) readModels = (await underTest.reopen?.()) ?? readModels
    }
    return { ...underTest, readModels }
  }

  /** The same, until the test has finished. */
  const kept = async (...log: Parameters<typeof given>): Promise<ReadModels> => {
    const { readModels, dispose } = await given(...log)
    onTestFinished(dispose)
    return readModels
  }

  describe(`${name}: the activity contract`, () => {
    test('every walk gives what a plain array gives, in both directions, whatever its pages', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 25 }).map(logOf),
          fc.array(filter, { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 1, max: 4 }),
          fc.integer({ min: 1, max: 8 }),
          async (events, filters, limit, maxScanned) => {
            const { readModels, dispose } = await given(events)
            try {
              for (const query of filters.map(queryOf)) {
                const wanted = expected(events, query)
                const pages = (before: bigint | undefined) =>
                  readModels.activity({ ...query, limit, maxScanned, before })
                expect((await walk(pages, limit)).map(({ position }) => position)).toEqual(wanted)
                const forwards = (after: bigint | undefined) =>
                  readModels.activity({ ...query, limit, maxScanned, after, oldestFirst: true })
                expect((await walk(forwards, limit, true)).map(({ position }) => position)).toEqual(wanted.toReversed())
              }
            } finally {
              await dispose()
            }
          },
        ),
        { numRuns: examples(runs), examples: [fewMatches] },
      )
    })

    test('events within two instants are found although the times of others go back along the log', async () => {
      const pauses = [1_000, 60_000, -59_000, 58_000, -1_000]
      const events = logOf(pauses.map((pause) => ({ ...usual, pause })))
      const readModels = await kept(events, 2, true)
      for (const [since, until, found] of [
        [60_500, undefined, [10n]],
        [undefined, 2_500, [3n, 17n]],
        [2_000, 59_500, [17n, 31n]],
        [58_000, 61_000, [10n, 24n, 31n]],
      ] as const) {
        const range = { since: since && begin + since, until: until && begin + until }
        const { rows } = await readModels.activity({ ...range, limit: 10, oldestFirst: true })
        expect(rows.map(({ position }) => position)).toEqual(found)
      }
    })

    test('an instant means the last position that it, or one before it, had, also where clocks differ', async () => {
      const readModels = await kept([])
      expect(await readModels.positionAt(Date.now())).toBeUndefined()
      const pauses = [10, 0, -4, 10, 0, -4, 10, 60_000, -59_990, 0, -4]
      const events = logOf(pauses.map((pause) => ({ ...usual, pause })))
      const filled = await kept(events, 2, true)
      for (const { metadata } of events)
        for (const later of [-1, 0, 1, 5]) {
          const time = Date.parse(metadata.time) + later
          const newest = events.findLast((event) => Date.parse(event.metadata.time) <= time)
          expect(await filled.positionAt(time)).toBe(newest?.position)
        }
    })

    test('a row tells who did what and when, and a batch that comes again changes nothing', async () => {
      const events = logOf([
        { stream: 'thing-1', user: 'ann', request: 'r1', pause: 0, domains: ['sales'], owners: ['o1'], vote: false },
        { stream: 'thing-1', user: 'bob', request: 'r2', pause: 5, domains: ['"a.b"'], owners: undefined, vote: false },
      ])
      const readModels = await kept([...events, ...events])
      const { rows, next } = await readModels.activity({ limit: 10 })
      expect(next).toBeUndefined()
      expect(rows).toEqual([
        {
          position: 10n,
          time: begin + 5,
          user: 'bob',
          kind: 'thing',
          entityId: '1',
          fullyQualifiedName: 's."thing-1"',
          type: 'Updated',
          version: 1,
          correlationId: 'r2',
          domains: ['sales', '"a.b"'],
          owners: ['o1'],
          changed: ['domains', 'description'],
          summary: 'Changed domains and description.',
        },
        expect.objectContaining({
          position: 3n,
          type: 'Created',
          changed: ['domains', 'owners'],
          summary: 'Created.',
        }),
      ])
    })

    test('a row names who follows from then on, or no more, and which vote was given', async () => {
      const user = referenceTo('user', '"bob.b"')
      const changes: readonly CatalogEvent[] = [
        { type: 'Created', data: { name: 'n', members: {} } },
        { type: 'FollowerAdded', data: { user } },
        { type: 'FollowerRemoved', data: { user } },
        { type: 'Voted', data: { user, vote: 'unVoted' } },
      ]
      const events = changes.map((change, at) =>
        recordedEvent(change, { stream: 'thing-1', revision: BigInt(at), position: BigInt(at + 1), name: 'n' }),
      )
      const readModels = await kept(events)
      const { rows } = await readModels.activity({ limit: 10, oldestFirst: true })
      expect(rows.map(({ type, follower, vote }) => ({ type, follower, vote }))).toEqual([
        { type: 'Created', follower: undefined, vote: undefined },
        { type: 'FollowerAdded', follower: 'bob.b', vote: undefined },
        { type: 'FollowerRemoved', follower: 'bob.b', vote: undefined },
        { type: 'Voted', follower: undefined, vote: 'unVoted' },
      ])
      expect(rows[0]).not.toHaveProperty('follower')
      expect(rows[0]).not.toHaveProperty('vote')
    })
  })
}
