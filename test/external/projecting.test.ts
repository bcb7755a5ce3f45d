import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { storesFor } from '../support/external.ts'
import { runCli, startBuilt, temporaryDataDir, type RunningService } from '../support/service.ts'
import { describeWith, expectNothingLost, namesOfAll, startWriters } from './support.ts'

/** How often the process that projects is killed; many times when somebody asks for it. */
const kills = Number(process.env['CATALOG_TEST_KILLS'] || 3)

/** Path of what is written many at once. */
const filled = '/v1/services/databaseServices'

/** A projection of each partition. */
const partitions = ['entities', 'search', 'timeline'] as const

/** Milliseconds within which another process projects. */
const takeOver = 5000

interface Listed {
  readonly pid: number
  readonly projections: readonly string[]
  readonly self: boolean
  readonly lag: string
}

describeWith({ log: true, readModels: true }, 'one of several processes projects each partition', () => {
  const folder = temporaryDataDir()
  const env = { ...storesFor(folder.path), CATALOG_SECRET_KEY: 'the key that all processes share, 32 bytes' }
  let services: RunningService[]

  const start = (): Promise<RunningService> => startBuilt(folder.path, env)

  beforeAll(async () => {
    services = await Promise.all([start(), start(), start()])
  })

  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()))
    await folder.remove()
  })

  const listed = async (service: RunningService): Promise<Listed[]> =>
    (await service.call('GET', '/v1/system/processes')).body.data

  const isAlive = ({ process: { exitCode, signalCode } }: RunningService): boolean =>
    exitCode === null && signalCode === null

  /** The one that the others say projects a partition, once they say so. */
  const projecting = async (
    among: readonly RunningService[],
    partition: (typeof partitions)[number] = 'entities',
  ): Promise<RunningService> => {
    let found: RunningService | undefined
    await expect
      .poll(
        async () => {
          const pids = (await listed(among[0] as RunningService))
            .filter(({ projections }) => projections.includes(partition))
            .map(({ pid }) => pid)
          found = among.find((service) => isAlive(service) && service.process.pid === pids[0])
          return pids.length === 1 && found !== undefined
        },
        { interval: 50 },
      )
      .toBe(true)
    return found as RunningService
  }

  it('all of them are listed, one of them projects, and each names itself', async () => {
    await projecting(services)
    for (const service of services) {
      const processes = await listed(service)
      expect(processes.map(({ pid }) => pid).toSorted()).toEqual(services.map(({ process: { pid } }) => pid).toSorted())
      expect(processes.filter(({ self }) => self).map(({ pid }) => pid)).toEqual([service.process.pid])
    }
  })

  it('each of three processes projects a partition before long', async () => {
    const shares = async () => (await listed(services[0] as RunningService)).map(({ projections }) => projections)
    await expect
      .poll(async () =>
        (await shares()).map((share) => partitions.filter((partition) => share.includes(partition)).length),
      )
      .toEqual([1, 1, 1])
    expect((await shares()).flat().toSorted()).toEqual([
      'activity',
      'entities',
      'inbox',
      'lineageSpans',
      'search',
      'timeline',
      'tree',
    ])
  })

  it('what one of them is told every other one shows, whichever projects', async () => {
    for (const [index, service] of services.entries()) {
      const { status, body } = await service.call('POST', '/v1/glossaries', { name: `seen${index}` })
      expect(status).toBe(201)
      const answers = await Promise.all(services.map((other) => other.call('GET', `/v1/glossaries/${body.id}`)))
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
    }
  })

  it('when it sleeps another takes its place within five seconds, and when it wakes one of them projects', async () => {
    const sleeping = await projecting(services)
    const others = services.filter((service) => service !== sleeping)
    const since = performance.now()
    sleeping.process.kill('SIGSTOP')
    try {
      const { status } = await (others[0] as RunningService).call('POST', '/v1/glossaries', { name: 'meanwhile' })
      expect(status).toBe(201)
      await projecting(others)
      expect(performance.now() - since).toBeLessThan(takeOver)
    } finally {
      sleeping.process.kill('SIGCONT')
    }
    await projecting(services)
    expect((await sleeping.call('GET', '/v1/glossaries/name/meanwhile')).status).toBe(200)
  })

  /** Many entities in one request, so that the process that projects is given large batches. */
  const fill = async (service: RunningService, name: string): Promise<string[]> => {
    const items = Array.from({ length: 60 }, (_, index) => ({ name: `${name}_${index}`, serviceType: 'Mysql' }))
    const { body } = await service.call('PUT', `${filled}/bulk`, items)
    return (body.successRequest ?? []).map(({ request }: { request: string }) => request)
  }

  const expectAllOf = async (names: readonly string[], service: RunningService): Promise<void> => {
    const shown = await namesOfAll(service, filled)
    expect(names.filter((name) => !shown.has(name))).toEqual([])
  }

  it(
    `nothing is lost when who projects a partition is killed in the middle of a batch, ${kills} times in a row`,
    async () => {
      const times: number[] = []
      const written: string[] = []
      for (let round = 0; round < kills; round++) {
        const partition = partitions[round % partitions.length]
        const killed = await projecting(services, partition)
        const others = services.filter((service) => service !== killed)
        const writers = startWriters(others, 4, `r${round}w`)
        await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(5)
        const filling = Promise.all(others.flatMap((service, index) => fill(service, `r${round}_${index}`)))
        await delay(Math.random() * 100)
        const since = performance.now()
        await killed.stop('SIGKILL')
        await projecting(others, partition)
        times.push(performance.now() - since)
        written.push(...(await filling).flat())
        const before = writers.acknowledged.length
        await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(before)
        for (const service of others) {
          await expectNothingLost(writers, service)
          await expectAllOf(written, service)
        }
        services = [...others, await start()]
      }
      times.sort((one, other) => one - other)
      process.stderr.write(
        `${kills} kills, ${written.length} entities of large batches; another process projected after ` +
          `${times.map(Math.round).join(', ')} ms\n`,
      )
      expect(written.length).toBeGreaterThan(kills * 60)
      expect(times.at(-1)).toBeLessThan(takeOver)
      const { stdout, stderr } = runCli(folder.path, ['verify'], env)
      expect(stdout + stderr).toContain('agree with the log')
    },
    kills * 60_000,
  )
})
