import { EntityLink } from '../ui/EntityLink.tsx'
import { plural } from '../ui/format.ts'
import type { Impact, ImpactedAsset } from './impact.ts'

const Asset = ({ asset }: { asset: ImpactedAsset }) => {
  const { type, name, fullyQualifiedName, columns, owners = [], contract, tests = [], depth } = asset
  return (
    <li>
      {fullyQualifiedName === undefined ? (
        <span className="hint">Something that you may not view</span>
      ) : (
        <EntityLink reference={{ type, fullyQualifiedName, ...(name !== undefined && { name }) }} />
      )}{' '}
      {depth > 0 && columns !== undefined && <code>{columns.join(', ')}</code>}
      {owners.length > 0 && (
        <span className="hint"> of {owners.map((owner) => owner.displayName ?? owner.name).join(', ')}</span>
      )}
      {contract !== undefined && contract.columns.length > 0 && (
        <span className="badge bad">its contract promises {contract.columns.join(', ')}</span>
      )}
      {tests.length > 0 && <span className="badge">{plural(tests.length, 'test')}</span>}
    </li>
  )
}

/** What would break, and what stands below it. */
export const ImpactList = ({ impact: { changes, assets, truncated } }: { impact: Impact }) => (
  <section aria-label="What this breaks">
    <ul>
      {changes.map(({ column, change, from, to }) => (
        <li key={`${column} ${change}`}>
          <code>{column}</code>{' '}
          {change === 'removed' ? 'goes' : `becomes ${to ?? 'untyped'}, and was ${from ?? 'untyped'}`}
        </li>
      ))}
    </ul>
    <p>Read by:</p>
    <ul>
      {assets.map((asset) => (
        <Asset key={asset.id} asset={asset} />
      ))}
    </ul>
    {truncated && <p className="hint">There is more.</p>}
  </section>
)
