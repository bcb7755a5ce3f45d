import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openProjectionFile } from '../../../src/projections/sqlite/projectionFile.ts'
import { temporaryFolder } from '../../support/folders.ts'

test('a file that cannot be replaced, since it cannot be closed whole, goes on being read', async () => {
  const path = join(await temporaryFolder(), 'readModels.db')
  const stuck = { end: () => Promise.reject(new Error('stuck')) }
  const file = openProjectionFile({ projections: [], reads: () => ({}), ...stuck }, { path })
  onTestFinished(() => file.close().catch(() => undefined))
  await expect(file.replaceBy(`${path}.rebuild`)).rejects.toThrow('stuck')
  expect(await file.checkpoints()).toEqual(new Map())
})
