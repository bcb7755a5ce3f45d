import { z } from 'zod'
import type { WitnessState } from '../../subscriptions/witnesses/witnesses.ts'
import type { CatalogRoute } from '../deps.ts'
import { jsonAnswer, ok, route } from '../http/route.ts'

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
    tag: 'audit',
    permission: { operation: 'history', or: 'feed' },
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
