import { isRecord } from '../entity/parts.ts'
import { formatNumber, formatVersion, plural, wordsOf } from '../ui/format.ts'
import { Ago } from '../ui/Time.tsx'
import type { Contract } from './queries.ts'

const looks: Readonly<Record<string, string>> = {
  Success: 'good',
  Failed: 'bad',
  Aborted: 'bad',
  PartialSuccess: 'status-draft',
  passed: 'good',
  failed: 'bad',
}

interface Promised {
  readonly part: string
  readonly promise: string
  readonly outcome: 'passed' | 'failed' | 'notChecked'
  readonly reason?: string
}

const partNames: Readonly<Record<string, string>> = {
  schema: 'Columns',
  quality: 'Quality',
  serviceLevel: 'Service levels',
  semantics: 'Rules',
}

/** Promises of one part that are shown before somebody asks for all. */
const shownFirst = 20

const Row = ({ promised }: { promised: Promised }) => (
  <li>
    <span>
      {promised.promise}
      {promised.reason && <div className="hint">{promised.reason}</div>}
    </span>
    <span className={`badge end ${looks[promised.outcome] ?? ''}`}>{wordsOf(promised.outcome).toLowerCase()}</span>
  </li>
)

const Part = ({ part, promises }: { part: string; promises: readonly Promised[] }) => {
  const kept = promises.filter(({ outcome }) => outcome === 'passed').length
  const rest = promises.slice(shownFirst)
  return (
    <section aria-label={`Promises: ${partNames[part] ?? part}`}>
      <h3>
        {partNames[part] ?? wordsOf(part)}{' '}
        <span className="hint">
          {formatNumber(kept)} of {formatNumber(promises.length)} passed
        </span>
      </h3>
      <ul className="rows card flush">
        {promises.slice(0, shownFirst).map((promised, at) => (
          <Row key={at} promised={promised} />
        ))}
      </ul>
      {rest.length > 0 && (
        <details>
          <summary>{plural(rest.length, 'more promise')}</summary>
          <ul className="rows card flush">
            {rest.map((promised, at) => (
              <Row key={at} promised={promised} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

const isPromised = (value: unknown): value is Promised => isRecord(value) && typeof value['promise'] === 'string'

/** How the newest comparison of contract and asset went, promise by promise. */
export const LatestResult = ({ contract }: { contract: Contract }) => {
  const result = contract.latestResult ?? {}
  const { status, timestamp, message, contractVersion, assetVersion, promises } = result
  const all = Array.isArray(promises) ? promises.filter(isPromised) : []
  return (
    <section className="latest-result" aria-label="Latest result">
      <div className="row">
        <h2>Latest result</h2>
        <span className={`badge ${looks[String(status)] ?? ''}`}>{wordsOf(String(status))}</span>
        {contract.latestResultStale && (
          <span className="badge" title="The contract or the asset has changed since. Validate again.">
            stale
          </span>
        )}
        {typeof timestamp === 'number' && (
          <span className="hint">
            <Ago time={timestamp} />
          </span>
        )}
        {typeof contractVersion === 'number' && typeof assetVersion === 'number' && (
          <span className="hint">
            contract {formatVersion(contractVersion)}, asset {formatVersion(assetVersion)}
          </span>
        )}
      </div>
      {typeof message === 'string' && <p>{message}</p>}
      {[...Map.groupBy(all, ({ part }) => part)].map(([part, some]) => (
        <Part key={part} part={part} promises={some} />
      ))}
    </section>
  )
}
