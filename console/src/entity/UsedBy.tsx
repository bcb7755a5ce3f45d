import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { kindNamed } from '../api/kinds.ts'
import { useMay } from '../api/permissions.ts'
import { usedByQuery, usesQuery, type UseGroup } from '../api/queries.ts'
import { useMoment } from '../tree/place.ts'
import { EntityLink } from '../ui/EntityLink.tsx'
import { ShowMore } from '../ui/More.tsx'
import { Empty, QueryResult } from '../ui/States.tsx'
import { formatNumber, inSentence, wordsOf } from '../ui/format.ts'
import { useShown } from './context.ts'

/** What people and teams do with what refers to them. */
const roles: Readonly<Record<string, string>> = {
  owners: 'Owns',
  followers: 'Follows',
  experts: 'Expert of',
  reviewers: 'Reviews',
}

/** Members by which the search page narrows. */
const facetOf: Readonly<Record<string, string>> = {
  owners: 'owner',
  tags: 'tag',
  domains: 'domain',
  service: 'service',
}

/** Leads to the same entities on the search page; in the past to their list, as it was then. */
const Narrowed = ({ group: { kind, member }, asOf }: { group: UseGroup; asOf: string | undefined }) => {
  const { fullyQualifiedName } = useShown().loaded.entity
  const facet = facetOf[member]
  if (facet === undefined) return null
  const narrowed = { [facet]: fullyQualifiedName }
  return asOf === undefined ? (
    <Link to="/search" search={{ kind, ...narrowed }}>
      Search these
    </Link>
  ) : (
    <Link to="/list/$kind" params={{ kind }} search={{ ...narrowed, asOf }}>
      Show as a list
    </Link>
  )
}

/** One kind of what refers to the entity by one member. */
const Group = ({ group, asOf }: { group: UseGroup; asOf: string | undefined }) => {
  const { kind, loaded } = useShown()
  const uses = useInfiniteQuery(usesQuery(kind.name, loaded.entity.id, group, asOf))
  const { many } = kindNamed(group.kind)
  const role = roles[group.member]
  const title = role === undefined ? many : `${role} ${inSentence(many)}`
  return (
    <section aria-label={title}>
      <div className="section-head">
        <h2>
          {title} <span className="count">{formatNumber(group.count)}</span>{' '}
          {role === undefined && <small className="hint">by {wordsOf(group.member).toLowerCase()}</small>}
        </h2>
        <Narrowed group={group} asOf={asOf} />
      </div>
      <QueryResult query={uses} lines={2}>
        {({ pages }) => (
          <ul className="below card flush">
            {pages
              .flatMap(({ data }) => data)
              .map(({ entity, paths }) => (
                <li key={entity.id}>
                  <EntityLink reference={entity} />
                  <span className="below-text">
                    {paths
                      .filter((path) => path !== group.member)
                      .map((path) => (
                        <code key={path}>{path.replace(/\.[^.]+$/, '')} </code>
                      ))}
                  </span>
                </li>
              ))}
          </ul>
        )}
      </QueryResult>
      <ShowMore pages={uses} />
    </section>
  )
}

/** Everything that refers to the entity, now or at the moment of the page: by kinds, with exact numbers. */
export const UsedBy = () => {
  const { kind, loaded, asOf } = useShown()
  const { entity } = loaded
  const shared = useMoment()
  const moment = shared ?? (asOf === undefined ? undefined : new Date(entity.updatedAt).toISOString())
  const groups = useQuery(usedByQuery(kind.name, entity.id, moment))
  const mayHistory = useMay('history')
  return (
    <div className="sections">
      {kind.name === 'user' && mayHistory && (
        <p>
          <Link to="/activity" search={{ user: entity.name }}>
            What {entity.displayName ?? entity.name} did
          </Link>
        </p>
      )}
      <QueryResult query={groups} lines={8}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon="link" title={moment === undefined ? 'Nothing refers to it' : 'Nothing referred to it then'} />
          ) : (
            all.map((group) => <Group key={`${group.kind} ${group.member}`} group={group} asOf={moment} />)
          )
        }
      </QueryResult>
    </div>
  )
}
