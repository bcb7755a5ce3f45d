import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { kinds } from '../api/kinds.ts'
import { mayDo, useMay, useMe } from '../api/permissions.ts'
import type { FeedEvent } from '../api/types.ts'
import { sayEvent } from '../time/moments.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { Empty } from '../ui/States.tsx'
import { Ago } from '../ui/Time.tsx'
import { partsOfType, useLive, type Connection } from './live.ts'

const types = [
  'Created',
  'Updated',
  'SoftDeleted',
  'Restored',
  'HardDeleted',
  'Voted',
  'FollowerAdded',
  'FollowerRemoved',
]

const says: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'The connection is lost; it comes back by itself, and nothing is missed.',
}

const Row = ({ event }: { event: FeedEvent }) => {
  const { kind, verb } = partsOfType(event.type)
  const { subject, entityid, actor, data, time } = event
  return (
    <li className="moment">
      <Avatar name={actor} />
      <div className="moment-body">
        <p>
          <strong>{actor}</strong> {sayEvent(verb, data).replace(/\bit\b/, '')}{' '}
          <EntityLink reference={{ id: entityid, type: kind, fullyQualifiedName: subject, name: subject }} />
        </p>
        <p className="hint">
          <Ago time={time} /> · position {event.position}
        </p>
      </div>
    </li>
  )
}

interface ActivitySearch {
  readonly kind?: string | undefined
  readonly type?: string | undefined
}

/** What happens, as it happens. */
export const ActivityPage = () => {
  const me = useMe()
  const may = useMay('feed')
  const search = useSearch({ strict: false }) as ActivitySearch
  const navigate = useNavigate()
  const [on, setOn] = useState(true)
  const { events, connection } = useLive(search, on && may)
  const change = (changed: ActivitySearch): void =>
    void navigate({ to: '/activity', search: { ...search, ...changed } })
  if (!may) return <Empty icon="activity" title="Your roles do not let you follow changes" />
  return (
    <div className="page history">
      <div className="section-head">
        <h1>Activity</h1>
        <div className="row">
          <span className={`badge ${on && connection === 'live' ? 'good' : ''}`} role="status">
            {on ? says[connection] : 'Paused'}
          </span>
          <Button icon={on ? 'pause' : 'play'} onClick={() => setOn(!on)}>
            {on ? 'Pause' : 'Go on'}
          </Button>
        </div>
      </div>
      <div className="row">
        <label className="select">
          <span className="hidden">Kind</span>
          <select value={search.kind ?? ''} onChange={(event) => change({ kind: event.target.value || undefined })}>
            <option value="">All kinds</option>
            {kinds
              .filter(({ name }) => mayDo(me, 'feed', name))
              .map(({ name, many }) => (
                <option key={name} value={name}>
                  {many}
                </option>
              ))}
          </select>
        </label>
        <label className="select">
          <span className="hidden">What happened</span>
          <select value={search.type ?? ''} onChange={(event) => change({ type: event.target.value || undefined })}>
            <option value="">Everything</option>
            {types.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
      </div>
      {events.length === 0 ? (
        <Empty icon="activity" title="Nothing has happened since you opened this page">
          <p>Changes appear here within a moment of being made.</p>
        </Empty>
      ) : (
        <ol className="moments card flush">
          {events.map((event) => (
            <Row key={event.id} event={event} />
          ))}
        </ol>
      )}
    </div>
  )
}
