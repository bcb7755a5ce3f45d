import { useEffect, useState } from 'react'
import type { FeedEvent } from '../api/types.ts'
import { apiUrl } from '../api/reads.ts'

/** What narrows the feed; names as the API has them. */
export interface FeedFilter {
  readonly kind?: string | undefined
  readonly type?: string | undefined
  readonly domain?: string | undefined
}

export type Connection = 'connecting' | 'live' | 'lost'

/** Events that are kept on the page. */
const kept = 500

/** The feed from now on, newest first. The browser connects again by itself and misses nothing. */
export const useLive = (filter: FeedFilter, on: boolean): { events: readonly FeedEvent[]; connection: Connection } => {
  const [events, setEvents] = useState<readonly FeedEvent[]>([])
  const [connection, setConnection] = useState<Connection>('connecting')
  const { kind = '', type = '', domain = '' } = filter
  useEffect(() => {
    if (!on) return undefined
    const query = new URLSearchParams({
      after: 'latest',
      ...(kind && { kind }),
      ...(type && { type }),
      ...(domain && { domain }),
    })
    const source = new EventSource(apiUrl(`/v1/events/stream?${query}`))
    source.addEventListener('open', () => setConnection('live'))
    source.addEventListener('error', () => setConnection('lost'))
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as FeedEvent
      setEvents((before) => [event, ...before].slice(0, kept))
    })
    return () => source.close()
  }, [kind, type, domain, on])
  return { events, connection }
}

/** `catalog.table.Updated` → kind and verb. */
export const partsOfType = (type: string): { readonly kind: string; readonly verb: string } => {
  const [, kind = '', verb = ''] = type.split('.')
  return { kind, verb }
}
