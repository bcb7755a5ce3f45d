import { setTimeout as delay } from 'node:timers/promises'
import { keptService, someTables, tableRequest } from '../catalog.ts'
import type { Bench, Section } from '../context.ts'
import { quantile } from '../load.ts'
import { whole } from '../report.ts'

/** People and jobs of one sort, each of whom waits for an answer, thinks, and asks again. */
interface Sort {
  readonly name: string
  readonly people: number
  /** Milliseconds between an answer and the next request. */
  readonly thinks: number
  /** One request. @throws Error when it is no success */
  readonly ask: (person: number, turn: number) => Promise<void>
}

/** What one sort saw. Milliseconds, in the order in which the answers came. */
interface Seen {
  readonly times: number[]
  readonly failures: string[]
}

const bulkSize = 1000

const asker =
  (bench: Bench) =>
  async (method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<string> => {
    const response = await fetch(`${bench.catalog.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${bench.token}`, ...(body !== undefined && { 'content-type': contentType }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 200)}`)
    return text
  }

/** Letter by letter, as somebody types. */
const typed = (text: string, turn: number): string => encodeURIComponent(text.slice(0, 1 + (turn % text.length)))

/** What one of them asks with, and the tables that are asked for. */
interface Asking {
  readonly ask: ReturnType<typeof asker>
  readonly table: (index: number) => { readonly id: string; readonly fullyQualifiedName: string }
}

const readers = ({ ask, table }: Asking): Sort => {
  const schemaOf = (index: number): string => table(index).fullyQualifiedName.split('.').slice(0, -1).join('.')
  const paths = [
    (at: number) => `/tables/${table(at).id}`,
    () => '/tables?limit=10',
    (at: number) => `/tables/name/${table(at).fullyQualifiedName}?fields=owners,tags,domain`,
    (at: number) => `/tables?limit=10&databaseSchema=${schemaOf(at)}`,
  ]
  return {
    name: 'readers',
    people: 200,
    thinks: 1000,
    ask: async (person, turn) => {
      await ask('GET', (paths[turn % paths.length] as (at: number) => string)(person * 31 + turn))
    },
  }
}

const writers = ({ ask, table }: Asking): Sort => ({
  name: 'writers',
  people: 20,
  thinks: 500,
  ask: async (person, turn) => {
    const change = { displayName: `Day ${person}.${turn}` }
    await ask('PATCH', `/tables/${table(person * 97 + turn).id}`, change, 'application/merge-patch+json')
  },
})

const bulkLoaders = ({ ask }: Asking): Sort => ({
  name: 'bulk loaders',
  people: 2,
  thinks: 1000,
  ask: async (person, turn) => {
    const names = Array.from({ length: bulkSize }, (_, index) => `day_${person}_${turn}_${index}`)
    const items = names.map((name) => tableRequest(`${keptService}.main.part_000.${name}`))
    await ask('PUT', '/tables/bulk', items)
  },
})

const auditor = ({ ask }: Asking): Sort => {
  let read: string | undefined
  return {
    name: 'an auditor who replays',
    people: 1,
    thinks: 0,
    ask: async () => {
      const text = await ask('GET', `/events?limit=1000${read === undefined ? '' : `&after=${read}`}`)
      const page = JSON.parse(text) as { data: readonly unknown[]; paging: { after?: string } }
      read = page.data.length === 0 ? undefined : page.paging.after
    },
  }
}

const searchBox = ({ ask }: Asking): Sort => ({
  name: 'a search box',
  people: 1,
  thinks: 150,
  ask: async (_, turn) => {
    await ask('GET', `/search/query?q=${typed('table_0042 customer', turn)}*&size=10`)
  },
})

const sortsOf = (bench: Bench): readonly Sort[] => {
  const tables = someTables(bench.shape, 2000)
  const asking: Asking = {
    ask: asker(bench),
    table: (index) => tables[index % tables.length] as (typeof tables)[number],
  }
  return [readers, writers, bulkLoaders, auditor, searchBox].map((sort) => sort(asking))
}

const live = async (sort: Sort, until: number): Promise<Seen> => {
  const seen: Seen = { times: [], failures: [] }
  const one = async (person: number): Promise<void> => {
    await delay((sort.thinks * person) / sort.people)
    for (let turn = 0; performance.now() < until; turn++) {
      const begun = performance.now()
      await sort.ask(person, turn).then(
        () => seen.times.push(performance.now() - begun),
        (error: unknown) => seen.failures.push((error as Error).message),
      )
      await delay(sort.thinks)
    }
  }
  await Promise.all(Array.from({ length: sort.people }, (_, person) => one(person)))
  return seen
}

/** Everybody at once, as on a working day. */
export const day: Section = {
  name: 'day',
  title: 'a mixed day',
  loaded: true,
  measure: async (bench) => {
    const sorts = sortsOf(bench)
    const seconds = bench.options.day
    const until = performance.now() + seconds * 1000
    const all = await Promise.all(sorts.map((sort) => live(sort, until)))
    for (const [index, { times, failures }] of all.entries()) {
      const { name, people, thinks } = sorts[index] as Sort
      const sorted = Float64Array.from(times).sort()
      const failed = failures.length === 0 ? '' : `; ${failures.length} FAILED, the first: ${failures[0]}`
      if (failures.length > 0) process.exitCode = 1
      bench.add({
        operation: `mixed day, ${people === 1 ? '' : `${people} `}${name}`,
        measured: {
          count: times.length,
          perSecond: times.length / seconds,
          p50: quantile(sorted, 0.5),
          p99: quantile(sorted, 0.99),
        },
        note: `${whole(times.length)} answers, the slowest ${whole(sorted.at(-1) ?? Number.NaN)} ms; ${thinks} ms of thinking${failed}`,
      })
    }
  },
}
