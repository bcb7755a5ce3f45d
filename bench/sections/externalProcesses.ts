import { setTimeout as delay } from 'node:timers/promises'
import { entityId } from '../../src/kinds/names.ts'
import { keptService, someTables, tableRequest } from '../catalog.ts'
import { call, type Bench } from '../context.ts'
import { run, type Measured, type Sent } from '../load.ts'
import { cpuOf, startCatalog, type Started } from '../processes.ts'
import { whole } from '../report.ts'
import type { Pair } from './external.ts'

let names = 0

/** A create request of a name that nobody has yet. */
const nextTable = (): { fqn: string; body: string } => {
  const fqn = `${keptService}.main.part_000.shared_${names++}`
  return { fqn, body: JSON.stringify(tableRequest(fqn)) }
}

/** Starts processes beside the one that runs, on the same pair and with the same keys, until there are so many. */
const startFurther = (bench: Bench, pair: Pair, count: number): Promise<Started[]> =>
  Promise.all(Array.from({ length: count - 1 }, () => startCatalog(bench.dataDir, { env: pair.env })))

const together = (all: readonly Measured[]): Measured => {
  const count = all.reduce((sum, each) => sum + each.count, 0)
  const weighted = (of: (each: Measured) => number): number =>
    all.reduce((sum, each) => sum + of(each) * each.count, 0) / count
  return {
    count,
    perSecond: all.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50: weighted(({ p50 }) => p50),
    p99: Math.max(...all.map(({ p99 }) => p99)),
  }
}

/** Nine reads and one create, over and over, from each connection. */
const nineReadsAndAWrite = (bench: Bench): (Sent | (() => Sent))[] => [
  ...someTables(bench.shape, 900).map(({ id }) => ({ path: `/api/v1/tables/${id}` })),
  ...Array.from({ length: 100 }, () => () => ({
    method: 'POST' as const,
    path: '/api/v1/tables',
    body: nextTable().body,
  })),
]

/** Every tenth one is a write, wherever a connection begins. */
const shuffled = <T>(items: readonly T[]): T[] =>
  items.slice(0, 900).flatMap((item, index) => (index % 9 === 8 ? [item, items[900 + (index - 8) / 9] as T] : [item]))

/** The processor time that each process uses during the work, and what that gives. */
const usedDuring = async <T>(
  all: readonly Started[],
  work: () => Promise<T>,
): Promise<{ used: number[]; given: T }> => {
  const before = await Promise.all(all.map(cpuOf))
  const given = await work()
  const used = (await Promise.all(all.map(cpuOf))).map((cpu, index) => cpu - (before[index] as number))
  return { used, given }
}

const mixedLoad = async (bench: Bench, all: readonly Started[]): Promise<void> => {
  const requests = shuffled(nineReadsAndAWrite(bench))
  const connections = Math.max(1, Math.round(bench.options.connections / all.length))
  const { used, given: runs } = await usedDuring(all, () =>
    Promise.all(
      all.map(({ url }) =>
        run({ url, token: bench.token, connections }, { method: 'GET', requests }, bench.options.seconds * 2),
      ),
    ),
  )
  const measured = together(runs)
  const shares = used.map((each) => `${((100 * each) / used.reduce((sum, one) => sum + one)).toFixed(0)} %`).join(', ')
  bench.add({
    operation: `90 % reads, ${all.length} processes`,
    measured,
    cpu: { ours: used.reduce((sum, each) => sum + each) / measured.count, bare: Number.NaN },
    note: `processor time by process: ${shares}`,
  })
}

/**
 * Writes go to one process alone: what the others do meanwhile is what following costs, with what they take when
 * nothing is written, and without.
 */
