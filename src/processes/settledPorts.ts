import type { Entity } from '../commands/evolve.ts'
import type { EntityBatch, Referred } from '../commands/lookup.ts'
import type { Ports } from '../commands/ports.ts'
import { followAbove, type CascadePorts } from './cascade.ts'
import { statusOf, type Pending, type Region } from '../projections/entities/pending.ts'

type Entities = ReadonlyMap<string, Entity> | ReadonlyMap<string, Referred>

/** Those whose own event is still to come. */
const behind = (regions: readonly Region[], found: ReadonlyMap<string, Entity | Referred>): string[] =>
  [...found.values()].filter((each) => statusOf(regions, each) !== each.status).map(({ id }) => id)

/**
 * Look-ups for requests: before anything is decided on an entity whose own event is still to come, it gets that, with
 * what it stands below.
 * @param context appends these events, with look-ups of its own
 * @param taking is told the streams of those that get theirs now
 */
export const settledPorts = (
  ports: Ports,
  context: CascadePorts,
  pending: Pick<Pending, 'regions'>,
  taking: (streams: readonly string[]) => void,
): Pick<Ports, 'lookup' | 'refer' | 'prefetch'> => {
  const settled =
    <T extends Entities | EntityBatch>(read: (ids: readonly string[]) => Promise<T>) =>
    async (wanted: readonly string[]): Promise<T> => {
      const regions = await pending.regions()
      const found = await read(wanted)
      const ids = regions.length === 0 ? [] : behind(regions, 'found' in found ? found.found : found)
      if (ids.length === 0) return found
      await followAbove(context, ids, taking)
      return read(wanted)
    }
  return { lookup: settled(ports.lookup), refer: settled(ports.refer), prefetch: settled(ports.prefetch) }
}
