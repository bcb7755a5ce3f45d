import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { Problem } from './api/client.ts'
import { meQuery, queryClient } from './api/queries.ts'
import { basePath } from './api/reads.ts'
import { HomePage } from './app/HomePage.tsx'
import { Shell } from './app/Shell.tsx'
import { EntityPage } from './entity/EntityPage.tsx'
import { FindPage } from './find/FindPage.tsx'
import { ListPage } from './find/ListPage.tsx'
import { SignInPage } from './session/SignInPage.tsx'
import { Empty, Failure } from './ui/States.tsx'

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
  notFoundComponent: () => (
    <Empty icon="search" title="There is no such page">
      <p>Look for what you need with the search above.</p>
    </Empty>
  ),
})

const signInRoute = createRoute({ getParentRoute: () => rootRoute, path: '/sign-in', component: SignInPage })

/** Every page but the sign-in needs somebody who is signed in. */
const mustBeSignedIn = async ({ location }: { location: { href: string } }): Promise<void> => {
  try {
    await queryClient.ensureQueryData(meQuery)
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error
    throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { return: location.href } })
  }
}

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: mustBeSignedIn,
  component: Shell,
  errorComponent: ({ error, reset }) => (
    <main className="alone">
      <Failure error={error} retry={reset} />
    </main>
  ),
})

const under = () => shellRoute

const homeRoute = createRoute({ getParentRoute: under, path: '/', component: HomePage })
const findRoute = createRoute({ getParentRoute: under, path: '/search', component: FindPage })
const listRoute = createRoute({ getParentRoute: under, path: '/list/$kind', component: ListPage })
const activityRoute = createRoute({
  getParentRoute: under,
  path: '/activity',
  component: lazyRouteComponent(() => import('./activity/ActivityPage.tsx'), 'ActivityPage'),
})
const operateRoute = createRoute({
  getParentRoute: under,
  path: '/operate',
  component: lazyRouteComponent(() => import('./operate/OperatePage.tsx'), 'OperatePage'),
})
const webhookRoute = createRoute({
  getParentRoute: under,
  path: '/operate/webhooks/$id',
  component: lazyRouteComponent(() => import('./operate/WebhookPage.tsx'), 'WebhookPage'),
})
const requestRoute = createRoute({
  getParentRoute: under,
  path: '/requests/$correlationId',
  component: lazyRouteComponent(() => import('./requests/RequestPage.tsx'), 'RequestPage'),
})
const createPageRoute = createRoute({
  getParentRoute: under,
  path: '/new/$kind',
  component: lazyRouteComponent(() => import('./forms/CreatePage.tsx'), 'CreatePage'),
})
const entityRoute = createRoute({ getParentRoute: under, path: '/$kind/$fqn', component: EntityPage })

const pages = [
  homeRoute,
  findRoute,
  listRoute,
  activityRoute,
  requestRoute,
  operateRoute,
  webhookRoute,
  createPageRoute,
  entityRoute,
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
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
