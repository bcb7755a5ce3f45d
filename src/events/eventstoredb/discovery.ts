import { rest } from '../../shared/backOff.ts'
import { reasonIn } from '../../stores/errors.ts'
import { StoreUnavailable } from '../eventStore.ts'
import type { ServerAddress, NodePreference } from './connectionString.ts'
import type { Cluster } from './protocol.ts'

/** States of nodes, as the protocol numbers them, that answer: the best first. */
const preferred: Readonly<Record<NodePreference, readonly number[]>> = {
  leader: [8, 6, 14, 13, 12],
  follower: [6, 8, 14, 13, 12],
  readonlyreplica: [14, 13, 12, 6, 8],
  random: [8, 6, 14, 13, 12],
}

const nodeOf = ({ members }: Cluster, preference: NodePreference): string | undefined => {
  const states = preferred[preference]
  const placeOf = ({ state }: { state: number }): number => (preference === 'random' ? 0 : states.indexOf(state))
  const [best] = members
    .filter(({ isAlive, state, httpEndPoint }) => isAlive && states.includes(state) && httpEndPoint)
    .map((member) => ({ ...member, order: Math.random() }))
    .toSorted((a, b) => placeOf(a) - placeOf(b) || a.order - b.order)
  return best && `${best.httpEndPoint?.address}:${best.httpEndPoint?.port}`
}

/**
 * Asks the hosts for the nodes of the cluster. @returns `host:port` of the one that is preferred
 * @throws StoreUnavailable when none answers, in all attempts
 */
export const discoverNode = async (
  { hosts, nodepreference, maxdiscoverattempts, discoveryinterval }: ServerAddress,
  ask: (host: string) => Promise<Cluster>,
  signal: AbortSignal,
): Promise<string> => {
  let reason = 'none of them is a node of a cluster that answers'
  for (let attempt = 0; attempt < maxdiscoverattempts && !signal.aborted; attempt++) {
    if (attempt > 0) await rest(discoveryinterval, signal)
    for (const host of hosts) {
      const cluster = await ask(host).catch((error: unknown) => void (reason = reasonIn(error)))
      const node = cluster && nodeOf(cluster, nodepreference)
      if (node !== undefined) return node
    }
  }
  throw new StoreUnavailable(`No node of the event store was found at ${hosts.join(', ')}: ${reason}`)
}
