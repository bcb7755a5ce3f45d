import { Agent, request } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { keptService, someTables, tableRequest, type Shape } from './catalog.ts'

/** What a thread of people is given at its start. */
export interface PeopleWork {
  readonly url: string
  readonly token: string
  readonly shape: Shape
  readonly seconds: number
  /** Names of the sorts that live in this thread. */
  readonly sorts: readonly SortName[]
  /** Told from the names of any other day in the same folder, so that what is loaded in bulk is new. */
  readonly day: string
}

/** People and jobs of one sort, each of whom waits for an answer, thinks, and asks again. */
export interface Sort {
  readonly people: number
  /** Milliseconds between an answer and the next request. */
  readonly thinks: number
}

/** What one sort saw. Milliseconds, in the order in which the answers came. */
export interface Seen {
  readonly times: number[]
  readonly failures: string[]
}

/** What a thread of people saw, and how late its own event loop was meanwhile: times may be longer by as much. */
export interface Lived {
  readonly seen: Partial<Record<SortName, Seen>>
  readonly late: { readonly p99: number; readonly worst: number }
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly contentType?: string
}

/** The next request of somebody. */
type Next = (person: number, turn: number) => Asked

/** What one of them asks with, and the tables that are asked for. */
interface Asking {
  readonly day: string
  readonly table: (index: number) => { readonly id: string; readonly fullyQualifiedName: string }
}

interface Asks {
  readonly next: Next
  /** Is told of each answer. */
  readonly heard?: (answer: string) => void
}

const bulkSize = 1000

export const sorts = {
  readers: { people: 200, thinks: 1000 },
  writers: { people: 20, thinks: 500 },
  'bulk loaders': { people: 2, thinks: 1000 },
  'an auditor who replays': { people: 1, thinks: 0 },
  'a search box': { people: 1, thinks: 150 },
} satisfies Record<string, Sort>

export type SortName = keyof typeof sorts

const get = (path: string): Asked => ({ method: 'GET', path })

const readers = ({ table }: Asking): Asks => {
  const schemaOf = (index: number): string => table(index).fullyQualifiedName.split('.').slice(0, -1).join('.')
  const paths = [
    (at: number) => `/tables/${table(at).id}`,
    () => '/tables?limit=10',
    (at: number) => `/tables/name/${table(at).fullyQualifiedName}?fields=owners,tags,domain`,
    (at: number) => `/tables?limit=10&databaseSchema=${schemaOf(at)}`,
  ]
  return {
    next: (person, turn) => get((paths[turn % paths.length] as (at: number) => string)(person * 31 + turn)),
  }
}

const writers = ({ table }: Asking): Asks => ({
  next: (person, turn) => ({
    method: 'PATCH',
    path: `/tables/${table(person * 97 + turn).id}`,
    body: JSON.stringify({ displayName: `Day ${person}.${turn}` }),
    contentType: 'application/merge-patch+json',
  }),
})

const bulkLoaders = ({ day }: Asking): Asks => ({
  next: (person, turn) => {
    const names = Array.from({ length: bulkSize }, (_, index) => `day_${day}_${person}_${turn}_${index}`)
    const items = names.map((name) => tableRequest(`${keptService}.main.part_000.${name}`))
    return { method: 'PUT', path: '/tables/bulk', body: JSON.stringify(items), contentType: 'application/json' }
  },
})

const auditor = (): Asks => {
  let read: string | undefined
  return {
    next: () => get(`/events?limit=1000${read === undefined ? '' : `&after=${read}`}`),
    heard: (answer) => {
      const page = JSON.parse(answer) as { data: readonly unknown[]; paging: { after?: string } }
      read = page.data.length === 0 ? undefined : page.paging.after
    },
  }
}

/** Letter by letter, as somebody types. */
const typed = (text: string, turn: number): string => encodeURIComponent(text.slice(0, 1 + (turn % text.length)))

const searchBox = (): Asks => ({
  next: (_, turn) => get(`/search/query?q=${typed('table_0042 customer', turn)}*&size=10`),
})

const asks: Record<SortName, (asking: Asking) => Asks> = {
  readers,
  writers,
  'bulk loaders': bulkLoaders,
  'an auditor who replays': auditor,
  'a search box': searchBox,
}

/** Asks on a connection. @throws Error when the answer is not a success */
const asker =
  ({ url, token }: PeopleWork, agent: Agent) =>
  async ({ method, path, body, contentType }: Asked): Promise<string> => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
    }
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    request(`${url}/api/v1${path}`, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if ((response.statusCode ?? 0) < 300) resolve(text)
        else reject(new Error(`${method} ${path} was answered with ${response.statusCode}: ${text.slice(0, 200)}`))
      })
    })
      .on('error', reject)
      .end(body)
    return promise
  }

/** One person's day. Its time is that of the answers: what is sent is made before, and what was read is judged after. */
const liveOne = async (
  work: PeopleWork,
  sort: SortName,
  person: number,
  { seen, asks }: { seen: Seen; asks: Asks },
) => {
  const { people, thinks } = sorts[sort]
  const ownConnection = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = asker(work, ownConnection)
  const until = performance.now() + work.seconds * 1000
  await delay((thinks * person) / people)
  for (let turn = 0; performance.now() < until; turn++) {
    const next = asks.next(person, turn)
    const begun = performance.now()
    try {
      const answer = await ask(next)
      seen.times.push(performance.now() - begun)
      asks.heard?.(answer)
    } catch (error) {
      seen.failures.push((error as Error).message)
    }
    await delay(thinks)
  }
  ownConnection.destroy()
}

const live = async (work: PeopleWork): Promise<Lived> => {
  const tables = someTables(work.shape, 2000)
  const table: Asking['table'] = (index) => tables[index % tables.length] as (typeof tables)[number]
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const all = work.sorts.map((sort) => ({
    sort,
    asks: asks[sort]({ day: work.day, table }),
    seen: { times: [], failures: [] } satisfies Seen,
  }))
  await Promise.all(
    all.flatMap(({ sort, ...one }) =>
      Array.from({ length: sorts[sort].people }, (_, person) => liveOne(work, sort, person, one)),
    ),
  )
  loop.disable()
  return {
    seen: Object.fromEntries(all.map(({ sort, seen }) => [sort, seen])),
    late: { p99: loop.percentile(99) / 1e6, worst: loop.max / 1e6 },
  }
}

parentPort?.postMessage(await live(workerData as PeopleWork))
