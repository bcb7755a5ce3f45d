import type { SqliteFile } from '../../sqlite/file.ts'

/**
 * Words under an old key, or in the index of the other status, until they are moved: when very many entities are
 * deleted or restored, searches look at what is noted here, since moving takes a hundred times as long.
 */
export interface Moving {
  readonly key: number
  /** What the entity is now, a `statusNumber`. */
  readonly status: number
  /** The status whose index has its words. */
  readonly words: number
}

/** To be called within a transaction. */
export const moveLater = (file: SqliteFile, { key, status, words }: Moving): void => {
  file.statement('INSERT OR REPLACE INTO search_moving (key, status, words) VALUES (?, ?, ?)').run(key, status, words)
}

/** The words were moved, or are gone. */
export const moved = (file: SqliteFile, key: number): void => {
  file.statement('DELETE FROM search_moving WHERE key = ?').run(key)
}

export const nextToMove = (file: SqliteFile, limit: number): string[] => {
  const next = file.statement(
    'SELECT d.id FROM search_moving AS m CROSS JOIN search_docs AS d ON d.key = m.key ORDER BY m.key LIMIT ?',
  )
  return (next.all(limit) as [string][]).flat()
}

export const hasMoving = (file: SqliteFile): boolean =>
  file.statement('SELECT 1 FROM search_moving LIMIT 1').get() !== undefined

/** A condition on hits in the index of a status, while words are moved: of it now, or of the other one. */
export const hitsThatAre = (kept: 'of it' | 'of the other'): string =>
  `${kept === 'of it' ? 'NOT ' : ''}EXISTS (SELECT 1 FROM search_moving AS m WHERE m.key = w.rowid AND m.status <> ?)`
