import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { measures, type CoverageSearch, type Measure } from '../api/reads.ts'
import { Button } from '../ui/Button.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { QueryResult } from '../ui/States.tsx'
import { formatNumber, formatTime } from '../ui/format.ts'
import { percent, percentOf } from './percent.ts'
import { coverageHistoryQuery, usualDays, type Point } from './queries.ts'

const periods = [
  ['1', 'The last day'],
  ['7', 'The last week'],
  ['30', 'The last month'],
  [String(usualDays), 'The last 90 days'],
  ['365', 'The last year'],
] as const

const width = 800
const height = 180

/** Where a share stands in the drawing: time to the right, percent upwards. */
const pathOf = (points: readonly Point[], measure: Measure): string => {
  const times = points.map(({ time }) => Date.parse(time))
  const [first = 0, last = 1] = [times[0], times.at(-1)]
  const places = points.flatMap(({ measures: shares }, at) => {
    const share = shares[measure]
    if (share === undefined || share.of === 0) return []
    const x = (((times[at] ?? 0) - first) / (last - first)) * width
    return [`${x.toFixed(1)},${(height - (percentOf(share) / 100) * height).toFixed(1)}`]
  })
  return places.join(' ')
}

const Drawing = ({ points }: { points: readonly Point[] }) => (
  <svg className="coverage-line" viewBox={`0 -4 ${width} ${height + 8}`} preserveAspectRatio="none" aria-hidden>
    {[0, 25, 50, 75, 100].map((at) => (
      <line key={at} x1={0} x2={width} y1={height - (at / 100) * height} y2={height - (at / 100) * height} />
    ))}
    {measures.map(({ name }) => (
      <polyline key={name} data-measure={name} points={pathOf(points, name)} />
    ))}
  </svg>
)

const Numbers = ({ points }: { points: readonly Point[] }) => (
  <DataTable label="Coverage over time" heads={['Moment', 'Assets', ...measures.map(({ title }) => title)]}>
    {points.toReversed().map(({ time, total, measures: shares }) => (
      <tr key={time}>
        <th scope="row">{formatTime(time)}</th>
        <td>{formatNumber(total)}</td>
        {measures.map(({ name }) => {
          const share = shares[name]
          return <td key={name}>{share && percent(share)}</td>
        })}
      </tr>
    ))}
  </DataTable>
)

/** From the last moment without assets on. */
const sinceAssets = (points: readonly Point[]): readonly Point[] => {
  const first = points.findIndex(({ total }) => total > 0)
  return first === -1 ? [] : points.slice(first)
}

interface LineProps {
  readonly search: CoverageSearch
  readonly onChange: (changed: CoverageSearch) => void
}

/** The shares over time, as lines or as numbers. */
export const CoverageLine = ({ search, onChange }: LineProps) => {
  const history = useQuery(coverageHistoryQuery(search))
  const [asNumbers, setAsNumbers] = useState(false)
  return (
    <section className="card pad" aria-label="Over time">
      <div className="row">
        <label className="select">
          <span className="hidden">Period</span>
          <select
            value={search.days ?? String(usualDays)}
            onChange={({ target: { value } }) => onChange({ days: value === String(usualDays) ? undefined : value })}
          >
            {periods.map(([days, words]) => (
              <option key={days} value={days}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <ul className="row coverage-legend" aria-label="Lines">
          {measures.map(({ name, title }) => (
            <li key={name} data-measure={name}>
              {title}
            </li>
          ))}
        </ul>
        <Button look="quiet" className="end" aria-pressed={asNumbers} onClick={() => setAsNumbers(!asNumbers)}>
          Show numbers
        </Button>
      </div>
      <QueryResult query={history} lines={6}>
        {(points) => {
          const [first, ...others] = sinceAssets(points)
          const last = others.at(-1)
          if (first === undefined || last === undefined)
            return (
              <p className="hint">
                The assets are too new for a line over this period.{' '}
                {search.days === periods[0][0] ? 'It begins after about an hour.' : 'Choose a shorter one.'}
              </p>
            )
          if (asNumbers) return <Numbers points={[first, ...others]} />
          return (
            <>
              <Drawing points={[first, ...others]} />
              <p className="row hint coverage-ends">
                <span>{formatTime(first.time)}</span>
                <span className="end">{formatTime(last.time)}</span>
              </p>
            </>
          )
        }}
      </QueryResult>
    </section>
  )
}
