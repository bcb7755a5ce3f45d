import { execFile, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { startInProcess } from '../support/running.ts'
import { adminToken } from '../support/service.ts'

const program = resolve(import.meta.dirname, '../../examples/python/catalog.py')

const python = spawnSync('python3', ['--version']).status === 0
if (!python) console.warn('skipped: the example in Python, since there is no python3 on this machine')

test.skipIf(!python)('the example in Python writes, asks about the past, lists, and goes on where it was', async () => {
  const { url } = await startInProcess()
  const env = { ...process.env, CATALOG_URL: url, CATALOG_TOKEN: adminToken }
  const options = { cwd: await temporaryFolder(), env }
  const { stdout } = await promisify(execFile)('python3', [program], options)
  const lines = stdout.split('\n')
  expect(lines).toContain('now: Second. version 0.2')
  expect(lines).toContain('before: First.')
  expect(lines).toContain("all: ['python']")
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}\/colour /))
  expect(lines.filter((line) => line.startsWith('event:'))).toEqual([
    expect.stringContaining('catalog.databaseService.Created python by admin'),
    expect.stringContaining('catalog.databaseService.Updated python by admin'),
  ])
  const again = await promisify(execFile)('python3', [program], options)
  expect(again.stdout).toContain('now: Second. version 0.4')
  expect(again.stdout.match(/event:/g)).toHaveLength(2)
})
