import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { lineaged } from '../api/kinds.ts'
import { useMay } from '../api/permissions.ts'
import { openCountQuery } from '../api/queries.ts'
import { formatNumber } from '../ui/format.ts'
import { ofThePresent, useEntitySearch } from './EntityPage.tsx'

interface TabsProps {
  readonly withContract: boolean
  readonly withUses: boolean
  readonly id: string
  readonly chosen: string
  readonly changes: number
}

/** The parts of an entity's page; each has its own address. */
export const Tabs = ({ withContract, withUses, id: entityId, chosen, changes }: TabsProps) => {
  const { asOf } = useEntitySearch()
  const mayLineage = useMay('view', 'lineage')
  const { kind = '', fqn = '' } = useParams({ strict: false }) as { kind?: string; fqn?: string }
  const { data: open = 0 } = useQuery(openCountQuery(kind, entityId))
  const counts: Readonly<Record<string, number>> = { history: changes, proposals: open }
  const tabs = [
    ['overview', 'Overview'],
    ...(withContract ? [['contract', 'Contract'] as const] : []),
    ...(lineaged.has(kind) && mayLineage ? [['lineage', 'Lineage'] as const] : []),
    ...(withUses ? [['used-by', kind === 'user' || kind === 'team' ? 'Involved in' : 'Used by'] as const] : []),
    ['proposals', 'Proposals'],
    ['history', 'History'],
  ] as const
  return (
    <nav className="tabs" aria-label="Parts of this page">
      {tabs.map(([id, name]) => (
        <Link
          key={id}
          to="/$kind/$fqn"
          params={{ kind, fqn }}
          search={{
            ...(id !== 'overview' && { tab: id }),
            ...(asOf !== undefined && !ofThePresent.has(id) && { asOf }),
          }}
          className={chosen === id ? 'tab on' : 'tab'}
          aria-current={chosen === id ? 'page' : undefined}
        >
          {name}
          {(counts[id] ?? 0) > 0 && <span className="count">{formatNumber(counts[id] ?? 0)}</span>}
        </Link>
      ))}
    </nav>
  )
}
