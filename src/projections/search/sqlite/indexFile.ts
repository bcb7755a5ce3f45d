import { pathToFileURL } from 'node:url'
import { entitiesProjection } from '../../entities/entitiesProjection.ts'
import {
  openSqliteFile,
  usualPages,
  type SqliteFile,
  type SqliteFileOptions,
  type SqliteTables,
} from '../../sqlite/file.ts'
import { readFingerprint } from '../../../events/events.ts'
import { pageCache } from '../../../stores/sqlite/caches.ts'
import type { Checkpoint } from '../../projection.ts'
import { readCheckpoints, saveCheckpoint } from '../../sqlite/sqliteProjection.ts'
import { indexAll } from './indexing.ts'
import { searchTables, searchViews } from './tables.ts'

/** Path of the index file, next to the file of entities. */
export const searchPathOf = (path: string): string =>
  path === ':memory:' ? path : path.replace(/(\.db)?$/, '.search.db')

/** The tables of the index file. It is rebuilt when the stored entities change their layout. */
export const indexTables: SqliteTables = {
  ...searchTables,
  version: 1000 * searchTables.version + entitiesProjection.version,
}

/** Schema name of the attached file of entities. Table names are distinct. */
const attached = 'present'

export interface IndexOptions extends SqliteFileOptions {
  /** Path of the existing file of entities; absent if nothing is indexed or searched. */
  readonly entities?: string | undefined
}

/** Opens an index with the file of entities attached read-only. Both share the page cache. */
export const openIndex = ({ entities, pageBytes = usualPages, ...options }: IndexOptions): SqliteFile => {
  const share = Math.floor(pageBytes / 2)
  const file = openSqliteFile({ ...options, pageBytes: share }, [indexTables])
  if (entities === undefined) return file
  try {
    const url = pathToFileURL(entities)
    url.searchParams.set('mode', 'ro')
    file.database.prepare(`ATTACH ? AS ${attached}`).run(url.href)
    file.database.exec(pageCache(share, attached))
    file.database.exec(searchViews)
    return file
  } catch (error) {
    file.close()
    throw error
  }
}

/** The position of the attached entities. */
const shownOf = (file: SqliteFile): Checkpoint | undefined => {
  const found = file
    .wide(`SELECT checkpoint, newest FROM ${attached}.projections WHERE name = ? AND checkpoint IS NOT NULL`)
    .get(entitiesProjection.name) as [bigint, string | null] | undefined
  return found && { position: found[0], newest: found[1] === null ? undefined : readFingerprint(found[1]) }
}

export const shownIn = (file: SqliteFile): bigint | undefined => shownOf(file)?.position

/** Fills an empty index from the entities instead of from the events. */
export const fillIndex = async (file: SqliteFile, stopping: AbortSignal): Promise<void> => {
  if (readCheckpoints(file).has(indexTables.name)) return
  const shown = shownOf(file)
  if (shown === undefined) return
  await indexAll(file, stopping)
  if (!stopping.aborted) file.transaction(() => saveCheckpoint(file, indexTables.name, shown))
}
