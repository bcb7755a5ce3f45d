const here = 'http://here'

/**
 * The path of the console that somebody comes back to after signing in: a place of this site, never of another.
 * Browsers take `//` and `/\` for the beginning of a host, leave out control characters, and walk `/..` before they look.
 * @returns the path as a browser would write it, `/` for everything that is no such path
 */
export const returnPath = (path: unknown): string => {
  if (typeof path !== 'string' || !/^\/(?!\/)/.test(path) || /[\p{Cc}\\]/u.test(path)) return '/'
  const url = URL.parse(path, here)
  if (url === null || url.origin !== here || url.pathname.startsWith('//')) return '/'
  return `${url.pathname}${url.search}${url.hash}`
}
