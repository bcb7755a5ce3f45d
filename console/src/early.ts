import { sendAhead } from './api/ahead.ts'
import { isKind } from './api/kinds.ts'
import * as reads from './api/reads.ts'
import type { Entity, Hits, Me, Page } from './api/types.ts'
import { coverageHeading, entityHeading, homeHeading, listHeading, searchHeading, titleHeading } from './app/heading.ts'
import { applyTheme } from './app/theme.ts'

type Search = Readonly<Record<string, string | undefined>>

/** The heading of a page; without an answer what is known before it. */
type Heading = (answer?: unknown) => HTMLElement | undefined

/** What the page of an address shows first; the heading is made of the answer to the first of the reads. */
interface First {
  readonly reads: readonly reads.Read[]
  readonly heading?: Heading | undefined
}

const home: First = {
  reads: [
    reads.meRead,
    reads.facetsRead(reads.everything, ['kind']),
    reads.searchRead(reads.changedLast, { from: 0, size: reads.homeSize }),
  ],
  heading: (answer) => (answer === undefined ? undefined : homeHeading(answer as Me)),
}

const titled = (title: string, look: string, ...asked: readonly reads.Read[]): First => ({
  reads: asked,
  heading: () => titleHeading(title, look),
})

/** Pages that have an address of their own. */
const pages: Readonly<Record<string, (search: Search) => First>> = {
  '/': () => home,
  '/search': (search) => ({
    reads: [reads.searchRead(reads.requestOf(search), { from: 0, size: reads.searchPageSize })],
    heading: (answer) => (answer === undefined ? undefined : searchHeading(search['q'], answer as Hits)),
  }),
  '/inbox': () => titled('Inbox', 'history', reads.inboxRead()),
  '/inbox/deliveries': () => titled('Notifications', 'history', reads.deliveriesRead),
  '/activity': () => titled('Activity', 'history'),
  '/proposals': (search) => titled('Proposals', 'sections', reads.myProposalsRead(search['role'] ?? 'decide')),
  '/operate': () => titled('Operate', 'sections'),
  '/coverage': (search) => ({
    reads: [reads.coverageRead(search)],
    heading: (answer) => (answer === undefined ? undefined : coverageHeading((answer as { total: number }).total)),
  }),
}

const firstOf = (path: string, search: Search): First | undefined => {
  const page = pages[path]
  if (page !== undefined) return page(search)
  const [first = '', second, ...more] = path.split('/').slice(1).map(decodeURIComponent)
  if (more.length > 0 || second === undefined || second === '') return undefined
  if (first === 'list' && isKind(second)) {
    const read = reads.listRead(second, reads.listFilters(search), reads.listPageSize)
    return {
      reads: [read],
      heading: (answer) => listHeading(second, (answer as Page<Entity> | undefined)?.paging.total),
    }
  }
  if (!isKind(first)) return undefined
  const { asOf } = search
  // Above the heading of a page of the past stands a bar, which only the application makes.
  const heading: Heading = (answer) => (answer === undefined ? undefined : entityHeading(first, answer as Entity))
  return { reads: [reads.entityRead(first, second, asOf)], heading: asOf === undefined ? heading : undefined }
}

/** Puts the heading where the frame shows that it waits; once the application shows its page, that is nowhere. */
const show = async (answer: Promise<Response> | undefined, heading: Heading): Promise<void> => {
  let shown = document.querySelector('#app .main > .skeleton')
  const put = (element: HTMLElement | undefined): void => {
    if (element === undefined) return
    shown?.replaceWith(element)
    shown = element
  }
  put(heading())
  const response = await answer
  if (response?.ok) put(heading(await response.clone().json()))
}

/**
 * Runs before the application has come, and asks for what its page will need: who is signed in, and what the address
 * names. Whoever is about to sign in has nothing to ask for yet.
 */
const askAhead = ({ pathname, search, hash }: Location): void => {
  const path = pathname.slice(reads.basePath.length)
  if (path === '/sign-in' || hash.startsWith('#code=')) return
  const first = firstOf(path, Object.fromEntries(new URLSearchParams(search)))
  sendAhead(reads.addressOf(reads.meRead.path))
  const [answer] = first?.reads.map((read) => sendAhead(reads.addressOf(read.path, read.query))) ?? []
  // The application takes the same answer, and says what is wrong with it.
  if (first?.heading !== undefined) show(answer, first.heading).catch(() => undefined)
}

askAhead(location)
applyTheme()
