import { submitBulk } from '../commands/bulk.ts'
import { settle } from '../commands/cascade.ts'
import { setByLog } from '../commands/clock.ts'
import type { Commands } from '../commands/handleCommand.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { buildFqn, entityId } from '../kinds/names.ts'
import { parseRequest } from '../kinds/request/requestSchema.ts'
import type { Runner } from '../projections/runner.ts'

/** Name under which the catalog itself writes. */
const systemUser = 'system'

/** A catch-up at start may take as long as the log is long: milliseconds. */
const patience = 24 * 60 * 60 * 1000

/** Before the first request: catch up, finish what a crash cut short, and create what kinds start with. */
export const prepare = async (
  commands: Commands,
  runner: Pick<Runner, 'waitFor'>,
  kinds: readonly KindDefinition[],
): Promise<void> => {
  const head = await commands.log.head()
  if (head !== undefined) await runner.waitFor(head, patience)
  await setByLog(commands.clock, commands.log)
  await settle(commands)
  for (const definition of kinds) await createStarters(commands, definition)
}

/** Creates the starters that have never existed: what a user deleted stays deleted. */
const createStarters = async (commands: Commands, definition: KindDefinition): Promise<void> => {
  const idOf = (name: string) => entityId(definition.name, buildFqn([name]))
  const known = await commands.lookup(definition.starters.map((starter) => idOf(starter['name'] as string)))
  const missing = definition.starters.filter((starter) => !known.has(idOf(starter['name'] as string)))
  if (missing.length === 0) return
  const items = missing.map((starter) => {
    const parsed = parseRequest(definition, starter, 'create')
    if (Array.isArray(parsed)) throw new Error(`A starter of ${definition.name} is wrong: ${JSON.stringify(parsed)}`)
    return parsed
  })
  const commandId = crypto.randomUUID()
  await submitBulk(commands, definition, items, {
    user: systemUser,
    correlationId: commandId,
    commandId,
  })
}