const followers = async (bench: Bench, all: readonly Started[]): Promise<void> => {
  const leading = await leaderOf(bench, all)
  const seconds = bench.options.seconds * 2
  const meanOfOthers = (used: readonly number[]): number =>
    used.filter((_, index) => all[index] !== leading).reduce((sum, each) => sum + each, 0) / (all.length - 1)
  const idle = await usedDuring(all, () => delay(seconds * 1000))
  const target = { url: leading.url, token: bench.token, connections: 16 }
  const requests = () => ({ path: '/api/v1/tables', body: nextTable().body })
  const { used, given: measured } = await usedDuring(all, () => run(target, { method: 'POST', requests }, seconds))
  const projector = used[all.indexOf(leading)] as number
  const [whileWriting, before] = [meanOfOthers(used), meanOfOthers(idle.used)]
  const share = (time: number): string => `${((100 * time) / projector).toFixed(1)} %`
  bench.add({
    operation: `create, 16 at once, ${all.length} processes, all at the one that projects`,
    measured,
    cpu: { ours: projector / measured.count, bare: Number.NaN },
    note: `each of the others: ${whole(whileWriting / measured.count)} µs for each create, ${share(whileWriting)} of its time; ${share(Math.max(0, whileWriting - before))} without what it takes when nothing is written`,
  })
}

interface Listed {
  readonly data: readonly { readonly pid: number; readonly projects: boolean }[]
}

const leaderOf = async (bench: Bench, all: readonly Started[]): Promise<Started> => {
  for (let tries = 0; tries < 200; tries++) {
    const { data } = (await call(bench, 'GET', '/api/v1/system/processes')).json() as unknown as Listed
    const pid = data.find(({ projects }) => projects)?.pid
    const found = all.find((each) => each.pid === pid)
    if (found !== undefined) return found
    await delay(100)
  }
  throw new Error('None of the processes projects.')
}

/** Writes at the processes that stay while the one that projects is killed: how long no write is answered, and what is lost. */
const killedLeader = async (bench: Bench, all: readonly Started[]): Promise<void> => {
  const leading = await leaderOf(bench, all)
  const others = all.filter((each) => each !== leading)
  const acknowledged: { fqn: string; at: number }[] = []
  const refused = new Map<number, number>()
  let over = false
  const headers = { authorization: `Bearer ${bench.token}`, 'content-type': 'application/json' }
  const write = async (writer: number): Promise<void> => {
    const { url } = others[writer % others.length] as Started
    while (!over) {
      const { fqn, body } = nextTable()
      const answer = await fetch(`${url}/api/v1/tables`, { method: 'POST', headers, body })
      await answer.body?.cancel()
      if (answer.status === 201) acknowledged.push({ fqn, at: performance.now() })
      else refused.set(answer.status, (refused.get(answer.status) ?? 0) + 1)
    }
  }
  const writers = Promise.all(Array.from({ length: 16 }, (_, index) => write(index)))
  await delay(1000)
  leading.kill()
  await delay(9000)
  over = true
  await writers
  const gaps = acknowledged.slice(1).map(({ at }, index) => at - (acknowledged[index] as { at: number }).at)
  const [first] = others
  const lost: string[] = []
  for (const { fqn } of acknowledged) {
    const { status } = await fetch(`${first?.url}/api/v1/tables/${entityId('table', fqn)}`, { headers })
    if (status !== 200) lost.push(fqn)
  }
  const refusals = [...refused].map(([status, count]) => `${count} times ${status}`).join(', ')
  bench.add({
    operation: `the one that projects is killed, ${all.length} processes`,
    value: `${(Math.max(...gaps) / 1000).toFixed(1)} s without an answer`,
    note: `${acknowledged.length} writes answered, ${lost.length} lost${refusals === '' ? '' : `; ${refusals}`}`,
  })
  if (lost.length > 0) process.exitCode = 1
}

/** Several processes on one pair: mixed load, what following costs, and the end of the one that projects. */
export const measureProcesses = async (bench: Bench, pair: Pair): Promise<void> => {
  const most = Math.max(...bench.options.processes)
  for (const count of bench.options.processes) {
    const all = [bench.catalog, ...(await startFurther(bench, pair, count))]
    await mixedLoad(bench, all)
    if (count > 1) await followers(bench, all)
    if (count > 1 && count === most) await killedLeader(bench, all)
    const [left, ...others] = all.filter(({ isOver }) => !isOver())
    bench.catalog = left as Started
    await Promise.all(others.map((each) => each.stop()))
  }
}
