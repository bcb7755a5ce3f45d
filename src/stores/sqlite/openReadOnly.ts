import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isAbsent } from '../fileProblems.ts'
import { CatalogError } from '../../shared/errors/namedError.ts'
import { asStoreFailure, reasonIn, StoreUnavailable, type Guard } from '../errors.ts'

/** The primary result code of an SQLite error; `undefined` for other errors. */
export const codeOf = (error: unknown): number | undefined => {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : undefined
}

const damaged: ReadonlySet<number> = new Set([11, 26])

export const isDamage = (error: unknown): boolean => damaged.has(codeOf(error) ?? 0)

/** Whether the operating system can read what there is of a file, to its end. */
const isReadable = (path: string): boolean => {
  const chunk = Buffer.alloc(2 ** 20)
  try {
    const file = openSync(path, 'r')
    try {
      for (let at = 0, read = -1; read !== 0; at += read) read = readSync(file, chunk, 0, chunk.length, at)
      return true
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return isAbsent(error)
  }
}

/**
 * Whether a database is damaged: where the disk cannot be read, SQLite reports damage, too.
 * @param paths of all databases of the connection
 */
export const isDamaged = (error: unknown, ...paths: readonly string[]): boolean =>
  isDamage(error) && paths.flatMap((path) => [path, `${path}-wal`]).every(isReadable)

/** Whether another connection uses the file. */
export const isBusy = (error: unknown): boolean => codeOf(error) === 5

/** Locks, lack of memory, and media that are read-only, failing or full. */
const passing: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14, 15])

/**
 * Maps an error of SQLite to {@link StoreUnavailable} if it may pass, else to {@link StoreFailed}; errors of others are
 * unchanged. @param store its name
 */
export const asSqliteFailure = (error: unknown, store: string): unknown => {
  const code = codeOf(error)
  if (code === undefined) return error
  if (!passing.has(code)) return asStoreFailure(error, store)
  return new StoreUnavailable(`${store} does not answer: ${reasonIn(error)}`, { cause: error })
}

/** Maps errors of calls by {@link asSqliteFailure}. @param store its name */
export const withSqliteErrors =
  (store: string): Guard =>
  async (call) => {
    try {
      return await call()
    } catch (error) {
      throw asSqliteFailure(error, store)
    }
  }

export class MissingStore extends CatalogError {
  override readonly name = 'MissingStore'
  constructor(path: string) {
    super(
      `There is no ${basename(path)} in ${dirname(path)}. CATALOG_DATA_DIR names the folder of a service that has ` +
        'been started.',
    )
  }
}

/** Whether this process may write to the folder; never on read-only media, even for root. */
export const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Runs the first work with an opened resource, and closes it if that throws. @returns the resource */
export const closedOnError = <T extends { close(): void }>(opened: T, begin: (opened: T) => void): T => {
  try {
    begin(opened)
    return opened
  } catch (error) {
    opened.close()
    throw error
  }
}

/** SQLite opens a file at the first read. */
const forceOpen = (database: DatabaseSync): DatabaseSync =>
  closedOnError(database, () => database.prepare('PRAGMA user_version').get())

const openCopy = (path: string): DatabaseSync => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  try {
    const copy = join(folder, basename(path))
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix)
    return forceOpen(new DatabaseSync(copy, { readOnly: true }))
  } catch (error) {
    const what = `${path} has a write-ahead log, and cannot be copied to ${tmpdir()} to be read with it`
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error })
  } finally {
    // An open file stays readable after its removal, and nothing is left behind however the process ends.
    rmSync(folder, { recursive: true, force: true })
  }
}

const openImmutable = (path: string): DatabaseSync => {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return forceOpen(new DatabaseSync(url, { readOnly: true }))
}

/** Result codes when SQLite cannot create a file: on read-only media, or in a folder that the user may only read. */
const cannotCreate: ReadonlySet<number> = new Set([14, 8])

/**
 * Opens a database for reading, beside a writing process or where nothing can be written. There SQLite cannot create
 * the index of the write-ahead log: an empty log is ignored, otherwise a copy of both is opened in the folder for
 * temporary files.
 * @param timeout milliseconds to wait for others
 * @throws Error when the file does not exist or cannot be opened
 */
export const openReadOnly = (path: string, timeout: number): DatabaseSync => {
  if (!existsSync(path)) throw new MissingStore(path)
  try {
    return forceOpen(new DatabaseSync(path, { readOnly: true, timeout }))
  } catch (error) {
    const needsIndex = cannotCreate.has(codeOf(error) ?? 0) && !isWritable(dirname(path))
    if (!needsIndex) throw error
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
    return log === undefined || log.size === 0 ? openImmutable(path) : openCopy(path)
  }
}
