import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './support/folders.ts'

const root = join(import.meta.dirname, '..')

it.each([
  ["process.kill(process.pid, 'SIGKILL')", 'exit code null and signal SIGKILL'],
  ['process.reallyExit(7)', 'exit code 7 and signal null'],
])('A process of the tests that ends by %s is told of with %s', async (work, end) => {
  const folder = await temporaryFolder()
  mkdirSync(join(folder, 'test'))
  writeFileSync(join(folder, 'test/ends.test.ts'), work)
  const args = ['run', '--root', folder, '--config', join(root, 'vitest.config.ts'), '--project', 'tests']
  const env = { ...process.env, VITEST: undefined, VITEST_POOL_ID: undefined, VITEST_WORKER_ID: undefined }
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    env,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, expect.stringContaining(`A process of the tests ended with ${end}.`)])
})
