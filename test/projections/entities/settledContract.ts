import { readMismatches } from '../../../src/projections/entities/hierarchy.ts'
import fc, { examples } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { settledReads } from '../../../src/projections/entities/settledReads.ts'
import { makePending, type Pending, type ProjectionPositions } from '../../../src/projections/entities/pending.ts'
import type { ListQuery } from '../../../src/projections/entities/port.ts'
import type { EntityRow, Status } from '../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import type { SearchQuery } from '../../../src/projections/search/port.ts'
import { settledSearch } from '../../../src/projections/search/searchEngine.ts'
import { chunksOf } from '../../../src/shared/bounds.ts'
import { applyRows } from '../../support/projecting.ts'
import { makeRow, rowId } from '../../support/rows.ts'
import { fqns, keyOf, type MakeReadModels } from './contract/support.ts'

/** Kinds from the top down, with contracts below both. */
const databases = ['databaseService', 'database', 'databaseSchema', 'table'] as const
const storage = ['storageService', 'container', 'container', 'container'] as const
const names = ['a', 'b'] as const

interface Node {
  readonly kind: string
  readonly fqn: string
  readonly parent: string | undefined
}

const nodesOf = (kinds: readonly string[], tops: readonly string[]): Node[] => {
  const [kind = '', ...others] = kinds
  const below = (above: readonly Node[], left: readonly string[]): Node[] => {
    const [next, ...rest] = left
    if (next === undefined) return []
    const level = above.flatMap(({ kind: parentKind, fqn }) =>
      names.map((name): Node => ({ kind: next, fqn: `${fqn}.${name}`, parent: rowId(fqn, parentKind) })),
    )
    return [...level, ...below(level, rest)]
  }
  const top = tops.map((name): Node => ({ kind, fqn: name, parent: undefined }))
  return [...top, ...below(top, others)]
}

const contracted = new Set(['table', 'container'])

const withContracts = (assets: readonly Node[]): readonly Node[] => [
  ...assets,
  ...assets
    .filter(({ kind }) => contracted.has(kind))
    .map(({ kind, fqn }): Node => ({ kind: 'dataContract', fqn: `${fqn}.contract ${kind}`, parent: rowId(fqn, kind) })),
]

/** Two trees that share their names, and two that do not. */
const forests = [names, ['x', 'y']].map((tops) =>
  withContracts([...nodesOf(databases, names), ...nodesOf(storage, tops)]),
)

/** What happened to each, and what rows show of it while children have not got their events yet. */
interface Case {
  readonly shared: boolean
  readonly settled: readonly EntityRow[]
  readonly cut: readonly EntityRow[]
}

const caseOf = (
  shared: boolean,
  own: readonly Status[],
  reached: readonly boolean[],
  restored: readonly boolean[],
): Case => {
  const statuses = new Map<string, Status>()
  const rows = (forests[shared ? 0 : 1] as readonly Node[]).map((node, at) => {
    const above = statuses.get(node.parent ?? '') ?? 'live'
    const mine = own[at] as Status
    const status = above === 'gone' || (above === 'deleted' && mine === 'live') ? above : mine
    const id = rowId(node.fqn, node.kind)
    statuses.set(id, status)
    const row = (as: Status): EntityRow =>
      makeRow(node.fqn, {
        ...node,
        id,
        status: as,
        inherited: as === 'deleted' && mine === 'live',
        updatedAt: 1000 + at,
      })
    const isCut = reached[at] !== true && (above !== 'live' || (status === 'live' && node.parent !== undefined))
    const before = status === 'live' && restored[at] === true ? 'deleted' : mine
    return { settled: row(status), cut: row(isCut ? before : status) }
  })
  return { shared, settled: rows.map((row) => row.settled), cut: rows.map((row) => row.cut) }
}

const mostly = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Status>('live') },
  fc.constantFrom<Status>('deleted', 'gone'),
)
const size = forests[0]?.length ?? 0
const exactly = { minLength: size, maxLength: size }
const cases = fc
  .tuple(
    fc.boolean(),
    fc.array(mostly, exactly),
    fc.array(fc.boolean(), exactly),
    fc.oneof(fc.constant(Array<boolean>(size).fill(false)), fc.array(fc.boolean(), exactly)),
  )
  .map((some) => caseOf(...some))

