import { open, readFile, rename } from 'node:fs/promises'
import type { Checkpoint } from './feed.ts'

/** A checkpoint in a file, always whole: it is written beside, forced to the disk and renamed. */
export const fileCheckpoint = (path: string): Checkpoint => ({
  load: async () => {
    try {
      return (await readFile(path, 'utf8')).trim() || undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  },
  save: async (place) => {
    const file = await open(`${path}.new`, 'w')
    try {
      await file.writeFile(`${place}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${path}.new`, path)
  },
})
