import { Link } from '@tanstack/react-router'
import { kinds, kindNamed, type Kind } from '../api/kinds.ts'
import { mayDo, useMe } from '../api/permissions.ts'
import { KindIcon } from '../ui/Icon.tsx'

/** What the tree does not lead to by itself stands first. */
const first = ['dataContract', 'dataProduct', 'testCase', 'team', 'user'].map(kindNamed)

const Links = ({ shown }: { shown: readonly Kind[] }) => (
  <ul>
    {shown.map(({ name, many }) => (
      <li key={name}>
        <Link to="/list/$kind" params={{ kind: name }} className="list-link">
          <KindIcon kind={name} size={16} />
          {many}
        </Link>
      </li>
    ))}
  </ul>
)

/** Leads to the list of every kind. */
export const ListsNav = () => {
  const me = useMe()
  const seen = (some: readonly Kind[]): readonly Kind[] => some.filter(({ name }) => mayDo(me, 'view', name))
  return (
    <nav className="lists-nav" aria-label="Lists">
      <Links shown={seen(first)} />
      <details>
        <summary>All lists</summary>
        <Links shown={seen(kinds.filter((kind) => !first.includes(kind) && kind.name !== 'lineage'))} />
      </details>
    </nav>
  )
}