const listQueries = ['container', 'table', 'databaseSchema', 'dataContract', 'databaseService'].flatMap((kind) =>
  (['non-deleted', 'deleted', 'all'] as const).flatMap((include) =>
    [[], ['a'], ['a.b']].flatMap((scopes): ListQuery[] => {
      const query = { kind, include, scopes, edges: [], limit: 3 }
      const having = contracted.has(kind) ? [true, false] : []
      return [query, ...having.map((some) => ({ ...query, children: [{ kind: 'dataContract', some }] }))]
    }),
  ),
)

type Lists = Pick<ReadModels, 'list'>

const pagesOf = async ({ list }: Lists, query: ListQuery) => {
  const pages = [await list({ ...query, limit: 0 })]
  const forwards = [await list(query)]
  for (let last = forwards[0]; last?.hasAfter === true && last.rows.length > 0; last = forwards.at(-1))
    forwards.push(await list({ ...query, after: keyOf(last.rows.at(-1) as EntityRow) }))
  const end = forwards.at(-1)?.rows.at(-1)
  const backwards = end === undefined ? [] : [await list({ ...query, before: keyOf(end) })]
  return [...pages, ...forwards, ...backwards].map(({ rows, ...page }) => ({ ...page, fqns: fqns(rows) }))
}

const searchQueries = (['relevance', 'name', 'updatedAt'] as const).flatMap((sort) =>
  [false, true].map((deleted): SearchQuery => {
    const expression = { type: 'text', words: ['a'], prefix: false, joined: false } as const
    return {
      expression,
      kinds: ['container', 'table'],
      deleted,
      ...(sort === 'relevance' ? { from: 0, size: 100 } : { from: 1, size: 4 }),
      sort,
      descending: true,
      facets: ['kind'],
    }
  }),
)

/** Positions that have moved on whenever they are asked for. */
const movingOn = (): ProjectionPositions => {
  let position = 0n
  return { entities: () => (position += 1n), search: () => position }
}

/** Makes pending what children contradict. */
const addUnsettled = async (pending: Pending, readModels: ReadModels, ids: readonly string[]): Promise<void> => {
  for (const { parent } of await readMismatches(readModels, 1000, ids)) pending.add(parent.id, 1n)
}

/**
 * While children have not got the events of a deletion or a restore yet, reads give what they give when they have.
 * @param make gives empty read models; each test has its own
 */
