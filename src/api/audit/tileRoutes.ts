import { route, pathParameter, type Answer, type Route, ok, jsonAnswer } from '../http/route.ts'
import { z } from 'zod'
import { notFound } from '../../commands/errors.ts'
import { entryOf, positionsIn } from '../../projections/tree/treeProjection.ts'
import type { StoredTile } from '../../projections/tree/treeProjection.ts'
import { hashLength, leafHash } from '../../transparency/merkle.ts'
import { readTilePath, tileKey, type TilePlace } from '../../transparency/tiles.ts'
import type { Api, CatalogRoute } from '../deps.ts'
import { HttpError } from '../http/problemDetails.ts'
import type { WitnessState } from '../../subscriptions/witnesses/witnesses.ts'

const tile = pathParameter(
  'tile',
  'Number of the tile as tlog-tiles writes it: `067`, `x001/x234/067`; of a partial tile with its width behind ' +
    'it, `067.p/12`',
)

const level = pathParameter(
  'level',
  'Level of the tile: those of level 0 hold hashes of leaves',
  z.int().min(0).max(63),
)

/** Tiles are immutable, but only private caches may store them. */
const cacheHeaders = { 'Cache-Control': 'private, max-age=31536000, immutable' }

const answers = (description: string): Route['answers'] => ({
  200: {
    description,
    contentType: 'application/octet-stream',
    schema: z.string().meta({ format: 'binary' }),
  },
})

const shared = { tag: 'audit', permission: { operation: 'history', or: 'feed' } } as const

const answer = (body: Buffer): Answer => ({
  status: 200,
  headers: cacheHeaders,
  body,
  contentType: 'application/octet-stream',
})

/** The first hashes of a tile, up to the requested width. @throws DomainError `not_found` */
const find = async ({ readModels }: Pick<Api, 'readModels'>, levelText: string, path: string): Promise<StoredTile> => {
  const at = /^(\d|[1-5]\d|6[0-3])$/.test(levelText) ? readTilePath(path) : undefined
  const place: TilePlace | undefined = at && { level: Number(levelText), number: at.number }
  const found = place && (await readModels.treeTiles([place])).get(tileKey(place))
  if (at === undefined || found === undefined || found.hashes.length < at.width * hashLength)
    throw notFound(`The tree has no tile ${levelText}/${path}.`)
  return { ...found, hashes: found.hashes.subarray(0, at.width * hashLength) }
}

const entries = async (api: Pick<Api, 'log' | 'readModels'>, path: string): Promise<Answer> => {
  const leaves = await find(api, '0', path)
  const before: TilePlace = { level: 0, number: leaves.number - 1 }
  const previous = leaves.number === 0 ? undefined : (await api.readModels.treeTiles([before])).get(tileKey(before))
  const after = previous && positionsIn(previous).at(-1)
  const limit = leaves.hashes.length / hashLength
  const found: Buffer[] = []
  for await (const event of api.log.readAll({ after, limit })) found.push(entryOf(event))
  if (!Buffer.concat(found.map(leafHash)).equals(leaves.hashes))
    throw new HttpError(
      'INTERNAL',
      `The events of the tile ${path} are not what was written. Run: catalog audit verify`,
    )
  return answer(Buffer.concat(found.flatMap((entry) => [Buffer.from([entry.length >> 8, entry.length & 0xff]), entry])))
}

const witnessSchema = z
  .object({
    witness: z.string().describe('Path of a file, or a URL'),
    size: z.int().optional().describe('Size of the last checkpoint that it accepted from this process'),
    time: z.iso.datetime().optional().describe('When it accepted it'),
    failing: z
      .object({ since: z.iso.datetime(), tries: z.int(), error: z.string() })
      .optional()
      .describe('It does not accept the next one; the service retries'),
  })
  .meta({ id: 'Witness', description: 'A witness, which gets the checkpoints of the log' })

const shown = ({ name, size, time, failing }: WitnessState) => ({
  witness: name,
  ...(size !== undefined && { size }),
  ...(time !== undefined && { time: new Date(time).toISOString() }),
  ...(failing && { failing: { ...failing, since: new Date(failing.since).toISOString() } }),
})

export const witnessRoutes: CatalogRoute[] = [
  route('get', '/v1/audit/witnesses', 'listWitnesses', {
    ...shared,
    summary: 'The witnesses of the log, and which checkpoints they accepted',
    description:
      'Of several processes on one log, the one that projects tells the witnesses; only it knows what they took.',
    answers: ok(
      'The witnesses that are configured',
      z.object({ data: z.array(witnessSchema) }).meta({ id: 'Witnesses' }),
    ),
    handle: async ({ api }) => jsonAnswer({ data: api.witnesses().map(shown) }),
  }),
]

/** The tree as static tiles with its checkpoint (C2SP tlog-tiles). */
export const tileRoutes: CatalogRoute[] = [
  route('get', '/v1/audit/tile/{level}/{tile}', 'getTile', {
    ...shared,
    summary: 'A tile of the tree',
    description:
      'With `/v1/audit/checkpoint` these are the resources of a log as tlog-tiles of C2SP defines them, below ' +
      'the prefix `/api/v1/audit`: any proof can be worked out from them. They never change.',
    parameters: [level, tile],
    answers: answers('Up to 256 hashes of 32 bytes, one after the other'),
    handle: async ({ api, params }) =>
      answer((await find(api, params['level'] as string, params['tile'] as string)).hashes),
  }),
  route('get', '/v1/audit/tile/entries/{tile}', 'getEntries', {
    ...shared,
    summary: 'The entries of a tile of leaves',
    description: 'An entry is the hash of an event, 64 hex digits, which the event has in the feed and in histories.',
    parameters: [tile],
    answers: answers('Up to 256 entries, each behind its length in two bytes'),
    handle: async ({ api, params }) => entries(api, params['tile'] as string),
  }),
]
