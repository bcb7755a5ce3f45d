import { once } from 'node:events'
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { catalogOn } from '../support/commandLine.ts'
import { external, skippedUnless } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { bearer, openStream, startInProcess, type InProcess } from '../support/running.ts'
import { startBuilt, temporaryDataDir } from '../support/service.ts'

const logIsEmbedded = external.eventStoreUrl === undefined
const describeEmbedded = describe.skipIf(skippedUnless(logIsEmbedded, 'a log that goes back', 'the log is external'))

const allowPrivate = { CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true' }

const createGlossaries = async ({ call }: InProcess, ...names: string[]): Promise<void> => {
  for (const name of names) expect((await call('POST', '/v1/glossaries', { name })).status).toBe(201)
}

const glossaries = async ({ call }: InProcess): Promise<string[]> =>
  (await call('GET', '/v1/glossaries')).body.data.map(({ name }: { name: string }) => name)

/** Puts the log of one folder in place of that of another, as a restored backup does. */
const replaceLog = (from: string, to: string): void => {
  for (const suffix of ['-wal', '-shm']) rmSync(join(to, `log.db${suffix}`), { force: true })
  copyFileSync(join(from, 'log.db'), join(to, 'log.db'))
}

const kept = temporaryDataDir()
const early = join(kept.path, 'early')

/** What the webhook was sent. */
const sent: string[] = []
const endpoint = createServer((request, response) => {
  void text(request).then((body) => sent.push((JSON.parse(body) as { subject: string }).subject))
  response.end()
})

afterAll(async () => {
  endpoint.close()
  await kept.remove()
})

/** Writes a log, and keeps it as it was in between. @returns where a consumer has come to */
const record = async (): Promise<string> => {
  const folder = join(kept.path, 'data')
  const first = await startInProcess({}, folder)
  await createGlossaries(first, 'a', 'b')
  await first.close()
  mkdirSync(early)
  copyFileSync(join(folder, 'log.db'), join(early, 'log.db'))
  endpoint.listen(0, '127.0.0.1')
  await once(endpoint, 'listening')
  const second = await startInProcess(allowPrivate, folder)
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`
  const webhook = { name: 'w', endpoint: url, filter: { kinds: ['glossary'] } }
  expect((await second.call('POST', '/v1/webhooks', webhook)).status).toBe(201)
  await createGlossaries(second, 'c', 'd', 'e')
  await expect.poll(() => sent).toEqual(['c', 'd', 'e'])
  const { body } = await second.call('GET', '/v1/events?after=latest')
  await second.close()
  return body.paging.mark as string
}

let recording: Promise<string> | undefined

/** A folder whose log is shorter than what everything beside it has seen. */
const logThatWentBack = async (): Promise<{ folder: string; cursor: string }> => {
  const cursor = await (recording ??= record())
  const folder = join(await temporaryFolder(), 'data')
  cpSync(join(kept.path, 'data'), folder, { recursive: true })
  replaceLog(early, folder)
  return { folder, cursor }
}

describeEmbedded('another log beside what is kept', () => {
  it('is refused, and both are named, until it is to take over', async () => {
    const [own, other] = [join(await temporaryFolder(), 'data'), join(await temporaryFolder(), 'data')]
    for (const [folder, name] of [
      [own, 'mine'],
      [other, 'theirs'],
    ] as const) {
      const service = await startInProcess({}, folder)
      await createGlossaries(service, name)
      await service.close()
    }
    replaceLog(other, own)
    const starting = startInProcess({}, own)
    await expect(starting).rejects.toThrow(
      /^The data folder .* belongs to the log that begins with event [0-9a-f-]{36}, but the log at .*log\.db begins with event .*--take-over$/,
    )
    const reason = await starting.then(String, ({ message }: Error) => message)
    expect((await catalogOn(own, ['rebuild'])).code).toBe(1)
    const told = await catalogOn(own, ['status'])
    expect([told.code, told.stdout]).toEqual([1, expect.stringContaining(`  PROBLEM: ${reason}`)])
    expect(told.stdout).not.toContain('rebuilds')
    expect(await catalogOn(own, ['verify'])).toEqual({ code: 1, stdout: '', stderr: `catalog verify: ${reason}\n` })
    const taken = await startBuilt(own, {}, undefined, undefined, ['--take-over'])
    onTestFinished(async () => void (await taken.stop('SIGKILL')))
    const names = (await taken.call('GET', '/v1/glossaries')).body.data.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['theirs'])
    await taken.stop()
    await (await startInProcess({}, own)).close()
  })
})

describeEmbedded('a log that goes back', () => {
  it('is noticed at the start: by the read models, and by consumers of the other log, whether it is shorter or not', async () => {
    const { folder, cursor } = await logThatWentBack()
    const service = await startInProcess({}, folder)
    expect(await glossaries(service)).toEqual(['a', 'b'])
    for (const written of [['f'], ['g', 'h', 'i']]) {
      const pulled = await service.call('GET', `/v1/events?after=${cursor}`)
      expect([pulled.status, pulled.body.message]).toEqual([400, expect.stringContaining('another log')])
      const stream = await openStream(service.url, '', { ...bearer(), 'Last-Event-ID': cursor })
      expect(stream.status).toBe(400)
      await createGlossaries(service, ...written)
    }
    expect((await service.call('GET', '/v1/glossaries/name/f')).status).toBe(200)
    expect(await glossaries(service)).toEqual(['a', 'b', 'f', 'g', 'h', 'i'])
    expect((await service.call('GET', `/v1/events?after=${cursor}`)).status).toBe(400)
  })

  it('is noticed also when it is as long as before', async () => {
    const { folder: elsewhere } = await logThatWentBack()
    const branch = await startInProcess({}, elsewhere)
    await createGlossaries(branch, 'x', 'y', 'z')
    await branch.close()
    const { folder } = await logThatWentBack()
    replaceLog(elsewhere, folder)
    const service = await startInProcess({}, folder)
    expect(await glossaries(service)).toEqual(['a', 'b', 'x', 'y', 'z'])
  })

  it('is rebuilt from, when it went back, as a start does, and status says when read models are ahead', async () => {
    const { folder } = await logThatWentBack()
    const ahead = await catalogOn(folder, ['status'])
    expect([ahead.code, ahead.stdout]).toEqual([1, expect.stringContaining('They belong to another log')])
    expect(ahead.stdout).not.toContain('up to date')
    expect((await catalogOn(folder, ['rebuild'])).code).toBe(0)
    expect((await catalogOn(folder, ['status'])).code).toBe(0)
    expect((await catalogOn(folder, ['verify'])).code).toBe(0)
    const service = await startInProcess({}, folder)
    await createGlossaries(service, 'f', 'g', 'h')
    expect(await glossaries(service)).toEqual(['a', 'b', 'f', 'g', 'h'])
    await service.close()
    expect((await catalogOn(folder, ['audit', 'verify'])).code).toBe(0)
  })

  it('makes a webhook go on from the end, and its status says why', async () => {
    const { folder } = await logThatWentBack()
    sent.length = 0
    const service = await startInProcess(allowPrivate, folder)
    const status = async () => (await service.call('GET', '/v1/webhooks')).body.data[0].status
    await expect.poll(status).toMatchObject({
      state: 'upToDate',
      restarted: { message: expect.stringContaining('another log') },
    })
    await createGlossaries(service, 'f')
    await expect.poll(() => sent).toEqual(['f'])
  })
})
