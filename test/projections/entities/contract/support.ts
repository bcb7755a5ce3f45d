import { expect, onTestFinished } from 'vitest'
import type { EntityRow, ListRow } from '../../../../src/projections/entities/row.ts'
import type { ListPage, ListQuery } from '../../../../src/projections/entities/port.ts'
import { readMismatches, type MismatchRow } from '../../../../src/projections/entities/hierarchy.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'

/** Empty read models for one test. */
export interface ReadModelsUnderTest {
  readonly readModels: ReadModels
  /** The same read models, opened anew; `readModels` is closed by it. Left out where they cannot be reopened. */
  reopen?(): Promise<ReadModels>
  dispose(): Promise<void>
}

export type MakeReadModels = () => Promise<ReadModelsUnderTest>

/** Fresh read models that are disposed of when the test has finished. */
export const freshWith = (make: MakeReadModels) => async (): Promise<ReadModels> =>
  (await underTestWith(make)()).readModels

/** The same with the means to open them again. */
export const underTestWith = (make: MakeReadModels) => async (): Promise<ReadModelsUnderTest> => {
  const underTest = await make()
  onTestFinished(() => underTest.dispose())
  return underTest
}

/** A list query: live things, ten of them, unless told otherwise. */
export const listOf = (some: Partial<ListQuery> = {}): ListQuery => ({
  kind: 'thing',
  include: 'non-deleted',
  scopes: [],
  edges: [],
  limit: 10,
  ...some,
})

export const fqns = (rows: readonly Pick<EntityRow, 'fullyQualifiedName'>[]): string[] =>
  rows.map((row) => row.fullyQualifiedName)

/** Code point order, by the bytes of UTF-8. */
export const inCodePointOrder = (texts: readonly string[]): string[] =>
  texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

export const keyOf = ({ fullyQualifiedName, id }: ListRow) => ({ fullyQualifiedName, id })

/** All pages one after the other, forwards. Each says truly whether something comes before and after it. */
export const walkForwards = async (readModels: ReadModels, query: ListQuery): Promise<ListRow[]> => {
  const rows: ListRow[] = []
  for (let page = await readModels.list(query); ;) {
    expect(page.hasBefore).toBe(rows.length > 0)
    rows.push(...page.rows)
    expect(page.hasAfter).toBe(rows.length < page.total)
    const last = page.rows.at(-1)
    if (!page.hasAfter || last === undefined) return rows
    page = await readModels.list({ ...query, after: keyOf(last) })
  }
}

/** The same backwards from before this key. */
export const walkBackwards = async (readModels: ReadModels, query: ListQuery, from: ListRow): Promise<ListRow[]> => {
  let rows: ListRow[] = []
  for (let first = from; ;) {
    const page: ListPage = await readModels.list({ ...query, before: keyOf(first) })
    expect(page.hasAfter).toBe(true)
    rows = [...page.rows, ...rows]
    if (!page.hasBefore) return rows
    first = page.rows[0] as ListRow
  }
}

/** All of these that contradict a parent or a child, at most so many. */
export const unsettledIn = (
  readModels: ReadModels,
  limit: number,
  rows: readonly { readonly id: string }[],
): Promise<MismatchRow[]> =>
  readMismatches(
    readModels,
    limit,
    rows.map(({ id }) => id),
  )

/** A UUID for each number. */
export const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
