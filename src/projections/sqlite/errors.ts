import { StoreUnavailable } from '../../events/eventStore.ts'
import { DamagedReadModels } from '../readModels.ts'

/** Primary result codes of SQLite after which the same call may work: a full disk, a lock, an input or output error. */
const passing: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14])

/** Those of a file that is damaged, or that is no database. */
const damaged: ReadonlySet<number> = new Set([11, 26])

const codeOf = (error: unknown): number | undefined => {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : undefined
}

/** Is the file damaged, or no database? */
export const isDamage = (error: unknown): boolean => {
  const code = error instanceof Error ? codeOf(error) : undefined
  return code !== undefined && damaged.has(code)
}

/** The error that the port knows for one of the database; others stay as they are. */
export const asPortError = (error: unknown, path: string): unknown => {
  const code = error instanceof Error ? codeOf(error) : undefined
  if (code === undefined) return error
  const { message } = error as Error
  if (damaged.has(code)) return new DamagedReadModels(`${path} is damaged: ${message}.`, { cause: error })
  if (!passing.has(code)) return error
  return new StoreUnavailable(`The read models in ${path} do not answer: ${message}`, { cause: error })
}
