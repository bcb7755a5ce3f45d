import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { handleCommand, type Commands } from '../../src/commands/handleCommand.ts'
import { makeClock } from '../../src/commands/clock.ts'
import { makeInTurn } from '../../src/commands/inTurn.ts'
import type { EventStore } from '../../src/events/eventStore.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import { streamName } from '../../src/events/streamName.ts'
import { lookupIn, treeIn } from '../../src/projections/entities/lookup.ts'
import { openSqliteReadModels } from '../../src/projections/sqlite/readModels.ts'
import { makeTools } from '../../src/composition/sealing.ts'
import { at, thing, thingId } from '../support/decider.ts'
import { collect } from '../support/events.ts'
import { temporaryFolder } from '../support/folders.ts'

const definition = thing()
const subject = { kind: definition.name, ...at() }
const stream = streamName(definition.name, thingId)

/** Commands on stores of their own whose read models never come to show anything. */
const setUp = async (change: (log: EventStore) => EventStore = (log) => log) => {
  const folder = await temporaryFolder()
  const log = openSqliteEventStore({ path: join(folder, 'log.db') })
  const readModels = await openSqliteReadModels({ path: join(folder, 'readModels.db') })
  onTestFinished(async () => {
    await readModels.close()
    await log.close()
  })
  const kindNamed = () => definition
  const commands: Commands = {
    log: change(log),
    lookup: lookupIn(readModels, kindNamed),
    tree: treeIn(readModels, kindNamed),
    kindNamed,
    clock: makeClock(),
    tools: makeTools('a key of 32 bytes for these tests'),
    projected: async () => {},
    inTurn: makeInTurn(),
  }
  const upsert = (commandId: string, members: Record<string, string>) =>
    handleCommand(
      commands,
      definition,
      subject,
      { type: 'Upsert', location: at(), members, cleared: [] },
      { user: 'u', correlationId: 'c', commandId },
      new Map(),
    )
  return { upsert, stored: () => collect(log.readStream(stream)) }
}

describe('a command', () => {
  test('whose events are in the stream, although its append was told of a conflict, is done and not done again', async () => {
    let lost = 0
    const { upsert, stored } = await setUp((log) => ({
      ...log,
      append: async (appends) => {
        const outcomes = await log.append(appends)
        return lost++ === 0 ? outcomes.map(() => ({ ok: false, actual: 0n })) : outcomes
      },
    }))
    const result = await upsert('first', { colour: 'red' })
    expect(result).toMatchObject({ changed: true, entity: { revision: 0n, members: { colour: 'red' } } })
    expect(await stored()).toHaveLength(1)
  })

  test('that finds another’s events is decided again on them, and repeated under its id it adds nothing', async () => {
    const { upsert, stored } = await setUp()
    await upsert('first', { colour: 'red' })
    const second = await upsert('second', { description: 'd' })
    expect(second).toMatchObject({
      changed: true,
      entity: { revision: 1n, members: { colour: 'red', description: 'd' } },
    })
    const again = await upsert('second', { description: 'd' })
    expect(again.entity.revision).toBe(1n)
    expect(new Set((await stored()).map(({ id }) => id)).size).toBe(2)
  })
})
