import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { randomFor } from '../support/random.ts'
import { temporaryFolder } from '../support/folders.ts'
import { freePort } from '../support/ports.ts'
import { clientOf, startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'

const program = resolve(import.meta.dirname, '../../examples/consumer/consumer.mjs')

const startConsumer = (url: string, folder: string): ChildProcess => {
  const env = { ...process.env, CATALOG_URL: url, CATALOG_TOKEN: tokenFor('copy', ['Subscriber']) }
  return spawn(process.execPath, [program, folder], { env, stdio: 'ignore' })
}

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** The whole log, as the API gives it. */
const wholeLog = async (url: string): Promise<{ id: string; position: string }[]> => {
  const events: { id: string; position: string }[] = []
  for (let after = '0'; ;) {
    const { body } = await clientOf(url)('GET', `/v1/events?after=${after}&limit=1000`)
    if (body.data.length === 0) return events
    events.push(...body.data)
    after = body.paging.after
  }
}

const lastPosition = async (folder: string): Promise<string> =>
  readFile(join(folder, 'checkpoint.json'), 'utf8').then(
    (text) => (JSON.parse(text) as { position: string }).position,
    () => '0',
  )

test('a consumer that is killed at random, as is the service, ends with exactly the log', async () => {
  const random = randomFor('killed at random')
  const data = temporaryDataDir()
  const folder = join(await temporaryFolder(), 'copy')
  const env = { CATALOG_PORT: String(await freePort()) }
  let service: RunningService = await startBuilt(data.path, env)
  let consumer = startConsumer(service.url, folder)
  onTestFinished(async () => {
    await kill(consumer)
    await service.stop('SIGKILL')
    await data.remove()
  })
  for (let round = 0; round < 4; round++) {
    const victim = random.next()
    const fatal = random.between(5, 44)
    let acknowledged = 0
    const write = async (index: number): Promise<void> => {
      const { status } = await service
        .call('PUT', '/v1/glossaries', { name: `g${index % 7}`, description: `${round}.${index}` })
        .catch(() => ({ status: 0 }))
      if (status !== 0) acknowledged++
      if (acknowledged !== fatal) return
      acknowledged++
      if (victim < 0.7) consumer.kill('SIGKILL')
      if (victim > 0.4) service.process.kill('SIGKILL')
    }
    await Promise.all(Array.from({ length: 60 }, (_, index) => write(index)))
    if (victim > 0.4) {
      await kill(service.process)
      service = await startBuilt(data.path, env)
    }
    if (victim < 0.7) {
      await kill(consumer)
      consumer = startConsumer(service.url, folder)
    }
  }
  const log = await wholeLog(service.url)
  expect(log.length).toBeGreaterThan(100)
  while ((await lastPosition(folder)) !== log.at(-1)?.position) await delay(20)
  await kill(consumer)
  const copy = (await readFile(join(folder, 'events.ndjson'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  expect(copy).toEqual(log)
})
