import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup } from 'node:sqlite'
import { openReadOnly } from '../../stores/sqlite/openReadOnly.ts'
import { asPortError } from './eventTable.ts'

const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

/** @param settled resolves when what is committed is also on the disk: nothing else is backed up */
export const copyLog = async (path: string, file: string, settled: () => Promise<void>): Promise<void> => {
  const unfinished = `${file}.unfinished`
  await rm(unfinished, { force: true })
  try {
    const source = openReadOnly(path, 2000)
    try {
      // All pages in one step: a copy in several would begin anew with every commit in between.
      await backup(source, unfinished, { rate: 2 ** 31 - 1 })
    } finally {
      source.close()
    }
    await syncPath(unfinished)
    await settled()
    await rename(unfinished, file)
    await syncPath(dirname(file))
  } catch (error) {
    await rm(unfinished, { force: true })
    throw asPortError(error)
  }
}
