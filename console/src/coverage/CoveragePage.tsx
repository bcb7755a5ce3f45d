import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { assetKinds, kindNamed } from '../api/kinds.ts'
import { mayDo, useMe } from '../api/permissions.ts'
import { measures, type CoverageSearch } from '../api/reads.ts'
import { ListMoment } from '../time/ListMoment.tsx'
import { Button } from '../ui/Button.tsx'
import { Empty, QueryResult } from '../ui/States.tsx'
import { formatNumber } from '../ui/format.ts'
import { CoverageGroups } from './CoverageGroups.tsx'
import { CoverageLine } from './CoverageLine.tsx'
import { percent } from './percent.ts'
import { CountLinks } from './CountLinks.tsx'
import { coverageHistoryQuery, coverageQuery, type Counts } from './queries.ts'
import { useTitle } from '../ui/useTitle.ts'

const groupings = [
  ['kind', 'Kind'],
  ['domain', 'Domain'],
  ['service', 'Service'],
  ['owner', 'Owner'],
] as const

const narrowed = ['domain', 'service', 'owner'] as const

interface ChoicesProps {
  readonly search: CoverageSearch
  readonly onChange: (changed: CoverageSearch) => void
}

/** What is counted, and by what it is grouped; the address keeps it. */
const Choices = ({ search, onChange }: ChoicesProps) => {
  const me = useMe()
  return (
    <div className="list-tools">
      <label className="select">
        By
        <select
          aria-label="Group by"
          value={search.by ?? 'kind'}
          onChange={({ target: { value } }) => onChange({ by: value === 'kind' ? undefined : value })}
        >
          {groupings.map(([by, title]) => (
            <option key={by} value={by}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label className="select">
        Of
        <select
          aria-label="Assets"
          value={search.kind ?? ''}
          onChange={({ target: { value } }) => onChange({ kind: value || undefined })}
        >
          <option value="">all assets</option>
          {assetKinds
            .filter((kind) => mayDo(me, 'view', kind))
            .map((kind) => (
              <option key={kind} value={kind}>
                {kindNamed(kind).many}
              </option>
            ))}
        </select>
      </label>
      {narrowed.map((name) => {
        const value = search[name]
        return (
          value !== undefined && (
            <Button
              key={name}
              look="quiet"
              icon="close"
              title={`Remove the filter ${name} ${value}`}
              onClick={() => onChange({ [name]: undefined })}
            >
              {groupings.find(([by]) => by === name)?.[1]}: {value}
            </Button>
          )
        )
      })}
    </div>
  )
}

const Whole = ({ counts, search }: { counts: Counts; search: CoverageSearch }) => (
  <ul className="tiles" aria-label="All of them">
    {measures.map(({ name, title }) => {
      const share = counts.measures[name]
      return (
        share && (
          <li key={name} className="tile card" data-measure={name}>
            <h3>{title}</h3>
            <p className="big">{percent(share)}</p>
            <CountLinks share={share} measure={name} search={search} />
          </li>
        )
      )
    })}
  </ul>
)

/** How many assets are described, owned, classified, under contract and tested, at any moment and over time. */
export const CoveragePage = () => {
  useTitle('Coverage')
  const search = useSearch({ strict: false }) as CoverageSearch
  const navigate = useNavigate()
  usePrefetchQuery(coverageHistoryQuery(search))
  const coverage = useQuery(coverageQuery(search))
  const change = (changed: CoverageSearch): void =>
    void navigate({ to: '.', search: (now: object) => ({ ...now, ...changed }) })
  return (
    <div className="page coverage-page">
      <header className="section-head">
        <h1>
          Coverage <span className="count">{coverage.data && formatNumber(coverage.data.total)}</span>
        </h1>
        <div className="row">
          <ListMoment asOf={search.asOf} />
        </div>
      </header>
      <Choices search={search} onChange={change} />
      <QueryResult query={coverage} lines={8}>
        {(counts) =>
          counts.total === 0 ? (
            <Empty title={search.asOf === undefined ? 'No assets' : 'No assets then'}>
              <p>Choose another kind, remove a filter, or choose another moment.</p>
            </Empty>
          ) : (
            <>
              <Whole counts={counts} search={search} />
              <CoverageLine search={search} onChange={change} />
              <CoverageGroups coverage={counts} search={search} />
            </>
          )
        }
      </QueryResult>
    </div>
  )
}
