import { describe, expect, it } from 'vitest'
import { startInProcess } from '../support/running.ts'

describe('what stands directly below something', () => {
  it('is listed by the filter parent, whatever kind that is', async () => {
    const { call } = await startInProcess()
    const put = async (path: string, body: unknown) => expect((await call('PUT', `/v1/${path}`, body)).status).toBe(201)
    await put('services/storageServices', { name: 'lake', serviceType: 'S3' })
    for (const name of ['a', 'b']) await put('containers', { name, service: 'lake' })
    for (const name of ['x', 'y']) await put('containers', { name, service: 'lake', parent: 'lake.a' })
    await put('glossaries', { name: 'Words' })
    await put('glossaryTerms', { name: 'Top', glossary: 'Words' })
    await put('glossaryTerms', { name: 'Sub', glossary: 'Words', parent: 'Words.Top' })
    const names = async (query: string) => {
      const { body } = await call('GET', `/v1/${query}`)
      return [body.paging.total, body.data.map((entity: { name: string }) => entity.name)]
    }
    expect(await names('containers?parent=lake')).toEqual([2, ['a', 'b']])
    expect(await names('containers?parent=lake.a')).toEqual([2, ['x', 'y']])
    expect(await names('containers?service=lake')).toEqual([4, ['a', 'x', 'y', 'b']])
    expect(await names('containers?parent=lake.nothing')).toEqual([0, []])
    expect(await names('glossaryTerms?parent=Words')).toEqual([1, ['Top']])
    expect(await names('glossaryTerms?parent=Words.Top')).toEqual([1, ['Sub']])
  })
})
