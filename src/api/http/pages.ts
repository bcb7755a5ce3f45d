import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { extname, join, sep } from 'node:path'
import type { Exchange } from './exchange.ts'
import { acceptedEncodings, contentHash, knownTag } from './preconditions.ts'
import type { Answer } from './route.ts'
import { memoize } from '../../shared/memoize.ts'

/**
 * Finds the page for a path without a route, if any, whatever the request's other headers are.
 * @returns function that makes the answer. @throws HttpError for a malformed precondition
 */
export type Pages = (
  exchange: Pick<Exchange, 'method' | 'path'> & { readonly request: Pick<IncomingMessage, 'headers'> },
) => (() => Answer) | undefined

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

interface File {
  readonly type: string
  readonly bytes: Buffer
  readonly br?: Buffer | undefined
  readonly gzip?: Buffer | undefined
  /** Whether its content is always the same. */
  readonly forever: boolean
  readonly headers: Readonly<Record<string, string>>
}

/** @param compressed precompressed variants by encoding */
const makeFile = (path: string, bytes: Buffer, compressed: Pick<File, 'br' | 'gzip'> = {}): File => {
  const type = types[extname(path)] ?? 'application/octet-stream'
  // Names below /assets/ contain a hash of the content.
  const forever = path.startsWith('/assets/')
  const caching = forever ? 'public, max-age=31536000, immutable' : 'no-cache'
  return { type, bytes, ...compressed, forever, headers: { ...security, 'Cache-Control': caching } }
}

const tagOf = memoize((bytes: Buffer) => `"${contentHash(bytes)}"`)

const answerFile = (file: File, headers: IncomingHttpHeaders): Answer => {
  const accepted = acceptedEncodings(headers)
  const encoding = (['br', 'gzip'] as const).find((each) => file[each] !== undefined && accepted.includes(each))
  const body = encoding === undefined ? file.bytes : (file[encoding] as Buffer)
  const tagged = file.forever ? {} : { ETag: tagOf(body) }
  const known = tagged.ETag && knownTag(headers, tagged.ETag)
  if (known !== undefined) return { status: 304, headers: { ...file.headers, ETag: known } }
  return {
    status: 200,
    contentType: file.type,
    headers: { ...file.headers, ...tagged, ...(encoding !== undefined && { 'Content-Encoding': encoding }) },
    body,
  }
}

const notBuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Metadata catalog</title></head>
<body><h1>Metadata catalog</h1><p>The console is not built: run <code>npm run build</code>.</p>
<p>The API is described at <a href="api/docs">/api/docs</a>.</p></body></html>
`

const filesIn = (folder: string): Map<string, Buffer> => {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    return new Map(
      entries.map((entry) => {
        const file = join(entry.parentPath, entry.name)
        return [file.slice(folder.length).replaceAll(sep, '/').replace(/^\/*/, '/'), readFileSync(file)]
      }),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
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
  const index = makeFile('/index.html', Buffer.from(placed(html, base)))
  const files = new Map<string, File>()
  for (const [path, bytes] of found) {
    if (/\.(br|gz)$/.test(path)) continue
    files.set(path, makeFile(path, bytes, { br: found.get(`${path}.br`), gzip: found.get(`${path}.gz`) }))
  }
  files.set('/index.html', index)
  return ({ method, path, request: { headers } }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const lead = leads[path.replace(/\/$/, '')]
    if (lead !== undefined && (files.has(lead) || lead.startsWith('/api/')))
      return () => ({ status: 302, headers: { ...security, Location: `${base}${lead}` } })
    const file = files.get(path)
    if (file !== undefined) return () => answerFile(file, headers)
    const isPage = path === '/' || (!/^\/(assets|docs)\//.test(path) && /text\/html/.test(headers.accept ?? ''))
    return isPage ? () => answerFile(index, headers) : undefined
  }
}
