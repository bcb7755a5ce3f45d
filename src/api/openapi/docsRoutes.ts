import { z } from 'zod'
import { route, queryParameter, type Route } from '../http/route.ts'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { escapeHtml } from '../../shared/escape.ts'

const viewer = 'openapi-explorer.min.js'

const style = `body { margin: 0; height: 100dvh; display: flex; flex-direction: column; font: 1rem system-ui, sans-serif }
header { padding: 0.5rem 1rem }
select { font: inherit; max-width: 60vw }
openapi-explorer { flex: 1; min-height: 0 }`

const page = (base: string, parts: readonly string[], part: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Metadata catalog API</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<script type="module" src="${base}/docs/${viewer}"></script>
</head>
<body>
<header><form action="${base}/docs"><label>Part of the API
<select name="part">${[...parts, ''].map((each) => `<option value="${escapeHtml(each)}"${each === part ? ' selected' : ''}>${escapeHtml(each) || 'everything (slow)'}</option>`).join('')}</select></label> <button>Show</button></form></header>
<openapi-explorer spec-url="${base}/openapi.json${part && `?part=${escapeHtml(encodeURIComponent(part))}`}" fetch-credentials="same-origin" hide-server-selection></openapi-explorer>
</body>
</html>
`

const security = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

const file = fileURLToPath(new URL(`../../../dist/apiViewer/${viewer}`, import.meta.url))

/** Routes of the documentation page. @param parts parts of the document, since the whole of it is slow in a browser */
export const docsRoutes = (parts: () => readonly string[]): Route[] => [
  route('get', '/docs', 'read_documentation', {
    summary: 'Interactive documentation of this API',
    tag: 'system',
    permission: 'open',
    parameters: [
      queryParameter('part', 'The part to show, such as search; empty: all of it; left out: tables', z.string()),
    ],
    answers: { 200: { description: 'A page', contentType: 'text/html' } },
    handle: async ({ baseUrl, query }) => ({
      status: 200,
      body: page(escapeHtml(new URL(baseUrl).pathname), parts(), query.get('part') ?? 'tables'),
      contentType: 'text/html; charset=utf-8',
      headers: security,
    }),
  }),
  route('get', `/docs/${viewer}`, 'read_documentation_file', {
    summary: 'The script of the documentation page',
    tag: 'system',
    permission: 'open',
    answers: { 200: { description: 'The script', contentType: 'text/javascript' } },
    handle: async () => ({
      status: 200,
      body: await readFile(file),
      contentType: 'text/javascript; charset=utf-8',
      headers: { ...security, 'Cache-Control': 'public, max-age=3600' },
    }),
  }),
]
