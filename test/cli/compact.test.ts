import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { catalog, type Said } from '../support/commandLine.ts'
import { temporaryFolder } from '../support/folders.ts'
import { startInProcess } from '../support/running.ts'

const compacted = (folder: string): Promise<Said> => catalog(['compact'], { CATALOG_DATA_DIR: folder })

test('what embedded read models have no use for is given back, also by files that never give back by themselves', async () => {
  const folder = await temporaryFolder()
  const first = await startInProcess({}, folder)
  await first.call('POST', '/v1/glossaries', { name: 'kept' })
  await first.close()
  const path = join(folder, 'readmodels.db')
  const file = new DatabaseSync(path)
  file.exec('PRAGMA auto_vacuum = NONE; VACUUM; CREATE TABLE filled (v BLOB)')
  for (let row = 0; row < 1000; row++) file.exec('INSERT INTO filled VALUES (zeroblob(4000))')
  file.exec('DROP TABLE filled')
  file.close()
  const before = statSync(path).size
  expect(await compacted(folder)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^log .*\nentities .* before, .* now\nsearch .* before, .* now\nhistory .*\n$/),
  })
  expect(statSync(path).size).toBeLessThan(before / 2)
  const again = await startInProcess({}, folder)
  try {
    expect((await again.call('GET', '/v1/glossaries/name/kept')).status).toBe(200)
    expect((await compacted(folder)).stderr).toMatch(/uses the data folder .*Stop it first/)
  } finally {
    await again.close()
  }
  const now = new DatabaseSync(path)
  expect(now.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 })
  now.close()
})
