import { ok, jsonAnswer, type Route } from '../http/route.ts'
import { z } from 'zod'
import type { WitnessState } from '../../subscriptions/witnesses/witnesses.ts'

const witnessSchema = z
  .object({
    witness: z.string().describe('Path of a file, or an address'),
    size: z.int().optional().describe('Events of the last checkpoint that it took from this process'),
    time: z.iso.datetime().optional().describe('When it took it'),
    failing: z
      .object({ since: z.iso.datetime(), tries: z.int(), error: z.string() })
      .optional()
      .describe('It does not take the next one, and is tried again'),
  })
  .meta({ id: 'Witness', description: 'Somebody who is given the checkpoints of the log' })

const shown = ({ name, size, time, failing }: WitnessState) => ({
  witness: name,
  ...(size !== undefined && { size }),
  ...(time !== undefined && { time: new Date(time).toISOString() }),
  ...(failing && { failing: { ...failing, since: new Date(failing.since).toISOString() } }),
})

export const witnessRoutes = (states: () => readonly WitnessState[]): Route[] => [
  {
    method: 'get',
    tag: 'audit',
    permission: { operation: 'history', or: 'feed' },
    path: '/v1/audit/witnesses',
    id: 'listWitnesses',
    summary: 'Who is given the checkpoints of the log, and what they took',
    description:
      'Of several processes on one log, the one that projects tells the witnesses; only it knows what they took.',
    answers: ok(
      'The witnesses that are configured',
      z.object({ data: z.array(witnessSchema) }).meta({ id: 'Witnesses' }),
    ),
    handle: async () => jsonAnswer({ data: states().map(shown) }),
  },
]
