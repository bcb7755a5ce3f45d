import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** An empty folder that is removed when the test has finished. */
export const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A file with this text, in such a folder. @returns its path */
export const temporaryFile = async (text: string, name = 'file'): Promise<string> => {
  const path = join(await temporaryFolder(), name)
  await writeFile(path, text)
  return path
}

/** An empty folder for all tests of a file, or of a `describe`, that is removed behind them. */
export const sharedFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
