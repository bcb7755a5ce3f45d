import { isHarmlessName, isPersonName } from './secretNames.ts'

/** What answers show in place of a secret. Sent back, it means the secret that is stored. */
export const mask = '********'

/** Longer texts are no names and no places. */
const maxLength = 1024

/** Words, names, numbers, paths, hosts with ports, patterns: nothing that an address carries its secrets behind. */
const plain = /^[\p{L}\p{N}\p{M} _.,:/\\+*()[\]{}^$|<>'"!~-]*$/u

const email = /^[\w.+-]+@[\w.-]+$/

const address =
  /^((?:[a-z][a-z0-9+.-]*:)*[a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?(?:#(.*))?$/i

const hosts = /^(?:(?:[\w.*-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?:,(?!$)|$))*$/i

/** An address of Oracle that names nobody. */
const thin = /^jdbc:oracle:\w+:@(?:\/\/)?[\w.:/-]+$/i

/** `name=value` of a string that is cut at semicolons; a value in braces or quotes may have some. */
const part = /(?:\{[^{}]*\}|"[^"]*"|'[^']*'|[^;{"'])+/g

const knownTokens =
  /^(?:eyj[\w-]+\.|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-|sk_|pk_live|rk_|dapi[0-9a-f]{8}|aiza|ya29\.|sg\.|hvs\.|-----begin|(?:bearer|basic|digest|negotiate|token|apikey)\s)/i

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Long runs of letters of both cases among digits, or of hexadecimal digits, as no person writes them. */
const isRandom = (word: string): boolean => {
  if (word.length < 20 || uuid.test(word)) return false
  if (word.length >= 32 && /^[0-9a-f]+$/i.test(word) && /\d/.test(word)) return true
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && (word.match(/\d+/g)?.length ?? 0) >= 3
}

/** Does a text look like something that was made to open doors? */
export const looksLikeToken = (text: string): boolean => knownTokens.test(text) || text.split(/[^\w+-]+/).some(isRandom)

const isPlain = (text: string): boolean => text.length <= maxLength && plain.test(text) && !looksLikeToken(text)

/** May a member be called so? Names are shown. */
export const isShownName = (name: string): boolean =>
  name.length <= 256 && !/:\/\/|=|.@/.test(name) && !looksLikeToken(name)

/** The value of a query or of a semicolon string: of people nothing is shown there. */
const shownValue = (name: string, value: string): string =>
  value === '' || /^(?:true|false|yes|no)$/i.test(value) || (isHarmlessName(name) && isPlain(value)) ? value : mask

const shownPair = (pair: string): string => {
  const at = pair.indexOf('=')
  if (at < 0) return pair.trim() === '' ? pair : mask
  const name = pair.slice(0, at)
  return isShownName(name) ? `${name}=${shownValue(name, pair.slice(at + 1))}` : mask
}

const shownPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => (isPlain(segment) ? segment : mask))
    .join('/')

/** `undefined`: it is no address that can be read, and nothing of it may be shown. */
const shownAddress = (text: string): string | undefined => {
  const [, scheme, user, host = '', path = '', query, fragment] = address.exec(text) ?? []
  // A password that has / ? or # in it ends where nobody expects it.
  if (`${path}${query}${fragment}`.includes('@')) return undefined
  if (scheme === undefined || !hosts.test(host)) return undefined
  const shownQuery = query?.split('&').map(shownPair).join('&')
  return (
    scheme +
    (user === undefined ? '' : `${mask}@`) +
    host +
    shownPath(path) +
    (shownQuery === undefined ? '' : `?${shownQuery}`) +
    (fragment === undefined ? '' : `#${isPlain(fragment) ? fragment : mask}`)
  )
}

const shownPairs = (text: string): string => {
  const parts = text.match(part) ?? []
  if (parts.join(';') !== text.replace(/^;+|;+$/g, '') || parts.length === 0) return mask
  const [first = '', ...rest] = parts
  const head = first.includes('=') && !first.includes('://') ? shownPair(first) : shownWhole(first)
  return [head, ...rest.map(shownPair)].join(';') + (text.endsWith(';') ? ';' : '')
}

const shownWhole = (text: string): string => {
  if (thin.test(text)) return text
  if (text.includes('://')) return shownAddress(text) ?? mask
  return isPlain(text) ? text : mask
}

/**
 * What may be seen of a text under this name: all where both are known to be harmless, addresses and semicolon strings
 * without what they carry to get in, else the mask.
 */
export const shownText = (name: string, text: string): string => {
  if (text === '' || text === mask) return text
  if (text.length > 4 * maxLength) return mask
  if (isPersonName(name)) return isPlain(text) || (email.test(text) && !looksLikeToken(text)) ? text : mask
  if (!isHarmlessName(name)) return mask
  return text.includes(';') ? shownPairs(text) : shownWhole(text)
}
