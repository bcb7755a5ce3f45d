import { useQuery } from '@tanstack/react-query'
import { useMay } from '../api/permissions.ts'
import { DataTable } from '../ui/DataTable.tsx'
import { formatNumber, formatTime } from '../ui/format.ts'
import { QueryResult } from '../ui/States.tsx'
import { checkpointQuery, witnessesQuery, type Checkpoint, type Witness } from './queries.ts'

const Row = ({ witness }: { witness: Witness }) => (
  <tr>
    <th scope="row">
      <code>{witness.witness}</code>
    </th>
    <td>{witness.size === undefined ? '–' : formatNumber(witness.size)}</td>
    <td>{witness.time ? formatTime(witness.time) : '–'}</td>
    <td>
      {witness.failing ? (
        <span className="badge bad" title={witness.failing.error}>
          failing since {formatTime(witness.failing.since)}
        </span>
      ) : (
        <span className="badge good">well</span>
      )}
    </td>
  </tr>
)

const Signed = ({ checkpoint: { origin, size, root } }: { checkpoint: Checkpoint }) => {
  const { data: witnesses = [] } = useQuery(witnessesQuery)
  return (
    <section aria-label="Audit">
      <h2>Audit</h2>
      <dl className="value-object card">
        <div>
          <dt>Signed checkpoint</dt>
          <dd>
            {formatNumber(size)} events of <code>{origin}</code>
          </dd>
        </div>
        <div>
          <dt>Root of the tree</dt>
          <dd>
            <code>{root}</code>
          </dd>
        </div>
        <div>
          <dt>To verify all of it</dt>
          <dd>
            <code>catalog audit verify</code>, beside the running service
          </dd>
        </div>
      </dl>
      {witnesses.length > 0 && (
        <DataTable label="Witnesses" heads={['Witness', 'Events', 'Taken', 'State']}>
          {witnesses.map((witness) => (
            <Row key={witness.witness} witness={witness} />
          ))}
        </DataTable>
      )}
    </section>
  )
}

/** What the log signs, and who has seen it. */
export const Audit = () => {
  const may = useMay('history')
  const checkpoint = useQuery({ ...checkpointQuery, enabled: may })
  if (!may) return null
  return (
    <QueryResult query={checkpoint} lines={2}>
      {(signed) => <Signed checkpoint={signed} />}
    </QueryResult>
  )
}
