import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../api/permissions.ts'
import { readinessQuery, type Probe, type Readiness } from '../api/readiness.ts'
import { Button } from '../ui/Button.tsx'
import { DataTable } from '../ui/DataTable.tsx'
import { formatNumber, wordsOf } from '../ui/format.ts'
import { Empty, QueryResult } from '../ui/States.tsx'
import { Ago } from '../ui/Time.tsx'
import { stateWords, versionQuery, webhooksQuery, type Webhook } from './queries.ts'
import { Audit } from './Audit.tsx'
import { Tokens } from './Tokens.tsx'
import { WebhookDialog } from './WebhookDialog.tsx'
import { useTitle } from '../ui/useTitle.ts'

const titles: Readonly<Record<string, string>> = {
  eventStore: 'The log',
  readModels: 'Read models',
  projections: 'Projection',
}

/** How far the log has been read; while that is not all, as a bar: of a rebuild for example. */
const Reached = ({ position, head }: { position: string; head: string | undefined }) => {
  const words = `${formatNumber(BigInt(position))} of ${head === undefined ? '–' : formatNumber(BigInt(head))}`
  return (
    <>
      <p className="mono hint">{words}</p>
      {head !== undefined && position !== head && (
        <progress aria-label={words} max={Number(head)} value={Number(position)} />
      )}
    </>
  )
}

/** The read models that show less than the entities do, such as one that is being built anew. */
const Behind = ({ probe }: { probe: Probe | undefined }) => {
  const { behind = {}, position = '0' } = probe ?? {}
  if (Object.keys(behind).length === 0) return null
  return (
    <ul className="rows card flush" aria-label="Read models that lag behind">
      {Object.entries(behind).map(([projection, { events }]) => {
        const words = `${wordsOf(projection)}: ${formatNumber(events)} more behind`
        const all = Math.max(Number(position), events)
        return (
          <li key={projection}>
            <span>{words}</span>
            <progress className="end" aria-label={words} max={all} value={all - events} />
          </li>
        )
      })}
    </ul>
  )
}

const Probes = ({ data }: { data: Readiness }) => {
  const version = useQuery(versionQuery)
  const engines = version.data?.engines ?? {}
  return (
    <section aria-label="Health">
      <div className="section-head">
        <h2>Health</h2>
        <span className={data.status === 'ready' ? 'badge good' : 'badge bad'} role="status">
          {data.status}
        </span>
      </div>
      <ul className="tiles">
        {Object.entries(data.dependencies).map(([name, probe]) => (
          <li key={name} className="tile card">
            <span className={probe.status === 'up' ? 'lamp up' : 'lamp'} role="img" aria-label={probe.status} />
            <h3>{titles[name] ?? name}</h3>
            <p className="hint">
              {engines[name] ?? (probe.lag !== undefined && `${formatNumber(Number(probe.lag))} behind the log`)}
            </p>
            {probe.position !== undefined && <Reached position={probe.position} head={probe.head} />}
          </li>
        ))}
        {version.data && (
          <li className="tile card">
            <h3>Version</h3>
            <p>{version.data.version}</p>
            <p className="hint">Node {version.data.node}</p>
          </li>
        )}
      </ul>
      <Behind probe={data.dependencies['projections']} />
    </section>
  )
}

const Health = () => <QueryResult query={useQuery(readinessQuery)}>{(data) => <Probes data={data} />}</QueryResult>

const Hook = ({ hook }: { hook: Webhook }) => {
  const [words, look] = stateWords[hook.status.state]
  return (
    <tr>
      <th scope="row">
        <Link to="/operate/webhooks/$id" params={{ id: hook.id }}>
          {hook.name}
        </Link>
      </th>
      <td>
        <code>{hook.endpoint}</code>
      </td>
      <td>
        <span className={`badge ${look}`}>{words}</span>
      </td>
      <td>{formatNumber(Number(hook.status.lag))}</td>
      <td>{formatNumber(hook.status.deadLetters)}</td>
      <td>{hook.status.lastSuccess ? <Ago time={hook.status.lastSuccess.time} /> : '–'}</td>
    </tr>
  )
}

const Webhooks = () => {
  const hooks = useQuery(webhooksQuery)
  const [creating, setCreating] = useState(false)
  return (
    <section aria-label="Webhooks">
      <div className="section-head">
        <h2>Webhooks</h2>
        <Button icon="plus" onClick={() => setCreating(true)}>
          New webhook
        </Button>
      </div>
      <QueryResult query={hooks}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon="hook" title="There are no webhooks yet">
              <p>A webhook sends every change, signed and in order, to a URL that you choose.</p>
            </Empty>
          ) : (
            <DataTable label="Webhooks" heads={['Name', 'Endpoint', 'State', 'Behind', 'Dead letters', 'Last success']}>
              {all.map((hook) => (
                <Hook key={hook.id} hook={hook} />
              ))}
            </DataTable>
          )
        }
      </QueryResult>
      {creating && <WebhookDialog onClose={() => setCreating(false)} />}
    </section>
  )
}

/** How the catalog does: health, positions, and what is sent to others. */
export const OperatePage = () => {
  useTitle('Operate')
  const may = useMay('manage')
  return (
    <div className="page sections">
      <h1>Operate</h1>
      {may ? (
        <>
          <Health />
          <Webhooks />
          <Tokens />
          <Audit />
        </>
      ) : (
        <Empty icon="gear" title="Only administrators operate the catalog" />
      )}
    </div>
  )
}
