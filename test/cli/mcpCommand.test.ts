import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('reads a message with a line separator of Unicode as one', () => {
  const command = join(import.meta.dirname, '../../bin/catalog.js')
  const input = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"a\u2028b"}}\n'
  const args = [command, 'mcp', '--url', 'http://127.0.0.1:9', '--token', 'none']
  const { stdout } = spawnSync(process.execPath, args, { input, encoding: 'utf8' })
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id),
  ).toEqual([1])
})
