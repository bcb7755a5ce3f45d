import { useEffect, useRef, useState } from 'react'
import type { FeedEvent } from '../api/types.ts'
import { apiUrl } from '../api/reads.ts'

/** What narrows the feed; names as the API has them. */
export interface FeedFilter {
  readonly kind?: string | undefined
  readonly type?: string | undefined
  readonly domain?: string | undefined
}

export type Connection = 'connecting' | 'live' | 'lost'

/** Milliseconds after which a stream that was refused is asked for again. */
const reopenAfter = 3000

/** Events that are kept on the page. */
export const kept = 500

interface Heard {
  /** What narrowed the feed that they were heard on. */
  readonly filter: string
  /** Newest first. */
  readonly events: readonly FeedEvent[]
}

const withEvent = (heard: Heard, filter: string, event: FeedEvent): Heard => ({
  filter,
  events: [event, ...(heard.filter === filter ? heard.events : [])].slice(0, kept),
})

/**
 * The feed, newest first. The browser connects again by itself and misses nothing.
 * @param from position in the log after which it begins; `undefined`: it is not known yet
 */
export const useLive = (
  { kind = '', type = '', domain = '' }: FeedFilter,
  from: string | undefined,
): { events: readonly FeedEvent[]; connection: Connection } => {
  const filter = new URLSearchParams({
    ...(kind && { kind }),
    ...(type && { type }),
    ...(domain && { domain }),
  }).toString()
  const [heard, setHeard] = useState<Heard>({ filter, events: [] })
  const [connection, setConnection] = useState<Connection>('connecting')
  // Whoever pauses and goes on is told what happened meanwhile.
  const last = useRef<{ readonly filter: string; readonly position: string } | undefined>(undefined)
  useEffect(() => {
    if (from === undefined) return undefined
    let source: EventSource
    let again: ReturnType<typeof setTimeout> | undefined
    const open = (): void => {
      const query = new URLSearchParams(filter)
      query.set('after', last.current?.filter === filter ? last.current.position : from)
      source = new EventSource(apiUrl(`/v1/events/stream?${query}`))
      source.addEventListener('open', () => setConnection('live'))
      source.addEventListener('error', () => {
        setConnection('lost')
        // After an answer that is not a stream the browser does not try again by itself.
        if (source.readyState === EventSource.CLOSED) again = setTimeout(open, reopenAfter)
      })
      source.addEventListener('message', ({ data }: MessageEvent<string>) => {
        const event = JSON.parse(data) as FeedEvent
        last.current = { filter, position: event.position }
        setHeard((before) => withEvent(before, filter, event))
      })
    }
    open()
    return () => {
      clearTimeout(again)
      source.close()
    }
  }, [filter, from])
  return { events: heard.filter === filter ? heard.events : [], connection }
}

/** `catalog.table.Updated` → kind and verb. */
export const partsOfType = (type: string): { readonly kind: string; readonly verb: string } => {
  const [, kind = '', verb = ''] = type.split('.')
  return { kind, verb }
}
