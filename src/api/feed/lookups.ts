import { activityProjection } from '../../projections/activity/activityProjection.ts'
import { waysOf } from '../../projections/activity/port.ts'
import { ProjectionBehind } from '../../projections/errors.ts'
import type { Lookup } from '../../subscriptions/feed/feed.ts'
import type { ActivityFilter } from '../../projections/activity/port.ts'
import { storedKinds } from '../../kinds/registry/kinds.ts'
import { streamName } from '../../events/events.ts'
import type { Api } from '../deps.ts'

/** Milliseconds for which activity may be behind the entities; then the log is looked through from where it is. */
const patience = 500

/** How far activity has come. */
const shownBy = async ({ runner }: Pick<Api, 'runner'>): Promise<bigint | undefined> => {
  const { name } = activityProjection
  const shown = await runner.shown()
  if (shown === undefined) return undefined
  await runner.waitFor(shown, patience, name).catch((error: unknown) => {
    if (!(error instanceof ProjectionBehind)) throw error
  })
  return runner.position(name)
}

/** Finds the events of one entity in its stream, which has all that was acknowledged. */
const streamLookup =
  ({ log }: Pick<Api, 'log'>, entityId: string, of: ReadonlySet<string> | undefined): Lookup =>
  async (after, limit) => {
    const head = await log.head()
    if (head === undefined) return undefined
    const positions: bigint[] = []
    for (const { name } of storedKinds.filter((kind) => of?.has(kind.name) ?? true))
      for await (const { position } of log.readStream(streamName(name, entityId))) {
        if (position <= (after ?? -1n)) continue
        positions.push(position)
        if (positions.length === limit) return { positions, reached: position }
      }
    const last = positions.at(-1) ?? head
    return { positions, reached: last > head ? last : head }
  }

/** Finds events along the indexes of activity; `undefined` for a filter that has none. */
export const indexLookup = (
  api: Pick<Api, 'readModels' | 'runner' | 'log'>,
  filter: ActivityFilter,
): Lookup | undefined => {
  if (waysOf(filter).length === 0 && filter.since === undefined && filter.until === undefined) return undefined
  return async (after, limit) => {
    const [shown, head] = [await shownBy(api), await api.log.head()]
    if (shown === undefined || head === undefined) return undefined
    const last = shown < head ? shown : head
    const page = await api.readModels.activity({ ...filter, after, before: last + 1n, limit, oldestFirst: true })
    return { positions: page.rows.map(({ position }) => position), reached: page.next ?? last }
  }
}

/** Finds events of the feed in place of looking through the log; `undefined` for a filter that nothing helps with. */
export const feedLookup = (
  api: Pick<Api, 'readModels' | 'runner' | 'log'>,
  filter: ActivityFilter,
): Lookup | undefined =>
  filter.entityId === undefined ? indexLookup(api, filter) : streamLookup(api, filter.entityId, filter.kinds)
