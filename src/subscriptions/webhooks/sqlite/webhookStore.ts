import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { inTransaction } from '../../../stores/sqlite/transactions.ts'
import { closedOnError, withSqliteErrors, openReadOnly } from '../../../stores/sqlite/openReadOnly.ts'
import { busyTimeout, openNamed, openWithTables, type VersionedTables } from '../../../stores/sqlite/versionedTables.ts'
import { guardAll } from '../../../stores/errors.ts'
import type { SecretCodec } from '../../../kinds/defineKind.ts'
import {
  letterText,
  outcomeOf,
  progressText,
  readLetter,
  readRow,
  type ReadMarks,
  type WebhookRow,
  type WebhookStore,
} from '../webhookStore.ts'

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

/** Files of versions without inboxes lack this table. */
const readMarksTable = `CREATE TABLE IF NOT EXISTS read_marks (reader TEXT NOT NULL, position INTEGER NOT NULL,
  up_to INTEGER NOT NULL, PRIMARY KEY (reader, position)) STRICT, WITHOUT ROWID`

const isTaken = (error: unknown): boolean => error instanceof Error && error.message.includes('UNIQUE')

/** Changes by people are synchronised at once; progress is what a power loss may take. */
const writesTo = (database: DatabaseSync) => {
  const write = (sql: string, values: readonly SQLInputValue[]): boolean =>
    Number(database.prepare(sql).run(...values).changes) > 0
  const durably = <T>(work: () => T): T => {
    database.exec('PRAGMA synchronous = FULL')
    try {
      return inTransaction(database, work)
    } finally {
      database.exec('PRAGMA synchronous = NORMAL')
    }
  }
  return {
    durably,
    /** @returns whether it has changed anything */
    run: async (sql: string, ...values: SQLInputValue[]): Promise<boolean> => write(sql, values),
    runDurably: async (sql: string, ...values: SQLInputValue[]): Promise<boolean> => durably(() => write(sql, values)),
  }
}

const readMarksIn = (
  database: DatabaseSync,
  { durably, runDurably }: Pick<ReturnType<typeof writesTo>, 'durably' | 'runDurably'>,
): ReadMarks => ({
  readers: async () => {
    const hasTable = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'read_marks'").get() !== undefined
    const rows = hasTable ? database.prepare('SELECT DISTINCT reader FROM read_marks').all() : []
    return rows.map(({ reader }) => String(reader))
  },
  readMarks: async (reader) => {
    const sql = 'SELECT CAST(position AS TEXT) AS position, up_to FROM read_marks WHERE reader = ?'
    const rows = database.prepare(sql).all(reader) as unknown as { position: string; up_to: number }[]
    return rows.map(({ position, up_to: upTo }) => ({ position: BigInt(position), upTo: upTo === 1 }))
  },
  addReadMarks: async (reader, marks) => {
    const adding = database.prepare(`INSERT INTO read_marks (reader, position, up_to) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET up_to = max(up_to, excluded.up_to)`)
    const deleting = database.prepare('DELETE FROM read_marks WHERE reader = ? AND position < ?')
    const add = (): void => {
      for (const { position, upTo } of marks) {
        adding.run(reader, position, upTo ? 1 : 0)
        if (upTo) deleting.run(reader, position)
      }
    }
    durably(add)
  },
  deleteReadMarks: async (reader, upTo) =>
    void (await runDurably('DELETE FROM read_marks WHERE reader = ? AND position <= ?', reader, upTo)),
})

const openToWrite = (path: string): DatabaseSync => {
  const database = openWithTables(path, tables, (opened) =>
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL'),
  )
  return closedOnError(database, () => database.exec(readMarksTable))
}

/**
 * A {@link WebhookStore} in one SQLite file, for the process that has locked the data folder.
 * @param readOnly reads beside that process
 * @throws MissingStore where there is none to read
 */
export const openSqliteWebhookStore = (
  path: string,
  secretCodec: Pick<SecretCodec, 'seal'>,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): WebhookStore => {
  const database = readOnly ? openNamed(path, () => openReadOnly(path, busyTimeout)) : openToWrite(path)
  const toWebhook = readRow(secretCodec)
  const { run, runDurably, durably } = writesTo(database)
  const all = async <T>(sql: string, ...values: SQLInputValue[]): Promise<T[]> =>
    database.prepare(sql).all(...values) as T[]
  const selectWebhooks = 'SELECT webhook, generation, progress FROM webhooks'
  const store: WebhookStore = {
    list: async () => (await all<WebhookRow>(`${selectWebhooks} ORDER BY name`)).map(toWebhook),
    get: async (id) => (await all<WebhookRow>(`${selectWebhooks} WHERE id = ?`, id)).map(toWebhook)[0],
    create: (webhook, progress) => {
      const sql = 'INSERT INTO webhooks (id, name, webhook, generation, progress) VALUES (?, ?, ?, 1, ?)'
      const { id, name } = webhook
      return outcomeOf(runDurably(sql, id, name, JSON.stringify(webhook), progressText(progress)), isTaken)
    },
    update: ({ webhook, generation }, progress) => {
      const sql = `UPDATE webhooks SET name = ?, webhook = ?, progress = coalesce(?, progress),
        generation = generation + 1 WHERE id = ? AND generation = ?`
      const [text, progressValue] = [JSON.stringify(webhook), progress === undefined ? null : progressText(progress)]
      return outcomeOf(runDurably(sql, webhook.name, text, progressValue, webhook.id, generation), isTaken)
    },
    delete: async (id) => {
      const deleted = await runDurably('DELETE FROM webhooks WHERE id = ?', id)
      await run('DELETE FROM dead_letters WHERE webhook NOT IN (SELECT id FROM webhooks)')
      return deleted
    },
    saveProgress: (id, { generation }, progress) =>
      run('UPDATE webhooks SET progress = ? WHERE id = ? AND generation = ?', progressText(progress), id, generation),
    addDeadLetter: async (id, letter, keep) => {
      const adding = `INSERT OR REPLACE INTO dead_letters (webhook, position, letter)
        SELECT id, ?, ? FROM webhooks WHERE id = ?`
      const oldest = 'SELECT position FROM dead_letters WHERE webhook = ?1 ORDER BY position DESC LIMIT 1 OFFSET ?2'
      await run(adding, letter.position, letterText(letter), id)
      await run(`DELETE FROM dead_letters WHERE webhook = ?1 AND position <= (${oldest})`, id, keep)
    },
    removeDeadLetter: async (id, position) =>
      void (await run('DELETE FROM dead_letters WHERE webhook = ? AND position = ?', id, position)),
    deadLetters: async (id, after, limit) => {
      const sql = `SELECT CAST(position AS TEXT) AS position, letter FROM dead_letters
        WHERE webhook = ? AND position > ? ORDER BY dead_letters.position LIMIT ?`
      const rows = await all<{ position: string; letter: string }>(sql, id, after ?? -1n, limit)
      return rows.map(({ position, letter }) => readLetter(position, letter))
    },
    countDeadLetters: async (id) =>
      (await all<{ n: number }>('SELECT count(*) AS n FROM dead_letters WHERE webhook = ?', id))[0]?.n ?? 0,
    lease: async () => true,
    ...readMarksIn(database, { durably, runDurably }),
    close: async () => database.close(),
  }
  return guardAll(store, withSqliteErrors(path))
}
