import { expect, test } from 'vitest'
import { isPretty, prettyStream, makeLogger } from '../../src/composition/logger.ts'

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

test('what was thrown and is not an error is logged as its text', () => {
  const lines: string[] = []
  makeLogger('info', { write: (line) => lines.push(line) }).error({ err: 'a text' }, 'a request failed')
  expect(JSON.parse(lines[0] as string)).toMatchObject({ err: { message: 'a text' }, msg: 'a request failed' })
})

const spoken = (colours: boolean): { lines: string[]; logger: ReturnType<typeof makeLogger> } => {
  const lines: string[] = []
  return { lines, logger: makeLogger('info', prettyStream({ write: (line) => lines.push(line) }, colours)) }
}

test('in a terminal a request is one line with the local time, and colours where there are any', () => {
  const { lines, logger } = spoken(false)
  const request = { method: 'PUT', route: '/v1/tables', path: '/api/v1/tables', status: 201, ms: 12.3 }
  logger.info({ ...request, user: 'ann', correlationId: 'c' }, 'request')
  const [, hours, minutes] = /^\[(\d\d):(\d\d):\d\d\] INFO: (.*)\n$/.exec(lines[0] as string) ?? []
  expect(lines[0]).toMatch(/INFO: PUT \/api\/v1\/tables 201 in 12.3 ms by ann\n$/)
  const now = new Date()
  const apart = Math.abs(now.getHours() * 60 + now.getMinutes() - Number(hours) * 60 - Number(minutes))
  expect(Math.min(apart, 1440 - apart)).toBeLessThanOrEqual(1)
  const coloured = spoken(true)
  coloured.logger.info({ ...request, status: 404 }, 'request')
  expect(coloured.lines[0]).toContain('\u001B[33m404')
})

test('in a terminal other lines keep what they tell, and an error its stack', () => {
  const { lines, logger } = spoken(false)
  logger.warn({ name: 'CATALOG_X' }, 'unknown variable: it has no effect')
  logger.error({ err: new Error('no room'), correlationId: 'c' }, 'a request failed')
  expect(lines[0]).toMatch(/WARN \(CATALOG_X\): unknown variable: it has no effect\n$/)
  expect(lines[1]).toMatch(/no room[^]*logger\.test\.ts/)
})

test('in a terminal nothing that is logged controls it, or begins a line but those of a stack', () => {
  const { lines, logger } = spoken(false)
  const forged = 'x\u001b[2J\r\n[12:00:00] INFO: forged\u009b8m'
  const request = { method: 'GET', route: '/', path: `/${forged}`, status: 404, ms: 1 }
  logger.info(request, 'request')
  logger.warn({ name: forged, provider: { error: forged }, err: new Error(forged) }, forged)
  expect(lines.join('')).toContain('forged')
  expect(lines.join('')).not.toMatch(/[^\P{Cc}\n]|^\[12:00:00\]/mu)
  expect(lines[0]?.split('\n')).toHaveLength(2)
})

test('lines for people are for terminals, unless the setting says otherwise', () => {
  const chosen = [{ isTTY: true }, {}].flatMap((kind) =>
    (['auto', 'text', 'json'] as const).map((format) => isPretty(format, kind)),
  )
  expect(chosen).toEqual([true, true, false, false, true, false])
})
