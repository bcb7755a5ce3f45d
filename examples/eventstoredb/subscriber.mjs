/**
 * Follows the catalog's events in EventStoreDB itself, without the catalog, and goes on where it was.
 *
 *   npm install @eventstore/db-client
 *   node subscriber.mjs 'esdb://localhost:2113?tls=false' checkpoint.json table,topic
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { EventStoreDBClient, START, streamNameFilter } from '@eventstore/db-client'

const [url = 'esdb://localhost:2113?tls=false', checkpointFile = 'checkpoint.json', kinds = '[a-zA-Z]+'] =
  process.argv.slice(2)

/** Streams are `<kind>-<uuid>`. */
const streams = `^(${kinds.replaceAll(',', '|')})-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`

const readCheckpoint = () => {
  if (!existsSync(checkpointFile)) return START
  const { commit, prepare } = JSON.parse(readFileSync(checkpointFile, 'utf8'))
  return { commit: BigInt(commit), prepare: BigInt(prepare) }
}

const writeCheckpoint = ({ commit, prepare }) => {
  writeFileSync(`${checkpointFile}.new`, JSON.stringify({ commit: String(commit), prepare: String(prepare) }))
  renameSync(`${checkpointFile}.new`, checkpointFile)
}

/** Your work. It may be given an event again after a crash: `event.id` tells. */
const handle = ({ type, data, metadata, streamId, revision, position }) => {
  const { kind, fullyQualifiedName, version, user, time } = metadata
  console.log(
    `${position.commit} ${time} ${user}: ${type} ${kind} ${fullyQualifiedName} ${version / 10} (${streamId}@${revision})`,
    data,
  )
}

const client = EventStoreDBClient.connectionString(url)
const subscription = client.subscribeToAll({
  fromPosition: readCheckpoint(),
  filter: streamNameFilter({
    regex: streams,
    checkpointInterval: 100,
    checkpointReached: async (_, position) => writeCheckpoint(position),
  }),
})
for await (const { event } of subscription) {
  if (event === undefined) continue
  handle(event)
  writeCheckpoint(event.position)
}
