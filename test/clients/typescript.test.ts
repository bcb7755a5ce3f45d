import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { fingerprint } from '../../clients/typescript/src/generated/kinds.ts'
import { Catalog, CatalogProblem, type Checkpoint } from '../../clients/typescript/src/index.ts'
import { fileCheckpoint } from '../../clients/typescript/src/node.ts'
import { temporaryFolder } from '../support/folders.ts'
import { adminToken, startBuilt, temporaryDataDir, type RunningService } from '../support/service.ts'

const root = resolve(import.meta.dirname, '../..')
const clientFolder = join(root, 'clients/typescript')
const dataDir = temporaryDataDir()
let service: RunningService
let catalog: Catalog

beforeAll(async () => {
  service = await startBuilt(dataDir.path)
  catalog = new Catalog({ url: service.url, token: () => adminToken })
})

afterAll(async () => {
  await service.stop('SIGKILL')
  await dataDir.remove()
})

const problemOf = async (work: Promise<unknown>): Promise<CatalogProblem> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(CatalogProblem)
  return error as CatalogProblem
}

const terms = async (glossary: string, count: number): Promise<void> => {
  await catalog.kind('glossary').upsert({ name: glossary })
  const names = Array.from({ length: count }, (_, index) => ({ name: `t${index}`, glossary }))
  for (const term of names) await catalog.kind('glossaryTerm').upsert(term)
}

