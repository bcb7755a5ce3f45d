import type { Ports } from '../commands/ports.ts'
import { executeAll, throwFailure } from '../commands/requests/execute.ts'
import { fallDue, verbRequest } from '../commands/requests/verbRequest.ts'
import { kinds } from '../kinds/registry/kinds.ts'
import { pagesOf } from '../projections/entities/page.ts'
import type { EntityLists } from '../projections/entities/port.ts'
import { sleep } from '../shared/backOff.ts'
import { systemUser } from '../shared/entityName.ts'
import type { JsonObject } from '../shared/json.ts'
import { type TaskOptions, runWhileLeader } from './periodicTask.ts'

interface ConfirmationsOptions extends TaskOptions {
  readonly commands: Ports
  readonly readModels: Pick<EntityLists, 'list'>
}

/** Appends an event to each entity whose confirmation is overdue. @param today ISO 8601 date */
const recordOverdue = async (
  { commands, readModels, logger }: ConfirmationsOptions,
  today: string,
  signal: AbortSignal,
): Promise<void> => {
  const correlationId = crypto.randomUUID()
  const cause = { user: systemUser, correlationId, commandId: correlationId }
  for (const definition of kinds) {
    const query = {
      kind: definition.name,
      include: 'non-deleted',
      scopes: [],
      edges: [{ rel: 'confirmation', target: 'asked' }],
      lacking: [{ rel: 'due', target: 'true' }],
      limit: Infinity,
      withRequested: true,
    } as const
    for await (const { rows } of pagesOf(readModels, query)) {
      if (signal.aborted) return
      const requests = rows.flatMap(({ id, shownOnRequest }) => {
        const { confirmBy } = JSON.parse(shownOnRequest) as JsonObject
        if (typeof confirmBy !== 'string' || confirmBy >= today) return []
        return [verbRequest(fallDue({ definition, id }, confirmBy), cause)]
      })
      const { summaries } = await executeAll(commands, requests)
      throwFailure(summaries)
      for (const one of summaries)
        if ('error' in one) logger.warn({ err: one.error }, 'an overdue confirmation is not told')
    }
  }
}

const second = 1000
const hour = 3600 * second

/** Checks every hour, and at once where another process may have led before. */
export const startConfirmations = (options: ConfirmationsOptions) => {
  let next = 0
  return runWhileLeader(options, {
    work: async (signal) => {
      if (performance.now() < next) return
      await recordOverdue(options, new Date(options.commands.clock.machine()).toISOString().slice(0, 10), signal)
      next = performance.now() + hour
    },
    failureMessage: 'overdue confirmations cannot be read at the moment; it is tried again',
    pause: (signal) => sleep(second, signal, false),
  })
}
