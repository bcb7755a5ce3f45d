import { route, queryParameter, ok, jsonAnswer, type Answer } from '../http/route.ts'
import { badQuery, readFlag, readParameter } from '../http/queryParameters.ts'
import { z } from 'zod'
import { forbidden, notFound } from '../../commands/errors.ts'
import { entryOf, treeProjection } from '../../projections/tree/treeProjection.ts'
import { makeLogTree, type LogTree } from '../../projections/tree/tree.ts'
import { leafHash } from '../../transparency/merkle.ts'
import { signAndRecordHead } from '../../projections/tree/signHead.ts'
import type { JsonObject } from '../../shared/json.ts'
import { hasPlainSecrets, preimageOf } from '../../events/codec.ts'
import type { Api, CatalogRequest, CatalogRoute } from '../deps.ts'
import { seesEverything } from '../feed/feedQuery.ts'
import { waitForProjection } from '../entities/reads/catchUp.ts'
import { openCosignatures } from '../../subscriptions/witnesses/targets.ts'
import type { WitnessState } from '../../subscriptions/witnesses/witnesses.ts'
import { HttpError } from '../http/problemDetails.ts'

const size = (name: string, description: string, required = false) =>
  queryParameter(name, description, z.int().min(0), required)

const from = size('from', 'Number of events of the earlier log', true)
const to = size('to', 'Number of events of the later log. Left out: as many as there are')
const sizeOf = size('size', 'Number of events of the log that it is to be proved for. Left out: as many as there are')

const positionOf = queryParameter(
  'position',
  'Position of the event',
  z.string().regex(/^\d{1,19}$/, 'must be the position of an event'),
  true,
)

const cosignedParameter = queryParameter(
  'cosigned',
  'The checkpoint that most witnesses have cosigned lately',
  z.boolean(),
)

const hashes = z.array(z.base64()).describe('SHA-256 hashes, lowest first, as RFC 9162 orders them')

const inclusionSchema = z
  .object({
    position: z.string().describe('Log position of the event'),
    leafIndex: z.int().describe('Number of events before it'),
    hash: z.string().describe('Hash of the event, in hex: these 64 digits are the entry of the leaf'),
    leafHash: z.base64().describe('SHA-256 of a zero byte and the entry'),
    treeSize: z.int(),
    rootHash: z.base64(),
    hashes,
  })
  .meta({ id: 'InclusionProof', description: 'Proves that the event is in the log of that size and root' })

const consistencySchema = z
  .object({ from: z.int(), to: z.int(), fromRoot: z.base64(), toRoot: z.base64(), hashes })
  .meta({ id: 'ConsistencyProof', description: 'Proves that the larger log begins with the smaller one' })

const shared = { tag: 'audit', permission: { operation: 'history', or: 'feed' } } as const

const text = (description: string) => ({ description, contentType: 'text/plain', schema: z.string() })

const keyRoutes: CatalogRoute[] = [
  route('get', '/v1/audit/key', 'getAuditKeys', {
    ...shared,
    summary: 'The public keys of checkpoints, the present one first',
    answers: { 200: text('One key in each line, as signed-note writes it') },
    handle: async ({ api }) => plain(`${api.auditKeys.keys.map((key) => key.text).join('\n')}\n`),
  }),
  route('get', '/v1/audit/successions', 'getAuditKeySuccessions', {
    ...shared,
    summary: 'How keys of checkpoints succeeded each other',
    description:
      'Signed notes, oldest first: each by the former key, about the one that took over from it. Whoever knows an ' +
      'old key finds the present one by them.',
    answers: { 200: text('Signed notes') },
    handle: async ({ api }) => plain(api.auditKeys.successions.join('\n')),
  }),
]

const plain = (body: string, position?: bigint): Answer => ({
  status: 200,
  position,
  body,
  contentType: 'text/plain; charset=utf-8',
})

const base64 = (hash: Buffer): string => hash.toString('base64')

const checkpoint = async (request: CatalogRequest): Promise<Answer> => {
  const keys = request.api.auditKeys
  if (readFlag(request.query, 'cosigned')) {
    const note = openCosignatures(keys.cosignedFile).best()
    if (note === undefined) throw notFound('No witness has cosigned a checkpoint here.')
    return plain(note)
  }
  await waitForProjection(request.api, treeProjection.name)
  const { head, note } = await signAndRecordHead(makeLogTree(request.api.readModels), keys)
  return plain(note, head.position)
}

/** Reads a tree size, which the log must have. @throws DomainError `invalid` */
const readSize = ({ query }: CatalogRequest, parameter: typeof from, most: number): number => {
  const read = readParameter(query, parameter) ?? most
  if (read <= most) return read
  throw badQuery(parameter.name, `must be a number of events from 0 to ${most}, which the log has`)
}

const readPosition = ({ query }: CatalogRequest): bigint => BigInt(query.get('position') as string)

