import { hash, randomUUID } from 'node:crypto'
import { chunksOf } from '../../shared/bounds.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { StoredRow, StoredTable } from './storedTable.ts'

export interface Difference {
  readonly projection: string
  readonly table: string
  /** Of the row that is changed, is not there, or should not be. */
  readonly key: string
}

/** Rows fall into so many buckets by their keys: a digest of each takes little memory, whatever the table holds. */
const buckets = 4096
/** Differing buckets that are looked into at once, to name their rows. */
const lookedInto = 64

type Rows = StoredTable['rows']

const nothing: Rows = () => []

const bucketOf = (key: string): number => Number.parseInt(hash('sha1', key).slice(0, 3), 16)

/** Digests that nobody can know beforehand, so that no two changes are made to cancel each other out. */
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
 * Keys of rows that one side has otherwise than the other, or alone; of very many some.
 * @param mayKeep the first may have rows alone
 */
const differingKeys = async (one: Rows, other: Rows, mayKeep: boolean): Promise<string[]> => {
  const digest = makeDigest()
  const [sums, others] = [await sumsOf(one, digest), await sumsOf(other, digest)]
  const differing = [...sums.keys()].filter((bucket) => sums[bucket] !== others[bucket])
  for (const some of chunksOf(differing, lookedInto)) {
    const wanted = new Set(some)
    const [found, expected] = [await digestsIn(one, wanted, digest), await digestsIn(other, wanted, digest)]
    const keys = new Set([...(mayKeep ? [] : found.keys()), ...expected.keys()])
    const named = [...keys].sort().filter((key) => found.get(key) !== expected.get(key))
    if (named.length > 0) return named
  }
  return []
}

const nameOf = ({ projection, table }: StoredTable): string => `${projection} ${table}`

/** Compares tables in bounded memory, row by row. @returns some of the rows that differ, of each table that does */
export const differencesOf = async (
  found: readonly StoredTable[],
  expected: readonly StoredTable[],
): Promise<Difference[]> => {
  const [here, there] = [found, expected].map((tables) => new Map(tables.map((table) => [nameOf(table), table])))
  const differences: Difference[] = []
  for (const [name, { projection, table, mayKeep = false }] of new Map([...(here ?? []), ...(there ?? [])])) {
    const keys = await differingKeys(here?.get(name)?.rows ?? nothing, there?.get(name)?.rows ?? nothing, mayKeep)
    differences.push(...keys.map((key) => ({ projection, table, key })))
  }
  return differences
}
