import { readFile } from 'node:fs/promises'
import { expect, it, vi } from 'vitest'
import { runningSystem } from '../system.ts'

vi.mock('node:fs/promises', async (load) => ({ ...(await load<object>()), readFile: vi.fn() }))

it('the viewer is there as soon as it was built, also where it was asked for before', async () => {
  vi.mocked(readFile).mockRejectedValueOnce(new Error('ENOENT')).mockResolvedValue(Buffer.from('built'))
  const { url } = await runningSystem()
  const ask = () => fetch(`${url}/api/docs/openapi-explorer.min.js`)
  expect((await ask()).status).toBe(500)
  expect(await (await ask()).text()).toBe('built')
})
