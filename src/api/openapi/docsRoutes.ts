import { z } from 'zod'
import { route, pathParameter, queryParameter, type Answer, type Route } from '../http/route.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { escapeHtml } from '../../shared/escape.ts'
import { HttpError } from '../http/problemDetails.ts'

const viewer = 'openapi-explorer.min.js'

/** Reloads the page with the chosen part, since the whole document is slow in a browser. */
const starter = `const part = document.querySelector('select')
part.onchange = () => location.assign('?part=' + encodeURIComponent(part.value))
`

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
<header><label>Part of the API
<select>${[...parts, ''].map((each) => `<option value="${escapeHtml(each)}"${each === part ? ' selected' : ''}>${escapeHtml(each) || 'everything (slow)'}</option>`).join('')}</select></label></header>
<openapi-explorer spec-url="${base}/openapi.json${part && `?part=${escapeHtml(encodeURIComponent(part))}`}" fetch-credentials="same-origin" hide-server-selection></openapi-explorer>
<script src="${base}/docs/start.js"></script>
</body>
</html>
`

const security = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

const cacheable = { ...security, 'Cache-Control': 'public, max-age=3600' }

const script = 'text/javascript; charset=utf-8'

const folder = fileURLToPath(new URL('../../../dist/apiViewer', import.meta.url))

/** Routes of the documentation page. @param parts parts of the document */
export const docsRoutes = (parts: () => readonly string[]): Route[] => {
  const asset = async (file: string): Promise<Answer> => {
    if (file === 'start.js') return { status: 200, body: starter, contentType: script, headers: cacheable }
    if (file !== viewer) throw new HttpError('NOT_FOUND', 'The documentation has no such file.')
    return { status: 200, body: await readFile(join(folder, file)), contentType: script, headers: cacheable }
  }

  return [
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
    route('get', '/docs/{file}', 'read_documentation_file', {
      summary: 'A file of the documentation page',
      tag: 'system',
      permission: 'open',
      parameters: [pathParameter('file', 'Name of the file')],
      answers: { 200: { description: 'The file', contentType: '*/*' } },
      handle: (request) => asset(request.params.file ?? ''),
    }),
  ]
}
