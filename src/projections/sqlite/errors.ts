import { StoreUnavailable } from '../../events/eventStore.ts'
import { codeOf, isDamage } from '../../stores/sqlite/errorCodes.ts'
import { DamagedReadModels } from '../errors.ts'

/** Primary result codes of SQLite after which the same call may work: a full disk, a lock, an input or output error. */
const passing: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14])

/** The error that the port knows for one of the database; others stay as they are. */
export const asPortError = (error: unknown, path: string): unknown => {
  const code = codeOf(error)
  if (code === undefined) return error
  const { message } = error as Error
  if (isDamage(error)) return new DamagedReadModels(`${path} is damaged: ${message}.`, { cause: error })
  if (!passing.has(code)) return error
  return new StoreUnavailable(`The read models in ${path} do not answer: ${message}`, { cause: error })
}
