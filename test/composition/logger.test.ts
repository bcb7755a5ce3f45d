import { expect, test } from 'vitest'
import { makeLogger } from '../../src/composition/logger.ts'

test('a line of the log stays short, whatever a caller sends', () => {
  const lines: string[] = []
  const logger = makeLogger('info', { write: (line) => lines.push(line) })
  const error = Object.assign(new Error('x'.repeat(100_000)), { request: { body: 'y'.repeat(100_000) }, code: 'E' })
  logger.info({ path: `/${'p'.repeat(60_000)}`, status: 404, err: error }, 'request')
  const [line = ''] = lines
  expect(line.length).toBeLessThan(8000)
  expect(JSON.parse(line)).toMatchObject({ status: 404, msg: 'request', err: { code: 'E', type: 'Error' } })
  expect(line).not.toContain('yyy')
})