const preimage = async (request: CatalogRequest): Promise<Answer> => {
  const { api, access } = request
  if (!seesEverything(access)) throw forbidden('An event as the log has it may name anything.')
  const position = readPosition(request)
  const event = await api.log.proven.exactAt(position)
  if (event === undefined) throw notFound(`No event stands at position ${position} of the log.`)
  if (hasPlainSecrets(event)) throw forbidden('The event has a secret in clear, from before it was known as one.')
  return plain(preimageOf(event))
}

const inclusion = async (request: CatalogRequest): Promise<Answer> => {
  await waitForProjection(request.api, treeProjection.name)
  const tree = makeLogTree(request.api.readModels)
  const readWanted = (most: number): number => readSize(request, sizeOf, most)
  return jsonAnswer(await proveInclusion(request.api, tree, readPosition(request), readWanted))
}

/** Proves that an event is in the log. @param readSizeOf tree size of the proof */
export const proveInclusion = async (
  api: Pick<Api, 'log'>,
  tree: LogTree,
  position: bigint,
  readSizeOf = (size: number): number => size,
): Promise<JsonObject> => {
  const event = await api.log.eventAt(position)
  const leaf = event && (await tree.leafAt(position))
  if (event === undefined || leaf === undefined) throw notFound(`No event stands at position ${position} of the log.`)
  const entry = entryOf(event)
  if (!leafHash(entry).equals(leaf.hash))
    throw new HttpError(
      'INTERNAL',
      `The event at position ${position} is not the one that was written. Run: catalog audit verify`,
    )
  const wanted = readSizeOf((await tree.head()).size)
  if (wanted <= leaf.index) throw badQuery('size', `must be greater than ${leaf.index}: so many events come before it`)
  const [root, proof] = await Promise.all([tree.rootAt(wanted), tree.inclusion(leaf.index, wanted)])
  return {
    position: String(position),
    leafIndex: leaf.index,
    hash: entry.toString(),
    leafHash: base64(leaf.hash),
    treeSize: wanted,
    rootHash: base64(root),
    hashes: proof.map(base64),
  }
}

const consistency = async (request: CatalogRequest): Promise<Answer> => {
  const tree = makeLogTree(request.api.readModels)
  await waitForProjection(request.api, treeProjection.name)
  const head = await tree.head()
  const later = readSize(request, to, head.size)
  const earlier = readSize(request, from, later)
  const roots = await Promise.all([tree.rootAt(earlier), tree.rootAt(later)])
  const [fromRoot, toRoot] = roots.map(base64) as [string, string]
  const proof = await tree.consistency(earlier, later)
  return jsonAnswer({ from: earlier, to: later, fromRoot, toRoot, hashes: proof.map(base64) })
}

const proofRoutes: CatalogRoute[] = [
  route('get', '/v1/audit/preimage', 'getPreimage', {
    ...shared,
    summary: 'What the hash of an event covers',
    description:
      'The RFC 8785 text of the event as the log has it, secrets and personal values sealed, unless a version up to ' +
      '0.2.0 wrote them in plain text: the SHA-256 of these bytes, in hex, is its `hash`. It needs `history` or `feed` on all kinds.',
    parameters: [positionOf],
    answers: { 200: text('The text whose SHA-256 is the hash of the event') },
    handle: preimage,
  }),
  route('get', '/v1/audit/inclusion', 'proveInclusion', {
    ...shared,
    summary: 'Proof that an event is in the log',
    parameters: [positionOf, sizeOf],
    answers: ok('The proof', inclusionSchema),
    handle: inclusion,
  }),
  route('get', '/v1/audit/consistency', 'proveConsistency', {
    ...shared,
    summary: 'Proof that the log only grew since an earlier size',
    parameters: [from, to],
    answers: ok('The proof', consistencySchema),
    handle: consistency,
  }),
]

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

const witnessRoute: CatalogRoute = route('get', '/v1/audit/witnesses', 'listWitnesses', {
  ...shared,
  summary: 'The witnesses of the log, and which checkpoints they accepted',
  description:
    'Of several processes on one log, the one that projects tells the witnesses; only it knows what they took.',
  answers: ok(
    'The witnesses that are configured',
    z.object({ data: z.array(witnessSchema) }).meta({ id: 'Witnesses' }),
  ),
  handle: async ({ api }) => jsonAnswer({ data: api.witnesses().map(shown) }),
})

export const auditRoutes: CatalogRoute[] = [
  route('get', '/v1/audit/checkpoint', 'getCheckpoint', {
    ...shared,
    summary: 'The size of the log and the root of its tree, signed',
    description:
      'A signed note in the formats tlog-checkpoint and signed-note of C2SP, Ed25519. Keep it: it proves later ' +
      'what the log was. With `cosigned=true` it is, instead of the newest one, the one that most witnesses have ' +
      'cosigned, with their lines (tlog-cosignature).',
    parameters: [cosignedParameter],
    answers: { 200: { ...text('A signed note'), headers: ['Catalog-Position'] } },
    handle: checkpoint,
  }),
  ...keyRoutes,
  ...proofRoutes,
  witnessRoute,
]
