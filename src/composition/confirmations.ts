import type { Logger } from 'pino'
import type { Api } from '../api/deps.ts'
import { executeAll } from '../commands/requests/execute.ts'
import { fallDue, verb } from '../commands/requests/verbRequest.ts'
import { kinds } from '../kinds/registry/kinds.ts'
import { pagesOf } from '../projections/entities/page.ts'
import { sleep } from '../shared/backOff.ts'
import type { JsonObject } from '../shared/json.ts'
import { systemUser } from './settings/fixedNames.ts'

type Marking = Pick<Api, 'commands' | 'readModels'>

/** Appends an event to each entity whose confirmation is overdue. @param today ISO 8601 date */
const markDue = async ({ commands, readModels }: Marking, today: string, signal: AbortSignal): Promise<void> => {
  const correlationId = crypto.randomUUID()
  for (const definition of kinds) {
    const asked = {
      kind: definition.name,
      include: 'non-deleted',
      scopes: [],
      edges: [{ rel: 'confirmation', target: 'asked' }],
      lacking: [{ rel: 'due', target: 'true' }],
      limit: Infinity,
      withRequested: true,
    } as const
    for await (const { rows } of pagesOf(readModels, asked)) {
      if (signal.aborted) return
      const requests = rows.flatMap(({ id, shownOnRequest }) => {
        const { confirmBy } = JSON.parse(shownOnRequest) as JsonObject
        if (typeof confirmBy !== 'string' || confirmBy >= today) return []
        const cause = { user: systemUser, correlationId, commandId: `${correlationId}:${id}` }
        return [verb(fallDue({ definition, id }, confirmBy), cause)]
      })
      // An entity that was deleted meanwhile is refused, and no longer due.
      await executeAll(commands, [requests])
    }
  }
}

const anHour = 60 * 60 * 1000

/** Checks every hour, in the leading process only. */
export const startConfirmations = (api: Api, logger: Logger): { close(): Promise<void> } => {
  const stopping = new AbortController()
  const { signal } = stopping
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (api.runner.projects()) await markDue(api, new Date().toISOString().slice(0, 10), signal)
      } catch (error) {
        if (!signal.aborted)
          logger.warn({ err: error }, 'what was to be confirmed cannot be looked at; it is tried again')
      }
      await sleep(anHour, signal, false)
    }
  }
  const working = work()
  return {
    close: async () => {
      stopping.abort()
      await working
    },
  }
}
