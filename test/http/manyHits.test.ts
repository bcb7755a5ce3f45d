import { expect, it } from 'vitest'
import { paths, useHttp } from './support.ts'

const http = useHttp({ made: [['services/messagingServices', { name: 'many', serviceType: 'Kafka' }]] })

const most = 10_000
const names = Array.from({ length: most + 1 }, (_, at) => `topic${at}`)

/** As many edges as one statement may have. */
const atOnce = 900

it(
  'more than lists, searches and changes take are told as more, or refused, and never left out',
  { timeout: 120_000 },
  async () => {
    await http.post('/v1/topics', { name: 'source', service: 'many', partitions: 1 })
    const topics = names.map((name) => ({ name, service: 'many', partitions: 1 }))
    for (let at = 0; at < topics.length; at += 5000) await http.put('/v1/topics/bulk', topics.slice(at, at + 5000))
    const all = most + 2
    expect((await http.get('/v1/topics?q=many&limit=0')).paging).toEqual({ total: most, relation: 'gte' })
    expect((await http.get('/v1/topics?service=many&limit=0')).paging).toEqual({ total: all })
    expect((await http.get('/v1/search/query?service=many&size=0&index=topic_search_index')).hits.total).toEqual({
      value: all,
      relation: 'eq',
    })
    await http.patch(`/v1/topics/name/many.topic${most}`, { description: 'Changed last' })
    for (const query of ['q=many', 'service=many']) {
      const [first] = (await http.get(`/v1/topics?${query}&sort=updatedAt&limit=1`)).data
      expect(first.name).toBe(`topic${most}`)
    }
    const change = { set: { description: 'Of many.' } }
    const refused = await http.refuses('BAD_REQUEST', 'POST', '/v1/topics/changes?q=many&dryRun=true', change)
    expect(refused.message).toContain('finds more than 10000 entities')
    await http.refuses('BAD_REQUEST', 'GET', '/v1/topics/export?q=many')

    // What is above the first, its own sources and those of some of these, is all of the others.
    const others = [...names.slice(1), 'source'].map((name) => ({
      from: { type: 'topic', fullyQualifiedName: `many.${name}` },
    }))
    const statements = Math.ceil(others.length / atOnce)
    await http.put(
      '/v1/lineage/topic/bulk?source=test',
      names.slice(0, statements).map((name, at) => {
        return { entity: `many.${name}`, edges: others.slice(at * atOnce, (at + 1) * atOnce) }
      }),
    )
    for (const path of ['/v1/topics?', '/v1/search/query?q=*&'])
      expect(paths(await http.refuses('BAD_REQUEST', 'GET', `${path}upstreamOf=many.topic0`))).toEqual(['?upstreamOf'])
    expect(paths(await http.refuses('BAD_REQUEST', 'GET', '/v1/lineage/topic/name/many.topic0/csv?up=2'))).toEqual([
      '?up',
    ])
  },
)
