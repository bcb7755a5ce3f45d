import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DamagedReadModels, guardAll, type Guard } from '../errors.ts'
import type { Checkpoint, Projection, ProjectionStore } from '../projection.ts'
import { readCheckpoints, makeSqliteProjection, type SqliteProjection } from './sqliteProjection.ts'
import type { StoredTable } from '../stored/differences.ts'
import { storedTablesIn } from './storedTables.ts'
import { openSqliteFile, putAside, type SqliteFile, type SqliteFileOptions, type SqliteTables } from './file.ts'
import { sync } from '../../stores/sqlite/dataFolder.ts'
import { StoreUnavailable } from '../../events/eventStore.ts'
import { codeOf, isDamage } from '../../stores/sqlite/openReadOnly.ts'

/** A sort of file. `P`: its options, `O`: the open file, `R`: its reads. */
export interface FileDefinition<P extends SqliteFileOptions, O extends { readonly file: SqliteFile }, R> {
  /** In writing order. */
  readonly projections: readonly SqliteProjection<O>[]
  readonly reads: (current: () => O) => R
  readonly open: (options: P) => O
  /** Page size of a new file in bytes. */
  readonly pageSize?: number
  readonly end?: (opened: O) => Promise<void>
}

export const tablesOf = (projections: readonly { readonly tables: SqliteTables }[]): SqliteTables[] =>
  projections.map(({ tables }) => tables)

/** A file of read models whose projections share transactions. It can be replaced by another file. */
export interface ProjectionFile<O, R> {
  current(): O
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

/** Opens the file; unless it is read-only, a damaged one is put aside first. */
const openWhole = <O>(open: () => O, { path, readOnly = false, onReplaced = () => {} }: SqliteFileOptions): O => {
  try {
    return open()
  } catch (error) {
    const known = asReadModelError(error, path)
    if (!(known instanceof DamagedReadModels) || readOnly) throw known
    onReplaced(`${known.message} It was put aside as ${putAside(path)}`)
    return open()
  }
}

/** A guard that maps errors. After damage `checkpoints` fails too, so that the projector notices. */
const makeDamageGuard = (path: string) => {
  let damage: DamagedReadModels | undefined
  const guard: Guard =
    (call) =>
    async (...args) => {
      try {
        return await call(...args)
      } catch (error) {
        const known = asReadModelError(error, path)
        if (known instanceof DamagedReadModels) damage ??= known
        throw known
      }
    }
  const mustBeWhole = (): void => {
    if (damage !== undefined) throw damage
  }
  return { guard, mustBeWhole }
}

interface Written {
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

export const openProjectionFile = <
  P extends SqliteFileOptions,
  O extends { readonly file: SqliteFile },
  R extends Calls<R>,
>(
  { projections, reads, open, end, pageSize }: FileDefinition<P, O, R>,
  { elsewhere = false, ...rest }: P & Written,
): ProjectionFile<O, R> => {
  const options = { ...(pageSize && { pageSize }), ...rest } as unknown as P
  const shut = async (shutting: O): Promise<void> => {
    await end?.(shutting)
    if (!elsewhere) await shutting.file.stopCheckpoints()
    shutting.file.close()
    if (elsewhere) emptyLog(options.path)
  }
  const openAny = (): O => {
    if (!elsewhere) return open(options)
    openSqliteFile(options, tablesOf(projections)).close()
    return open({ ...options, readOnly: true })
  }
  let opened = openWhole(openAny, options)
  const current = (): O => opened
  const { guard, mustBeWhole } = makeDamageGuard(options.path)
  const own = new Set(projections.map(({ tables }) => tables.name))
  return {
    current,
    reads: guardAll(reads(current), guard),
    projections: projections.map((each) => {
      const projection = makeSqliteProjection(each, current)
      return { ...projection, apply: guard(projection.apply) }
    }),
    checkpoints: guard(async () => {
      mustBeWhole()
      return new Map([...readCheckpoints(opened.file)].filter(([name]) => own.has(name)))
    }),
    stored: (unsettled) => storedTablesIn(opened.file, tablesOf(projections), unsettled),
    replaceBy: async (path) => {
      await shut(opened)
      try {
        replaceFile(options.path, path)
      } finally {
        opened = openAny()
      }
    },
    close: () => shut(opened),
  }
}

/** Joins the projections of several files into one store. */
export const storeOf = (files: readonly ProjectionFile<unknown, unknown>[]): ProjectionStore => ({
  projections: files.flatMap(({ projections }) => projections),
  checkpoints: async () => {
    const all = await Promise.all(files.map((file) => file.checkpoints()))
    return new Map(all.flatMap((each) => [...each]))
  },
})

/** Transient result codes of SQLite: a full disk, a lock, an I/O error. */
const passing: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14])

/** Maps a database error to one of the port; others are unchanged. */
export const asReadModelError = (error: unknown, path: string): unknown => {
  const code = codeOf(error)
  if (code === undefined) return error
  const { message } = error as Error
  if (isDamage(error)) return new DamagedReadModels(`${path} is damaged: ${message}.`, { cause: error })
  if (!passing.has(code)) return error
  return new StoreUnavailable(`The read models in ${path} do not answer: ${message}`, { cause: error })
}
