import { median, run, sample, type Call, type Measured, type Sent } from './load.ts'
import type { Options } from './options.ts'
import { cpuOf, type Started } from './processes.ts'
import type { Line } from './report.ts'
import type { Shape } from './catalog.ts'

/** What every section works with. */
export interface Bench {
  readonly options: Options
  /** Token of an administrator. */
  readonly token: string
  readonly dataDir: string
  readonly shape: Shape
  readonly bare: Started
  /** The running catalog; sections that stop it put another one here. */
  catalog: Started
  /** Adds a line to the table. */
  add(line: Line): void
}

/** A part of the benchmark. */
export interface Section {
  readonly name: string
  readonly title: string
  /** Needs the 100,000 entities. */
  readonly loaded: boolean
  /** Keeps this process busy, so that nobody can ask the catalog beside it. */
  readonly blocks?: true
  readonly measure: (bench: Bench) => Promise<void>
}

/** Nothing answers there: the feature is not part of this build. */
export class NotThere extends Error {
  override readonly name = 'NotThere'
}

/** Nothing can be answered at present. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

export interface Answered {
  readonly status: number
  readonly text: string
  readonly json: () => Record<string, unknown>
  readonly milliseconds: number
}

/** One call of the catalog. @throws NotThere on a 404 for the route, Error on any other failure */
export const call = async (
  bench: Bench,
  method: string,
  path: string,
  body?: unknown,
  contentType = 'application/json',
): Promise<Answered> => {
  const begun = performance.now()
  const response = await fetch(`${bench.catalog.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${bench.token}`, ...(body !== undefined && { 'content-type': contentType }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const milliseconds = performance.now() - begun
  if (response.status === 404 && text.includes('Nothing is at')) throw new NotThere(`${method} ${path}`)
  const Failure = response.status === 503 ? Unavailable : Error
  if (response.status >= 400)
    throw new Failure(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 500)}`)
  return { status: response.status, text, json: () => JSON.parse(text) as Record<string, unknown>, milliseconds }
}

const repeats = 3

/** Puts the catalog's answer into the hands of the bare side. */
const teachBare = async ({ bare }: Bench, name: string, answer: Answered): Promise<void> => {
  await fetch(`${bare.url}/answer?name=${name}&status=${answer.status}`, {
    method: 'PUT',
    body: answer.text === '' ? null : answer.text,
  })
}

const bareCall = ({ requests, ...others }: Call, name: string): Call => {
  const path = `/bare/${name}`
  const toBare = ({ body }: Sent): Sent => ({ path, ...(body !== undefined && { body }) })
  return {
    ...others,
    requests: typeof requests === 'function' ? () => toBare(requests()) : [toBare(sample({ requests, ...others }))],
  }
}

export interface Compared {
  readonly ours: Measured
  readonly bare: Measured
  readonly ratio: number
  /** Processor time of one request, in microseconds: it says more than the clock when the machine has other work. */
  readonly cpu: { readonly ours: number; readonly bare: number }
}

/** One of the two that are compared. */
interface Side {
  readonly server: Started
  readonly call: Call
  readonly runs: Measured[]
  cpu: number
  requests: number
}

const runSide = async (bench: Bench, side: Side, connections: number, seconds: number): Promise<Measured> => {
  const before = await cpuOf(side.server)
  const measured = await run({ url: side.server.url, token: bench.token, connections }, side.call, seconds)
  side.cpu += (await cpuOf(side.server)) - before
  side.requests += measured.count
  return measured
}

/**
 * Measures a call against the bare handler that parses the same body and sends the same bytes: by turns, so that
 * whatever else the machine does hits both, and the median of each.
 */
export const compare = async (
  bench: Bench,
  name: string,
  ours: Call,
  { connections = bench.options.connections, leastSeconds = 0 }: LineOptions = {},
): Promise<Compared> => {
  const first = sample(ours)
  await teachBare(bench, name, await call(bench, ours.method, first.path, first.body, ours.contentType))
  const side = (server: Started, sent: Call): Side => ({ server, call: sent, runs: [], cpu: 0, requests: 0 })
  const mine = side(bench.catalog, ours)
  const other = side(bench.bare, bareCall(ours, name))
  const seconds = Math.max(leastSeconds, bench.options.seconds)
  for (const each of [other, mine])
    await run(
      { url: each.server.url, token: bench.token, connections },
      each.call,
      Math.max(leastSeconds, Math.min(1, seconds)),
    )
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const each of [other, mine]) each.runs.push(await runSide(bench, each, connections, seconds))
  }
  const [measured, bare] = [median(mine.runs), median(other.runs)]
  const cpu = { ours: mine.cpu / mine.requests, bare: other.cpu / other.requests }
  return { ours: measured, bare, ratio: measured.perSecond / bare.perSecond, cpu }
}

/** What is said of a line, and how it is asked for where that is not as usual. */
export interface LineOptions {
  readonly note?: string
  readonly connections?: number
  /** For requests that take long. */
  readonly leastSeconds?: number
}

/** {@link compare}, as a line of the table. */
export const compareLine = async (
  bench: Bench,
  operation: string,
  name: string,
  ours: Call,
  { note, ...how }: LineOptions = {},
): Promise<Compared> => {
  const result = await compare(bench, name, ours, how)
  bench.add({
    operation,
    measured: result.ours,
    ratio: result.ratio,
    cpu: result.cpu,
    ...(note !== undefined && { note }),
  })
  return result
}
