import { route, pathParameter, type Answer, type Route } from '../http/route.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HttpError } from '../http/problemDetails.ts'

/** Escapes a text for HTML, including quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** Files of the viewer, by requested name. */
const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

/** Shows the part given by `?part=` or by the operation in `#/`, since the whole document is slow in a browser. */
const starter = `window.onload = () => {
  const viewer = document.getElementById('viewer')
  const parts = document.getElementById('part')
  const operation = decodeURIComponent(location.hash.split('/')[1] ?? '')
  parts.value = new URLSearchParams(location.search).get('part') ?? (operation || 'tables')
  parts.onchange = () => location.assign('?part=' + encodeURIComponent(parts.value))
  window.ui = SwaggerUIBundle({
    url: viewer.dataset.document + (parts.value && '?part=' + encodeURIComponent(parts.value)),
    dom_id: '#viewer',
    deepLinking: true,
    docExpansion: parts.value ? 'list' : 'none',
    defaultModelsExpandDepth: -1,
    filter: true,
    validatorUrl: null,
    persistAuthorization: false,
    syntaxHighlight: { activated: false },
  })
}
`

const page = (base: string, parts: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Metadata catalog API</title>
<link rel="icon" type="image/png" href="${base}/docs/favicon-32x32.png">
<link rel="stylesheet" href="${base}/docs/swagger-ui.css">
</head>
<body>
<p style="font: 1rem sans-serif; margin: 1rem auto; max-width: 1420px; padding: 0 20px"><label>Part of the API
<select id="part"><option value="">everything (slow)</option>${parts.map((part) => `<option>${escapeHtml(part)}</option>`).join('')}</select></label></p>
<div id="viewer" data-document="${base}/openapi.json"></div>
<script src="${base}/docs/swagger-ui-bundle.js"></script>
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

/** Folder of the bundled viewer. */
const folder = fileURLToPath(new URL('../../../dist/apiViewer', import.meta.url))

/** Routes of the documentation page. @param parts parts of the document */
export const docsRoutes = (parts: () => readonly string[]): Route[] => {
  const loaded = new Map<string, Promise<Buffer>>()

  const load = (file: string): Promise<Buffer> => {
    let bytes = loaded.get(file)
    if (bytes === undefined) loaded.set(file, (bytes = readFile(join(folder, file))))
    return bytes
  }

  const asset = async (file: string): Promise<Answer> => {
    if (file === 'start.js') return { status: 200, body: starter, contentType: script, headers: cacheable }
    const contentType = Object.hasOwn(assets, file) ? assets[file] : undefined
    if (contentType === undefined) throw new HttpError('NOT_FOUND', 'The documentation has no such file.')
    return { status: 200, body: await load(file), contentType, headers: cacheable }
  }

  return [
    route('get', '/docs', 'read_documentation', {
      summary: 'This API, to read and to try in a browser',
      tag: 'system',
      permission: 'open',
      answers: { 200: { description: 'A page', contentType: 'text/html' } },
      handle: async (request) => ({
        status: 200,
        body: page(escapeHtml(new URL(request.baseUrl).pathname), parts()),
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