export const settledContract = (name: string, make: MakeReadModels, { runs = 40 } = {}): void => {
  describe(`${name}: reads while children follow`, () => {
    test('show what has no event of its own yet as it will be', async () => {
      await fc.assert(
        fc.asyncProperty(cases, async ({ shared, settled, cut }) => {
          const [own, other] = [await make(), await make()]
          try {
            await applyRows(own.readModels, cut, 1n)
            await applyRows(other.readModels, settled, 1n)
            const pending = makePending(own.readModels, movingOn())
            const ids = (shared ? assetsIn(settled) : settled).map(({ id }) => id)
            await addUnsettled(
              pending,
              own.readModels,
              cut.map(({ id }) => id),
            )
            const shown = {
              ...settledReads(own.readModels, pending),
              ...settledSearch(own.readModels, pending.searchRegions),
            }
            // Below a name that both trees have contracts are told as they stand until they are reached.
            for (const query of listQueries.filter(({ kind }) => !shared || kind !== 'dataContract'))
              expect(await pagesOf(shown, query), JSON.stringify(query)).toEqual(await pagesOf(other.readModels, query))
            const statusesOf = (rows: ReadonlyMap<string, { status: Status }>) =>
              ids.map((id) => rows.get(id)?.status ?? 'gone')
            const expected = statusesOf(await other.readModels.getMany(ids))
            expect(statusesOf(await shown.getMany(ids))).toEqual(expected)
            expect(statusesOf(await shown.getReferences(ids))).toEqual(expected)
            for (const { kind, fullyQualifiedName } of assetsIn(settled)) {
              const found = await shown.getByFqn(kind, fullyQualifiedName)
              expect(found?.status).toBe((await other.readModels.getByFqn(kind, fullyQualifiedName))?.status)
            }
            for (const scope of ['a', 'a.b', 'b'])
              expect(await shown.countBelow('container', scope)).toBe(
                await other.readModels.countBelow('container', scope),
              )
            for (const query of searchQueries)
              expect(await found(shown, query)).toEqual(await found(other.readModels, query))
            expect(await shown.suggest('a', ['container', 'table'], 3)).toEqual(
              await other.readModels.suggest('a', ['container', 'table'], 3),
            )
          } finally {
            await own.dispose()
            await other.dispose()
          }
        }),
        { numRuns: examples(runs) },
      )
    })

    test.each([
      ['a deletion', 'deleted', 'live'],
      ['a restore', 'live', 'deleted'],
    ] as const)('count and list the same at every moment of %s', async (_, wanted, before) => {
      const { readModels, dispose } = await make()
      const service = { kind: 'storageService', status: wanted } as const
      const parent = rowId('s', 'storageService')
      const own = makeRow('s.own', { kind: 'container', parent, status: 'deleted' })
      const below = (at: number, status: Status, revision: bigint): EntityRow =>
        makeRow(`s.${at}`, { kind: 'container', parent, status, inherited: status === 'deleted', revision })
      const many = Array.from({ length: 300 }, (_, at) => at)
      await applyRows(readModels, [makeRow('s', service), own, ...many.map((at) => below(at, before, 0n))], 1n)
      const pending = makePending(readModels, movingOn())
      pending.add(parent, 1n)
      const shown = settledReads(readModels, pending)
      const query = { kind: 'container', scopes: ['s'], edges: [] } as const
      const show = async (include: ListQuery['include']) => {
        const { rows, total } = await shown.list({ ...query, include, limit: 1000 })
        return [total, rows.length, new Set(rows.map(({ id }) => id)).size]
      }
      let reaching = true
      const reach = async (): Promise<void> => {
        for (const [turn, chunk] of [...chunksOf(many, 50)].entries()) {
          await applyRows(
            readModels,
            chunk.map((at) => below(at, wanted, 1n)),
            BigInt(turn + 2),
          )
        }
        reaching = false
      }
      const reached = reach()
      const [live, deleted] = wanted === 'live' ? [300, 1] : [0, 301]
      do {
        expect(await show('non-deleted')).toEqual([live, live, live])
        expect(await show('deleted')).toEqual([deleted, deleted, deleted])
        expect(await show('all')).toEqual([301, 301, 301])
      } while (reaching)
      await reached
      await dispose()
    })

    test('pass over what was deleted by itself below a restore in one step', async () => {
      const { readModels, dispose } = await make()
      const parent = rowId('s', 'storageService')
      const own = Array.from({ length: 60 }, (_, at) =>
        makeRow(`s.${at}`, { kind: 'container', parent, status: 'deleted' }),
      )
      const last = makeRow('s.x', { kind: 'container', parent, status: 'deleted', inherited: true })
      await applyRows(readModels, [makeRow('s', { kind: 'storageService' }), ...own, last], 1n)
      const pending = makePending(readModels, movingOn())
      pending.add(parent, 1n)
      let asked = 0
      const list: ReadModels['list'] = (query) => {
        asked++
        return readModels.list(query)
      }
      const query = { kind: 'container', include: 'non-deleted', scopes: ['s'], edges: [], limit: 1 } as const
      const page = await settledReads({ ...readModels, list }, pending).list(query)
      expect([fqns(page.rows), page.total]).toEqual([['s.x'], 1])
      expect(asked).toBeLessThan(4)
      await dispose()
    })

    test('show what was taken back meanwhile as it stands', async () => {
      const { readModels, dispose } = await make()
      const table = { kind: 'databaseSchema', parent: rowId('s.d', 'database') }
      const database = { kind: 'database', parent: rowId('s', 'databaseService') }
      await applyRows(readModels, [makeRow('s.d', { ...database, status: 'deleted' }), makeRow('s.d.x', table)], 1n)
      const pending = makePending(readModels, movingOn())
      await addUnsettled(pending, readModels, [rowId('s.d', 'database')])
      const shown = settledReads(readModels, pending)
      expect((await shown.get(rowId('s.d.x', 'databaseSchema')))?.status).toBe('deleted')
      await applyRows(readModels, [makeRow('s.d', { ...database, revision: 1n })], 2n)
      expect((await shown.get(rowId('s.d.x', 'databaseSchema')))?.status).toBe('live')
      expect(pending.size()).toBe(1)
      pending.remove([rowId('s.d', 'database')])
      expect(pending.size()).toBe(0)
      await dispose()
    })
  })
}

const assetsIn = (rows: readonly EntityRow[]): readonly EntityRow[] =>
  rows.filter(({ kind }) => kind !== 'dataContract')

const found = async ({ search }: Pick<ReadModels, 'search'>, query: SearchQuery) => {
  const { total, atLeast, hits, facets } = await search(query)
  const named = hits.map(({ row }) => `${row.kind} ${row.fullyQualifiedName}`)
  // Among equals relevance looks at what has not been changed yet.
  return { total, atLeast, facets, hits: query.sort === 'relevance' ? named.sort() : named }
}
