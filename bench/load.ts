import autocannon from 'autocannon'

/** One request, ready to send. */
export interface Sent {
  readonly path: string
  readonly body?: string
  /** Left out: that of the call. */
  readonly method?: Call['method']
}

/** One kind of request, as often as the generator can send it. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent in turn by each connection, some or all of them made anew each time. */
  readonly requests: readonly (Sent | (() => Sent))[] | (() => Sent)
  readonly contentType?: string
}

/** What a run of the generator saw. Milliseconds. */
export interface Measured {
  /** Requests that were answered. */
  readonly count: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

export interface Target {
  readonly url: string
  readonly token: string
  readonly connections: number
}

/** The value below which this share of the sorted numbers lies. */
export const quantile = (sorted: readonly number[] | Float64Array, share: number): number =>
  sorted.length === 0 ? Number.NaN : (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number)

/** The middle one of the runs, by requests per second. */
export const median = (runs: readonly Measured[]): Measured =>
  runs.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)] as Measured

/** The next request of a call. */
export const sample = ({ requests }: Call): Sent => {
  const first = typeof requests === 'function' ? requests : (requests[0] as Sent | (() => Sent))
  return typeof first === 'function' ? first() : first
}

const requestOf = (sent: Sent | (() => Sent)): autocannon.Request =>
  typeof sent === 'function'
    ? { setupRequest: (request: autocannon.Request) => ({ ...request, ...sent() }) }
    : { ...sent }

const requestsOf = ({ requests }: Call): autocannon.Request[] =>
  typeof requests === 'function' ? [requestOf(requests)] : requests.map(requestOf)

/**
 * Sends the call over and over for so many seconds.
 * @throws Error when an answer is not a success, since its speed would mean nothing
 */
export const run = async (target: Target, call: Call, seconds: number): Promise<Measured> => {
  const times: number[] = []
  const statuses = new Map<number, number>()
  const { contentType = 'application/json', method } = call
  const begun = performance.now()
  await new Promise<void>((resolve, reject) => {
    const instance = autocannon(
      {
        url: target.url,
        connections: target.connections,
        duration: seconds,
        method,
        headers: { authorization: `Bearer ${target.token}`, 'content-type': contentType },
        requests: requestsOf(call),
      },
      (error: unknown) => (error === null || error === undefined ? resolve() : reject(error as Error)),
    )
    instance.on('response', (_, status, __, time) => {
      times.push(time)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    })
  })
  const elapsed = (performance.now() - begun) / 1000
  const bad = [...statuses].filter(([status]) => status >= 400)
  if (bad.length > 0 || times.length === 0)
    throw new Error(
      `${method} ${sample(call).path} was answered with ${bad.map(([status, count]) => `${count} times ${status}`).join(', ') || 'nothing'}`,
    )
  const sorted = Float64Array.from(times).sort()
  return {
    count: times.length,
    perSecond: times.length / elapsed,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  }
}
