import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isAbsent, reasonOf } from '../fileProblems.ts'
import { closedOnError, isBusy, isWritable, openReadOnly } from './openReadOnly.ts'
import { giveToOwner, mustBeWritable, notAllowed, openWritable } from './ownership.ts'
import { CatalogError } from '../../shared/errors/namedError.ts'

export class DataFolderInUse extends CatalogError {
  override readonly name = 'DataFolderInUse'
}

/** Synchronises a file, or the entries of a folder, to disk. */
export const sync = (path: string): void => {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Creates a folder and its ancestors durably. Node's recursive `mkdir` never ends in /proc. */
const createDurably = (path: string): void => {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path) createDurably(above)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another starting process may have created it.
    if (!isFolder(path)) throw error
  }
  sync(above)
}

const folderReasons: Readonly<Record<string, string>> = {
  ENOENT: 'none can be made there',
  EACCES: 'this user may not make one there',
  EEXIST: 'a part of its path is a file',
}

/**
 * Creates a folder and its ancestors durably, readable by the owner only.
 * @param what names it, in errors
 */
export const makeFolder = (path: string, what: string): void => {
  try {
    createDurably(path)
  } catch (error) {
    const { code = '', path: at } = error as NodeJS.ErrnoException
    const reason = code === 'EEXIST' && at === path ? 'it is a file' : (folderReasons[code] ?? reasonOf(error))
    throw new Error(`${what} ${path}, which cannot be made a folder: ${reason}.`, { cause: error })
  }
}

/**
 * Creates the folder and its ancestors, readable by the owner only. @returns its absolute path
 * @throws Error when this process may not write it, or a database in it
 */
export const createDataFolder = (folder: string): string => {
  const path = resolve(folder)
  makeFolder(path, 'CATALOG_DATA_DIR names')
  if (!isWritable(path)) {
    throw new Error(
      `The data folder ${path}, which CATALOG_DATA_DIR names, cannot be written. What only reads works there: ` +
        'catalog status, audit verify, verify, ' +
        'replay, backup and token; to serve it, copy it to where it can be written.',
    )
  }
  mustBeWritable(path)
  return path
}

/** Bytes that must be free to open the stores: the locks, journals and shared memory of SQLite are files. */
const minFreeBytes = 2 ** 20

const freeBytesOf = (path: string): number => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** Locks a file until the lock or the process ends, however it does. @returns `undefined` if another has locked it */
export const lockFile = (path: string): DatabaseSync | undefined => {
  try {
    // Waits, since `isLocked` has the file for a moment.
    return closedOnError(openWritable(path, 100), (lock) => lock.exec('BEGIN EXCLUSIVE'))
  } catch (error) {
    if (isBusy(error)) return undefined
    throw error
  }
}

export const isLocked = (path: string): boolean => {
  try {
    openReadOnly(path, 0).close()
    return false
  } catch (error) {
    return isBusy(error)
  }
}

/**
 * Locks the folder of the embedded stores for this process alone; the kernel releases the lock when the process ends.
 * @param freeBytes default: of its disk; for tests
 * @throws DataFolderInUse; Error if the disk is full
 */
export const lockDataFolder = (folder: string, freeBytes = freeBytesOf) => {
  const path = createDataFolder(folder)
  const free = freeBytes(path)
  if (free < minFreeBytes)
    throw new Error(
      `The disk of the data folder ${path} is full: ${Math.floor(free / 1024)} KiB are free, and the stores need 1 MiB ` +
        'to be opened. Make room, then start again.',
    )
  const pidFile = join(path, 'lock.pid')
  let crashedPid: string | undefined
  const locked = lockFile(join(path, 'lock.db'))
  if (locked === undefined) {
    const holder = readSecret(pidFile)
    const other = holder ? `Another process (pid ${holder})` : 'Another process'
    throw new DataFolderInUse(`${other} uses the data folder ${path}. Stop it first, or choose another folder.`)
  }
  const lock = closedOnError(locked, () => {
    crashedPid = readSecret(pidFile) || undefined
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
    giveToOwner(pidFile)
  })
  return {
    /** Absolute. */
    path,
    /** Process id of the last holder, if it ended without releasing the lock. */
    crashedPid,
    /** Releases the lock. The operating system does this too when the process dies. */
    close: (): void => {
      if (!lock.isOpen) return
      rmSync(pidFile, { force: true })
      lock.close()
    },
  }
}

export type DataFolder = ReturnType<typeof lockDataFolder>

/** The text of a file, without white space around it; `undefined` if there is no such file, nor a folder for it. */
export const readSecret = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw (error as NodeJS.ErrnoException).code === 'EACCES' && existsSync(path) ? notAllowed(path, 'read') : error
  }
}

/**
 * The text of a file in the folder, readable by the owner only. The first call creates it durably; all processes get
 * the same text.
 */
export const readOrCreate = (folder: string, name: string, make: () => string): string => {
  const path = join(folder, name)
  const found = readSecret(path)
  if (found !== undefined) return found
  placeSecret(path, make(), (unfinished) => {
    try {
      // A link, unlike a rename, never replaces a file that another process has just created.
      linkSync(unfinished, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  })
  return readFileSync(path, 'utf8').trim()
}

/** {@link readOrCreate} with 32 random bytes as base64url. @throws when the file has no usable secret */
export const readOrCreateSecret = (folder: string, name: string): string => {
  const path = join(folder, name)
  const found = readOrCreate(folder, name, () => randomBytes(32).toString('base64url'))
  if (found.length < 32) {
    throw new Error(`The secret in ${path} is too short to be one. Restore the file from a backup.`)
  }
  return found
}

/** Replaces the secret in a file atomically; a symbolic link is followed. */
export const replaceSecret = (path: string, secret: string): void => {
  const present = existsSync(path)
  const file = present ? realpathSync(path) : path
  placeSecret(file, secret, (unfinished) => {
    if (present) giveToOwner(unfinished, file)
    renameSync(unfinished, file)
  })
}

/** Writes a secret to a file beside its path, which `place` brings there. */
const placeSecret = (path: string, secret: string, place: (unfinished: string) => void): void => {
  const unfinished = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(unfinished, `${secret}\n`, { flag: 'wx', mode: 0o600, flush: true })
    giveToOwner(unfinished)
    place(unfinished)
  } finally {
    rmSync(unfinished, { force: true })
  }
  sync(dirname(path))
}
