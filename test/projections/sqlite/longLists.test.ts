import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ListQuery } from '../../../src/projections/entities/port.ts'
import { planQuery } from '../../../src/projections/entities/lists.ts'
import { openSqliteReadModels } from '../../../src/projections/embedded/readModels.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import { openSqliteFile } from '../../../src/projections/sqlite/file.ts'
import { entitiesIn, entityTables } from '../../support/entityFile.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { applyBatch, applyEntities, labelsOf } from '../../support/projecting.ts'
import { makeRow, rowId } from '../../support/rows.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { born, bornBelow, causedLog, isVoid, root, type Term, type TermEvent } from '../timeline/timelineContract.ts'

const open = async (readThreads: boolean): Promise<ReadModels> => {
  const path = join(await temporaryFolder(), 'readModels.db')
  const readModels = await openSqliteReadModels({ path, readThreads, commitEvery: 60_000 })
  onTestFinished(() => readModels.close())
  return readModels
}

/** More than are looked at while others wait. */
const many = 1200

/** Things of which each other one is red, each third one large, and each hundredth one has a child. */
const things = Array.from({ length: many }, (_, at) => {
  const edges = { color: [at % 2 === 0 ? 'red' : 'blue'], size: [at % 3 === 0 ? 'large' : 'small'] }
  return makeRow(`shop.t${at}`, { edges, status: at % 7 === 0 ? 'deleted' : 'live', deletion: 'd' })
})
const parts = Array.from({ length: many / 100 }, (_, at) =>
  makeRow(`shop.t${at * 100}.part`, { kind: 'table', parent: rowId(`shop.t${at * 100}`) }),
)

const all: ListQuery = { kind: 'thing', include: 'non-deleted', scopes: [], edges: [], limit: 5 }
const [red, large] = [
  { rel: 'color', target: 'red' },
  { rel: 'size', target: 'large' },
]
const children = (some: boolean) => [{ kind: 'table', some }]

const narrowed: readonly Partial<ListQuery>[] = [
  { lacking: [red] },
  { lacking: [red, large] },
  { edges: [red], lacking: [large] },
  { edges: [red, large] },
  { children: children(true) },
  { children: children(false) },
  { edges: [large], children: children(false), lacking: [red] },
  { edges: [red], children: children(true), scopes: ['shop'] },
  { lacking: [red, { rel: 'color', target: 'blue' }] },
  { ids: things.map(({ id }) => id), edges: [red, large], children: children(true) },
]

/** What this thread executes meanwhile. */
const executedDuring = async (work: () => Promise<unknown>): Promise<string> => {
  const spies = (['get', 'all', 'iterate'] as const).map((name) => vi.spyOn(StatementSync.prototype, name))
  await work()
  const executed = spies.flatMap(({ mock }) => mock.contexts.map((statement) => (statement as StatementSync).sourceSQL))
  for (const spy of spies) spy.mockRestore()
  return executed.join('\n')
}

