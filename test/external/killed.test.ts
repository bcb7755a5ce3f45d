import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { skippedUnless } from '../support/external.ts'
import { runShell, servers } from '../support/killable.ts'
import { runCli, startBuilt, temporaryDataDir, type RunningService } from '../support/service.ts'
import { expectNothingLost, startWriters } from './support.ts'

const folders: ReturnType<typeof temporaryDataDir>[] = []
const running: RunningService[] = []

const startOn = async (folder: ReturnType<typeof temporaryDataDir>): Promise<RunningService> => {
  const service = await startBuilt(folder.path)
  running.push(service)
  return service
}

beforeEach(() => {
  folders.push(temporaryDataDir())
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop('SIGKILL')))
  await Promise.all(folders.splice(0).map((folder) => folder.remove()))
})

describe.each(servers)('$store that is killed with -9', ({ store, url, variable, kill, start }) => {
  const skipped = skippedUnless(url !== undefined && kill !== '', `kill -9 of ${store}`, `${variable} names no command`)

  it.skipIf(skipped)(
    'under write load comes back without a restart of the service, with everything that was acknowledged, each once',
    async () => {
      const [folder] = folders as [ReturnType<typeof temporaryDataDir>]
      const service = await startOn(folder)
      const writers = startWriters([service], 16)
      for (let round = 0; round < 3; round++) {
        const before = writers.acknowledged.length
        await expect.poll(() => writers.acknowledged.length, { interval: 10 }).toBeGreaterThan(before + 100)
        await runShell(kill)
        if (start === '') continue
        await expect.poll(() => writers.statuses.get(503) ?? 0).toBeGreaterThan(0)
        await runShell(start)
      }
      const before = writers.acknowledged.length
      await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(before + 50)
      await expectNothingLost(writers, service)
      expect(new Set(writers.acknowledged).size).toBe(writers.acknowledged.length)
      expect([...writers.statuses.keys()].filter((status) => ![201, 409, 503].includes(status))).toEqual([])
      const verified = runCli(folder.path, ['verify'])
      expect(verified.stdout + verified.stderr).toContain('agree with the log')
      const audited = runCli(folder.path, ['audit', 'verify'])
      expect(audited.stdout + audited.stderr).toContain('Nothing was changed')
    },
    900_000,
  )
})
