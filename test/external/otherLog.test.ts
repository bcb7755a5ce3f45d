import { expect, it, onTestFinished } from 'vitest'
import { external, storesFor, streamPrefixOf, withStreamPrefix } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runCli, startBuilt, type RunningService } from '../support/service.ts'
import { describeWith } from './support.ts'

describeWith({ log: true, readModels: true }, 'a catalog that is given the database of another one', () => {
  const logNamed = (folder: string, name: string) => ({
    ...storesFor(folder),
    CATALOG_EVENTSTORE_URL: withStreamPrefix(external.eventStoreUrl as string, `${streamPrefixOf(folder)}${name}_`),
  })

  const start = async (folder: string, env: Record<string, string>, ...args: string[]): Promise<RunningService> => {
    const service = await startBuilt(folder, env, undefined, undefined, args)
    onTestFinished(async () => void (await service.stop('SIGKILL')))
    return service
  }

  const names = async ({ call }: RunningService): Promise<string[]> =>
    (await call('GET', '/v1/glossaries')).body.data.map(({ name }: { name: string }) => name)

  it('is refused, and both are named, while the other one keeps what it has, until it is to take over', async () => {
    const folder = await temporaryFolder()
    const [own, other] = [logNamed(folder, 'own'), logNamed(folder, 'other')]
    const first = await start(folder, own)
    for (const name of ['a', 'b']) expect((await first.call('POST', '/v1/glossaries', { name })).status).toBe(201)
    const refused = runCli(folder, ['serve'], other)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /The database mongodb:\S+ belongs to the log that begins with event [0-9a-f-]{36}, but the log at esdb:\S+ is empty.*--take-over/,
    )
    const reason = /The database .*--take-over/.exec(refused.stderr)?.[0]
    for (const command of ['status', 'verify']) {
      const { code, stdout, stderr } = runCli(folder, [command], other)
      expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(String(reason))])
    }
    expect(await names(first)).toEqual(['a', 'b'])
    await first.stop()
    const second = await start(folder, other, '--take-over')
    expect(await names(second)).toEqual([])
    expect((await second.call('POST', '/v1/glossaries', { name: 'b' })).status).toBe(201)
    expect(await names(second)).toEqual(['b'])
    const back = runCli(folder, ['serve'], own)
    expect([back.code, back.stderr]).toEqual([1, expect.stringContaining('--take-over')])
  })
})
