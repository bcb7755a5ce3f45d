import fc, { examples } from '../../../support/fastCheck.ts'
import { expect, test } from 'vitest'
import type { Edge, EntityRow } from '../../../../src/projections/entities/row.ts'
import { readMismatches } from '../../../../src/projections/entities/hierarchy.ts'
import type { ListQuery } from '../../../../src/projections/entities/port.ts'
import { makeRow, rowId } from '../../../support/rows.ts'
import { makeNaiveReadModels } from './naiveReadModels.ts'
import type { MakeReadModels } from './support.ts'
import { applyRows } from '../../../support/projecting.ts'

const names = ['s', 's.a', 's.b', 's.a.x', 's.a.y', 's.a.😀', 's."a.b"', 'S.a', 's\uffee.a', 's.ab', 's/.a', '"s.a".x']
const ids = names.map((name) => rowId(name))
const fqn = fc.constantFrom(...names)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
/** Each narrows a list, and together they leave nothing. */
const seldom = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const target = fc.constantFrom('u1', 'u2', 'u3')

const row: fc.Arbitrary<EntityRow> = fc
  .record({
    fqn,
    kind: fc.constantFrom('thing', 'other'),
    status: fc.constantFrom('live', 'live', 'live', 'deleted', 'deleted', 'gone'),
    revision: fc.bigInt({ min: 0n, max: 6n }),
    parent: maybe(fc.constantFrom('s', 's.a')),
    entityStatus: fc.constantFrom('Draft', 'Unprocessed', ''),
    deletion: fc.constantFrom('d1', 'd2'),
    restored: maybe(fc.constantFrom('d1', 'd2')),
    inherited: fc.boolean(),
    born: fc.constantFrom(0n, 0n, 2n),
    parentBorn: fc.constantFrom(0n, 0n, 2n),
    owners: fc.array(target, { maxLength: 2 }),
    tags: fc.array(target, { maxLength: 2 }),
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
    scopes: fc.constantFrom([], [], ['s'], ['s.a'], ['s.a', 's'], ['s', 'S'], ['"s.a"']),
    parent: seldom(fc.constantFrom(rowId('s'), rowId('s.a'))),
    edges: fc.array(edge, { maxLength: 3 }),
    lacking: seldom(fc.array(edge, { maxLength: 2 })),
    children: seldom(
      fc.uniqueArray(
        fc.record({ kind: fc.constantFrom('thing', 'other'), some: fc.boolean(), inherited: fc.boolean() }),
        {
          selector: ({ kind }) => kind,
          maxLength: 2,
        },
      ),
    ),
    own: maybe(fc.boolean()),
    entityStatus: seldom(fc.constantFrom('Draft', 'draft', 'Unprocessed', '')),
    ids: seldom(fc.subarray(ids)),
    withRequested: maybe(fc.boolean()),
    limit: fc.integer({ min: 0, max: 4 }),
    cursor: maybe(fc.record({ key, forwards: fc.boolean() })),
  })
  .map(({ cursor, own, ...rest }) => ({
    ...rest,
    own: rest.include === 'deleted' || own === false ? own : undefined,
    ...(cursor && { [cursor.forwards ? 'after' : 'before']: cursor.key }),
  }))

/** What belongs to one parent stays in its order. */
const compareOf = ([a = '']: string[], [b = '']: string[]): number => (a === b ? 0 : a < b ? -1 : 1)

/** Agreement with a model that is too simple to be wrong. */
export const agreeing = (make: MakeReadModels, runs: number): void => {
  test('random batches give the lists, totals and contradictions that a plain array gives', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.array(query, { minLength: 40, maxLength: 60 }), async (all, queries) => {
        const { readModels, dispose } = await make()
        try {
          const naive = makeNaiveReadModels()
          for (const [index, batch] of all.entries()) {
            await applyRows(readModels, batch, BigInt(index))
            naive.apply(batch)
          }
          for (const asked of queries) expect(await readModels.list(asked)).toEqual(naive.list(asked))
          for (const name of names) expect(await readModels.get(rowId(name))).toEqual(naive.get(rowId(name)))
          const known = ids.flatMap((id) => naive.get(id) ?? [])
          expect(await readModels.getMany(ids)).toEqual(new Map(known.map((each) => [each.id, each])))
          for (const kind of ['thing', 'other']) {
            for (const scope of ['s', 's.a', 'S'])
              expect(await readModels.countBelow(kind, scope)).toBe(naive.countBelow(kind, scope))
            const parents = ['s', 's.a'].map((name) => rowId(name)).toSorted()
            for (const limit of [1, 100]) {
              const found = await readModels.childrenOf([...parents, 'nobody'], kind, limit)
              expect(found.map(({ of, row: { id } }) => [of, id]).toSorted(compareOf)).toEqual(
                parents.flatMap((of) =>
                  naive
                    .childrenOf(of, kind)
                    .slice(0, limit)
                    .map(({ id }) => [of, id]),
                ),
              )
            }
          }
          const pairs = (found: { row: EntityRow; parent: EntityRow }[]) =>
            found.map(({ row: child, parent }) => `${child.id} ${parent.id}`).toSorted()
          expect(pairs(await readMismatches(readModels, 1000, ids))).toEqual(pairs(naive.unsettled()))
        } finally {
          await dispose()
        }
      }),
      { numRuns: examples(runs) },
    )
  })
}
