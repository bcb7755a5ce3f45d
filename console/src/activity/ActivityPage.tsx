import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../api/permissions.ts'
import { RequestLink } from '../requests/RequestLink.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { More } from '../ui/More.tsx'
import { Empty, QueryResult, Retry } from '../ui/States.tsx'
import { formatNumber } from '../ui/format.ts'
import { Ago } from '../ui/Time.tsx'
import { activityQuery, deedOfEntry, deedOfEvent, endQuery, type ActivityFilter, type Deed } from './deeds.ts'
import { Filters } from './Filters.tsx'
import { kept, useLive, type Connection } from './live.ts'
import { useTitle } from '../ui/useTitle.ts'

const connections: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'The connection was lost. The page reconnects automatically and misses nothing.',
}

const Row = ({ deed: { user, says, entity, time, position, correlationId } }: { deed: Deed }) => (
  <li className="moment">
    <Avatar name={user} />
    <div className="moment-body">
      <p>
        <strong>{user}</strong> {says.before} <EntityLink reference={entity} /> {says.after}
      </p>
      <p className="hint">
        <Ago time={time} /> · <bdi>{entity.fullyQualifiedName}</bdi> · position {position} ·{' '}
        <RequestLink correlationId={correlationId} />
      </p>
    </div>
  </li>
)

const Live = ({ on, connection, turn }: { on: boolean; connection: Connection; turn: () => void }) => (
  <div className="row">
    <span className={`badge ${on && connection === 'live' ? 'good' : ''}`} role="status">
      {on ? connections[connection] : 'Paused'}
    </span>
    <Button icon={on ? 'pause' : 'play'} onClick={turn}>
      {on ? 'Pause' : 'Go on'}
    </Button>
  </div>
)

/** What happened since the page was opened stands above what happened before; each event once, and none left out. */
const useDeeds = (filter: ActivityFilter, on: boolean) => {
  const may = { feed: useMay('feed'), history: useMay('history') }
  const end = useQuery({ ...endQuery, enabled: may.feed })
  const live = useLive(filter, on ? end.data : undefined)
  const knowsEnd = !may.feed || end.isFetched
  const past = useInfiniteQuery({ ...activityQuery(filter, end.data), enabled: may.history && knowsEnd })
  const fresh = live.events.map(deedOfEvent).filter(({ user }) => filter.user === undefined || user === filter.user)
  const before = past.data?.pages.flatMap(({ data }) => data.map(deedOfEntry)) ?? []
  const seen = new Set(before.map(({ position }) => position))
  return {
    may,
    live,
    end,
    past,
    isKnown: may.history ? past.data !== undefined : knowsEnd,
    deeds: [...fresh.filter(({ position }) => !seen.has(position)), ...before],
  }
}

const Nothing = () => (
  <Empty icon="activity" title="No matching activity">
    <p>Remove a filter. New changes appear here as they happen.</p>
  </Empty>
)

/** What people did, and what happens as it happens. */
export const ActivityPage = () => {
  useTitle('Activity')
  const filter = useSearch({ strict: false }) as ActivityFilter
  const navigate = useNavigate()
  const [on, setOn] = useState(true)
  const { may, live, end, past, isKnown, deeds } = useDeeds(filter, on)
  if (!may.feed && !may.history) return <Empty icon="activity" title="Your roles do not allow you to see activity" />
  return (
    <div className="page history">
      <div className="section-head">
        <h1>Activity</h1>
        {may.feed && <Live on={on} connection={live.connection} turn={() => setOn(!on)} />}
      </div>
      <Filters
        filter={filter}
        change={(changed) =>
          void navigate({ to: '/activity', search: (now: ActivityFilter) => ({ ...now, ...changed }) })
        }
      />
      {end.error !== null && (
        <Retry words="New changes do not appear here." error={end.error} retry={() => void end.refetch()} />
      )}
      {may.history && <QueryResult query={past}>{() => null}</QueryResult>}
      {live.events.length === kept && (
        <p className="hint">
          Only the newest {formatNumber(kept)} changes since then are shown. Reload the page to see all of them.
        </p>
      )}
      {deeds.length === 0 && isKnown && !past.hasNextPage && <Nothing />}
      {deeds.length > 0 && (
        <ol className="moments card flush">
          {deeds.map((deed) => (
            <Row key={deed.position} deed={deed} />
          ))}
        </ol>
      )}
      <More pages={past} />
    </div>
  )
}
