import { hash, randomUUID } from 'node:crypto'
import { chunksOf } from '../../shared/bounds.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'

/** A row of a table or a document of a collection, as texts. */
export type StoredRow = readonly [key: string, content: string]

/** A table or collection of a projection. */
export interface StoredTable {
  readonly projection: string
  readonly table: string
  /** In any order; rows of one key are compared together. */
  rows(): Iterable<StoredRow> | AsyncIterable<StoredRow>
  /** Whether extra rows are no difference, since orphans are removed later or not at all. */
  readonly allowsOrphans?: boolean
}

/** All tables of the read models, as one snapshot if the engine has them. */
export interface StoredTables {
  readonly tables: readonly StoredTable[]
  /** Ids of entities that are not indexed yet: the comparison of words skips them. */
  readonly unsettled: readonly string[]
  /** Whether it is one snapshot between batches. Otherwise rows may be newer than the checkpoint of their projection. */
  readonly isMoment: boolean
}

export interface Difference {
  readonly projection: string
  readonly table: string
  readonly key: string
}

/** Number of buckets that rows are hashed into: their digests need little memory for any table. */
const buckets = 4096
const lookedInto = 64

type Rows = StoredTable['rows']

const nothing: Rows = () => []

const bucketOf = (key: string): number => Number.parseInt(hash('sha1', key).slice(0, 3), 16)

/** Unpredictable digests, so that no changes can be crafted to cancel each other out. */
const makeDigest = () => {
  const salt = randomUUID()
  return ([key, content]: StoredRow): bigint => BigInt(`0x${hash('sha256', `${salt}${key}\0${content}`)}`)
}

type Digest = ReturnType<typeof makeDigest>

const sumsOf = async (rows: Rows, digest: Digest): Promise<bigint[]> => {
  const sums = Array.from({ length: buckets }, () => 0n)
  const yieldWhenDue = makeYielder()
  for await (const row of rows()) {
    const bucket = bucketOf(row[0])
    sums[bucket] = (sums[bucket] as bigint) + digest(row)
    await yieldWhenDue()
  }
  return sums
}

const digestsIn = async (rows: Rows, wanted: ReadonlySet<number>, digest: Digest): Promise<Map<string, bigint>> => {
  const found = new Map<string, bigint>()
  for await (const row of rows())
    if (wanted.has(bucketOf(row[0]))) found.set(row[0], (found.get(row[0]) ?? 0n) + digest(row))
  return found
}

/**
 * Keys of rows that differ or are on one side only, up to a limit.
 * @param allowsOrphans whether to ignore rows that only the first side has
 */
const differingKeys = async (one: Rows, other: Rows, allowsOrphans: boolean): Promise<string[]> => {
  const digest = makeDigest()
  const [sums, others] = [await sumsOf(one, digest), await sumsOf(other, digest)]
  const differing = [...sums.keys()].filter((bucket) => sums[bucket] !== others[bucket])
  for (const some of chunksOf(differing, lookedInto)) {
    const wanted = new Set(some)
    const [found, expected] = [await digestsIn(one, wanted, digest), await digestsIn(other, wanted, digest)]
    const keys = new Set([...(allowsOrphans ? [] : found.keys()), ...expected.keys()])
    const named = [...keys].sort().filter((key) => found.get(key) !== expected.get(key))
    if (named.length > 0) return named
  }
  return []
}

/** Compares tables row by row in bounded memory. @returns some differing rows of each differing table */
export const differencesOf = async (
  found: readonly StoredTable[],
  expected: readonly StoredTable[],
): Promise<Difference[]> => {
  const [here, there] = [found, expected].map(
    (tables) => new Map(tables.map((each) => [`${each.projection} ${each.table}`, each])),
  )
  const differences: Difference[] = []
  for (const [name, { projection, table, allowsOrphans = false }] of new Map([...(here ?? []), ...(there ?? [])])) {
    const keys = await differingKeys(here?.get(name)?.rows ?? nothing, there?.get(name)?.rows ?? nothing, allowsOrphans)
    differences.push(...keys.map((key) => ({ projection, table, key })))
  }
  return differences
}
