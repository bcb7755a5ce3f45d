import { lockDataFolder } from '../../../src/stores/sqlite/dataFolder.ts'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import { appendOf, freshStream } from '../../support/events.ts'

/**
 * Appends from several writers for as long as it lives and prints, one a line, the id of each event once it is
 * acknowledged.
 * Argument: the data folder, which it holds.
 */
const folder = lockDataFolder(process.argv[2] as string)
const store = openSqliteEventStore({ path: `${folder.path}/log.db` })

const write = async (): Promise<never> => {
  for (;;) {
    const append = appendOf(freshStream(), 'no_stream', 3, { padding: 'x'.repeat(2000) })
    const [outcome] = await store.append([append])
    if (outcome?.ok) for (const { id } of append.events) process.stdout.write(`${id}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, write))
