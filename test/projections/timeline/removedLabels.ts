import fc, { examples } from '../../support/fastCheck.ts'
import { expect, test } from 'vitest'
import type { CatalogEvent, RecordedEvent, Reference } from '../../../src/events/events.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import type { StoredTables } from '../../../src/projections/stored/differences.ts'
import { recordedEvent } from '../../support/events.ts'
import { freshWith, uuid, type MakeReadModels } from '../entities/contract/support.ts'

type Apply = (events: readonly RecordedEvent[]) => Promise<void>

const thingOf = (kind: string, name: string, number: number) => ({ kind, name, id: uuid(number) })
type Thing = ReturnType<typeof thingOf>

const labels = [
  thingOf('user', 'ann', 1),
  thingOf('user', 'bob', 2),
  thingOf('tag', 'c.x', 3),
  thingOf('tag', 'c.y', 4),
]
const assets = [thingOf('table', 's.d.e.t1', 11), thingOf('table', 's.d.e.t2', 12), thingOf('dashboard', 'b.d', 13)]

const step = fc.record({
  verb: fc.constantFrom('label', 'label', 'asset', 'asset', 'touch', 'again', 'delete', 'hardDelete'),
  which: fc.nat(11),
  named: fc.subarray(labels.map((_, index) => index)),
  inColumns: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

type Status = 'live' | 'deleted' | 'gone'
interface State {
  status: Status
  revision: number
  born: number
  owners: Reference[]
  tags: Reference[]
}

/** Ids of the live assets that are covered, by measure. */
type Covered = Readonly<Record<'owned' | 'classified', readonly string[]>>

/** A log, and what is covered after each of its events. */
const logOf = (steps: readonly Step[]) => {
  const states = new Map<string, State>()
  const log: RecordedEvent[] = []
  const covered: Covered[] = []
  const isLive = ({ id, life = 0 }: Reference): boolean => {
    const state = states.get(id)
    return state?.status === 'live' && state.born === life
  }
  const append = ({ kind, name, id }: Thing, event: CatalogEvent, status: Status): State => {
    const before = states.get(id)
    const revision = (before?.revision ?? -1) + 1
    const stream = `${kind}-${id}`
    const place = { stream, revision: BigInt(revision), position: BigInt(log.length * 2 + 1) }
    log.push(recordedEvent(event, { ...place, name }))
    const state = { owners: [], tags: [], ...before, status, revision, born: before?.born ?? 0 }
    if (event.type === 'Created') state.born = revision
    states.set(id, state)
    return state
  }
  const note = (): void => {
    const having = (list: 'owners' | 'tags') =>
      assets
        .filter(({ id }) => states.get(id)?.status === 'live' && states.get(id)?.[list].some(isLive))
        .map(({ id }) => id)
    while (covered.length < log.length) covered.push({ owned: having('owners'), classified: having('tags') })
  }
  const referTo = ({ id, kind: type, name: fullyQualifiedName }: Thing): Reference => {
    const life = states.get(id)?.born ?? 0
    return { id, type, fullyQualifiedName, ...(life > 0 && { life }) }
  }
  const membersOf = ({ kind }: Thing, { owners, tags }: Pick<State, 'owners' | 'tags'>, inColumns: boolean) => {
    if (!inColumns || kind !== 'table') return { owners, tags } as object
    return { owners, columns: [{ name: 'c', dataType: 'INT', tags }] } as object
  }
  const take = ({ verb, which, named, inColumns }: Step): void => {
    const deletion = uuid(900)
    const label = labels[which % labels.length] as Thing
    const asset = assets[which % assets.length] as Thing
    const state = states.get(asset.id)
    if (verb === 'label') {
      if (states.get(label.id)?.status === 'live') append(label, { type: 'HardDeleted', data: { deletion } }, 'gone')
      else append(label, { type: 'Created', data: { name: 'n', members: {} } }, 'live')
      return
    }
    if (state === undefined || state.status === 'gone') {
      if (verb === 'asset') set(asset, named, inColumns, 'Created')
      return
    }
    if (verb === 'hardDelete') return void append(asset, { type: 'HardDeleted', data: { deletion } }, 'gone')
    if (verb === 'delete' && state.status === 'live')
      return void append(asset, { type: 'SoftDeleted', data: { deletion } }, 'deleted')
    if (state.status === 'deleted') return void append(asset, { type: 'Restored', data: { deletion } }, 'live')
    if (verb === 'touch')
      append(asset, { type: 'Updated', data: { set: { description: `${which}` }, unset: [] } }, 'live')
    // What is changed beside them is stored with the references that it had, also to what is gone.
    if (verb === 'again')
      append(
        asset,
        { type: 'Updated', data: { set: membersOf(asset, state, false) as never, unset: ['columns'] } },
        'live',
      )
    if (verb === 'asset') set(asset, named, inColumns, 'Updated')
  }
  const set = (asset: Thing, named: readonly number[], inColumns: boolean, type: 'Created' | 'Updated'): void => {
    const references = named
      .map((index) => labels[index] as Thing)
      .filter(({ id }) => states.get(id)?.status === 'live')
      .map(referTo)
    const owners = references.filter((reference) => reference.type === 'user')
    const tags = references.filter((reference) => reference.type === 'tag')
    const members = membersOf(asset, { owners, tags }, inColumns) as never
    const unset = ['tags', 'columns'].filter((name) => !(name in (members as object)))
    const event: CatalogEvent =
      type === 'Created' ? { type, data: { name: 'n', members } } : { type, data: { set: members, unset } }
    Object.assign(append(asset, event, 'live'), { owners, tags })
  }
  for (const some of steps) {
    take(some)
    note()
  }
  return { log, covered }
}

const shown = async (readModels: ReadModels, position?: bigint): Promise<Covered> => {
  const listed = async (rel: string): Promise<string[]> => {
    const ids: string[] = []
    for (const kind of ['table', 'dashboard']) {
      const query = { kind, include: 'non-deleted', scopes: [], limit: 10 } as const
      const having = { ...query, edges: [{ rel, target: 'true' }] }
      const lacking = { ...query, edges: [], lacking: having.edges }
      const read = async (some: typeof having) => {
        const page =
          position === undefined ? await readModels.list(some) : await readModels.listAsOf({ ...some, position })
        const found = 'rows' in page ? page.rows : page.keys
        expect(page.total).toBe(found.length)
        return found.map(({ id }) => id)
      }
      const [has, lacks, all] = [await read(having), await read(lacking), await read({ ...query, edges: [] })]
      expect([...has, ...lacks].toSorted()).toEqual(all.toSorted())
      ids.push(...has)
    }
    return ids.toSorted()
  }
  return { owned: await listed('owned'), classified: await listed('classified') }
}

/** What these projections store, in an order of its own. */
export const storedIn = async ({ tables }: StoredTables, projections: readonly string[]): Promise<string[]> => {
  const rows: string[] = []
  for (const { projection, table, rows: all } of tables)
    if (projections.includes(projection)) for await (const row of all()) rows.push([table, ...row].join())
  return rows.toSorted()
}

/** What an asset is covered by, now and at any time, by whatever was hard-deleted. */
export const removedLabels = (make: MakeReadModels, applier: (readModels: ReadModels) => Apply, runs: number): void => {
  test('an asset is covered by owners and tags that are there, now and at any time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 30, maxLength: 50 }),
        fc.nat(7),
        fc.nat(3),
        async (steps, size, again) => {
          const { log, covered } = logOf(steps)
          const [single, inBatches] = [await make(), await make()]
          const [applyOne, applySome] = [applier(single.readModels), applier(inBatches.readModels)]
          for (const [at, event] of log.entries()) {
            await applyOne([event])
            expect(await shown(single.readModels)).toEqual(covered[at])
          }
          for (let at = 0; at < log.length; at += size + 1)
            await applySome(log.slice(Math.max(0, at - again), at + size + 1))
          for (const [at, { position }] of log.entries())
            expect([at, await shown(inBatches.readModels, position)]).toEqual([at, covered[at]])
          const [parted, each] = [await inBatches.readModels.stored(), await single.readModels.stored()]
          const both = ['timeline', 'entities']
          expect(await storedIn(parted, both)).toEqual(await storedIn(each, both))
          await single.dispose()
          await inBatches.dispose()
        },
      ),
      { numRuns: examples(runs) },
    )
  })

  test('however many assets a tag was the only one of, or one of two', async () => {
    const readModels = await freshWith(make)()
    const many = Array.from({ length: 1203 }, (_, index) => thingOf('table', `s.d.e.t${index}`, 1000 + index))
    const [x, y] = labels.slice(2) as [Thing, Thing]
    const tag = ({ id, kind: type, name: fullyQualifiedName }: Thing) => ({ id, type, fullyQualifiedName })
    const events = [x, y, ...many].map((thing, index): [Thing, CatalogEvent] => {
      const tags = index < 2 ? [] : [tag(x), ...(index % 3 === 0 ? [tag(y)] : [])]
      return [thing, { type: 'Created', data: { name: 'n', members: tags.length > 0 ? { tags } : {} } }]
    })
    const ends: [Thing, CatalogEvent][] = [x, y].map((each) => [
      each,
      { type: 'HardDeleted', data: { deletion: uuid(900) } },
    ])
    const log = [...events, ...ends].map(([{ kind, id, name }, event], index): RecordedEvent => {
      const [stream, revision] = [`${kind}-${id}`, event.type === 'Created' ? 0n : 1n]
      return recordedEvent(event, { stream, revision, name, position: BigInt(index) })
    })
    const both = many.filter((_, index) => (index + 2) % 3 === 0).length
    const counts: number[] = []
    for (const part of [log.slice(0, -2), log.slice(-2, -1), log.slice(-1)]) {
      await applier(readModels)(part)
      const query = {
        kind: 'table',
        include: 'all',
        scopes: [],
        edges: [{ rel: 'classified', target: 'true' }],
        limit: 0,
      } as const
      const { total } = await readModels.list(query)
      expect((await readModels.listAsOf({ ...query, position: part.at(-1)?.position ?? 0n })).total).toBe(total)
      counts.push(total)
    }
    expect(counts).toEqual([many.length, both, 0])
  })
}
