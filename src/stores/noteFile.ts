import { open } from 'node:fs/promises'

/** Appends a note to a file durably, apart from a piece of one that an interrupted write may have left there. */
export const appendNote = async (path: string, note: string): Promise<void> => {
  const file = await open(path, 'a', 0o644)
  try {
    const { size } = await file.stat()
    await file.writeFile(size === 0 ? note : `\n\n${note}`)
    await file.sync()
  } finally {
    await file.close()
  }
}
