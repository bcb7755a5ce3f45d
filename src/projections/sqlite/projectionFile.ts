import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DamagedReadModels } from '../errors.ts'
import type { Checkpoint, Projection, ProjectionStore } from '../projection.ts'
import { readCheckpoints, makeSqliteProjection, type SqliteProjection } from './sqliteProjection.ts'
import type { StoredTable } from '../stored/differences.ts'
import { storedTablesIn } from './storedTables.ts'
import { openSqliteFile, removeFile, type SqliteFile, type SqliteFileOptions } from './file.ts'
import { closeAll } from '../../stores/closing.ts'
import { sync } from '../../stores/sqlite/dataFolder.ts'
import { guardAll, reasonIn, StoreUnavailable, type Guard } from '../../stores/errors.ts'
import { asSqliteFailure, isDamage, isDamaged } from '../../stores/sqlite/openReadOnly.ts'

/** A sort of file, with reads `R`. */
export interface FileDefinition<R> {
  /** In writing order. */
  readonly projections: readonly SqliteProjection[]
  readonly reads: (current: () => SqliteFile) => R
  /** Default: opens it with the tables of its projections. */
  readonly open?: (options: SqliteFileOptions) => SqliteFile
  /** Called when a file is opened, or another one has replaced it. */
  readonly opened?: (file: SqliteFile, options: SqliteFileOptions) => void
  /** Page size of a new file in bytes. */
  readonly pageSize?: number
  /** Another file that its connection reads. */
  readonly attached?: string | undefined
  /** Called before the file is closed. */
  readonly end?: () => Promise<void>
}

/** A file of read models whose projections share transactions. It can be replaced by another file. */
interface ProjectionFile<R> {
  current(): SqliteFile
  readonly reads: R
  readonly projections: readonly Projection[]
  checkpoints(): Promise<ReadonlyMap<string, Checkpoint>>
  /** Its tables; see {@link ReadModels.stored}. */
  stored(unsettled: readonly string[]): readonly StoredTable[]
  replaceBy(path: string): Promise<void>
  close(): Promise<void>
}

const replaceFile = (path: string, by: string): void => {
  sync(by)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  renameSync(by, path)
  sync(dirname(path))
}

/** Opens the file; unless it is read-only, a damaged one is deleted first: it may hold values that were erased. */
const openWhole = (
  open: () => SqliteFile,
  { path, readOnly = false, onReplaced = () => {} }: SqliteFileOptions,
  known: (error: unknown) => unknown,
): SqliteFile => {
  const opening = (): SqliteFile => {
    try {
      return open()
    } catch (error) {
      throw known(error)
    }
  }
  try {
    return opening()
  } catch (error) {
    if (!(error instanceof DamagedReadModels)) throw error
    if (readOnly) throw new DamagedReadModels(`${error.message} Run: catalog rebuild`, { cause: error })
    removeFile(path)
    onReplaced(`${error.message} It was deleted`)
    return opening()
  }
}

/** A guard that maps errors. After damage `checkpoints` fails too, so that the projector notices. */
const makeDamageGuard = (asKnown: (error: unknown) => unknown) => {
  let damage: DamagedReadModels | undefined
  const known = (error: unknown): unknown => {
    const mapped = asKnown(error)
    if (mapped instanceof DamagedReadModels) damage ??= mapped
    return mapped
  }
  const guard: Guard = async (call) => {
    try {
      return await call()
    } catch (error) {
      throw known(error)
    }
  }
  const mustBeWhole = (): void => {
    if (damage !== undefined) throw damage
  }
  return { guard, known, mustBeWhole }
}

interface Written extends SqliteFileOptions {
  /** Whether another thread writes the file, which may not exist yet. */
  readonly elsewhere?: boolean
}

/** The last writer to close a file empties its write-ahead log. */
const emptyLog = (path: string): void => {
  const database = new DatabaseSync(path)
  try {
    database.prepare('PRAGMA schema_version').get()
  } finally {
    database.close()
  }
}

type Calls<R> = Record<keyof R, (...args: never[]) => Promise<unknown>>

export const openProjectionFile = <R extends Calls<R>>(
  { projections, reads, open, opened: begin, end, pageSize, attached }: FileDefinition<R>,
  { elsewhere = false, ...rest }: Written,
): ProjectionFile<R> => {
  const options = { ...(pageSize && { pageSize }), ...rest }
  const all = projections.map(({ tables }) => tables)
  const openTables = (as: SqliteFileOptions): SqliteFile => openSqliteFile(as, all)
  const shut = (): Promise<void> =>
    closeAll([() => end?.(), () => opened.close(), () => (elsewhere ? emptyLog(options.path) : undefined)])
  const openAny = (): SqliteFile => {
    if (elsewhere) void openTables(options).close()
    const as = elsewhere ? { ...options, readOnly: true } : options
    const file = (open ?? openTables)(as)
    begin?.(file, as)
    return file
  }
  const asKnown = (error: unknown): unknown => asReadModelError(error, options.path, attached)
  let opened = openWhole(openAny, options, asKnown)
  const current = (): SqliteFile => opened
  const { guard, known, mustBeWhole } = makeDamageGuard(asKnown)
  const own = new Set(all.map(({ name }) => name))
  return {
    current,
    reads: guardAll(reads(current), guard),
    projections: projections.map((each) => {
      const projection = makeSqliteProjection(each, current)
      const apply: Projection['apply'] = (batch) =>
        projection.apply({ ...batch, undone: (reason) => batch.undone?.(known(reason)) })
      return { ...projection, apply: (batch) => guard(() => apply(batch)) }
    }),
    checkpoints: () =>
      guard(async () => {
        mustBeWhole()
        return new Map([...readCheckpoints(opened)].filter(([name]) => own.has(name)))
      }),
    stored: (unsettled) => storedTablesIn(opened, all, unsettled),
    replaceBy: async (path) => {
      try {
        await shut()
        replaceFile(options.path, path)
      } finally {
        opened = openAny()
      }
    },
    close: shut,
  }
}

/** Joins the projections of several files into one store. */
export const storeOf = (files: readonly ProjectionFile<unknown>[]): ProjectionStore => ({
  projections: files.flatMap(({ projections }) => projections),
  checkpoints: async () => {
    const all = await Promise.all(files.map((file) => file.checkpoints()))
    return new Map(all.flatMap((each) => [...each]))
  },
})

/** Maps a database error to one of the port; others are unchanged. */
const asReadModelError = (error: unknown, path: string, attached: string = path): unknown => {
  if (!isDamage(error)) return asSqliteFailure(error, path)
  return isDamaged(error, path, attached)
    ? new DamagedReadModels(`${path} is damaged: ${reasonIn(error)}.`, { cause: error })
    : new StoreUnavailable(`${path} cannot be read: ${reasonIn(error)}`, { cause: error })
}
