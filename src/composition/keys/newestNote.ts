import { open } from 'node:fs/promises'
import { notesIn } from '../../transparency/checkpoint.ts'

/** The end of a file of checkpoints: many times one of them. */
const tailBytes = 16_384

export interface NewestNote {
  /** The signed note that was appended last; `undefined`: the file is empty. */
  readonly note: string | undefined
  /** When the file was last written, ISO 8601. */
  readonly time: string
}

/** Reads the newest checkpoint of a file that they are appended to; `undefined`: there is no such file. */
export const readNewestNote = async (path: string): Promise<NewestNote | undefined> => {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (file === undefined) return undefined
  try {
    const { size, mtime } = await file.stat()
    const bytes = Buffer.alloc(Math.min(size, tailBytes))
    await file.read(bytes, 0, bytes.length, size - bytes.length)
    return { note: notesIn(bytes.toString()).at(-1), time: mtime.toISOString() }
  } finally {
    await file.close()
  }
}
