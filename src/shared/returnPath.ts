const here = 'http://here'

/**
 * The path to return to after sign-in: always on this site. Browsers read `//` and `/\` as the beginning of a host,
 * drop control characters, and resolve `/..`.
 * @returns the path as a browser would write it, or `/` if it is not a path of this site
 */
export const returnPath = (path: unknown): string => {
  if (typeof path !== 'string' || !/^\/(?!\/)/.test(path) || /[\p{Cc}\\]/u.test(path)) return '/'
  const url = URL.parse(path, here)
  if (url === null || url.origin !== here || url.pathname.startsWith('//')) return '/'
  return `${url.pathname}${url.search}${url.hash}`
}

/** An address or a path without slashes at its end. */
export const withoutTrailingSlashes = (text: string): string => text.replace(/(?<!\/)\/+$/, '')
