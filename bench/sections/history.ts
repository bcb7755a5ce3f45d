import { keptService, tableRequest } from '../catalog.ts'
import { call, compareLine, type Section } from '../context.ts'
import { run } from '../load.ts'
import { whole } from '../report.ts'

const versions = 10_000
const atOnce = 8

/** An entity that was changed very often. */
export const history: Section = {
  name: 'history',
  title: 'an entity with 10,000 versions',
  loaded: true,
  measure: async (bench) => {
    const fqn = `${keptService}.main.part_000.restless`
    const { id } = (await call(bench, 'PUT', '/api/v1/tables', tableRequest(fqn))).json() as { id: string }
    const path = `/api/v1/tables/${id}`
    const begun = performance.now()
    let next = 0
    const changeOn = async (): Promise<void> => {
      while (next < versions)
        await call(bench, 'PATCH', path, { displayName: `Version ${next++}` }, 'application/merge-patch+json')
    }
    await Promise.all(Array.from({ length: atOnce }, changeOn))
    const seconds = (performance.now() - begun) / 1000
    bench.add({
      operation: 'change one entity again and again',
      value: `${whole(versions / seconds)} changes/s`,
      note: `${atOnce} at once`,
    })
    const old = (versions / 20).toFixed(1)
    await compareLine(bench, `get asOf version ${old} of 10,000`, 'as-of', {
      method: 'GET',
      requests: [{ path: `${path}?asOf=${old}` }],
    })
    await compareLine(bench, 'page of 10 versions, newest first', 'versions', {
      method: 'GET',
      requests: [{ path: `${path}/versions?limit=10` }],
    })
    const target = { url: bench.catalog.url, token: bench.token, connections: bench.options.connections }
    bench.add({
      operation: 'get of that entity',
      measured: await run(target, { method: 'GET', requests: [{ path }] }, bench.options.seconds),
    })
  },
}
