import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { tableRequest } from '../catalog.ts'
import type { Section } from '../context.ts'
import { temporaryFolder } from '../processes.ts'
import { whole } from '../report.ts'

/** Runs the work so often. @returns microseconds of the clock and of the processor for each */
const timed = (count: number, work: (turn: number) => void): { clock: number; cpu: number } => {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  for (let turn = 0; turn < count; turn++) work(turn)
  const clock = ((performance.now() - begun) * 1000) / count
  const { user, system } = process.cpuUsage(cpu)
  return { clock, cpu: (user + system) / count }
}

const inserted = 50_000
const reads = 100_000
const commits = 1_000

/** The least that an embedded store can do: one row by its key, and one commit that waits for the disk. */
export const floor: Section = {
  name: 'floor',
  title: 'bare node:sqlite',
  loaded: false,
  blocks: true,
  measure: async (bench) => {
    const database = new DatabaseSync(join(await temporaryFolder(), 'floor.db'))
    try {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
      database.exec('CREATE TABLE rows (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID')
      const insert = database.prepare('INSERT INTO rows VALUES (?, ?)')
      const text = JSON.stringify(tableRequest('warehouse.main.part_000.table'))
      const ids = Array.from({ length: inserted }, () => randomUUID())
      database.exec('BEGIN')
      for (const id of ids) insert.run(id, text)
      database.exec('COMMIT')
      const select = database.prepare('SELECT body FROM rows WHERE id = ?')
      const read = timed(reads, (turn) => void select.get(ids[(turn * 7919) % inserted] as string))
      const commit = timed(commits, () => void insert.run(randomUUID(), text))
      const line = (operation: string, { clock, cpu }: { clock: number; cpu: number }): void =>
        bench.add({ operation, value: `${whole(1e6 / clock)}/s`, note: `${cpu.toFixed(1)} µs of the processor each` })
      line(`bare node:sqlite: one of ${whole(inserted)} rows by its key`, read)
      line('bare node:sqlite: one row, one durable commit', commit)
    } finally {
      database.close()
    }
  },
}
