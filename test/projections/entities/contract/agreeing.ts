import fc, { examples } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { Edge, EntityRow } from '../../../../src/projections/entities/row.ts'
import type { ListQuery } from '../../../../src/projections/entities/port.ts'
import { makeRow, rowId } from '../../../support/rows.ts'
import { makeNaiveReadModels } from './naiveReadModels.ts'
import { unsettledIn, type MakeReadModels } from './support.ts'
import { applyRows } from '../../../support/projecting.ts'

const names = ['s', 's.a', 's.b', 's.a.x', 's.a.y', 's.a.😀', 's."a.b"', 'S.a', 's\uffee.a']
const fqn = fc.constantFrom(...names)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const target = fc.constantFrom('u1', 'u2', 'u3')

const row: fc.Arbitrary<EntityRow> = fc
  .record({
    fqn,
    kind: fc.constantFrom('thing', 'other'),
    status: fc.constantFrom('live', 'live', 'live', 'deleted', 'deleted', 'gone'),
    revision: fc.bigInt({ min: 0n, max: 6n }),
    parent: maybe(fc.constantFrom('s', 's.a')),
    entityStatus: fc.constantFrom('Draft', 'Active'),
    deletion: fc.constantFrom('d1', 'd2'),
    restored: maybe(fc.constantFrom('d1', 'd2')),
    inherited: fc.boolean(),
    born: fc.constantFrom(0n, 0n, 2n),
    parentBorn: fc.constantFrom(0n, 0n, 2n),
    owners: fc.uniqueArray(target, { maxLength: 2 }),
    tags: fc.uniqueArray(target, { maxLength: 2 }),
  })
  .map(({ fqn: name, parent, owners, tags, status, deletion, restored, inherited, ...rest }) =>
    makeRow(name, {
      ...rest,
      status,
      deletion: status === 'live' ? undefined : deletion,
      restored: status === 'gone' ? undefined : restored,
      inherited: inherited && status === 'deleted' && parent !== undefined,
      parent: parent && rowId(parent),
      edges: { owners, tags },
      // Two rows of one revision are the same row, as two events are.
      description: '',
    }),
  )

/** One row per id; a revision shows the same whenever it comes. */
const batches = fc
  .array(fc.uniqueArray(row, { maxLength: 8, selector: ({ id }) => id }), { maxLength: 8 })
  .map((all) => {
    const first = new Map<string, EntityRow>()
    const known = (candidate: EntityRow): EntityRow => {
      const key = `${candidate.id} ${candidate.revision}`
      if (!first.has(key)) first.set(key, candidate)
      return first.get(key) as EntityRow
    }
    return all.map((batch) => batch.map(known))
  })

const edge: fc.Arbitrary<Edge> = fc.record({ rel: fc.constantFrom('owners', 'tags'), target })
const key = fqn.map((name) => ({ fullyQualifiedName: name, id: rowId(name) }))

const query: fc.Arbitrary<ListQuery> = fc
  .record({
    kind: fc.constantFrom('thing', 'thing', 'other'),
    include: fc.constantFrom('non-deleted', 'deleted', 'all'),
    scopes: fc.uniqueArray(fc.constantFrom('s', 's.a', 'S'), { maxLength: 2 }),
    parent: maybe(fc.constantFrom(rowId('s'), rowId('s.a'))),
    edges: fc.array(edge, { maxLength: 3 }),
    lacking: maybe(fc.array(edge, { maxLength: 2 })),
    children: maybe(
      fc.uniqueArray(fc.record({ kind: fc.constantFrom('thing', 'other'), some: fc.boolean() }), {
        selector: ({ kind }) => kind,
        maxLength: 2,
      }),
    ),
    own: fc.boolean(),
    entityStatus: maybe(fc.constantFrom('Draft', 'Active')),
    ids: maybe(fc.subarray(names.map((name) => rowId(name)))),
    withRequested: maybe(fc.boolean()),
    limit: fc.integer({ min: 0, max: 4 }),
    cursor: maybe(fc.record({ key, forwards: fc.boolean() })),
  })
  .map(({ cursor, own, ...rest }) => ({
    ...rest,
    own: own && rest.include === 'deleted',
    ...(cursor && { [cursor.forwards ? 'after' : 'before']: cursor.key }),
  }))

/** Agreement with a model that is too simple to be wrong. */
export const agreeing = (make: MakeReadModels, runs: number): void => {
  describe('agreement', () => {
    test('random batches give the lists, totals and contradictions that a plain array gives', async () => {
      await fc.assert(
        fc.asyncProperty(batches, fc.array(query, { minLength: 1, maxLength: 12 }), async (all, queries) => {
          const { readModels, dispose } = await make()
          try {
            const naive = makeNaiveReadModels()
            for (const [index, batch] of all.entries()) {
              await applyRows(readModels, batch, BigInt(index))
              naive.apply(batch)
            }
            for (const asked of queries) expect(await readModels.list(asked)).toEqual(naive.list(asked))
            for (const name of names) expect(await readModels.get(rowId(name))).toEqual(naive.get(rowId(name)))
            for (const scope of ['s', 's.a', 'S']) {
              expect(await readModels.countBelow('thing', scope)).toBe(naive.countBelow('thing', scope))
            }
            const pairs = (found: { row: EntityRow; parent: EntityRow }[]) =>
              found.map(({ row: child, parent }) => `${child.id} ${parent.id}`).toSorted()
            expect(
              pairs(
                await unsettledIn(
                  readModels,
                  1000,
                  names.map((each) => ({ id: rowId(each) })),
                ),
              ),
            ).toEqual(pairs(naive.unsettled()))
          } finally {
            await dispose()
          }
        }),
        { numRuns: examples(runs) },
      )
    })
  })
}
