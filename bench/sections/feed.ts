import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { keptService, tableRequest } from '../catalog.ts'
import { call, type Bench, type Section } from '../context.ts'
import { quantile } from '../load.ts'
import { whole } from '../report.ts'

const pull = async (bench: Bench): Promise<void> => {
  let after: string | undefined
  let events = 0
  const begun = performance.now()
  for (let pages = 0; pages < 60; pages++) {
    const path = `/api/v1/events?limit=1000${after === undefined ? '' : `&after=${after}`}`
    const { data, paging } = (await call(bench, 'GET', path)).json() as { data: unknown[]; paging: { after?: string } }
    if (data.length === 0) break
    events += data.length
    after = paging.after
    if (after === undefined) break
  }
  bench.add({
    operation: 'feed, pages of 1,000',
    value: `${whole(events / ((performance.now() - begun) / 1000))} events/s`,
    note: `${whole(events)} events by one consumer`,
  })
}

/** Opens a stream of server-sent events and tells each subject that comes in. */
const subscribe = (bench: Bench, after: string, seen: (subject: string) => void): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      `${bench.catalog.url}/api/v1/events/stream?after=${after}`,
      {
        headers: { authorization: `Bearer ${bench.token}`, accept: 'text/event-stream' },
        agent: false,
      },
      (response) => {
        if (response.statusCode !== 200)
          reject(new Error(`GET /api/v1/events/stream was answered with ${response.statusCode}`))
        let rest = ''
        response.on('data', (data: Buffer) => {
          const lines = (rest + data.toString()).split('\n')
          rest = lines.pop() as string
          for (const line of lines) {
            const subject = /"subject":"([^"]*)"/.exec(line)?.[1]
            if (subject !== undefined) seen(subject)
          }
        })
        response.on('error', () => undefined)
        resolve(() => outgoing.destroy())
      },
    )
    outgoing.on('error', (error) => reject(error))
    outgoing.end()
  })

const subscribers = 100
const appends = 200

const streams = async (bench: Bench): Promise<void> => {
  const begun = new Map<string, number>()
  const latencies: number[] = []
  const { id } = (
    await call(
      bench,
      'PUT',
      '/api/v1/tables',
      tableRequest(`${keptService}.main.part_000.announced`, String(begun.size)),
    )
  ).json()
  const head = await call(bench, 'GET', `/api/v1/tables/${String(id)}/history?limit=1000`)
  const { data } = head.json() as { data: { position: string }[] }
  const after = data.at(-1)?.position ?? '0'
  const seen = (subject: string): void => {
    const at = begun.get(subject)
    if (at !== undefined) latencies.push(performance.now() - at)
  }
  const closing = await Promise.all(Array.from({ length: subscribers }, () => subscribe(bench, after, seen)))
  for (let index = 0; index < appends; index++) {
    const fqn = `${keptService}.main.part_000.announced_${index}`
    begun.set(fqn, performance.now())
    await call(bench, 'POST', '/api/v1/tables', tableRequest(fqn))
    await delay(5)
  }
  for (let waited = 0; latencies.length < subscribers * appends && waited < 200; waited++) await delay(10)
  for (const close of closing) close()
  const sorted = latencies.toSorted((a, b) => a - b)
  bench.add({
    operation: `event stream, ${subscribers} subscribers: POST sent → line read`,
    measured: {
      count: latencies.length,
      perSecond: Number.NaN,
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
    },
    note: `${whole(latencies.length)} of ${whole(subscribers * appends)} lines; the write itself is part of it`,
  })
}

/** What consumers see of the log. */
export const feed: Section = {
  name: 'feed',
  title: 'the feed',
  loaded: true,
  measure: async (bench) => {
    await pull(bench)
    await streams(bench)
  },
}
