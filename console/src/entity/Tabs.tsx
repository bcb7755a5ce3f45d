import { Link, useParams } from '@tanstack/react-router'
import { lineaged } from '../api/kinds.ts'
import { useMay } from '../api/permissions.ts'
import { formatNumber } from '../ui/format.ts'
import { useEntitySearch } from './EntityPage.tsx'

interface TabsProps {
  readonly withContract: boolean
  readonly withUses: boolean
  readonly chosen: string
  readonly changes: number
}

/** The parts of an entity's page; each has its own address. */
export const Tabs = ({ withContract, withUses, chosen, changes }: TabsProps) => {
  const { asOf } = useEntitySearch()
  const mayLineage = useMay('view', 'lineage')
  const { kind = '', fqn = '' } = useParams({ strict: false }) as { kind?: string; fqn?: string }
  const tabs = [
    ['overview', 'Overview'],
    ...(withContract ? [['contract', 'Contract'] as const] : []),
    ...(lineaged.has(kind) && mayLineage ? [['lineage', 'Lineage'] as const] : []),
    ...(withUses ? [['used-by', kind === 'user' || kind === 'team' ? 'Involved in' : 'Used by'] as const] : []),
    ['history', 'History'],
  ] as const
  return (
    <nav className="tabs" aria-label="Parts of this page">
      {tabs.map(([id, name]) => (
        <Link
          key={id}
          to="/$kind/$fqn"
          params={{ kind, fqn }}
          search={{ ...(id !== 'overview' && { tab: id }), ...(asOf !== undefined && id !== 'contract' && { asOf }) }}
          className={chosen === id ? 'tab on' : 'tab'}
          aria-current={chosen === id ? 'page' : undefined}
        >
          {name}
          {id === 'history' && changes > 0 && <span className="count">{formatNumber(changes)}</span>}
        </Link>
      ))}
    </nav>
  )
}
