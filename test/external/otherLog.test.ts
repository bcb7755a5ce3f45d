import { expect, it } from 'vitest'
import { external, storesFor, streamPrefixOf, withStreamPrefix } from '../support/external.ts'
import { startInProcess } from '../support/running.ts'
import { describeWith } from './support.ts'

describeWith({ log: true, readModels: true }, 'read models that belong to another log', () => {
  const logNamed = (folder: string, name: string) => ({
    ...storesFor(folder),
    CATALOG_EVENTSTORE_URL: withStreamPrefix(external.eventStoreUrl as string, `${streamPrefixOf(folder)}${name}_`),
  })

  it('are built again before anything is answered', async () => {
    const first = await startInProcess()
    for (const name of ['a', 'b']) expect((await first.call('POST', '/v1/glossaries', { name })).status).toBe(201)
    await first.close()
    const second = await startInProcess(logNamed(first.folder, 'other'), first.folder)
    const names = async () =>
      (await second.call('GET', '/v1/glossaries')).body.data.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual([])
    expect((await second.call('POST', '/v1/glossaries', { name: 'b' })).status).toBe(201)
    expect(await names()).toEqual(['b'])
  })
})
