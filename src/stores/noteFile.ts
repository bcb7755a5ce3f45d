import { statSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'

/** Appends a note to a file durably, separated from a partial one that an interrupted write may have left. */
export const appendNote = async (path: string, note: string): Promise<void> => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  await appendFile(path, size === 0 ? note : `\n\n${note}`, { mode: 0o644, flush: true })
}
