import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunningService } from '../support/service.ts'
import { attack } from './attack.ts'
import { readDocument, type Operation } from './document.ts'
import { makeJudge } from './judge.ts'
import { readable } from './inspect.ts'
import { memoryOf } from './memory.ts'
import { startPings } from './pings.ts'
import { attackOf, type Attack } from './requests.ts'
import type { Outcome } from './send.ts'
import { turnsOf } from './turns.ts'

describe('a short attack on the service', () => {
  it('finds nothing that must not be', async () => {
    const report = await attack({ requests: 800, seed: 'short', large: 20_000, concurrency: 8, longestPing: 1000 })
    expect(report.findings).toEqual([])
    expect(report.succeeded).toBeGreaterThan(80)
    expect(report.pings.length).toBeGreaterThan(0)
  })
})

const document = {
  paths: {
    '/v1/things/{id}': {
      get: {
        operationId: 'get_thing',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: {
            headers: { ETag: {} },
            content: { 'application/json': { schema: { type: 'object', required: ['id'] } } },
          },
          400: { content: { 'application/problem+json': { schema: { type: 'object', required: ['code'] } } } },
          503: { headers: { 'Retry-After': {} }, content: { 'application/problem+json': { schema: {} } } },
        },
      },
      put: {
        operationId: 'upsert_thing',
        requestBody: {
          content: { 'application/json': { schema: { type: 'object', properties: { n: { type: 'integer' } } } } },
        },
        responses: { 200: { content: { 'application/json': { schema: {} } } } },
      },
    },
  },
  components: { responses: {} },
}

const { operations } = readDocument(document)
const [get, put] = operations as [Operation, Operation]

const request = (operation: Operation, more: Partial<Attack> = {}): Attack => ({
  number: 7,
  operation,
  role: 'Admin',
  method: operation.method,
  target: '/api/v1/things/1',
  headers: [],
  body: undefined,
  manner: 'plain',
  ...more,
})

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Outcome => ({
  status,
  headers: new Headers({ 'content-type': status < 400 ? 'application/json' : 'application/problem+json', ...headers }),
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  whole: true,
  milliseconds: 1,
})

describe('the judge', () => {
  const judge = makeJudge(document)

  it('has nothing against what the document describes', () => {
    expect(judge(request(get), answer(200, { id: 'a' }, { ETag: '"1"' }))).toEqual([])
    expect(judge(request(get, { role: 'nobody' }), answer(400, { code: 'x' }))).toEqual([])
  })

  it.each(['openRequest', 'end_my_sessions', 'mcp'])('has nothing against %s of a reader, which is his own', (id) => {
    expect(judge(request({ ...put, id }, { role: 'Auditor' }), answer(200, {}))).toEqual([])
  })

  it.each<[string, Attack, Outcome, RegExp]>([
    ['a status of 500', request(get), answer(500, { code: 'x' }), /^500/],
    ['a status that is not documented', request(get), answer(409, { code: 'x' }), /409 is not documented/],
    ['a header that is not documented', request(get), answer(200, { id: 'a' }, { 'X-Inside': '1' }), /x-inside/],
    ['a body that its schema does not describe', request(get), answer(200, {}), /required/],
    ['a body that is not JSON', request(get), answer(200, '{'), /is not JSON/],
    ['frames of a stack', request(get), answer(400, { code: 'at Object.run (file:1)' }), /insides/],
    ['no answer', request(get), { ...answer(200, ''), status: undefined, error: 'gone' }, /no answer: gone/],
    ['an answer that breaks off', request(get), { ...answer(200, ''), whole: false, error: 'broke' }, /broke/],
    ['an answer to nobody', request(get, { role: 'nobody' }), answer(200, { id: 'a' }), /200 for nobody/],
    ['a change by a reader', request(put, { role: 'Auditor' }), answer(200, {}), /may change nothing/],
    [
      'a read by somebody who is denied everything',
      request(get, { role: 'Refused' }),
      answer(200, { id: 'a' }),
      /200 for Refused/,
    ],
  ])('finds %s', (_, sent, outcome, expected) => {
    expect(judge(sent, outcome).join('\n')).toMatch(expected)
  })
})

