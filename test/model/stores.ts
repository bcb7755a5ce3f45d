import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { withMongo } from '../support/external.ts'
import { killableServers, runShell, type KillableServer, type StoreName } from '../support/killable.ts'

/** The servers that a run kills, and what came of it. */
export interface Stores {
  readonly names: readonly StoreName[]
  /** Kills one and starts it again, as soon as no other is being killed. */
  readonly kill: (name: StoreName) => Promise<void>
  /** How often each was killed. */
  readonly kills: (name: StoreName) => number
  /** How often each had lost, when it was there again, what it had acknowledged just before. */
  readonly losses: (name: StoreName) => number
  /** Removes what was written to see that. */
  readonly clear: () => Promise<void>
}

/** Writes something that the store acknowledges, and looks for it: the catalog has no part in this. */
interface Witness {
  readonly write: (word: string) => Promise<void>
  readonly has: (word: string) => Promise<boolean>
  readonly clear: () => Promise<void>
}

const inMongo = (name: string): Witness => ({
  write: (word) =>
    withMongo(async (client) => {
      const durable = { writeConcern: { w: 'majority', journal: true } } as const
      await client.db(name).collection<{ _id: string }>('words').insertOne({ _id: word }, durable)
    }),
  has: (word) =>
    withMongo(
      async (client) => (await client.db(name).collection<{ _id: string }>('words').findOne({ _id: word })) !== null,
    ),
  clear: () => withMongo(async (client) => void (await client.db(name).dropDatabase())),
})

const inEventStore = (url: string, name: string): Witness => {
  const withClient = async <T>(work: (client: EventStoreDBClient) => Promise<T>): Promise<T> => {
    const client = EventStoreDBClient.connectionString(url as never)
    try {
      return await work(client)
    } finally {
      await client.dispose()
    }
  }
  return {
    write: (word) =>
      withClient(
        async (client) => void (await client.appendToStream(name, jsonEvent({ type: 'word', data: { word } }))),
      ),
    has: (word) =>
      withClient(async (client) => {
        const events = client.readStream(name, { direction: 'backwards', fromRevision: 'end', maxCount: 10 })
        try {
          for await (const { event } of events)
            if ((event?.data as { word?: string } | undefined)?.word === word) return true
        } catch (error) {
          if ((error as { type?: string }).type === 'stream-not-found') return false
          throw error
        }
        return false
      }),
    clear: () => withClient(async (client) => void (await client.deleteStream(name))),
  }
}

/** Milliseconds within which a server that was started again must answer. */
const patience = 120_000

/** A server that was only just started refuses for a while. */
const asSoonAsItAnswers = async <T>(work: () => Promise<T>): Promise<T> => {
  for (const until = Date.now() + patience; ;) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() > until) throw error
      await delay(100)
    }
  }
}

interface Killed {
  readonly server: KillableServer
  readonly witness: Witness
  kills: number
  losses: number
}

const killOnce = async (killed: Killed): Promise<void> => {
  const { server, witness } = killed
  const word = randomUUID()
  await asSoonAsItAnswers(() => witness.write(word))
  await runShell(server.kill)
  if (server.start !== '') await runShell(server.start)
  killed.kills += 1
  if (!(await asSoonAsItAnswers(() => witness.has(word)))) killed.losses += 1
}

/** @throws Error when no command is given that kills a server */
export const startStores = (wanted: boolean): Stores => {
  const servers = wanted ? killableServers() : []
  if (wanted && servers.length === 0)
    throw new Error(
      'No server can be killed: CATALOG_TEST_EVENTSTORE_KILL and CATALOG_TEST_MONGODB_KILL name the commands, see docs/distributed.md.',
    )
  const name = `catalog_test_witness_${randomUUID().slice(0, 8)}`
  const all = new Map<StoreName, Killed>(
    servers.map((server) => {
      const witness = server.store === 'MongoDB' ? inMongo(name) : inEventStore(server.url as string, name)
      return [server.store, { server, witness, kills: 0, losses: 0 }]
    }),
  )
  let killing = Promise.resolve()
  return {
    names: [...all.keys()],
    kill: (store) => (killing = killing.then(() => killOnce(all.get(store) as Killed))),
    kills: (store) => all.get(store)?.kills ?? 0,
    losses: (store) => all.get(store)?.losses ?? 0,
    clear: async () => {
      const used = [...all.values()].filter(({ kills }) => kills > 0)
      await Promise.all(used.map(({ witness }) => witness.clear()))
    },
  }
}