describe('the TypeScript client', () => {
  it('has types made from the API as it is; else run `npm run generate` in clients/typescript', async () => {
    const { fingerprintOf, shapesOf } = (await import(join(clientFolder, 'scripts/shapes.js'))) as {
      fingerprintOf: (shapes: unknown) => string
      shapesOf: (document: unknown) => unknown
    }
    const document = (await service.call('GET', '/api/openapi.json', undefined, { token: null })).body as unknown
    expect(fingerprintOf(shapesOf(document))).toBe(fingerprint)
  })

  it('creates, changes, reads the past of, deletes and restores an entity', async () => {
    const glossaries = catalog.kind('glossary')
    const made = await glossaries.create({ name: 'life', description: 'First.' })
    const merged = await glossaries.patch(made, { description: 'Second.' }, { ifMatch: made })
    await glossaries.patch('life', [{ op: 'add', path: '/displayName', value: 'Life' }])
    expect([made.version, merged.version, (await glossaries.get('life')).displayName]).toEqual([0.1, 0.2, 'Life'])
    expect((await glossaries.get(made, { asOf: 0.1 })).description).toBe('First.')
    expect((await glossaries.get(made, { asOf: 'v0.2' })).description).toBe('Second.')
    expect((await glossaries.get(made, { asOf: new Date() })).displayName).toBe('Life')
    expect(await glossaries.diff(made, 0.1, 0.2)).toContainEqual({
      op: 'replace',
      path: '/description',
      value: 'Second.',
    })
    expect((await glossaries.revert(made, 0.1)).description).toBe('First.')
    expect((await glossaries.versions('life').all()).map(({ version }) => version)).toEqual([0.4, 0.3, 0.2, 0.1])
    expect((await glossaries.history('life').all()).map(({ type }) => type)).toEqual([
      'Created',
      'Updated',
      'Updated',
      'Updated',
    ])
    await glossaries.delete('life')
    expect((await problemOf(glossaries.get('life'))).code).toBe('NOT_FOUND')
    expect((await glossaries.restore(made)).deleted).toBe(false)
  })

  it.each(['.', '..', ''])('finds nothing by a key that a URL swallows: "%s"', async (key) => {
    const glossaries = catalog.kind('glossary')
    const made = await glossaries.upsert({ name: 'swallowed' })
    const calls = [
      () => glossaries.get(key),
      () => glossaries.get({ id: key }),
      () => glossaries.version(made, key),
      () => glossaries.history(key).all(),
      () => glossaries.delete({ id: key }),
    ]
    for (const call of calls) expect((await problemOf(call())).status).toBe(404)
  })

  it('makes problems errors, which name each thing wrong', async () => {
    const glossaries = catalog.kind('glossary')
    const made = await glossaries.create({ name: 'problems' })
    await glossaries.patch(made, { description: 'By somebody else.' })
    const late = await problemOf(glossaries.patch(made, { description: 'Mine.' }, { ifMatch: made }))
    expect([late.status, late.code]).toEqual([412, 'PRECONDITION_FAILED'])
    // @ts-expect-error: a member that there is not
    const wrong = await problemOf(glossaries.create({ name: 'wrong', colour: 'red' }))
    expect(wrong.errors).toEqual([expect.objectContaining({ path: '/colour' })])
    expect([wrong.instance, wrong.requestId]).toEqual([expect.stringMatching(/^urn:uuid:/), expect.any(String)])
    expect(wrong.message).toContain('/colour')
  })

  it('writes of many only what still is as it was read, or is not there yet', async () => {
    const services = catalog.kind('messagingService')
    const made = await services.create({ name: 'busy', serviceType: 'Kafka' })
    await services.patch(made, { description: 'By somebody else.' })
    const items = ['busy', 'quiet'].map((name) => ({ name, serviceType: 'Kafka', description: 'Mine.' }) as const)
    const news = items.map((item) => ({ ...item, ifNoneMatch: '*' }) as const)
    const { successRequest, failedRequest } = await services.bulk([{ ...items[0]!, ifMatch: made }, ...news])
    expect(successRequest).toEqual([{ request: 'quiet', status: 201 }])
    expect(failedRequest.map(({ index, status }) => [index, status])).toEqual([0, 1].map((index) => [index, 412]))
    expect((await services.get('busy')).description).toBe('By somebody else.')
  })

  it('writes what is still as it was read, also through a proxy that weakens entity tags', async () => {
    const weakening: typeof fetch = async (...asked) => {
      const answer = await fetch(...asked)
      const [headers, etag] = [new Headers(answer.headers), answer.headers.get('etag')]
      if (etag !== null) headers.set('etag', `W/${etag}`)
      return new Response(answer.body, { status: answer.status, headers })
    }
    const behind = new Catalog({ url: service.url, token: () => adminToken, fetch: weakening })
    const services = behind.kind('messagingService')
    const made = await services.create({ name: 'weak', serviceType: 'Kafka' })
    const merged = await services.patch(made, { description: 'Mine.' }, { ifMatch: made })
    expect((await problemOf(services.patch(made, { description: 'Late.' }, { ifMatch: made }))).status).toBe(412)
    const again = { name: 'weak', serviceType: 'Kafka', description: 'Mine too.', ifMatch: merged } as const
    expect((await services.bulk([again])).failedRequest).toEqual([])
    expect((await services.get('weak')).description).toBe('Mine too.')
  })

  it('walks lists over all their pages', async () => {
    await terms('walked', 25)
    const list = catalog.kind('glossaryTerm').list({ glossary: 'walked', limit: 10 })
    const pages: number[] = []
    for await (const page of list.pages()) pages.push(page.items.length)
    expect(pages).toEqual([10, 10, 5])
    expect(new Set((await list.all()).map(({ id }) => id)).size).toBe(25)
    const later = await catalog.kind('glossaryTerm').create({ name: 'later', glossary: 'walked' })
    const past = { glossary: 'walked', asOf: new Date((later.updatedAt ?? 0) - 1) }
    expect(await catalog.kind('glossaryTerm').list(past).all()).toHaveLength(25)
    expect(await catalog.kind('glossaryTerm').list({ glossary: 'walked', snapshot: true }).all()).toHaveLength(26)
  })

  it('follows the feed from its checkpoint, and leaves nothing out that was not dealt with', async () => {
    await terms('followed', 30)
    const path = join(await temporaryFolder(), 'checkpoint')
    const seen: string[] = []
    for (let rounds = 0; rounds < 50; rounds++) {
      const events = catalog.events({
        kinds: ['glossaryTerm'],
        checkpoint: fileCheckpoint(path),
        follow: false,
        pageSize: 8,
      })
      const before = seen.length
      for await (const event of events) {
        if (seen.length - before === 5) break
        seen.push(event.id)
      }
      if (seen.length === before) break
    }
    const all: string[] = []
    for await (const { id } of catalog.events({ kinds: ['glossaryTerm'], follow: false })) all.push(id)
    expect(all.length).toBeGreaterThanOrEqual(30)
    expect(seen).toEqual(all)
  })

  it('finds the events of a domain by the name that the API gives it, whatever is in that name', async () => {
    const names = ['sub', 'sub, one', 'Sales, U.S.', 'a "q", b', ',', ' x ', 'a&b=c', 'naïve']
    const domain = { domainType: 'Aggregate', description: 'x' } as const
    await catalog.kind('domain').create({ ...domain, name: 'plain, too' })
    for (const name of names) {
      await catalog.kind('domain').upsert({ ...domain, name })
      await catalog.kind('domain').create({ ...domain, name, parent: 'plain, too' })
    }
    const domains = await catalog.kind('domain').list().all()
    const fqns = domains.map(({ fullyQualifiedName }) => fullyQualifiedName as string)
    expect(fqns).toEqual(expect.arrayContaining(['"Sales, U.S."', 'plain, too.sub, one', '"a ""q"", b"']))
    for (const [index, fqn] of fqns.entries())
      await catalog.kind('glossary').create({ name: `of${index}`, domains: [fqn] })
    const subjects = async (...asked: string[]): Promise<string[]> => {
      const found: string[] = []
      for await (const { subject } of catalog.events({ domains: asked, follow: false })) found.push(subject)
      return found
    }
    for (const [index, fqn] of fqns.entries()) expect([fqn, await subjects(fqn)]).toEqual([fqn, [`of${index}`]])
    expect(await subjects(...fqns)).toHaveLength(fqns.length)
  })

  it('waits for what is new at the end of the feed, until it is aborted', async () => {
    const stop = new AbortController()
    const places: string[] = []
    const checkpoint: Checkpoint = {
      load: async () => places.at(-1),
      save: async (place) => void places.push(place),
    }
    const subjects: string[] = []
    const following = (async () => {
      const options = { kinds: ['domain'], after: 'latest', checkpoint, signal: stop.signal } as const
      for await (const { subject } of catalog.events(options)) {
        subjects.push(subject)
        if (subjects.length === 2) stop.abort()
      }
    })()
    const ended = expect(following).rejects.toThrow(/abort/)
    while (places.length === 0) await new Promise((done) => setImmediate(done))
    for (const name of ['first', 'second'])
      await catalog.kind('domain').create({ name, domainType: 'Aggregate', description: 'x' })
    await ended
    expect(subjects).toEqual(['first', 'second'])
  })

  /** A client of a server that answers as it is told. */
  const clientOf = async (answer: RequestListener): Promise<Catalog> => {
    const server = createServer(answer)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void server.close())
    return new Catalog({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'x' })
  }

  it('sends again what may be sent twice, after as long as it is asked to wait', async () => {
    const seen: string[] = []
    const other = await clientOf((request, response) => {
      seen.push(request.method as string)
      const status = seen.length % 3 === 0 ? 200 : 503
      response.writeHead(status, { 'retry-after': '0', 'content-type': 'application/json' }).end('{"id":"x"}')
    })
    await other.kind('glossary').get('g')
    expect(seen).toEqual(['GET', 'GET', 'GET'])
    expect((await problemOf(other.kind('glossary').create({ name: 'g' }))).status).toBe(503)
    const item = { name: 'g', serviceType: 'Kafka' } as const
    await other.kind('messagingService').bulk([item])
    const once = other.kind('messagingService').bulk([item, { ...item, ifNoneMatch: '*' }])
    expect((await problemOf(once)).status).toBe(503)
    expect(seen.slice(4)).toEqual(['PUT', 'PUT', 'PUT'])
  })

  it('follows the feed through an outage of any length, and tells of each failure', async () => {
    let requests = 0
    const other = await clientOf((_, response) => {
      const events = { 1: ['1'], 10: ['2'] }[++requests]
      const paging = { after: String(requests), mark: `${requests}-0` }
      const data = events?.map((position) => ({ position }))
      response.writeHead(data ? 200 : 503, { 'retry-after': '0', 'content-type': 'application/json' })
      response.end(JSON.stringify({ data, paging }))
    })
    const positions: string[] = []
    const failures: unknown[] = []
    for await (const { position } of other.events({ onRetry: (failure) => failures.push(failure) })) {
      positions.push(position)
      if (position === '2') break
    }
    expect(positions).toEqual(['1', '2'])
    expect(failures.map((failure) => (failure as CatalogProblem).status)).toEqual(Array.from({ length: 8 }, () => 503))
    const ends = problemOf(other.events({}).next())
    expect([(await ends).status, requests]).toEqual([503, 16])
  })

  it.each([
    ['', 'application/json', 'Bad Gateway'],
    ['', 'application/problem+json', 'Bad Gateway'],
    ['{"code": "CONFL', 'application/problem+json', '{"code": "CONFL'],
    ['null', 'application/problem+json', 'null'],
    ['{"code": 7, "errors": {}}', 'application/json', '{"code": 7, "errors": {}}'],
    ['<h1>No</h1>', 'application/json', '<h1>No</h1>'],
  ])('makes a problem of a refusal by a proxy, also of %j as %s', async (body, type, says) => {
    const other = await clientOf((_, response) => response.writeHead(502, { 'content-type': type }).end(body))
    const problem = await problemOf(other.kind('glossary').create({ name: 'g' }))
    expect([problem.status, problem.code, problem.errors, problem.message]).toEqual([502, 'UNKNOWN', [], `502 ${says}`])
  })

  it('sends again what may be sent twice after a connection that ends early, also in the middle of an answer', async () => {
    const seen: string[] = []
    const other = await clientOf(({ method }, response) => {
      seen.push(method as string)
      const headers = { 'content-type': 'application/json', 'content-length': '10' }
      if (seen.length === 1) response.destroy()
      else if (seen.length === 3) response.writeHead(200, headers).end('{"id":"x"}')
      else {
        response.writeHead(200, headers).write('{"id"')
        setImmediate(() => response.destroy())
      }
    })
    expect((await other.kind('glossary').get('g')).id).toBe('x')
    await expect(other.kind('glossary').create({ name: 'g' })).rejects.toThrow()
    expect(seen).toEqual(['GET', 'GET', 'GET', 'POST'])
  })
})

