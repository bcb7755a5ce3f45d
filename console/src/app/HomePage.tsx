import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { kindNamed, kinds } from '../api/kinds.ts'
import { mayDo, useMe } from '../api/permissions.ts'
import { countQuery, searchQuery } from '../api/queries.ts'
import type { Hit } from '../api/types.ts'
import { EntityLink } from '../ui/EntityLink.tsx'
import { KindIcon } from '../ui/Icon.tsx'
import { Empty } from '../ui/States.tsx'
import { formatCompact } from '../ui/format.ts'
import { Ago } from '../ui/Time.tsx'

const Counts = () => {
  const me = useMe()
  const shown = kinds.filter(({ name }) => mayDo(me, 'view', name))
  const counts = useQueries({ queries: shown.map(({ name }) => countQuery(name)) })
  const filled = shown.flatMap((kind, at) => {
    const count = counts[at]?.data
    return count === undefined || count === 0 ? [] : [{ kind, count }]
  })
  const done = counts.every(({ isPending }) => !isPending)
  if (done && filled.every(({ kind }) => ['testDefinition', 'user'].includes(kind.name))) {
    return (
      <Empty icon="box" title="The catalog is empty">
        <p>
          Fill it with a believable company: <code>npm run seed</code>. Or send your own through the API.
        </p>
      </Empty>
    )
  }
  return (
    <ul className="kind-grid">
      {filled.map(({ kind, count }) => (
        <li key={kind.name}>
          <Link to="/list/$kind" params={{ kind: kind.name }} className="kind-card">
            <KindIcon kind={kind.name} size={20} badge />
            <span>
              <strong>{formatCompact(count)}</strong>
              {count === 1 ? kind.one : kind.many}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

const Row = ({ hit: { _source: entity } }: { hit: Hit }) => (
  <li>
    <EntityLink reference={{ ...entity, type: entity.entityType }} />
    <span className="hint">{kindNamed(entity.entityType).one}</span>
    <span className="hint end">
      {entity.updatedBy}, <Ago time={entity.updatedAt} />
    </span>
  </li>
)

const Box = ({ title, q, sort, empty }: { title: string; q: string; sort?: string; empty: string }) => {
  const found = useInfiniteQuery(searchQuery({ q, sort }, 8))
  const hits = found.data?.pages[0]?.hits.hits ?? []
  return (
    <section className="card flush" aria-label={title}>
      <div className="section-head pad">
        <h2>{title}</h2>
        <Link to="/search" search={{ q, ...(sort && { sort }) }} aria-label={`${title}: show all`}>
          Show all
        </Link>
      </div>
      {hits.length === 0 && !found.isPending ? (
        <p className="hint pad">{empty}</p>
      ) : (
        <ul className="rows">
          {hits.map((hit) => (
            <Row key={hit._id} hit={hit} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** Where one begins: what there is, what is mine, what changed last. */
export const HomePage = () => {
  const me = useMe()
  const name = me?.user?.displayName ?? me?.name ?? ''
  return (
    <div className="page home">
      <header>
        <h1>Hello, {name}</h1>
        <p className="lead">Look for something above, walk down the tree, or begin here.</p>
      </header>
      <Counts />
      <div className="halves">
        <Box title="Changed last" q="*" sort="updatedAt" empty="Nothing has changed yet." />
        <Box
          title="Yours"
          q={`owner:"${me?.name ?? ''}"`}
          empty="You own nothing yet: whatever names you as its owner is found here."
        />
      </div>
    </div>
  )
}
