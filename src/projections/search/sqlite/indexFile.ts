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

/** Where the index is kept that has a file of its own, beside the file of the entities. */
export const searchPathOf = (path: string): string =>
  path === ':memory:' ? path : path.replace(/(\.db)?$/, '.search.db')

/** The index in a file of its own. It begins anew, too, when what the entities store of an event changes. */
export const indexTables: SqliteTables = {
  ...searchTables,
  version: 1000 * searchTables.version + entitiesProjection.version,
}

/** What the file of the entities is called where it is attached. No table there has the name of one of the index. */
const attached = 'present'

export interface IndexOptions extends SqliteFileOptions {
  /** The file of the entities, which must be there. Left out where nothing is indexed or searched. */
  readonly entities?: string | undefined
}

/** Opens an index with the file of the entities attached: that is only read. Both share the memory for pages. */
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

/** How far the attached entities have come. */
const shownOf = (file: SqliteFile): Checkpoint | undefined => {
  const found = file
    .wide(`SELECT checkpoint, newest FROM ${attached}.projections WHERE name = ? AND checkpoint IS NOT NULL`)
    .get(entitiesProjection.name) as [bigint, string | null] | undefined
  return found && { position: found[0], newest: found[1] === null ? undefined : readFingerprint(found[1]) }
}

export const shownIn = (file: SqliteFile): bigint | undefined => shownOf(file)?.position

/** Indexes everything that the entities show, where nothing is: one step for each entity, not for each event. */
export const fillIndex = async (file: SqliteFile, stopping: AbortSignal): Promise<void> => {
  if (readCheckpoints(file).has(indexTables.name)) return
  const shown = shownOf(file)
  if (shown === undefined) return
  await indexAll(file, stopping)
  if (!stopping.aborted) file.transaction(() => saveCheckpoint(file, indexTables.name, shown))
}
