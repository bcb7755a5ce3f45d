/**
 * Writes src/generated from the OpenAPI document of the service that stands beside: `npm run generate`.
 * With an address as argument (`npm run generate -- http://127.0.0.1:8585`) it asks the catalog there.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import openapi, { astToString } from 'openapi-typescript'
import { fingerprintOf, shapesOf } from './shapes.js'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Runs the service on an empty folder for as long as `work` takes. */
const withService = async (work) => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-client-'))
  const child = spawn(process.execPath, [here('../../../bin/catalog.js'), 'serve'], {
    env: { ...process.env, CATALOG_DATA_DIR: folder, CATALOG_PORT: '0', CATALOG_LOG_FORMAT: 'text' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await new Promise((found, failed) => {
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
        const [, address] = /listens on (http:\/\/\S+)/.exec(output) ?? []
        if (address !== undefined) found(address)
      })
      child.once('exit', (code) => failed(new Error(`The service ended with ${code}: ${output}`)))
    })
    return await work(url)
  } finally {
    const ended = once(child, 'exit')
    child.kill()
    if (child.exitCode === null) await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

const read = async (url) => {
  const response = await fetch(`${url}/api/openapi.json`)
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`)
  return response.json()
}

const [address] = process.argv.slice(2)
const document = address === undefined ? await withService(read) : await read(address)
const shapes = shapesOf(document)

const types = await openapi(
  { openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, components: { schemas: shapes.schemas } },
  { defaultNonNullable: false },
)

const head = '/* Written by `npm run generate`; do not edit. */\n'

const schemas = astToString(types).split('export interface components {')[1]
const body = schemas.slice(schemas.indexOf('schemas: {') + 'schemas: {'.length, schemas.indexOf('\n    };'))
const plain = body.replaceAll(/^ {4}/gm, '').replaceAll(/components\["schemas"\]\["(\w+)"\]/g, "Schemas['$1']")
writeFileSync(here('../src/generated/schemas.ts'), `${head}\nexport interface Schemas {${plain}\n}\n`)

const lines = Object.entries(shapes.kinds).map(([kind, path]) => `  ${kind}: '${path}',`)
writeFileSync(
  here('../src/generated/kinds.ts'),
  `${head}
/** Of the shapes that this was made from. */
export const fingerprint = '${fingerprintOf(shapes)}'

/** The path below \`/api/v1/\` of each kind. */
export const paths = {
${lines.join('\n')}
} as const
`,
)
