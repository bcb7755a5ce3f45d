import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { Problem } from './api/client.ts'
import { isKind } from './api/kinds.ts'
import { entityQuery, facetsQuery, listQuery, meQuery, queryClient, searchQuery } from './api/queries.ts'
import { basePath, changedLast, everything, homeSize, listFilters, listPageSize, requestOf } from './api/reads.ts'
import { coverageQuery } from './coverage/queries.ts'
import { HomePage } from './app/HomePage.tsx'
import { Shell } from './app/Shell.tsx'
import { EntityPage } from './entity/EntityPage.tsx'
import { FindPage } from './find/FindPage.tsx'
import { deliveriesQuery, inboxQuery } from './inbox/queries.ts'
import { ListPage } from './lists/ListPage.tsx'
import { myQuery } from './proposals/queries.ts'
import { returnPath } from '../../src/shared/returnPath.ts'
import { SignInPage } from './session/SignInPage.tsx'
import { part } from './ui/part.ts'
import { Broken, Empty } from './ui/States.tsx'
import { toast } from './ui/toasts.tsx'

/** Everything in the address is text. */
type Search = Readonly<Record<string, string | undefined>>

const textSearch = (search: Record<string, unknown>): Search =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
    ),
  )

const rootRoute = createRootRoute({
  validateSearch: textSearch,
})

/** Whatever leads to the sign-in, what it leads back to is a page of the console. */
const signInSearch = (search: Record<string, unknown>): Search => {
  const { return: back, ...others } = textSearch(search)
  return back === undefined ? others : { ...others, return: returnPath(back) }
}

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: SignInPage,
})

/** Every page but the sign-in needs somebody who is signed in. */
const mustBeSignedIn = async ({ location }: { location: { href: string } }): Promise<void> => {
  try {
    await queryClient.ensureQueryData(meQuery)
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error
    throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { return: location.href } })
  }
}

/** A moment that has not come yet would show something else when it has. */
const mustHaveCome = ({ location: { search } }: { location: { search: Search } }): void => {
  const { asOf, ...others } = search
  if (!asOf?.includes('-') || !(Date.parse(asOf) > Date.now())) return
  toast('This moment has not come yet. The page shows the present.')
  throw redirect({ to: '.', search: others, replace: true })
}

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async (place) => {
    await mustBeSignedIn(place)
    mustHaveCome(place)
  },
  component: Shell,
  errorComponent: ({ error }) => (
    <main className="alone">
      <Broken error={error} />
    </main>
  ),
})

const under = () => shellRoute

/** How long the first page may wait for its data before it shows that it waits, in milliseconds. */
const firstWait = 400

let isFirst = true

interface Place {
  readonly params: Readonly<Record<string, string>>
  readonly location: { readonly search: Search }
}

/** The first page is rendered once, with what it shows, where that comes soon; later ones show themselves at once. */
const atFirst =
  (ask: (place: Place) => Promise<unknown>) =>
  async (place: Place): Promise<void> => {
    if (isFirst) await Promise.race([ask(place), new Promise((resolve) => setTimeout(resolve, firstWait))])
  }

const homeRoute = createRoute({
  getParentRoute: under,
  path: '/',
  loader: atFirst(() =>
    Promise.all([
      queryClient.prefetchQuery(facetsQuery(everything, ['kind'])),
      queryClient.prefetchInfiniteQuery(searchQuery(changedLast, homeSize)),
    ]),
  ),
  component: HomePage,
})
const findRoute = createRoute({
  getParentRoute: under,
  path: '/search',
  loader: atFirst(({ location }) => queryClient.prefetchInfiniteQuery(searchQuery(requestOf(location.search)))),
  component: FindPage,
})
const listRoute = createRoute({
  getParentRoute: under,
  path: '/list/$kind',
  loader: atFirst(async ({ params: { kind = '' }, location }) => {
    if (isKind(kind))
      await queryClient.prefetchInfiniteQuery(listQuery(kind, listFilters(location.search), listPageSize))
  }),
  component: ListPage,
})
const activityRoute = createRoute({
  getParentRoute: under,
  path: '/activity',
  component: part(() => import('./activity/ActivityPage.tsx'), 'ActivityPage'),
})
const coverageRoute = createRoute({
  getParentRoute: under,
  path: '/coverage',
  loader: atFirst(({ location }) => queryClient.prefetchQuery(coverageQuery(location.search))),
  component: part(() => import('./coverage/CoveragePage.tsx'), 'CoveragePage'),
})
const proposalsRoute = createRoute({
  getParentRoute: under,
  path: '/proposals',
  loader: atFirst(({ location }) => queryClient.prefetchInfiniteQuery(myQuery(location.search['role'] ?? 'decide'))),
  component: part(() => import('./proposals/ProposalsPage.tsx'), 'ProposalsPage'),
})
const inboxRoute = createRoute({
  getParentRoute: under,
  path: '/inbox',
  loader: atFirst(() => queryClient.prefetchInfiniteQuery(inboxQuery)),
  component: part(() => import('./inbox/InboxPage.tsx'), 'InboxPage'),
})
const deliveriesRoute = createRoute({
  getParentRoute: under,
  path: '/inbox/deliveries',
  loader: atFirst(() => queryClient.prefetchQuery(deliveriesQuery)),
  component: part(() => import('./inbox/DeliveriesPage.tsx'), 'DeliveriesPage'),
})
const operateRoute = createRoute({
  getParentRoute: under,
  path: '/operate',
  component: part(() => import('./operate/OperatePage.tsx'), 'OperatePage'),
})
const webhookRoute = createRoute({
  getParentRoute: under,
  path: '/operate/webhooks/$id',
  component: part(() => import('./operate/WebhookPage.tsx'), 'WebhookPage'),
})
const requestRoute = createRoute({
  getParentRoute: under,
  path: '/requests/$correlationId',
  component: part(() => import('./requests/RequestPage.tsx'), 'RequestPage'),
})
const createPageRoute = createRoute({
  getParentRoute: under,
  path: '/new/$kind',
  component: part(() => import('./forms/CreatePage.tsx'), 'CreatePage'),
})
const entityRoute = createRoute({
  getParentRoute: under,
  path: '/$kind/$fqn',
  loader: atFirst(async ({ params: { kind = '', fqn = '' }, location }) => {
    if (isKind(kind)) await queryClient.prefetchQuery(entityQuery(kind, fqn, location.search['asOf']))
  }),
  component: EntityPage,
})

const notFoundRoute = createRoute({
  getParentRoute: under,
  path: '$',
  component: () => (
    <Empty icon="search" title="Page not found">
      <p>Use the search above to find what you need.</p>
    </Empty>
  ),
})

const pages = [
  homeRoute,
  findRoute,
  listRoute,
  activityRoute,
  requestRoute,
  coverageRoute,
  proposalsRoute,
  inboxRoute,
  deliveriesRoute,
  operateRoute,
  webhookRoute,
  createPageRoute,
  entityRoute,
  notFoundRoute,
]

export const router = createRouter({
  routeTree: rootRoute.addChildren([signInRoute, shellRoute.addChildren(pages)]),
  basepath: basePath === '' ? '/' : basePath,
  defaultPreload: false,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(textSearch(search) as Record<string, string>).toString()
    return text === '' ? '' : `?${text}`
  },
  defaultErrorComponent: Broken,
})

/** Makes ready what the address names, before the first page is rendered. */
export const loadFirst = async (): Promise<void> => {
  await router.load()
  isFirst = false
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
