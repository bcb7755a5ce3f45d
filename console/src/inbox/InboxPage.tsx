import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { More } from '../ui/More.tsx'
import { Empty, Problems, QueryResult } from '../ui/States.tsx'
import { Ago } from '../ui/Time.tsx'
import { inboxQuery, markRead, reasons, type InboxEntry } from './queries.ts'
import { useTitle } from '../ui/useTitle.ts'

const Row = ({ entry, read }: { entry: InboxEntry; read: () => void }) => (
  <li
    className="moment"
    tabIndex={-1}
    aria-label={`${entry.entity.name}: ${entry.summary}${entry.read ? '' : ' (not read)'}`}
  >
    <Avatar name={entry.user} />
    <div className="moment-body">
      <p>
        <EntityLink reference={entry.entity} />: {entry.summary}
      </p>
      <p className="hint">
        <span className={['failed', 'due'].includes(entry.concern) ? 'badge bad' : 'badge'}>
          {reasons[entry.concern]}
        </span>{' '}
        {entry.user} · <Ago time={entry.time} /> · <bdi>{entry.entity.fullyQualifiedName}</bdi>
        {entry.concern === 'proposed' && (
          <>
            {' · '}
            <Link
              to="/$kind/$fqn"
              params={{ kind: entry.entity.type, fqn: entry.entity.fullyQualifiedName }}
              search={{ tab: 'proposals' }}
            >
              Show the proposal
            </Link>
          </>
        )}
      </p>
    </div>
    {!entry.read && (
      <Button
        icon="check"
        onClick={({ currentTarget }) => {
          // The button goes, and would take the focus along.
          currentTarget.closest('li')?.focus()
          read()
        }}
        label={`Mark as read: ${entry.entity.name}`}
      >
        Mark as read
      </Button>
    )}
  </li>
)

/** What others did that concerns me, newest first. */
export const InboxPage = () => {
  useTitle('Inbox')
  const found = useInfiniteQuery(inboxQuery)
  const marking = useMutation({ mutationFn: markRead })
  const entries = found.data?.pages.flatMap(({ data }) => data) ?? []
  const [newest] = entries
  const unread = found.data?.pages[0]?.unread ?? 0
  return (
    <div className="page history">
      <div className="section-head">
        <h1>Inbox</h1>
        <Link to="/inbox/deliveries">Notifications</Link>
        {newest && unread > 0 && (
          <Button
            icon="check"
            onClick={({ currentTarget }) => {
              currentTarget.closest('main')?.focus()
              marking.mutate({ upTo: newest.position })
            }}
          >
            Mark all as read
          </Button>
        )}
      </div>
      <Problems error={marking.error} />
      <QueryResult query={found} lines={6}>
        {() =>
          entries.length === 0 && !found.hasNextPage ? (
            <Empty icon="check" title="Your inbox is empty">
              <p>Changes to what you own or follow, proposals and failures appear here.</p>
            </Empty>
          ) : (
            <ol className="moments card flush">
              {entries.map((entry) => (
                <Row key={entry.position} entry={entry} read={() => marking.mutate({ positions: [entry.position] })} />
              ))}
            </ol>
          )
        }
      </QueryResult>
      <More pages={found} />
    </div>
  )
}
