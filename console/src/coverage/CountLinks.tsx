import { Link } from '@tanstack/react-router'
import type { CoverageSearch, Measure } from '../api/reads.ts'
import { formatNumber } from '../ui/format.ts'
import type { Share } from './queries.ts'

interface CountLinksProps {
  readonly share: Share
  readonly measure: Measure
  /** What narrows the assets that were counted. */
  readonly search: CoverageSearch
}

/**
 * How many have it, and how many lack it, each with the list of those. A list is of one kind: where several were counted
 * the same numbers by kind come between.
 */
export const CountLinks = ({ share: { covered, of }, measure, search }: CountLinksProps) => {
  const { kind, domain, owner, service, asOf } = search
  const narrowing = { domain, owner, service, asOf }
  const link = (count: number, has: boolean, words: string) => {
    const text = `${formatNumber(count)} ${words}`
    if (count === 0) return <span>{text}</span>
    return kind === undefined ? (
      <Link to="/coverage" search={narrowing} hash="groups">
        {text}
      </Link>
    ) : (
      <Link to="/list/$kind" params={{ kind }} search={{ ...narrowing, [measure]: String(has) }}>
        {text}
      </Link>
    )
  }
  return (
    <p className="hint with-without">
      {link(covered, true, 'with')} · {link(of - covered, false, 'without')}
    </p>
  )
}
