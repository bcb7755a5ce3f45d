import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { adminToken, startBuilt, temporaryDataDir, type RunningService } from '../../test/support/service.ts'
import { temporaryFolder } from '../../test/support/folders.ts'

const here = import.meta.dirname
const root = join(here, '../..')
const dataDir = temporaryDataDir()
let service: RunningService
let document = ''

interface Document {
  paths: Record<string, unknown>
}

/** What the stories need; the generators and compilers take minutes for all thirty kinds. `CATALOG_TEST_GENERATED=all` makes them do it. */
const shown = /^\/v1\/(glossaries|glossaryTerms|search|events)\b/

beforeAll(async () => {
  service = await startBuilt(dataDir.path)
  const whole = (await service.call('GET', '/api/openapi.json')).body as Document
  const all = process.env['CATALOG_TEST_GENERATED'] === 'all'
  const paths = Object.entries(whole.paths).filter(([path]) => all || shown.test(path))
  document = join(dataDir.path, 'openapi.json')
  await writeFile(document, JSON.stringify({ ...whole, paths: Object.fromEntries(paths) }))
})

afterAll(async () => {
  await service.stop('SIGKILL')
  await dataDir.remove()
})

/** Runs a program to its end and gives what it printed; fails with that when it fails. */
const run = async (command: string, args: readonly string[], cwd = here, env = process.env): Promise<string> => {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await ended) as [number | null]
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`)
  return stdout
}

const generator = (name: string, args: readonly string[]): Promise<string> =>
  run(join(here, 'node_modules/.bin', name), args)

/** Compiles what was generated, with the story that uses it, and lets it act out. */
const typescriptStory = async (folder: string): Promise<string> => {
  const config = join(here, folder, 'out/tsconfig.json')
  await writeFile(config, JSON.stringify({ extends: '../../tsconfig.json', include: ['..'] }))
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', config])
  const bundled = join(here, folder, 'out/story.mjs')
  const bundle = [join(here, folder, 'story.ts'), '--file', bundled, '--format', 'esm', '--platform', 'node']
  await run(join(root, 'node_modules/.bin/rolldown'), bundle)
  return run(process.execPath, [bundled, service.url, adminToken])
}

it('openapi-typescript and openapi-fetch make a client that writes, reads, lists, deletes and follows', async () => {
  await rm(join(here, 'openapi-fetch/out'), { recursive: true, force: true })
  await generator('openapi-typescript', [
    document,
    '--default-non-nullable=false',
    '--output',
    join(here, 'openapi-fetch/out/api.ts'),
  ])
  expect(await typescriptStory('openapi-fetch')).toContain('the story is true')
})

it('hey-api makes a client that writes, reads, lists, deletes and follows', async () => {
  await rm(join(here, 'hey-api/out'), { recursive: true, force: true })
  await generator('openapi-ts', ['--input', document, '--output', join(here, 'hey-api/out')])
  expect(await typescriptStory('hey-api')).toContain('the story is true')
})

const dotnet = spawnSync('dotnet', ['--version'], { encoding: 'utf8' })
const major = dotnet.status === 0 ? dotnet.stdout.trim().split('.')[0] : undefined
if (major === undefined) console.warn('skipped: NSwag, since there is no .NET on this machine')

it.skipIf(major === undefined)('NSwag makes a C# client that writes, reads, lists, deletes and follows', async () => {
  const runtime = `Net${major}0`
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'story'))
  for (const file of ['Story.csproj', 'Story.cs', 'Additions.cs'])
    await cp(join(here, 'nswag', file), join(folder, 'story', file))
  await generator('nswag', [
    'openapi2csclient',
    `/runtime:${runtime}`,
    `/input:${document}`,
    `/output:${join(folder, 'story/Catalog.cs')}`,
    '/namespace:CatalogApi',
    '/className:CatalogClient',
    '/generateOptionalParameters:true',
    '/operationGenerationMode:SingleClientFromOperationId',
  ])
  const json = join(here, `node_modules/nswag/bin/binaries/${runtime}/Newtonsoft.Json.dll`)
  const build = ['build', '--nologo', '-v', 'q', '-o', join(folder, 'built'), `-p:Framework=net${major}.0`]
  await run('dotnet', [...build, `-p:NewtonsoftJson=${json}`], join(folder, 'story'))
  expect(await run('dotnet', [join(folder, 'built/Story.dll'), service.url, adminToken])).toContain('the story is true')
})

it('Redocly finds nothing to warn of in the document of the whole API', async () => {
  const whole = join(dataDir.path, 'whole.json')
  await writeFile(whole, JSON.stringify((await service.call('GET', '/api/openapi.json')).body))
  expect(await run(process.execPath, [join(here, 'lint.js'), join(root, 'redocly.yaml'), whole])).toBe('')
})

/** The address of a proxy before the service: the first connection ends without an answer, the fourth in the middle of one. */
const breakingProxy = async (): Promise<string> => {
  let connections = 0
  const server = createServer((asked, response) => {
    const { method, headers } = asked
    const number = ++connections
    if (number === 1) return void response.destroy()
    const passedOn = request(`${service.url}${asked.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode as number, answer.headers)
      if (number !== 4) return void answer.pipe(response)
      response.write('{')
      setImmediate(() => response.destroy())
    })
    asked.pipe(passedOn)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.skipIf(Number(major ?? 0) < 10)(
  'the example in C# writes, asks about the past, lists and follows, also over connections that end early',
  async () => {
    const folder = await temporaryFolder()
    await cp(join(root, 'examples/csharp/Catalog.cs'), join(folder, 'Catalog.cs'))
    const env = { ...process.env, CATALOG_URL: await breakingProxy(), CATALOG_TOKEN: adminToken }
    const said = await run('dotnet', ['run', 'Catalog.cs'], folder, env)
    expect(said).toContain('now: Second. version 0.2')
    expect(said).toContain('before: First.')
    expect(said).toContain('service: csharp')
    expect(said).toMatch(/refused: 400 [^]*\/colour/)
    expect(said.match(/^event: .* csharp by admin$/gm)).toHaveLength(2)
  },
)
