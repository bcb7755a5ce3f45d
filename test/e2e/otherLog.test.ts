import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { catalogOn } from '../support/commandLine.ts'
import { external, skippedUnless } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { bearer, openStream, startInProcess, type InProcess } from '../support/running.ts'
import { runCli, startBuilt } from '../support/service.ts'

const logIsEmbedded = external.eventStoreUrl === undefined
const describeEmbedded = describe.skipIf(skippedUnless(logIsEmbedded, 'a log that goes back', 'the log is external'))

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

/** A folder in which the log is shorter than what everything beside it has seen; `early` keeps the log as it was before. */
const logThatGoesBack = async (later: (service: InProcess) => Promise<void>) => {
  const [folder, early] = [join(await temporaryFolder(), 'data'), await temporaryFolder()]
  const first = await startInProcess({}, folder)
  await createGlossaries(first, 'a', 'b')
  await first.close()
  copyFileSync(join(folder, 'log.db'), join(early, 'log.db'))
  const second = await startInProcess({ CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true' }, folder)
  await later(second)
  await second.close()
  return { folder, early }
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
    const refused = runCli(own, ['serve'])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^catalog serve: The data folder .* belongs to the log that begins with event [0-9a-f-]{36}, but the log at .*log\.db begins with event .*--take-over\n$/m,
      ),
    ])
    expect((await catalogOn(own, ['rebuild'])).code).toBe(1)
    const taken = await startBuilt(own, {}, undefined, undefined, ['--take-over'])
    onTestFinished(async () => void (await taken.stop('SIGKILL')))
    const names = (await taken.call('GET', '/v1/glossaries')).body.data.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['theirs'])
    await taken.stop()
    await (await startInProcess({}, own)).close()
  })
})

describeEmbedded('a log that goes back', () => {
  it('is noticed at the start: the read models show it and everything that is written from then on', async () => {
    const { folder, early } = await logThatGoesBack((service) => createGlossaries(service, 'c', 'd', 'e'))
    replaceLog(early, folder)
    const service = await startInProcess({}, folder)
    expect(await glossaries(service)).toEqual(['a', 'b'])
    await createGlossaries(service, 'f')
    expect((await service.call('GET', '/v1/glossaries/name/f')).status).toBe(200)
    expect(await glossaries(service)).toEqual(['a', 'b', 'f'])
  })

  it('is noticed also when it is as long as before', async () => {
    const { folder, early } = await logThatGoesBack((service) => createGlossaries(service, 'c'))
    const elsewhere = join(await temporaryFolder(), 'data')
    const other = await startInProcess({}, elsewhere)
    await other.close()
    replaceLog(early, elsewhere)
    for (const name of ['readmodels.db', 'log.id']) rmSync(join(elsewhere, name))
    const branch = await startInProcess({}, elsewhere)
    await createGlossaries(branch, 'x')
    await branch.close()
    replaceLog(elsewhere, folder)
    const service = await startInProcess({}, folder)
    expect(await glossaries(service)).toEqual(['a', 'b', 'x'])
  })

  it('is rebuilt from, when it went back, as a start does, and status says when read models are ahead', async () => {
    const { folder, early } = await logThatGoesBack((service) => createGlossaries(service, 'c', 'd', 'e'))
    replaceLog(early, folder)
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
    const sent: string[] = []
    const server = createServer((request, response) => {
      let text = ''
      request
        .on('data', (chunk: Buffer) => (text += chunk.toString()))
        .on('end', () => {
          sent.push((JSON.parse(text) as { subject: string }).subject)
          response.end()
        })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { folder, early } = await logThatGoesBack(async (service) => {
      const filter = { kinds: ['glossary'] }
      expect((await service.call('POST', '/v1/webhooks', { name: 'w', endpoint, filter })).status).toBe(201)
      await createGlossaries(service, 'c', 'd', 'e')
      await expect.poll(() => sent).toEqual(['c', 'd', 'e'])
    })
    replaceLog(early, folder)
    const service = await startInProcess({ CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true' }, folder)
    const status = async () => (await service.call('GET', '/v1/webhooks')).body.data[0].status
    await expect.poll(status).toMatchObject({
      state: 'upToDate',
      restarted: { message: expect.stringContaining('another log') },
    })
    await createGlossaries(service, 'f')
    await expect.poll(() => sent).toEqual(['c', 'd', 'e', 'f'])
  })

  it('is told to consumers that go on from a position of the other log, whether that lies beyond the end or not', async () => {
    let cursor = ''
    const { folder, early } = await logThatGoesBack(async (service) => {
      await createGlossaries(service, 'c')
      cursor = (await service.call('GET', '/v1/events?after=latest')).body.paging.mark
    })
    replaceLog(early, folder)
    const service = await startInProcess({}, folder)
    for (const written of ['x', 'y']) {
      const pulled = await service.call('GET', `/v1/events?after=${cursor}`)
      expect([pulled.status, pulled.body.message]).toEqual([400, expect.stringContaining('another log')])
      const stream = await openStream(service.url, '', { ...bearer(), 'Last-Event-ID': cursor })
      expect(stream.status).toBe(400)
      await createGlossaries(service, written)
    }
  })
})
