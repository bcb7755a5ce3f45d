import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, expect, it, vi } from 'vitest'
import { runningSystem } from '../system.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

it('the viewer is there as soon as it was built, also where it was asked for before', async () => {
  const { url } = await runningSystem()
  vi.spyOn(files, 'readFile').mockRejectedValueOnce(new Error('ENOENT')).mockResolvedValue('built')
  syncBuiltinESMExports()
  const ask = () => fetch(`${url}/api/docs/openapi-explorer.min.js`)
  expect((await ask()).status).toBe(500)
  expect(await (await ask()).text()).toBe('built')
})
