import fc, { examples } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { type CatalogEvent, type RecordedEvent, type Reference, incarnationKey } from '../../../src/events/events.ts'
import { lineageKind } from '../../../src/kinds/registry/kinds.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { applyBatch } from '../../support/projecting.ts'
import type { Direction, LineageSpan } from '../../../src/projections/lineage/lineageProjection.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import { recordedEvent } from '../../support/events.ts'
import { freshWith, uuid, type MakeReadModels } from '../entities/contract/support.ts'

const sources = ['manual', 'dbt']

/** Some assets, the last one in its second life. */
const assets: readonly Reference[] = [0, 1, 2, 3].map((n) => ({
  id: uuid(n),
  type: 'table',
  fullyQualifiedName: `s.d.e.t${n}`,
  ...(n === 3 && { life: 5 }),
}))

const step = fc.record({
  what: fc.constantFrom('state', 'state', 'state', 'gone', 'deleted', 'inherited'),
  asset: fc.nat(assets.length - 1),
  source: fc.constantFrom(...sources),
  edges: fc.array(
    fc.record({ from: fc.nat(assets.length - 1), sql: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }) }),
    { maxLength: 3 },
  ),
  ended: fc.subarray([0, 1, 2, 3]),
})

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const streamOf = (asset: Reference): string => `${lineageKind}-${entityId(lineageKind, asset.id)}`

const eventOf = (some: Step): { stream: string; event: CatalogEvent } => {
  const asset = assets[some.asset] as Reference
  const deletion = uuid(900)
  if (some.what === 'gone') return { stream: `table-${asset.id}`, event: { type: 'HardDeleted', data: { deletion } } }
  if (some.what !== 'state') {
    const inherited = some.what === 'inherited' && ({ inherited: true } as const)
    return { stream: streamOf(asset), event: { type: 'SoftDeleted', data: { deletion, ...inherited } } }
  }
  const edges = new Map(
    some.edges.map(({ from, sql }) => [from, { from: assets[from] as Reference, ...(sql !== undefined && { sql }) }]),
  )
  const ended = some.ended.filter((each) => !edges.has(each)).map((each) => assets[each] as Reference)
  const data = { entity: asset, source: some.source, edges: [...edges.values()], ended }
  return { stream: streamOf(asset), event: { type: 'LineageStated', data } }
}

const logOf = (steps: readonly Step[]): RecordedEvent[] => {
  const revisions = new Map<string, bigint>()
  return steps.map((some, index) => {
    const { stream, event } = eventOf(some)
    const revision = (revisions.get(stream) ?? 0n) + 1n
    revisions.set(stream, revision)
    return recordedEvent(event, { stream, revision, position: BigInt(index * 7 + 3) })
  })
}

const apply = async (readModels: ReadModels, events: readonly RecordedEvent[]): Promise<void> => {
  const position = events.at(-1)?.position ?? 0n
  const labelsOf = () => ({ domains: [], owners: [] })
  const projections = readModels.projections.filter(({ name }) => name === 'lineageSpans')
  const batch = { events, position, rows: async () => [], labelsOf }
  await applyBatch(readModels, batch, { position, newest: undefined }, projections)
}

type Plain = { down: string; up: string; source: string; began: bigint; details: string | undefined }

/** What holds after these events, worked out one after the other. */
const holding = (events: readonly RecordedEvent[]): Plain[] => {
  let spans: Plain[] = []
  for (const event of events) {
    const { position, stream } = event
    if (event.type === 'LineageStated') {
      const { entity, source, edges, ended } = event.data
      const down = incarnationKey(entity)
      const over = new Set([...ended, ...edges.map(({ from }) => from)].map(incarnationKey))
      spans = spans.filter((span) => span.down !== down || span.source !== source || !over.has(span.up))
      for (const { from, ...more } of edges) {
        const details = Object.keys(more).length === 0 ? undefined : JSON.stringify(more)
        spans.push({ down, up: incarnationKey(from), source, began: position, details })
      }
    } else if (event.type === 'HardDeleted') {
      const isOf = (life: string): boolean => stream === `table-${life.slice(0, 36)}`
      spans = spans.filter(({ up, down }) => !isOf(up) && !isOf(down))
    } else if (event.type === 'SoftDeleted' && event.data.inherited !== true) {
      spans = spans.filter(({ down }) => stream !== `${lineageKind}-${entityId(lineageKind, down.slice(0, 36))}`)
    }
  }
  return spans
}

