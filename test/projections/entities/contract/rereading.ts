import fc, { examples } from '../../../support/fastCheck.ts'
import { expect, test } from 'vitest'
import type { EntityRow, ReferenceRow, Status } from '../../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import type { Related } from '../../../../src/projections/entities/port.ts'
import { makeRow } from '../../../support/rows.ts'
import { makeNaiveReadModels } from './naiveReadModels.ts'
import { listOf, type MakeReadModels } from './support.ts'
import { applyRows } from '../../../support/projecting.ts'

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => `${letter.repeat(8)}-0000-5000-8000-000000000000`)
const names = ['s', 's.x', 't', 't.x']
const targets = ids.slice(0, 4)

/** Few ids, names and targets, so that rows trade names and relations all the time. */
const change = fc.record({
  id: fc.constantFrom(...ids),
  fqn: fc.constantFrom(...names),
  kind: fc.constantFrom('thing', 'thing', 'other'),
  status: fc.constantFrom<Status>('live', 'live', 'deleted', 'gone'),
  owners: fc.uniqueArray(fc.constantFrom(...targets), { maxLength: 2 }),
  stale: fc.boolean(),
})

interface Change {
  readonly id: string
  readonly fqn: string
  readonly kind: string
  readonly status: Status
  readonly owners: readonly string[]
}

const rowOf = ({ id, fqn, kind, status, owners }: Change, revision: bigint): EntityRow =>
  makeRow(fqn, { id, kind, status, revision, edges: { owners, tags: targets.slice(0, 1) } })

const batch = fc.uniqueArray(change, { maxLength: 3, selector: ({ id }) => id })

const referenceOf = ({ id, kind, status, born, reference, label, shownBelow }: EntityRow): ReferenceRow => ({
  id,
  kind,
  status,
  born,
  reference,
  label,
  shownBelow,
})

/** Reads everything that could have been remembered, and compares it with what a plain array says. */
const readAll = async (readModels: ReadModels, naive: ReturnType<typeof makeNaiveReadModels>): Promise<void> => {
  const known = ids.flatMap((id) => naive.get(id) ?? [])
  for (const id of ids) expect(await readModels.get(id)).toEqual(naive.get(id))
  for (const id of ids)
    expect((await readModels.getReferences([id])).get(id)).toEqual(
      known.filter((row) => row.id === id).map(referenceOf)[0],
    )
  expect([...(await readModels.getReferences(ids)).values()].toSorted(compareIds)).toEqual(known.map(referenceOf))
  for (const name of names) {
    expect(await readModels.getByFqn('thing', name)).toEqual(naive.getByFqn('thing', name))
    expect(await readModels.countBelow('thing', name)).toBe(naive.countBelow('thing', name))
    expect((await readModels.list(listOf({ scopes: [name] }))).total).toBe(naive.countBelow('thing', name))
  }
  for (const rel of ['owners', 'tags'])
    for (const limit of [1, 100]) {
      const expected = targets.flatMap((of) => {
        const related = naive.relatedTo(of, rel).slice(0, limit)
        return related.map((row) => ({ of, row: referenceOf(row) }))
      })
      expect((await readModels.relatedTo(targets, rel, limit)).toSorted(compareOf)).toEqual(expected)
    }
}

const compareIds = (a: ReferenceRow, b: ReferenceRow): number => (a.id < b.id ? -1 : 1)
const compareOf = (a: Related, b: Related): number => (a.of === b.of ? 0 : a.of < b.of ? -1 : 1)

/** What is read twice is read as it is now, whatever was remembered of it. */
export const rereading = (make: MakeReadModels, runs: number): void => {
  test('after each of many batches every read agrees with a plain array', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 2, maxLength: 10 }), async (batches) => {
        const { readModels, dispose } = await make()
        try {
          const naive = makeNaiveReadModels()
          for (const [index, changes] of batches.entries()) {
            const rows = changes.map(({ stale, ...change }) => rowOf(change, stale ? 0n : BigInt(index + 1)))
            await applyRows(readModels, rows, BigInt(index))
            naive.apply(rows)
            await readAll(readModels, naive)
          }
        } finally {
          await dispose()
        }
      }),
      { numRuns: examples(runs) },
    )
  })
}
