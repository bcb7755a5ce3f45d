import type { Host } from './host.ts'
import { keyOf, type Key } from './kinds.ts'

/** One event as the feed tells it. */
export interface FeedEvent {
  readonly id: string
  readonly type: string
  readonly key: Key
  readonly entityId: string
  /** Entity's version after it, in tenths. */
  readonly version: number
  readonly time: number
  readonly position: string
  readonly actor: string
  readonly correlation: string
  /** What the service calls its request. */
  readonly request?: string
  /** Id of the command, or of the event, that it follows from. */
  readonly causation: string
  /** Whose statement about lineage it is. */
  readonly source?: string | undefined
  /** Which ports it adds or removes. */
  readonly direction?: 'input' | 'output' | undefined
  /** The day by which it was to be confirmed. */
  readonly confirmBy?: string | undefined
  /** Id of the proposal that it accepts. */
  readonly proposal?: string | undefined
}

interface Told {
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly time: string
  readonly position: string
  readonly entityid: string
  readonly entityversion: string
  readonly actor: string
  readonly correlationid: string
  readonly causationid: string
  readonly clientcorrelationid?: string
  readonly proposalid?: string
  readonly data?: { readonly source?: string; readonly confirmBy?: string; readonly direction?: 'input' | 'output' }
}

export const readEvent = (told: Told): FeedEvent => {
  const [, kind = '', type = ''] = told.type.split('.')
  return {
    id: told.id,
    type,
    key: keyOf(kind, told.subject),
    entityId: told.entityid,
    version: Math.round(Number(told.entityversion) * 10),
    time: Date.parse(told.time),
    position: told.position,
    actor: told.actor,
    correlation: told.clientcorrelationid ?? told.correlationid,
    request: told.correlationid,
    causation: told.causationid,
    source: told.data?.source,
    proposal: told.proposalid,
    confirmBy: told.data?.confirmBy,
    direction: told.data?.direction,
  }
}

/** All events after a position (`'0'`: from the beginning), in the order of the feed. */
export const readFeed = async (host: Host, after: string): Promise<FeedEvent[]> => {
  const events: FeedEvent[] = []
  for (let from = after; ;) {
    const { status, body } = await host.call('GET', `/v1/events?limit=1000&after=${from}`)
    if (status !== 200) throw new Error(`the feed answered ${status}: ${JSON.stringify(body)}`)
    if (body.data.length === 0) return events
    for (const told of body.data as Told[]) events.push(readEvent(told))
    from = body.paging.after
  }
}
