import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { storeSettings } from '../../src/cli/command/settings.ts'
import { catalogOn } from '../support/commandLine.ts'
import { configOf, openService } from '../support/running.ts'
import { environment, temporaryDataDir, tokenFor } from '../support/service.ts'

const years = 3 * 365 * 86_400_000

it('A log written under a clock that was years ahead is named everywhere, and goes on only when that is accepted', async () => {
  const data = temporaryDataDir()
  onTestFinished(() => data.remove())
  let said = ''
  const start = async (env: Record<string, string> = {}) => {
    const logger = pino({ level: 'warn' }, { write: (line: string) => (said += line) })
    const service = await openService(env, data.path, logger)
    onTestFinished(service.close)
    return service
  }
  const token = tokenFor('admin', ['Admin', 'Auditor'], 4 * 365 * 86_400)

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + years })
  onTestFinished(() => void vi.useRealTimers())
  const wrong = await start()
  expect((await wrong.call('POST', '/v1/glossaries', { name: 'ahead' }, { token })).status).toBe(201)
  await wrong.close()
  vi.useRealTimers()

  const policies = join(data.path, 'policies.yaml')
  writeFileSync(policies, "roles:\n  A:\n    - { effect: allow, operations: [view], kinds: ['*'] }\n")
  // The service keeps the clock that it starts with.
  vi.useFakeTimers({ toFake: ['Date'] })
  const right = await start({ CATALOG_POLICIES_FILE: policies })
  const refused = await right.call('POST', '/v1/glossaries', { name: 'now' })
  expect([refused.status, refused.body.message]).toEqual([503, expect.stringMatching(/CATALOG_ACCEPT_LOG_AHEAD/)])
  expect((await right.call('GET', '/v1/glossaries/name/ahead')).status).toBe(200)
  expect(said).toMatch(/ahead of the clock of this machine/)
  const readiness = await right.call('GET', '/readyz')
  expect([readiness.status, readiness.body.dependencies.clock]).toEqual([
    503,
    { status: 'down', ahead: expect.any(Number) },
  ])
  expect(readiness.body.dependencies.clock.ahead).toBeGreaterThan((years / 1000) * 0.99)
  expect((await right.call('GET', '/metrics')).body).toMatch(/^catalog_log_ahead_seconds \d{8}/m)
  const status = await catalogOn(data.path, ['status'])
  expect([status.code, status.stdout]).toEqual([
    1,
    expect.stringMatching(/ is \d+ seconds ahead [^]*PROBLEM: The newest/),
  ])
  const takenOver = async () =>
    (await right.call('GET', '/v1/events?type=PoliciesChanged', undefined, { token })).body.data.length
  expect(await takenOver()).toBe(0)
  vi.setSystemTime(Date.now() + years + 60_000)
  await expect.poll(takenOver).toBe(1)
  vi.useRealTimers()
  await right.close()

  const accepting = await start({ CATALOG_ACCEPT_LOG_AHEAD: 'true' })
  const made = await accepting.call('POST', '/v1/glossaries', { name: 'now' })
  expect(made.status).toBe(201)
  const [event] = (await accepting.call('GET', `/v1/glossaries/${made.body.id}/history`)).body.data
  expect(Date.parse(event.time) - Date.parse(event.machineTime)).toBeGreaterThan(years * 0.99)
  expect((await accepting.call('GET', '/readyz')).body).toMatchObject({
    status: 'ready',
    dependencies: { clock: { status: 'up' } },
  })
  // As `catalog serve` does: commands have the settings of the service that runs.
  const settings = { CATALOG_ACCEPT_LOG_AHEAD: 'true' }
  const forget = storeSettings(environment(data.path, settings), configOf(data.path, settings), accepting.url)
  const accepted = await catalogOn(data.path, ['status'])
  forget()
  expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringMatching(/ is \d+ seconds ahead /)])
})
