import { createHash } from 'node:crypto'
import type { EntityRow } from '../projections/entities/row.ts'
import { positionsOf } from '../projections/projection.ts'
import type { ReadModels } from '../projections/readModels.ts'
import { makeLogTree } from '../projections/tree/tree.ts'
import { positionsIn } from '../projections/tree/treeProjection.ts'
import { hashLength } from '../transparency/merkle.ts'
import { tileWidth } from '../transparency/tiles.ts'

/** SHA-256, in hex, of what a read model shows. */
type Digest = string

/** Where two read models are compared: what either shows beyond that is left out. */
interface Place {
  readonly position: bigint
  readonly leaves: number
}

/** What of a row must be the same after every replay. */
const essence = (row: EntityRow): string =>
  JSON.stringify([
    row.id,
    row.kind,
    row.fullyQualifiedName,
    row.status,
    String(row.revision),
    String(row.position),
    row.parent ?? null,
    row.entityStatus,
    row.deletion ?? null,
    row.inherited,
    row.restored ?? null,
    String(row.born),
    String(row.parentBorn),
    String(row.since),
    row.hash,
    row.edges.map((edge) => `${edge.rel}:${edge.target}`).toSorted(),
    row.reference,
    row.label ?? null,
    row.shownBelow ?? null,
    row.shownAlways,
    row.shownOnRequest,
    row.references,
  ])

async function* entities({ scan }: ReadModels): AsyncGenerator<string> {
  for await (const row of scan()) yield essence(row)
}

async function* activity({ activity: read }: ReadModels, { position }: Place): AsyncGenerator<string> {
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const { rows, next } = await read({ limit: 1000, oldestFirst: true, after })
    for (const row of rows) {
      if (row.position > position) return
      yield JSON.stringify({ ...row, position: String(row.position) }, Object.keys(row).toSorted())
    }
    after = next
  }
}

/** Every tile of every level, as far as its hashes are of these leaves. */
async function* tree({ treeTiles }: ReadModels, { leaves }: Place): AsyncGenerator<string> {
  for (let level = 0, hashes = leaves; hashes > 0; level++, hashes = Math.floor(hashes / tileWidth))
    for (let number = 0; number * tileWidth < hashes; number++) {
      const count = Math.min(tileWidth, hashes - number * tileWidth)
      const [tile] = (await treeTiles([{ level, number }])).values()
      const found = tile?.hashes.subarray(0, count * hashLength).toString('base64') ?? ''
      const positions = level === 0 ? positionsIn(tile ?? {}).slice(0, count) : []
      yield `${level}/${number} ${found} ${positions.join()}`
    }
}

const contents = { entities, activity, tree }

/** What is compared, as it is called for people. */
export const compared = Object.keys(contents) as readonly (keyof typeof contents)[]

type Digests = Readonly<Record<keyof typeof contents, Digest>> & { readonly rows: number }

/** How far both have come with everything. */
export const commonPlace = async (one: ReadModels, other: ReadModels): Promise<Place> => {
  const positions = await Promise.all([one, other].map(async (each) => [...(await positionsOf(each)).values()]))
  const position = positions
    .flat()
    .reduce<bigint>((least, each) => ((each ?? 0n) < least ? (each ?? 0n) : least), 2n ** 63n)
  const heads = await Promise.all([one, other].map((each) => makeLogTree(each).head()))
  return { position, leaves: Math.min(...heads.map(({ size }) => size)) }
}

/** Digests of all that read models show up to a place; the entities are as they are now. */
export const digestsOf = async (readModels: ReadModels, place: Place): Promise<Digests> => {
  const found: Record<string, Digest> = {}
  let rows = 0
  for (const [name, lines] of Object.entries(contents)) {
    const hash = createHash('sha256')
    for await (const line of lines(readModels, place)) {
      hash.update(line).update('\n')
      if (name === 'entities') rows++
    }
    found[name] = hash.digest('hex')
  }
  return { ...(found as Record<keyof typeof contents, Digest>), rows }
}
