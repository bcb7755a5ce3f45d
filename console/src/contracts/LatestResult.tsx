import { isRecord } from '../entity/parts.ts'
import { ValueView } from '../entity/ValueView.tsx'
import { formatNumber, wordsOf } from '../ui/format.ts'
import { Ago } from '../ui/Time.tsx'

const looks: Readonly<Record<string, string>> = {
  Success: 'good',
  Failed: 'bad',
  Aborted: 'bad',
  PartialSuccess: 'status-draft',
}

const Check = ({ name, value }: { name: string; value: Readonly<Record<string, unknown>> }) => {
  const { passed, failed, total, ...lists } = value
  const isEmpty = Number(total ?? 0) === 0
  const details = Object.entries(lists).filter(([, list]) => Array.isArray(list) && list.length > 0)
  return (
    <li>
      <span>
        <strong>{wordsOf(name.replace('Validation', ''))}</strong>{' '}
        <span className="hint">
          {isEmpty
            ? 'nothing is promised of it'
            : `${formatNumber(Number(passed ?? 0))} of ${formatNumber(Number(total))} passed`}
        </span>
        {details.map(([title, list]) => (
          <div key={title} className="result-detail">
            <span className="hint">{wordsOf(title)}</span>
            <ValueView value={list} />
          </div>
        ))}
      </span>
      {!isEmpty && (
        <span className={`badge end ${Number(failed) > 0 ? 'bad' : 'good'}`}>
          {Number(failed) > 0 ? `${formatNumber(Number(failed))} failed` : 'passed'}
        </span>
      )}
    </li>
  )
}

/** How the newest comparison of contract and asset went. */
export const LatestResult = ({ result }: { result: Readonly<Record<string, unknown>> }) => {
  const { status, timestamp, message } = result
  const checks = Object.entries(result).flatMap(([name, value]) =>
    name.endsWith('Validation') && isRecord(value) ? [[name, value] as const] : [],
  )
  return (
    <section className="latest-result" aria-label="Latest result">
      <div className="row">
        <h2>Latest result</h2>
        <span className={`badge ${looks[String(status)] ?? ''}`}>{wordsOf(String(status))}</span>
        {typeof timestamp === 'number' && (
          <span className="hint">
            <Ago time={timestamp} />
          </span>
        )}
      </div>
      {typeof message === 'string' && <p>{message}</p>}
      {checks.length > 0 && (
        <ul className="rows card flush">
          {checks.map(([name, value]) => (
            <Check key={name} name={name} value={value} />
          ))}
        </ul>
      )}
    </section>
  )
}
