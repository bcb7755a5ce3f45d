import { hash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { signToken } from '../src/api/auth/authenticate.ts'
import type { Append } from '../src/events/eventStore.ts'
import { schemaVersion, type CatalogEvent, type NewEvent, streamName } from '../src/events/events.ts'
import { eventHash } from '../src/events/codec.ts'
import { openSqliteEventStore } from '../src/events/sqlite/store.ts'
import { entityId } from '../src/kinds/names.ts'
import { quantile } from './load.ts'
import { cleanUp, cpuOf, runCommand, startCatalog, temporaryFolder, type Started } from './processes.ts'

/**
 * Measures what auditors ask of a log of a million events, written over a year by 500 users, of whom the busiest did a
 * tenth of it: `node bench/lastWeek.ts [--events 1000000] [--folder FOLDER]`. Every twentieth event changes the same
 * entity. A folder is filled once and used again.
 */

const { values: options } = parseArgs({
  options: { events: { type: 'string', default: '1000000' }, folder: { type: 'string' } },
})
const events = Number(options.events)
const users = 500
const entities = 20_000
const week = 7 * 24 * 3600 * 1000
const end = Date.parse('2026-01-01T00:00:00Z')
const begin = end - 52 * week

/** The same numbers from 0 to 1 in each run. */
const makeRandom = (seed: number): (() => number) => {
  let at = seed
  return () => hash('sha256', `${at++}`, 'buffer').readUInt32BE() / 2 ** 32
}

const timeOf = (index: number): number => Math.round(begin + ((end - begin) * index) / events)

/** Few do much, most do little. */
const userAt = (share: number): string => `user-${Math.floor(users * share ** 3)}`

const nameOf = (index: number): string => (index === 0 ? 'restless' : `glossary_${index}`)

interface Tip {
  revision: bigint
  hash: string
}

/** Makes the events of the year, one after the other. */
const makeYear = () => {
  const random = makeRandom(1)
  const tips = new Map<string, Tip>()
  const changes = ['description', 'displayName', 'language']
  return (index: number): Append => {
    const name = nameOf(index % 20 === 0 ? 0 : 1 + Math.floor(random() * (entities - 1)))
    const stream = streamName('glossary', entityId('glossary', name))
    const tip = tips.get(stream)
    const set = { [changes[index % 3] as string]: `As of ${index}` }
    const event: CatalogEvent =
      tip === undefined
        ? { type: 'Created', data: { name, members: set } }
        : { type: 'Updated', data: { set, unset: [] } }
    const revision = (tip?.revision ?? -1n) + 1n
    const id = randomUUID()
    const metadata = {
      kind: 'glossary',
      fullyQualifiedName: name,
      version: Number(revision) + 1,
      user: userAt(random()),
      time: new Date(timeOf(index)).toISOString(),
      correlationId: randomUUID(),
      causationId: randomUUID(),
      schemaVersion,
      ...(tip && { previousHash: tip.hash }),
    }
    const hashed = eventHash({ ...event, id, stream, revision, metadata })
    tips.set(stream, { revision, hash: hashed })
    const made = { ...event, id, metadata: { ...metadata, hash: hashed } } as NewEvent
    return { stream, expected: tip?.revision ?? 'no_stream', events: [made] }
  }
}

const fill = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const log = openSqliteEventStore({ path: join(folder, 'log.db') })
  const next = makeYear()
  const appends: Promise<unknown>[] = []
  for (let index = 0; index < events; index++) {
    appends.push(log.append([next(index)]))
    if (appends.length === 5000) await Promise.all(appends.splice(0))
  }
  await Promise.all(appends)
  await log.close()
  await runCommand(folder, ['rebuild'])
}

interface Question {
  readonly name: string
  readonly path: (user: string, since: string, until: string) => string
}

const questions: readonly Question[] = [
  { name: 'activity, a user in a week', path: (u, s, e) => `activity?user=${u}&since=${s}&until=${e}&limit=100` },
  { name: 'feed, a user in a week', path: (u, s, e) => `events?user=${u}&since=${s}&until=${e}&limit=100` },
  {
    name: 'activity, a user, a member, a week',
    path: (u, s, e) => `activity?user=${u}&changed=description&since=${s}&until=${e}&limit=100`,
  },
  {
    name: 'feed, a user, a type, a kind, a week',
    path: (u, s, e) => `events?user=${u}&type=Created&kind=glossary&since=${s}&until=${e}&limit=100`,
  },
  {
    name: 'history of 50,000 events, a user in a week',
    path: (u, s, e) => `glossaries/name/restless/history?user=${u}&since=${s}&until=${e}&limit=100`,
  },
  {
    name: 'history of 50,000 events, a user, a member',
    path: (u) => `glossaries/name/restless/history?user=${u}&changed=displayName&limit=100`,
  },
  {
    name: 'history of 50,000 events, a week',
    path: (_, s, e) => `glossaries/name/restless/history?since=${s}&until=${e}`,
  },
]

const asked = 200

const ask = async (catalog: Started, token: string, { name, path }: Question): Promise<void> => {
  const random = makeRandom(7)
  const times: number[] = []
  let found = 0
  const used = await cpuOf(catalog)
  for (let index = 0; index < asked; index++) {
    const since = begin + random() * (end - begin - week)
    const [from, to] = [since, since + week].map((time) => new Date(time).toISOString()) as [string, string]
    const begun = performance.now()
    const response = await fetch(`${catalog.url}/api/v1/${path(userAt(random() ** 2), from, to)}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const body = (await response.json()) as { data: unknown[] }
    times.push(performance.now() - begun)
    if (response.status !== 200) throw new Error(JSON.stringify(body))
    found += body.data.length
  }
  const cpu = ((await cpuOf(catalog)) - used) / 1000 / asked
  const sorted = times.toSorted((a, b) => a - b)
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(sorted, share).toFixed(1))
  process.stdout.write(
    `| ${name} | ${p50} | ${p99} | ${sorted.at(-1)?.toFixed(1)} | ${cpu.toFixed(1)} | ${(found / asked).toFixed(0)} |\n`,
  )
}

const ready = async (catalog: Started, token: string): Promise<void> => {
  for (;;) {
    const response = await fetch(`${catalog.url}/api/v1/audit/checkpoint`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (response.status === 200 && Number((await response.text()).split('\n')[1]) >= events) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

try {
  const folder = options.folder ?? (await temporaryFolder())
  if (!existsSync(join(folder, 'log.db'))) await fill(folder)
  const catalog = await startCatalog(folder)
  const secret = (await readFile(join(folder, 'jwt.secret'), 'utf8')).trim()
  const token = signToken(secret, { user: 'bench', roles: ['Auditor'], ttl: 36_000 })
  await ready(catalog, token)
  process.stdout.write(
    '| question | p50 ms | p99 ms | slowest ms | processor ms | answers |\n|---|---|---|---|---|---|\n',
  )
  for (const question of questions) await ask(catalog, token, question)
} finally {
  await cleanUp()
}