describe('the package of the TypeScript client', () => {
  it('is packed, installed without a network, and runs the code of its README, which compiles', async () => {
    const folder = await temporaryFolder()
    const npm = (cwd: string, args: string[]): string =>
      execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    const tarball = npm(clientFolder, ['pack', '--silent', '--pack-destination', folder]).trim().split('\n').at(-1)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    npm(folder, ['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball as string)])
    const readme = readFileSync(join(clientFolder, 'README.md'), 'utf8')
    const code = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n')
    const checks = `
import assert from 'node:assert'
assert.equal(changed.version, 0.2)
assert.equal(now.displayName, 'Orders')
assert.equal(first.description, 'One row for each order.')
assert.equal(warehouse.name, 'warehouse')
assert.ok(patch.length > 0 && hits.total.value === 1 && yesterday)
`
    writeFileSync(join(folder, 'readme.ts'), (code + checks).replaceAll('http://127.0.0.1:8585', service.url))
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
    const config = {
      extends: join(clientFolder, 'tsconfig.json'),
      compilerOptions: { noEmit: true, rootDir: '.', typeRoots: [join(root, 'node_modules/@types')] },
      include: ['readme.ts'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const compiled = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
    expect(compiled.stdout).toBe('')
    const { status, stdout, stderr } = spawnSync(process.execPath, ['readme.ts'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, TOKEN: adminToken },
    })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('catalog.table.Created warehouse.sales.public.orders')
    expect(stdout).toContain('404 NOT_FOUND []')
  })
})
