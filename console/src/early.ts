import { sendAhead } from './api/ahead.ts'
import { isKind } from './api/kinds.ts'
import * as reads from './api/reads.ts'
import { applyTheme } from './app/theme.ts'

type Search = Readonly<Record<string, string | undefined>>

/** What the page of an address shows first. */
const readOf = (path: string, search: Search): reads.Read | undefined => {
  const [first = '', second, ...more] = path.split('/').slice(1).map(decodeURIComponent)
  if (more.length > 0) return undefined
  if (first === 'search' && second === undefined)
    return reads.searchRead(reads.requestOf(search), { from: 0, size: reads.searchPageSize })
  if (second === undefined || second === '') return undefined
  if (first === 'list' && isKind(second)) return reads.listRead(second, reads.listFilters(search), reads.listPageSize)
  return isKind(first) ? reads.entityRead(first, second, search['asOf']) : undefined
}

/**
 * Runs before the application has come, and asks for what its page will need: who is signed in, and what the address
 * names. Whoever is about to sign in has nothing to ask for yet.
 */
const askAhead = ({ pathname, search, hash }: Location): void => {
  const path = pathname.slice(reads.basePath.length)
  if (path === '/sign-in' || hash.startsWith('#code=')) return
  const given: Search = Object.fromEntries(new URLSearchParams(search))
  for (const read of [reads.meRead, readOf(path, given)])
    if (read !== undefined) sendAhead(reads.addressOf(read.path, read.query))
}

applyTheme()
askAhead(location)
