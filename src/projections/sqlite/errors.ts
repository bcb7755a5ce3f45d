import { StoreUnavailable } from '../../events/eventStore.ts'
import { codeOf, isDamage } from '../../stores/sqlite/errorCodes.ts'
import { DamagedReadModels } from '../errors.ts'

/** Transient result codes of SQLite: a full disk, a lock, an I/O error. */
const passing: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14])

/** Maps a database error to one of the port; others are unchanged. */
export const asPortError = (error: unknown, path: string): unknown => {
  const code = codeOf(error)
  if (code === undefined) return error
  const { message } = error as Error
  if (isDamage(error)) return new DamagedReadModels(`${path} is damaged: ${message}.`, { cause: error })
  if (!passing.has(code)) return error
  return new StoreUnavailable(`The read models in ${path} do not answer: ${message}`, { cause: error })
}
