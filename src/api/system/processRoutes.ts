import { z } from 'zod'
import type { Route } from '../http/route.ts'
import { lagOf } from './operatingGauges.ts'
import type { SystemOptions } from './systemRoutes.ts'

const processesAnswer = z
  .object({
    data: z.array(
      z.object({
        id: z.string(),
        self: z.boolean().describe('Is it the process that answers?'),
        projects: z.boolean().describe('Does it write the read models? One at a time does, the others follow'),
        host: z.string(),
        pid: z.number(),
        version: z.string(),
        startedAt: z.iso.datetime(),
        seenAt: z.iso.datetime().describe('When it last told of itself, by its own clock: about every two seconds'),
        position: z.string().optional().describe('Position up to which it knows the read models to show the log'),
        lag: z.string().describe('Positions between that and the newest event'),
      }),
    ),
  })
  .meta({ id: 'ProcessList' })

/** Who works on the stores, who of them projects, and how far everybody is. */
export const processRoutes = ({ processes, eventStore }: Pick<SystemOptions, 'processes' | 'eventStore'>): Route[] => [
  {
    method: 'get',
    path: '/v1/system/processes',
    id: 'list_processes',
    summary: 'The processes that serve this catalog, and which of them projects',
    description:
      'Processes that share their read models, the longest running first: those that told of themselves in the ' +
      'last half ' +
      'minute. Where the read models are embedded there is one.',
    tag: 'system',
    permission: { operation: 'manage' },
    answers: { 200: { description: 'The processes', schema: processesAnswer } },
    handle: async () => {
      const [{ self, all }, head] = await Promise.all([processes(), eventStore.head()])
      const data = all.map(({ position, startedAt, seenAt, ...process }) => ({
        ...process,
        self: process.id === self,
        startedAt: startedAt.toISOString(),
        seenAt: seenAt.toISOString(),
        ...(position !== undefined && { position: String(position) }),
        lag: String(lagOf({ head, position })),
      }))
      return { status: 200, body: { json: { data } }, headers: { 'Cache-Control': 'no-store' } }
    },
  },
]
