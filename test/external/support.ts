import { describe, expect } from 'vitest'
import { external, skippedUnless, storesFor } from '../support/external.ts'
import { clientOf, startBuilt, type Answer, type RunningService } from '../support/service.ts'
import { startProxy, type TcpProxy } from '../support/tcpProxy.ts'

const variablesOf = ({ log, readModels }: Needs): string =>
  [...(log ? ['CATALOG_TEST_EVENTSTORE_URL'] : []), ...(readModels ? ['CATALOG_TEST_MONGODB_URL'] : [])].join(' and ')

interface Needs {
  readonly log?: boolean
  readonly readModels?: boolean
}

/** `describe` where the servers are there that these tests need; elsewhere skipped, out loud. */
export const describeWith = (needs: Needs, name: string, tests: () => void): void => {
  const there =
    (!needs.log || external.eventStoreUrl !== undefined) && (!needs.readModels || external.mongodbUrl !== undefined)
  describe.skipIf(skippedUnless(there, name, `${variablesOf(needs)} must be set`))(name, tests)
}

/** The one host of a connection string; `undefined` for clusters and for servers that are looked up. */
const hostOf = (url: string): { host: string; port: number; at: string } | undefined => {
  const [, scheme, at] = /^([a-z+]+):\/\/(?:[^@/]*@)?([^/?]+)/i.exec(url) ?? []
  if (scheme === undefined || at === undefined || /\+/.test(scheme) || at.includes(',')) return undefined
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(at) ?? []
  return { host: host as string, port: Number(port ?? (scheme === 'mongodb' ? 27017 : 2113)), at }
}

/** Can a proxy stand in front of this server? */
export const canProxy = (url: string | undefined): boolean =>
  url !== undefined &&
  hostOf(url) !== undefined &&
  !/^esdb:(?!.*tls=false)/i.test(url) &&
  !/[?&](tls|ssl)=true/i.test(url.replace(/^esdb.*/, ''))

/** A server behind a proxy. */
export interface Proxied extends TcpProxy {
  readonly url: string
}

/** Puts a proxy in front of the server that a connection string names, which must be a single one without TLS. */
export const putProxyBefore = async (url: string): Promise<Proxied> => {
  const server = hostOf(url)
  if (server === undefined) throw new Error('no proxy can stand before a cluster')
  const proxy = await startProxy({ host: server.host, port: server.port })
  const moved = url.replace(server.at, `127.0.0.1:${proxy.port}`)
  return { ...proxy, url: moved.startsWith('mongodb') ? directly(moved) : moved }
}

/** Without this the driver would find the members of a replica set under their own addresses, past the proxy. */
const directly = (url: string): string => {
  const bare = url.replace(/([?&])(replicaSet|directConnection)=[^&]*&?/g, '$1').replace(/[?&]$/, '')
  const slashed = /^mongodb:\/\/[^/]+\//.test(bare) ? bare : bare.replace(/(\?|$)/, '/$1')
  return `${slashed}${slashed.includes('?') ? '&' : '?'}directConnection=true`
}

/** Starts a service on a folder with its stores behind these proxies. */
export const startBehind = (
  dataDir: string,
  proxies: { log?: Proxied; readModels?: Proxied },
  env: Record<string, string> = {},
): Promise<RunningService> => startBuilt(dataDir, { ...storesBehind(dataDir, proxies), ...env })

export const storesBehind = (
  dataDir: string,
  { log, readModels }: { log?: Proxied; readModels?: Proxied },
): Record<string, string> =>
  storesFor(dataDir, {
    eventStoreUrl: log?.url ?? external.eventStoreUrl,
    mongodbUrl: readModels?.url ?? external.mongodbUrl,
  })

export interface Readiness {
  readonly status: number
  readonly eventStore: string
  readonly readModels: string
  readonly projections: string
}

/** What `/readyz` says; `undefined` while nothing listens. */
export const readiness = async (url: string): Promise<Readiness | undefined> => {
  const answer = await clientOf(url)('GET', '/readyz').catch(() => undefined)
  if (answer === undefined) return undefined
  const { eventStore, readModels, projections } = answer.body.dependencies
  return {
    status: answer.status,
    eventStore: eventStore.status,
    readModels: readModels.status,
    projections: projections.status,
  }
}

export const untilReady = (url: string): Promise<void> =>
  expect.poll(() => readiness(url), { interval: 50 }).toMatchObject({ status: 200 })

export const expectUnavailable = (answer: Answer): void => {
  expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE'])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
}

/** A page of a list, as soon as the stores answer in time: on a busy machine that may take another try. */
const pageOf = async ({ call }: Pick<RunningService, 'call'>, path: string): Promise<Answer['body']> => {
  let answer: Answer | undefined
  await expect
    .poll(async () => ((answer = await call('GET', path)), [answer.status, answer.status === 200 ? '' : answer.body]))
    .toEqual([200, ''])
  return answer?.body
}

/** Names of all entities of a kind, page by page. */
export const namesOfAll = async (service: Pick<RunningService, 'call'>, path: string): Promise<Set<string>> => {
  const names = new Set<string>()
  for (let after = ''; ;) {
    const body = await pageOf(service, `${path}?limit=1000${after}`)
    for (const { name } of body.data as { name: string }[]) names.add(name)
    if (body.paging.after === undefined) return names
    after = `&after=${encodeURIComponent(body.paging.after as string)}`
  }
}

export const glossaryNames = (service: Pick<RunningService, 'call'>): Promise<Set<string>> =>
  namesOfAll(service, '/v1/glossaries')

/** Writers of glossaries that go on until they are stopped. @param prefix what their names begin with */
export const startWriters = (services: readonly Pick<RunningService, 'call'>[], count: number, prefix = 'w') => {
  const acknowledged: string[] = []
  const statuses = new Map<number, number>()
  let stopped = false
  const write = async (writer: number): Promise<void> => {
    for (let index = 0; !stopped; index++) {
      const name = `${prefix}${writer}_${index}`
      const service = services[(writer + index) % services.length] as RunningService
      const answer = await service.call('POST', '/v1/glossaries', { name }).catch(() => undefined)
      const status = answer?.status ?? 0
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 201) acknowledged.push(name)
    }
  }
  const writing = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)))
  return {
    acknowledged,
    statuses,
    stop: async () => {
      stopped = true
      await writing
    },
  }
}

/** Stops the writers; when the service is ready again it shows everything that was acknowledged. */
export const expectNothingLost = async (
  writers: ReturnType<typeof startWriters>,
  service: RunningService,
): Promise<void> => {
  await writers.stop()
  await untilReady(service.url)
  const names = await glossaryNames(service)
  expect(writers.acknowledged.filter((name) => !names.has(name))).toEqual([])
}