const plain = ({ down, up, source, began, details }: LineageSpan): Plain => ({
  down,
  up,
  source,
  began,
  details,
})

const sorted = (spans: readonly Plain[]): string[] => spans.map((span) => Object.values(span).join(' ')).toSorted()

const lives = assets.map(incarnationKey)

const found = async (
  readModels: ReadModels,
  position: bigint | undefined,
  direction: Direction = 'up',
): Promise<string[]> =>
  sorted((await readModels.lineageOf({ direction, incarnations: lives, position, limit: 1000 })).map(plain))

/** Where data came from at any time. */
export const lineageContract = (name: string, make: MakeReadModels, { runs = 60 } = {}): void => {
  const fresh = freshWith(make)
  describe(`${name}: lineage`, () => {
    test('every moment has the edges that were stated and had not ended, on both sides', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.array(fc.nat(40)), async (steps, cuts) => {
          const { readModels, dispose } = await make()
          const log = logOf(steps)
          let done = 0
          for (const cut of [...cuts.toSorted((a, b) => a - b), log.length]) {
            // What was applied already comes again.
            await apply(readModels, log.slice(Math.max(0, done - 5), cut))
            done = Math.min(log.length, Math.max(done, cut))
          }
          for (const [index, { position }] of log.entries()) {
            const expected = sorted(holding(log.slice(0, index + 1)))
            for (const later of [0n, 6n]) expect(await found(readModels, position + later)).toEqual(expected)
            expect(await found(readModels, position, 'down')).toEqual(expected)
          }
          expect(await found(readModels, undefined)).toEqual(sorted(holding(log)))
          await dispose()
        }),
        { numRuns: examples(runs) },
      )
    })

    test('one source alone, and no more edges than wanted, in the same order each time', async () => {
      const readModels = await fresh()
      const edges = [0, 1, 2].map((from) => ({ from, sql: undefined }))
      const stated = sources.map((source): Step => ({ what: 'state', asset: 3, source, edges, ended: [] }))
      await apply(readModels, logOf(stated))
      const query = { direction: 'up', incarnations: [lives[3] as string], position: undefined, limit: 4 } as const
      const first = await readModels.lineageOf(query)
      expect(first).toHaveLength(4)
      expect(await readModels.lineageOf(query)).toEqual(first)
      const some = await readModels.lineageOf({ ...query, sources: ['dbt'] })
      expect(some.map(({ source }) => source)).toEqual(['dbt', 'dbt', 'dbt'])
      expect(some[0]).toMatchObject({ down: `${uuid(3)}@5` })
    })

    test('the order of a moment, and which edges fit a limit, are the same whenever they are asked for', async () => {
      const readModels = await fresh()
      const edges = [0, 1, 2].map((from) => ({ from, sql: undefined }))
      const stated = sources.map((source): Step => ({ what: 'state', asset: 3, source, edges, ended: [] }))
      const gone = [1, 0].map((asset): Step => ({ what: 'gone', asset, source: '', edges: [], ended: [] }))
      const again: Step = { what: 'state', asset: 3, source: 'dbt', edges: edges.slice(2), ended: [] }
      const log = logOf([...stated, again, ...gone])
      await apply(readModels, log.slice(0, 2))
      const ask = (limit: number, direction: Direction = 'up') =>
        readModels.lineageOf({ direction, incarnations: [...lives], position: log[1]?.position, limit })
      const asked = () => Promise.all([ask(6), ask(3), ask(6, 'down')])
      const before = await asked()
      for (const event of log.slice(2)) {
        await apply(readModels, [event])
        expect(await asked()).toEqual(before)
      }
      expect(before[0].slice(0, 3)).toEqual(before[1])
    })
  })
}
