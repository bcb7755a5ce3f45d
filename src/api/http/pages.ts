import { globSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import type { Exchange } from './exchange.ts'
import { contentHash } from './preconditions.ts'
import type { Answer } from './route.ts'

/** Finds the page for a path without a route, if any. */
export type Pages = (
  exchange: Pick<Exchange, 'method' | 'path'> & { readonly request: Pick<IncomingMessage, 'headers'> },
) => Answer | undefined

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

const security = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

const answerOf = (path: string, body: Buffer): Answer => {
  // Names below /assets/ contain a hash of the content.
  const caching = path.startsWith('/assets/')
    ? { 'Cache-Control': 'public, max-age=31536000, immutable' }
    : { 'Cache-Control': 'no-cache', ETag: `"${contentHash(body)}"` }
  const contentType = types[extname(path)] ?? 'application/octet-stream'
  return { status: 200, contentType, headers: { ...security, ...caching }, body }
}

const notBuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Metadata catalog</title></head>
<body><h1>Metadata catalog</h1><p>The console is not built: run <code>npm run build</code>.</p>
<p>The API is described at <a href="api/docs">/api/docs</a>.</p></body></html>
`

/** Its files by their paths; none where the folder is missing. */
const filesIn = (folder: string): Map<string, Buffer> => {
  const files = globSync('**', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return new Map(paths.map((path) => [`/${relative(folder, path).replaceAll(sep, '/')}`, readFileSync(path)]))
}

/** Inserts the base path, so that links and calls work behind a proxy's path prefix. */
const placed = (html: string, base: string): string =>
  html
    .replace('<meta name="catalog-base" content="" />', `<meta name="catalog-base" content="${base}" />`)
    .replaceAll(/(src|href)="\.\//g, `$1="${base}/`)

/** The path of a base URL, without a slash at its end: empty if there is none. */
export const basePathOf = (baseUrl: string | undefined): string =>
  baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '')

/** Redirects for addresses that people try. */
const leads: Readonly<Record<string, string>> = { '/docs': '/docs/index.html', '/api': '/api/docs' }

/**
 * Serves the console's files, cached for ever if their name has a hash; its page at every address that a browser opens;
 * and the documentation below `/docs`.
 * @param baseUrl configured public base URL before `/api`, if any
 */
export const makePages = (folder: string, baseUrl: string | undefined): Pages => {
  const base = basePathOf(baseUrl)
  const site = [...filesIn(join(folder, '../docs'))].map(([path, bytes]) => [`/docs${path}`, bytes] as const)
  const found = new Map([...filesIn(folder), ...site])
  const html = found.get('/index.html')?.toString() ?? notBuilt
  found.set('/index.html', Buffer.from(placed(html, base)))
  const files = new Map([...found].map(([path, bytes]) => [path, answerOf(path, bytes)]))
  const index = files.get('/index.html')
  return ({ method, path, request: { headers } }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const lead = leads[path.replace(/\/$/, '')]
    if (lead !== undefined && (files.has(lead) || lead.startsWith('/api/')))
      return { status: 302, headers: { ...security, Location: `${base}${lead}` } }
    const isPage = path === '/' || (!/^\/(assets|docs)\//.test(path) && /text\/html/.test(headers.accept ?? ''))
    return files.get(path) ?? (isPage ? index : undefined)
  }
}
