import { Link, useSearch } from '@tanstack/react-router'
import { ProposalList } from './ProposalList.tsx'
import { myQuery } from './queries.ts'
import { useTitle } from '../ui/useTitle.ts'

const roles = [
  ['decide', 'To decide', 'No proposals to decide on'],
  ['mine', 'Mine', 'You have not proposed anything'],
] as const

/** Proposals that wait for me, and those that I made. */
export const ProposalsPage = () => {
  useTitle('Proposals')
  const { role: asked } = useSearch({ strict: false }) as { role?: string }
  const [role, , none] = roles.find(([name]) => name === asked) ?? roles[0]
  return (
    <div className="page sections">
      <h1>Proposals</h1>
      <nav className="tabs" aria-label="Which proposals">
        {roles.map(([name, title]) => (
          <Link
            key={name}
            to="/proposals"
            search={name === 'decide' ? {} : { role: name }}
            className={name === role ? 'tab on' : 'tab'}
            aria-current={name === role ? 'page' : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <ProposalList key={role} query={myQuery(role)} named none={none} />
    </div>
  )
}