describe('the judge of a service on servers that may be slow', () => {
  const judge = makeJudge(document, true)

  it('takes a 503 that says when to try again, and no other', () => {
    const shown = { 'retry-after': '1' }
    expect(judge(request(get), answer(503, { code: 'x' }, shown))).toEqual([])
    expect(judge(request(get), answer(503, { code: 'x' })).join('\n')).toMatch(/^503 /m)
    expect(judge(request(get), answer(500, { code: 'x' }, shown)).join('\n')).toMatch(/^500 /m)
  })
})

describe('requests', () => {
  const entity = { kind: 'k', path: 'p', id: 'i', fqn: 'f' }
  const world = {
    entities: [entity],
    cursors: [],
    at: () => [entity],
    sample: () => ({}),
  }
  const maker = (seed: string) => ({ document: readDocument(document), world, seed, sizes: { large: 1000 } })
  const drawn = (seed: string) => Array.from({ length: 200 }, (_, number) => attackOf(maker(seed), number))

  it('are the same for the same seed, and others for another', () => {
    expect(drawn('a')).toEqual(drawn('a'))
    expect(drawn('a')).not.toEqual(drawn('b'))
  })

  it('come to every operation, in every manner, by every role', () => {
    const all = drawn('c')
    expect(new Set(all.map(({ operation }) => operation.id))).toEqual(new Set(['get_thing', 'upsert_thing']))
    expect(new Set(all.map(({ manner }) => manner)).size).toBe(6)
    expect(new Set(all.map(({ role }) => role)).size).toBe(10)
  })
})

/** A process that does what the script says, and tells its port. */
const running = async (script: string): Promise<RunningService> => {
  const child = spawn(process.execPath, ['-e', script], {
    env: { ...process.env, ...readable },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: `http://127.0.0.1:${port.toString().trim()}`, process: child, output: () => output } as RunningService
}

describe('what is measured', () => {
  it('tells a service that computes for long', async () => {
    const busy = await running(`
      const computed = () => process.cpuUsage().user + process.cpuUsage().system
      const server = require('http').createServer((q, s) => { for (const began = computed(); computed() - began < 400_000; ); s.end() })
      server.listen(0, '127.0.0.1', () => console.log(server.address().port))`)
    const pings = startPings(busy, 'token', () => undefined)
    onTestFinished(() => pings.stop())
    await expect.poll(() => Math.max(0, ...pings.all.map(({ computed }) => computed))).toBeGreaterThan(300)
  })

  it('tells what holds everybody up from what lets others through', async () => {
    const working = await running(`
      const computed = () => process.cpuUsage().user + process.cpuUsage().system
      const work = (ms) => { for (const began = computed(); computed() - began < ms * 1000; ); }
      const server = require('http').createServer(async (q, s) => {
        if (q.url === '/slices') for (let n = 0; n < 100; n += 1) { work(10); await new Promise((done) => setImmediate(done)) }
        else work(1000)
        s.end()
      })
      server.listen(0, '127.0.0.1', () => console.log(server.address().port))`)
    const turns = await turnsOf(working)
    onTestFinished(turns.close)
    expect(await turns.longest(() => fetch(`${working.url}/slices`))).toBeLessThan(600)
    expect(await turns.longest(() => fetch(`${working.url}/whole`))).toBeGreaterThan(900)
  })

  it('tells memory that is held from memory that comes back', async () => {
    const holding = await running(`globalThis.held = []
      for (let n = 0; n < 50; n += 1) globalThis.held.push(Buffer.alloc(1e6, 1))
      let dropped = Array.from({ length: 50 }, () => Buffer.alloc(1e6, 1)); dropped = undefined
      setInterval(() => {}, 1000); console.log(0)`)
    const { held } = await memoryOf(holding)
    expect(held).toBeGreaterThan(50e6)
    expect(held).toBeLessThan(90e6)
  })
})