describe('a long list', () => {
  it('is read in another thread, and a short one in this', async () => {
    const readModels = await open(true)
    await applyEntities(readModels, [...things, ...parts], 1n)
    const rowsOf = (some: Partial<ListQuery>) => executedDuring(() => readModels.list({ ...all, ...some }))
    for (const long of [{ lacking: [red] }, { ids: things.map(({ id }) => id) }])
      expect(await rowsOf(long)).not.toContain('shownAlways')
    for (const short of [{}, { edges: [red] }, { scopes: ['shop'] }, { children: children(true) }])
      expect(await rowsOf(short)).toContain('shownAlways')
  })

  it('is looked at once to choose its walk and its thread', async () => {
    const readModels = await open(true)
    await applyEntities(readModels, [...things, ...parts], 1n)
    const rare = { rel: 'color', target: 'green' }
    const executed = await executedDuring(() => readModels.list({ ...all, edges: [red, rare] }))
    const [sizes, length, total] = [2, 1, 1]
    expect(executed.match(/count\(\*\)/g)).toHaveLength(sizes + length + total)
  })

  it('is not counted while a deletion is pending, where its total is kept', async () => {
    const readModels = await open(true)
    await applyEntities(readModels, [...things, makeRow('shop.t1.a'), makeRow('shop.t1.b')], 1n)
    const names = { hidden: ['shop.t1', 'shop.t1.a'], gone: [], restored: [] }
    const executed = await executedDuring(async () =>
      expect(await readModels.countSettled(all, names)).toBe(things.filter(({ status }) => status === 'live').length),
    )
    expect(executed).not.toContain('count(*)')
  })

  it('is walked along what fewest have, however many these are', async () => {
    const path = join(await temporaryFolder(), 'readModels.db')
    const readModels = await openSqliteReadModels({ path })
    const edges = (at: number) => ({ color: ['red'], size: [at % 2 === 0 ? 'large' : 'small'] })
    const rows = Array.from({ length: 2 * many }, (_, at) => makeRow(`shop.t${at}`, { edges: edges(at) }))
    await applyEntities(readModels, rows, 1n)
    await readModels.close()
    const file = openSqliteFile({ path, readOnly: true }, [entityTables])
    onTestFinished(() => file.close())
    const plan = await planQuery(entitiesIn(file), { ...all, edges: [red, large] })
    expect(plan.edges).toEqual([large, red])
  })

  it('has the same pages and totals there as here', async () => {
    const [beside, here] = [await open(true), await open(false)]
    for (const readModels of [beside, here]) await applyEntities(readModels, [...things, ...parts], 1n)
    const names = { hidden: ['shop.t1'], gone: [], restored: ['shop.t7'] }
    for (const some of narrowed)
      for (const include of ['non-deleted', 'deleted', 'all'] as const) {
        const query = { ...all, ...some, include }
        const page = await here.list(query)
        expect(await beside.list(query)).toEqual(page)
        expect(await beside.countSettled(query, names)).toBe(await here.countSettled(query, names))
        const [after, before] = [page.rows[2], page.rows[4]]
        if (after === undefined || before === undefined) continue
        for (const place of [{ after }, { before }])
          expect(await beside.list({ ...query, ...place })).toEqual(await here.list({ ...query, ...place }))
      }
  })

  it('shows what was applied before it was asked, also while the read models are replaced', async () => {
    const readModels = await open(true)
    await applyEntities(readModels, things, 1n)
    const count = async () => (await readModels.list({ ...all, include: 'all', lacking: [red] })).total
    const blue = (at: number) => makeRow(`shop.blue${at}`, { edges: { color: ['blue'] } })
    for (let at = 1; at <= 20; at += 1) {
      await applyEntities(readModels, [blue(at)], BigInt(at + 1))
      expect(await count()).toBe(many / 2 + at)
    }
    const { fresh, swap } = await readModels.startRebuild()
    await applyEntities(fresh, [...things, blue(1)], 30n)
    const totals = new Set<number>()
    let stopped = false
    const counting = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!stopped) {
          totals.add(await count())
          await nextTurn()
        }
      }),
    )
    await swap()
    expect(await count()).toBe(many / 2 + 1)
    stopped = true
    await counting
    expect([...totals].filter((total) => total !== many / 2 + 20 && total !== many / 2 + 1)).toEqual([])
  })

  it('is read in another thread when it is of the past, too, with the same page and total', async () => {
    const terms = Array.from({ length: many }, (_, at): Term => {
      const [name, kind] = [`g.n${at}`, 'glossaryTerm']
      return { name, kind, id: entityId(kind, name), stream: `${kind}-${entityId(kind, name)}` }
    })
    const events = causedLog([born[0] as TermEvent, ...terms.map((term) => bornBelow(term, root))])
    const position = events.at(-1)?.position as bigint
    const [beside, here] = [await open(true), await open(false)]
    for (const readModels of [beside, here]) {
      const timeline = readModels.projections.filter(({ name }) => name === 'timeline')
      await applyBatch(readModels, { events, position, rows: async () => [], labelsOf, isVoid }, undefined, timeline)
    }
    const query = { ...all, kind: 'glossaryTerm', lacking: [red], position: BigInt(many / 2) }
    const page = await here.listAsOf(query)
    expect(page.total).toBe(many / 2)
    expect(await executedDuring(async () => expect(await beside.listAsOf(query)).toEqual(page))).not.toContain('NOT')
  })
})
