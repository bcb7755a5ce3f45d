import { describe, expect, it } from 'vitest'
import { useInProcess } from '../support/running.ts'
import { tokenFor } from '../support/service.ts'

const { call } = useInProcess()

const parallel = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

describe('64 at once', () => {
  it('POST one name: one 201, the others 409', async () => {
    const answers = await parallel(64, () => call('POST', '/v1/glossaries', { name: 'contested' }))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const others = answers.filter(({ status }) => status !== 201)
    expect(others.every(({ status, body }) => status === 409 && body.code === 'ENTITY_ALREADY_EXISTS')).toBe(true)
  })

  it('PUT one name: one 201, the others 200, one version for each change', async () => {
    const answers = await parallel(64, (index) =>
      call('PUT', '/v1/glossaries', { name: 'upserted', description: `d${index}` }),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(63)
    const versions = answers.map(({ body }) => body.version)
    expect(new Set(versions).size).toBe(64)
    expect(Math.max(...versions)).toBe(6.4)
  })

  it('votes of 64 users are all counted', async () => {
    const { body: glossary } = await call('POST', '/v1/glossaries', { name: 'popular' })
    await parallel(64, (index) =>
      call(
        'PUT',
        `/v1/glossaries/${glossary.id}/vote`,
        { updatedVoteType: index % 2 ? 'votedUp' : 'votedDown' },
        {
          token: tokenFor(`voter${index}`, ['DataConsumer']),
        },
      ),
    )
    const { body } = await call('GET', `/v1/glossaries/${glossary.id}?fields=votes`)
    expect([body.votes.upVotes, body.votes.downVotes, body.version]).toEqual([32, 32, 0.1])
  })

  it('patches of different members are all kept', async () => {
    const { body: glossary } = await call('POST', '/v1/glossaries', { name: 'patched', extension: {} })
    const answers = await parallel(64, (index) =>
      call(
        'PATCH',
        `/v1/glossaries/${glossary.id}`,
        { extension: { [`k${index}`]: index } },
        {
          headers: { 'content-type': 'application/merge-patch+json' },
        },
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 64 }, () => 200))
    const { body } = await call('GET', `/v1/glossaries/${glossary.id}`)
    expect(Object.keys(body.extension)).toHaveLength(64)
  })

  it('of 64 at once with If-Match exactly one wins', async () => {
    const created = await call('POST', '/v1/glossaries', { name: 'guarded' })
    const headers = { 'if-match': created.headers.get('etag') as string }
    const answers = await parallel(64, (index) =>
      call('PUT', '/v1/glossaries', { name: 'guarded', description: `d${index}` }, { headers }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status, body }) => status === 412 && body.code === 'PRECONDITION_FAILED')).toHaveLength(63)
  })
})
