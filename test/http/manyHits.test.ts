import { expect, it } from 'vitest'
import { paths, useHttp } from './support.ts'

const http = useHttp({ made: [['services/messagingServices', { name: 'many', serviceType: 'Kafka' }]] })

const most = 10_000
const names = Array.from({ length: most + 1 }, (_, at) => `topic${at}`)

const inBulk = async (path: string, items: readonly object[], size: number): Promise<void> => {
  for (let at = 0; at < items.length; at += size) await http.put(path, items.slice(at, at + size))
}

it(
  'more than lists, searches and changes take are told as more, or refused, and never left out',
  { timeout: 120_000 },
  async () => {
    await http.post('/v1/topics', { name: 'source', service: 'many', partitions: 1 })
    await inBulk(
      '/v1/topics/bulk',
      names.map((name) => ({ name, service: 'many', partitions: 1 })),
      5000,
    )
    const all = most + 2
    expect((await http.get('/v1/topics?q=many&limit=0')).paging).toEqual({ total: most, relation: 'gte' })
    expect((await http.get('/v1/topics?service=many&limit=0')).paging).toEqual({ total: all })
    expect((await http.get('/v1/search/query?service=many&size=0&index=topic_search_index')).hits.total).toEqual({
      value: all,
      relation: 'eq',
    })
    const change = { set: { description: 'Of many.' } }
    const refused = await http.refuses('BAD_REQUEST', 'POST', '/v1/topics/changes?q=many&dryRun=true', change)
    expect(refused.message).toContain('finds more than 10000 entities')
    await http.refuses('BAD_REQUEST', 'GET', '/v1/topics/export?q=many')

    const edges = [{ from: { type: 'topic', fullyQualifiedName: 'many.source' } }]
    await inBulk(
      '/v1/lineage/topic/bulk?source=test',
      names.map((name) => ({ entity: `many.${name}`, edges })),
      1000,
    )
    for (const path of ['/v1/topics?', '/v1/search/query?q=*&'])
      expect(paths(await http.refuses('BAD_REQUEST', 'GET', `${path}downstreamOf=many.source`))).toEqual([
        '?downstreamOf',
      ])
    expect(paths(await http.refuses('BAD_REQUEST', 'GET', '/v1/lineage/topic/name/many.source/csv?down=1'))).toEqual([
      '?up',
    ])
  },
)
