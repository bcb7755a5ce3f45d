import type { EventStore } from '../../events/eventStore.ts'
import { eventMatches } from './matching.ts'
import { lookedThrough, type Activity, type ActivityPage, type ActivityQuery } from './port.ts'

/** What happened to one entity, by its stream, as far as the projection has come. */
export const activityOf = async (
  log: Pick<EventStore, 'readStream'>,
  readModels: Pick<Activity, 'activityAt'>,
  stream: string,
  query: ActivityQuery,
): Promise<ActivityPage> => {
  const { before, limit, domains, owned, lookThrough = lookedThrough } = query
  const matches = eventMatches(query)
  const positions: bigint[] = []
  let looked = 0
  let bound: bigint | undefined
  for await (const event of log.readStream(stream, { backwards: true })) {
    if (before !== undefined && event.position >= before) continue
    if (matches(event)) positions.push(event.position)
    looked++
    bound = looked === lookThrough || positions.length > limit ? event.position : undefined
    if (bound !== undefined) break
  }
  const rows = (await readModels.activityAt(positions))
    .filter((row) => domains === undefined || row.domains.some((domain) => domains.has(domain)))
    .filter(({ kind, owners }) => !owned?.kinds.has(kind) || owners.some((owner) => owned.owners.includes(owner)))
    .toSorted((a, b) => (a.position > b.position ? -1 : 1))
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1)?.position : undefined
  return { rows: page, next: last ?? bound }
}
