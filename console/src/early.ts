import { sendAhead } from './api/ahead.ts'
import { isKind } from './api/kinds.ts'
import * as reads from './api/reads.ts'
import type { Entity, Me, Page } from './api/types.ts'
import { entityHeading, homeHeading, listHeading } from './app/heading.ts'
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

const firstOf = (path: string, search: Search): First | undefined => {
  const [first = '', second, ...more] = path.split('/').slice(1).map(decodeURIComponent)
  if (more.length > 0) return undefined
  if (first === '') return home
  if (first === 'search' && second === undefined)
    return { reads: [reads.searchRead(reads.requestOf(search), { from: 0, size: reads.searchPageSize })] }
  if (second === undefined || second === '') return undefined
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
const show = async (answer: Promise<Response>, heading: Heading): Promise<void> => {
  let shown = document.querySelector('#app .main > .skeleton')
  const put = (element: HTMLElement | undefined): void => {
    if (element === undefined) return
    shown?.replaceWith(element)
    shown = element
  }
  put(heading())
  const response = await answer
  if (response.ok) put(heading(await response.clone().json()))
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
  if (answer !== undefined && first?.heading !== undefined) show(answer, first.heading).catch(() => undefined)
}

askAhead(location)
applyTheme()
