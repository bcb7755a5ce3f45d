import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Problem } from '../api/client.ts'
import { kindNamed, kindOfHit } from '../api/kinds.ts'
import { searchQuery } from '../api/queries.ts'
import { requestOf, type FindSearch } from '../api/reads.ts'
import type { Hit } from '../api/types.ts'
import { resultCount } from '../app/heading.ts'
import { EntityLink } from '../ui/EntityLink.tsx'
import { KindIcon } from '../ui/Icon.tsx'
import { More } from '../ui/More.tsx'
import { Empty, QueryResult } from '../ui/States.tsx'
import { Tag } from '../ui/Tag.tsx'
import { Ago } from '../ui/Time.tsx'
import { firstLine } from '../ui/firstLine.ts'
import { Chosen, Facets } from './Facets.tsx'
import { useTitle } from '../ui/useTitle.ts'

const Result = ({ hit }: { hit: Hit }) => {
  const entity = hit._source
  const kind = kindOfHit(hit)
  const first = firstLine(entity.description)
  /** Places that the hit does not show by itself. */
  const inside = hit.matchedIn?.filter((path) => path.includes('.')) ?? []
  return (
    <li className="result">
      <KindIcon kind={kind} size={20} badge />
      <div className="result-body">
        <h2>
          <EntityLink reference={{ ...entity, type: kind }} icon={false} />
        </h2>
        <p className="result-path">
          {kindNamed(kind).one} · <code>{entity.fullyQualifiedName}</code>
          {hit.fuzzy && ' · matches a similar word'}
        </p>
        {first && <p className="result-text">{first}</p>}
        {inside.length > 0 && (
          <p className="result-path">
            in{' '}
            {inside.slice(0, 5).map((path) => (
              <code key={path}>{path} </code>
            ))}
            {inside.length > 5 && '…'}
          </p>
        )}
        <div className="result-foot">
          {entity.owners?.slice(0, 3).map((owner) => (
            <EntityLink key={owner.id} reference={owner} />
          ))}
          {entity.tags?.slice(0, 4).map((tag) => (
            <Tag key={`${tag.source} ${tag.tagFQN}`} tag={tag} />
          ))}
          <span className="hint end">
            changed <Ago time={entity.updatedAt} />
          </span>
        </div>
      </div>
    </li>
  )
}

const sorts: readonly (readonly [string, string])[] = [
  ['', 'Best match'],
  ['updatedAt', 'Last changed'],
  ['name', 'Name'],
]

/** What was found, with what it can be narrowed by. Every search has its own address. */
export const FindPage = () => {
  const search = useSearch({ strict: false }) as FindSearch
  useTitle(search.q ? `Search for ${search.q}` : 'Search')
  const navigate = useNavigate()
  const found = useInfiniteQuery({ ...searchQuery(requestOf(search)), placeholderData: keepPreviousData })
  const change = (changed: FindSearch): void =>
    void navigate({ to: '/search', search: (now: FindSearch) => ({ ...now, ...changed }) })
  // Until the answer is there, what is shown is that of another search.
  const total = found.isPlaceholderData ? undefined : found.data?.pages[0]?.hits.total
  const malformed = found.error instanceof Problem && found.error.status === 400 ? found.error : undefined
  return (
    <div className="page find">
      <Facets search={search} onChange={change} />
      <section className="results" aria-label="Results" aria-busy={found.isFetching}>
        <div className="section-head">
          <h1 className="result-count" aria-live="polite">
            {malformed && 'Search'}
            {total ? resultCount(total) : found.isFetching && 'Searching …'}
            {search.q && !malformed && <span className="hint"> for {search.q}</span>}
          </h1>
          <label className="select">
            <span className="hidden">Order</span>
            <select value={search.sort ?? ''} onChange={(event) => change({ sort: event.target.value || undefined })}>
              {sorts.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        <Chosen search={search} onChange={change} />
        {malformed ? (
          <Empty icon="search" title="Invalid search">
            <p>{malformed.errors.map(({ message }) => message).join(' ') || malformed.message}</p>
            <p>
              All words must match; <code>ord*</code> is a prefix, <code>"net revenue"</code> a phrase,{' '}
              <code>tag:PII</code> looks in one place, and AND, OR, NOT and parentheses join.
            </p>
          </Empty>
        ) : (
          <QueryResult query={found} lines={10}>
            {({ pages }) =>
              total?.value === 0 ? (
                <Empty icon="search" title="No results">
                  <p>
                    Try fewer words, a prefix (<code>cust*</code>), or remove filters.
                  </p>
                </Empty>
              ) : (
                <ol className="result-list" inert={found.isPlaceholderData}>
                  {pages
                    .flatMap((page) => page.hits.hits)
                    .map((hit) => (
                      <Result key={hit._id} hit={hit} />
                    ))}
                </ol>
              )
            }
          </QueryResult>
        )}
        <More pages={found} />
      </section>
    </div>
  )
}
