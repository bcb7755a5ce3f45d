import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { kindNamed, kindOfHit, type Kind } from '../api/kinds.ts'
import { mayDo, useMe, viewsAll } from '../api/permissions.ts'
import { facetsQuery, searchQuery } from '../api/queries.ts'
import { changedLast, everything, homeSize, type SearchRequest } from '../api/reads.ts'
import type { Hit } from '../api/types.ts'
import { EntityLink } from '../ui/EntityLink.tsx'
import { KindIcon } from '../ui/Icon.tsx'
import { Empty, QueryResult } from '../ui/States.tsx'
import { greeting } from './heading.ts'
import { formatCompact } from '../ui/format.ts'
import { Ago } from '../ui/Time.tsx'

const groups: readonly { readonly title: string; readonly kinds: readonly string[] }[] = [
  {
    title: 'Data',
    kinds: [
      'database',
      'databaseSchema',
      'table',
      'storedProcedure',
      'topic',
      'container',
      'searchIndex',
      'apiEndpoint',
    ],
  },
  { title: 'Use', kinds: ['dashboard', 'chart', 'pipeline', 'query', 'mlmodel', 'apiCollection'] },
  { title: 'Meaning', kinds: ['domain', 'dataProduct', 'glossaryTerm', 'tag'] },
  { title: 'Trust', kinds: ['dataContract', 'testCase', 'testSuite', 'testDefinition'] },
  { title: 'People', kinds: ['team', 'user'] },
]

const Count = ({ kind, count }: { kind: Kind; count: number | undefined }) => (
  <li>
    <Link to="/list/$kind" params={{ kind: kind.name }} className="kind-count">
      <KindIcon kind={kind.name} size={17} />
      <span>{count === 1 ? kind.one : kind.many}</span>
      <strong>{count === undefined ? '…' : formatCompact(count)}</strong>
    </Link>
  </li>
)

/** How much there is of each kind that one may see, as far as it is known. */
const useCounts = () => {
  const me = useMe()
  const answer = useQuery(facetsQuery(everything, ['kind']))
  const counts = new Map(answer.data?.['kind']?.map(({ value, count }) => [value, count]))
  // Where not everything was counted, what is missing is not known.
  const isWhole = answer.data !== undefined && answer.data['kind']?.every(({ relation }) => relation === undefined)
  const countOf = (kind: string): number | undefined =>
    !mayDo(me, 'view', kind) ? 0 : (counts.get(kind) ?? (isWhole ? 0 : undefined))
  const nothing = answer.isSuccess && [...counts.keys()].every((kind) => ['testDefinition', 'user'].includes(kind))
  return { countOf, isEmpty: nothing && viewsAll(me) }
}

const NothingYet = () => (
  <Empty icon="box" title="The catalog is empty">
    <p>
      Load the demo company with <code>npm run seed</code>, or send your own data through the API.
    </p>
  </Empty>
)

const Counts = ({ countOf }: { countOf: (kind: string) => number | undefined }) => {
  return (
    <div className="kind-groups">
      {groups.map((group) => {
        const there = group.kinds.filter((name) => countOf(name) !== 0)
        return there.length === 0 ? null : (
          <section key={group.title} className="card" aria-label={group.title}>
            <h2>{group.title}</h2>
            <ul>
              {there.map((name) => (
                <Count key={name} kind={kindNamed(name)} count={countOf(name)} />
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

const Row = ({ hit, hit: { _source: entity } }: { hit: Hit }) => (
  <li>
    <EntityLink reference={{ ...entity, type: kindOfHit(hit) }} />
    <span className="hidden">{kindNamed(kindOfHit(hit)).one}</span>
    <span className="hint end">
      {entity.updatedBy}, <Ago time={entity.updatedAt} />
    </span>
  </li>
)

interface BoxProps {
  readonly title: string
  readonly search: Pick<SearchRequest, 'q' | 'owner' | 'sort'>
  readonly empty: string
}

const Box = ({ title, search, empty }: BoxProps) => {
  const found = useInfiniteQuery(searchQuery(search, homeSize))
  const hits = found.data?.pages[0]?.hits.hits ?? []
  return (
    <section className="card flush" aria-label={title}>
      <div className="section-head pad">
        <h2>{title}</h2>
        {hits.length > 0 && (
          <Link to="/search" search={{ ...search }} aria-label={`${title}: show all`}>
            Show all
          </Link>
        )}
      </div>
      <QueryResult query={found}>
        {() =>
          hits.length === 0 ? (
            <p className="hint pad">{empty}</p>
          ) : (
            <ul className="rows">
              {hits.map((hit) => (
                <Row key={hit._id} hit={hit} />
              ))}
            </ul>
          )
        }
      </QueryResult>
    </section>
  )
}

/** Where one begins: what changed last, what is mine, what there is. */
export const HomePage = () => {
  const me = useMe()
  const { countOf, isEmpty } = useCounts()
  return (
    <div className="page home">
      <header>
        <h1>{greeting(me)}</h1>
        <p className="lead">Search above, browse the tree, or start here.</p>
      </header>
      {isEmpty && <NothingYet />}
      <div className="halves">
        <Box title="Recently changed" search={changedLast} empty="Nothing that you may see has changed yet." />
        <Box
          title="Yours"
          search={{ q: '*', owner: me?.user?.fullyQualifiedName ?? me?.name, sort: 'updatedAt' }}
          empty="You do not own anything yet. Entities that you own appear here."
        />
      </div>
      {!isEmpty && <Counts countOf={countOf} />}
    </div>
  )
}
