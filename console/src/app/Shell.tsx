import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useMay, useMe } from '../api/permissions.ts'
import { unreadQuery } from '../inbox/queries.ts'
import { ListsNav } from '../lists/ListsNav.tsx'
import { Tree } from '../tree/Tree.tsx'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Mark } from './Mark.tsx'
import { SearchBox } from './SearchBox.tsx'
import { UserMenu } from './UserMenu.tsx'
import { useFocusKept } from '../ui/useFocusKept.ts'

const Nav = () => {
  const feed = useMay('feed')
  const manage = useMay('manage')
  const unread = useQuery(unreadQuery).data ?? 0
  return (
    <nav className="nav" aria-label="Main">
      <Link to="/coverage" className="nav-link">
        <Icon name="chart" size={17} />
        <span>Coverage</span>
      </Link>
      <Link to="/proposals" className="nav-link">
        <Icon name="check" size={17} />
        <span>Proposals</span>
      </Link>
      <Link to="/inbox" className="nav-link" title={unread > 0 ? `${unread} not read` : undefined}>
        <Icon name="download" size={17} />
        <span>Inbox</span>
        {unread > 0 && <span className="count"> {unread < 100 ? unread : '99+'}</span>}
      </Link>
      {feed && (
        <Link to="/activity" className="nav-link">
          <Icon name="activity" size={17} />
          <span>Activity</span>
        </Link>
      )}
      {manage && (
        <Link to="/operate" className="nav-link">
          <Icon name="gear" size={17} />
          <span>Operate</span>
        </Link>
      )}
    </nav>
  )
}

/** The frame of every page: search above, the tree beside, the page in it. */
export const Shell = () => {
  const me = useMe()
  useFocusKept()
  const [open, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => setOpen(false), [path])
  return (
    <div className={open ? 'shell drawer-open' : 'shell'}>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="topbar">
        <Button
          look="quiet"
          icon="menu"
          className="drawer-button"
          label={open ? 'Close the tree' : 'Open the tree'}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
        <Link to="/" className="brand" aria-label="Catalog, home">
          <Mark />
          <span>Catalog</span>
        </Link>
        <SearchBox />
        <Nav />
        {me && <UserMenu me={me} />}
      </header>
      <aside className="sidebar" aria-label="Browse">
        <Tree />
        <ListsNav />
      </aside>
      <button type="button" className="backdrop" tabIndex={-1} aria-hidden="true" onClick={() => setOpen(false)} />
      <main id="main" className="main" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  )
}
