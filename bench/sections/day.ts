import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Bench, Section } from '../context.ts'
import { quantile } from '../load.ts'
import { sorts, type Lived, type PeopleWork, type Seen, type SortName } from '../people.ts'
import { whole } from '../report.ts'

/**
 * Who lives in which thread: bodies and answers of a megabyte take the generator some ms each to make and to read,
 * which must not be counted among the times of those who ask for little.
 */
const threads: readonly (readonly SortName[])[] = [
  ['readers', 'writers', 'a search box'],
  ['bulk loaders', 'an auditor who replays'],
]

const liveIn = async (work: PeopleWork): Promise<Lived> => {
  const worker = new Worker(new URL('../people.ts', import.meta.url), { workerData: work })
  const [lived] = (await once(worker, 'message')) as [Lived]
  return lived
}

const addLine = (bench: Bench, name: SortName, { times, failures }: Seen, { late }: Lived): void => {
  const { people, thinks } = sorts[name]
  const sorted = Float64Array.from(times).sort()
  const failed = failures.length === 0 ? '' : `; ${failures.length} FAILED, the first: ${failures[0]}`
  if (failures.length > 0) process.exitCode = 1
  const seconds = bench.options.day
  bench.add({
    operation: `mixed day, ${people === 1 ? '' : `${people} `}${name}`,
    measured: {
      count: times.length,
      perSecond: times.length / seconds,
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
    },
    note:
      `${whole(times.length)} answers, the slowest ${whole(sorted.at(-1) ?? Number.NaN)} ms, ` +
      `${sorted.filter((time) => time > 500).length} over 500; ${thinks} ms of thinking; ` +
      `the generator's own thread was late by ${late.p99.toFixed(0)} ms (p99), ${late.worst.toFixed(0)} at most${failed}`,
  })
}

/** Everybody at once, as on a working day. */
export const day: Section = {
  name: 'day',
  title: 'a mixed day',
  loaded: true,
  measure: async (bench) => {
    const { url } = bench.catalog
    const { token, shape, options } = bench
    const common = { url, token, shape, seconds: options.day, day: Date.now().toString(36) }
    const all = await Promise.all(threads.map((some) => liveIn({ ...common, sorts: some })))
    for (const name of Object.keys(sorts) as SortName[])
      for (const lived of all) {
        const seen = lived.seen[name]
        if (seen !== undefined) addLine(bench, name, seen, lived)
      }
  },
}
