import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'

const folder = temporaryDataDir()
let service: RunningService

beforeAll(async () => {
  service = await startBuilt(folder.path)
})

afterAll(async () => {
  await service.stop()
  await folder.remove()
})

const parallel = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

describe('64 at once', () => {
  it('POST one name: one 201, the others 409', async () => {
    const answers = await parallel(64, () => service.call('POST', '/v1/glossaries', { name: 'contested' }))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const others = answers.filter(({ status }) => status !== 201)
    expect(others.every(({ status, body }) => status === 409 && body.code === 'ENTITY_ALREADY_EXISTS')).toBe(true)
  })

  it('PUT one name: one 201, the others 200, one version for each change', async () => {
    const answers = await parallel(64, (index) =>
      service.call('PUT', '/v1/glossaries', { name: 'upserted', description: `d${index}` }),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(63)
    const versions = answers.map(({ body }) => body.version)
    expect(new Set(versions).size).toBe(64)
    expect(Math.max(...versions)).toBe(6.4)
  })

  it('votes of 64 users are all counted', async () => {
    const { body: glossary } = await service.call('POST', '/v1/glossaries', { name: 'popular' })
    await parallel(64, (index) =>
      service.call(
        'PUT',
        `/v1/glossaries/${glossary.id}/vote`,
        { updatedVoteType: index % 2 ? 'votedUp' : 'votedDown' },
        {
          token: tokenFor(`voter${index}`, ['DataConsumer']),
        },
      ),
    )
    const { body } = await service.call('GET', `/v1/glossaries/${glossary.id}?fields=votes`)
    expect([body.votes.upVotes, body.votes.downVotes, body.version]).toEqual([32, 32, 0.1])
  })

  it('patches of different members are all kept', async () => {
    const { body: glossary } = await service.call('POST', '/v1/glossaries', { name: 'patched', extension: {} })
    const answers = await parallel(64, (index) =>
      service.call(
        'PATCH',
        `/v1/glossaries/${glossary.id}`,
        { extension: { [`k${index}`]: index } },
        {
          headers: { 'content-type': 'application/merge-patch+json' },
        },
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 64 }, () => 200))
    const { body } = await service.call('GET', `/v1/glossaries/${glossary.id}`)
    expect(Object.keys(body.extension)).toHaveLength(64)
  })

  it('of 64 at once with If-Match exactly one wins', async () => {
    const created = await service.call('POST', '/v1/glossaries', { name: 'guarded' })
    const headers = { 'if-match': created.headers.get('etag') as string }
    const answers = await parallel(64, (index) =>
      service.call('PUT', '/v1/glossaries', { name: 'guarded', description: `d${index}` }, { headers }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status, body }) => status === 412 && body.code === 'PRECONDITION_FAILED')).toHaveLength(63)
  })
})
