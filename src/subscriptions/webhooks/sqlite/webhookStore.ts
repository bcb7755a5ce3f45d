import type { SQLInputValue } from 'node:sqlite'
import { openWithTables, type VersionedTables } from '../../../stores/sqlite/versionedTables.ts'
import type { Sealer } from '../../../kinds/defineKind.ts'
import { progressText, readProgress, readWebhook } from '../storedText.ts'
import type { DeadLetter } from '../webhook.ts'
import type { StoredWebhook, WebhookStore, WriteOutcome } from '../webhookStore.ts'

const tables: VersionedTables = {
  version: 1,
  sql: `
  CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    webhook TEXT NOT NULL,
    generation INTEGER NOT NULL,
    progress TEXT NOT NULL
  ) STRICT;
  CREATE TABLE dead_letters (
    webhook TEXT NOT NULL,
    position INTEGER NOT NULL,
    letter TEXT NOT NULL,
    PRIMARY KEY (webhook, position)
  ) STRICT, WITHOUT ROWID;
`,
}

interface Row {
  readonly webhook: string
  readonly generation: number
  readonly progress: string
}

const storedIn = (row: Row, sealer: Pick<Sealer, 'seal'>): StoredWebhook => ({
  webhook: readWebhook(row.webhook, sealer),
  generation: row.generation,
  progress: readProgress(row.progress),
})

const isTaken = (error: unknown): boolean => error instanceof Error && error.message.includes('UNIQUE')

/** Writes; a name that another webhook has is an ordinary answer. */
const writing = (work: () => number): WriteOutcome => {
  try {
    return work() === 0 ? 'missing' : 'written'
  } catch (error) {
    if (isTaken(error)) return 'taken'
    throw error
  }
}

interface Statements {
  /** @returns the number of rows that it has changed */
  run(sql: string, ...values: SQLInputValue[]): number
  rows<T>(sql: string, ...values: SQLInputValue[]): T[]
}

const columns = 'webhook, generation, progress'

type LetterCalls = 'addDeadLetter' | 'removeDeadLetter' | 'deadLetters' | 'countDeadLetters'

/** A {@link WebhookStore} in one SQLite file. One process has it, as it has the data folder. */
export const openSqliteWebhookStore = (path: string, sealer: Pick<Sealer, 'seal'>): WebhookStore => {
  const database = openWithTables(path, tables, (opened) =>
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL'),
  )
  const statements: Statements = {
    run: (sql, ...values) => Number(database.prepare(sql).run(...values).changes),
    rows: <T>(sql: string, ...values: SQLInputValue[]) => database.prepare(sql).all(...values) as T[],
  }
  return {
    ...webhookCalls(statements, sealer),
    ...letterCalls(statements),
    lease: async () => true,
    close: async () => database.close(),
  }
}

const webhookCalls = (
  { run, rows }: Statements,
  sealer: Pick<Sealer, 'seal'>,
): Omit<WebhookStore, LetterCalls | 'lease' | 'close'> => ({
  list: async () => rows<Row>(`SELECT ${columns} FROM webhooks ORDER BY name`).map((row) => storedIn(row, sealer)),
  get: async (id) =>
    rows<Row>(`SELECT ${columns} FROM webhooks WHERE id = ?`, id).map((row) => storedIn(row, sealer))[0],
  create: async (webhook, progress) =>
    writing(() =>
      run(
        'INSERT INTO webhooks (id, name, webhook, generation, progress) VALUES (?, ?, ?, 1, ?)',
        webhook.id,
        webhook.name,
        JSON.stringify(webhook),
        progressText(progress),
      ),
    ),
  update: async (webhook, progress, generation) =>
    writing(() =>
      run(
        `UPDATE webhooks SET name = ?, webhook = ?, progress = coalesce(?, progress), generation = generation + 1
        WHERE id = ? AND generation = coalesce(?, generation)`,
        webhook.name,
        JSON.stringify(webhook),
        progress === undefined ? null : progressText(progress),
        webhook.id,
        generation ?? null,
      ),
    ),
  delete: async (id) => {
    run('DELETE FROM dead_letters WHERE webhook = ?', id)
    return run('DELETE FROM webhooks WHERE id = ?', id) > 0
  },
  saveProgress: async (id, { generation }, progress) =>
    run('UPDATE webhooks SET progress = ? WHERE id = ? AND generation = ?', progressText(progress), id, generation) > 0,
})

const letterCalls = ({ run, rows }: Statements): Pick<WebhookStore, LetterCalls> => ({
  addDeadLetter: async (id, { position, ...letter }, keep) => {
    run(
      'INSERT OR REPLACE INTO dead_letters (webhook, position, letter) VALUES (?, ?, ?)',
      id,
      position,
      JSON.stringify(letter),
    )
    run(
      `DELETE FROM dead_letters WHERE webhook = ?1 AND position <= (
        SELECT position FROM dead_letters WHERE webhook = ?1 ORDER BY position DESC LIMIT 1 OFFSET ?2)`,
      id,
      keep,
    )
  },
  removeDeadLetter: async (id, position) =>
    void run('DELETE FROM dead_letters WHERE webhook = ? AND position = ?', id, position),
  deadLetters: async (id, after, limit) =>
    rows<{ position: string; letter: string }>(
      `SELECT CAST(position AS TEXT) AS position, letter FROM dead_letters
      WHERE webhook = ? AND position > ? ORDER BY dead_letters.position LIMIT ?`,
      id,
      after ?? -1n,
      limit,
    ).map(({ position, letter }) => ({
      ...(JSON.parse(letter) as Omit<DeadLetter, 'position'>),
      position: BigInt(position),
    })),
  countDeadLetters: async (id) =>
    rows<{ n: number }>('SELECT count(*) AS n FROM dead_letters WHERE webhook = ?', id)[0]?.n ?? 0,
})
