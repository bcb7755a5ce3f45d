import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { tokenFor } from '../support/service.ts'
import { as, merge, useHttp } from './support.ts'

const http = useHttp()

beforeAll(async () => {
  await http.post('/v1/services/databaseServices', { name: 'pg', serviceType: 'Postgres' })
  const path = '/v1/services/databaseServices/name/pg'
  await http.patch(path, { description: 'Ours.' }, as('ann', 'Admin'))
})

const overHttp = (token: string) =>
  new StreamableHTTPClientTransport(new URL(`${http.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })

const launcher = join(import.meta.dirname, '../../bin/catalog.js')

const asProgram = (token: string) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'mcp', '--url', http.url],
    env: { CATALOG_TOKEN: token },
  })

const connected = async (transport: Parameters<Client['connect']>[0]): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

const answerOf = async (client: Client, name: string, input: Record<string, string | number>) => {
  const { content, isError } = await client.callTool({ name, arguments: input })
  const [{ text } = { text: '' }] = content as { text: string }[]
  return { isError: isError === true, text }
}

interface HistoryPage {
  readonly data: readonly object[]
  readonly paging: { readonly after?: string }
}

const service = { type: 'databaseService', fqn: 'pg' }

describe('the Model Context Protocol', () => {
  it('offers tools that only read', async () => {
    const client = await connected(overHttp(tokenFor('ann', ['Admin'])))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search', 'entity', 'lineage', 'contract', 'diff', 'history'])
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
  })

  it('gives the same answer to the same question about the same moment, whatever came later', async () => {
    const client = await connected(overHttp(tokenFor('ann', ['Admin'])))
    const first = await answerOf(client, 'entity', service)
    const { asOf, answer } = JSON.parse(first.text) as { asOf: string; answer: { description: string } }
    expect(answer.description).toBe('Ours.')
    const path = '/v1/services/databaseServices/name/pg'
    await http.patch(path, { displayName: asOf }, as('ann', 'Admin'))
    // Programs that read arguments as JSON send a position as a number.
    for (const moment of [asOf, Number(asOf)]) {
      const again = await answerOf(client, 'entity', { ...service, asOf: moment })
      expect((JSON.parse(again.text) as { answer: object }).answer).toEqual(answer)
    }
  })

  it('tells history, differences and hits', async () => {
    const client = await connected(overHttp(tokenFor('ann', ['Admin'])))
    expect((await answerOf(client, 'history', service)).text).toContain('"type":"Updated"')
    expect((await answerOf(client, 'diff', { ...service, from: '0.1', to: '0.2' })).text).toContain('“Ours.”')
    const { text } = await answerOf(client, 'search', { query: 'pg', type: 'databaseService' })
    expect(text).toContain('"fqn":"pg"')
    const { asOf, 'Catalog-Position': position } = JSON.parse(text) as Record<string, string>
    expect([asOf, Number(asOf)]).toEqual([position, expect.any(Number)])
  })

  it('takes the position that an answer gave as a moment to compare', async () => {
    const client = await connected(overHttp(tokenFor('ann', ['Admin'])))
    const { id, name } = await http.post('/v1/glossaries', { name: 'compared' })
    const about = { type: 'glossary', fqn: name as string }
    const { asOf } = JSON.parse((await answerOf(client, 'entity', about)).text) as { asOf: string }
    await http.patch(`/v1/glossaries/${id}`, { description: 'Ours now.' })
    for (const from of [asOf, Number(asOf)])
      expect((await answerOf(client, 'diff', { ...about, from })).text).toContain('“Ours now.”')
    await http.call('DELETE', `/v1/glossaries/${id}?hardDelete=true`)
    expect((await answerOf(client, 'diff', { ...about, from: '0.1', to: '0.2' })).text).toContain('“Ours now.”')
    expect((await answerOf(client, 'diff', { ...about, from: '0.1' })).text).toBe(
      `There is no glossary ${name} now: give to as well.`,
    )
  })

  it('goes on with a history of more than a hundred changes', async () => {
    const client = await connected(overHttp(tokenFor('ann', ['Admin'])))
    const { id, name } = await http.post('/v1/glossaries', { name: 'much' })
    for (let n = 0; n < 101; n += 1)
      await http.service.call('PATCH', `/v1/glossaries/${id}`, { description: `${n}` }, merge)
    const about = { type: 'glossary', fqn: name as string }
    const page = async (more = {}) =>
      (JSON.parse((await answerOf(client, 'history', { ...about, ...more })).text) as { answer: HistoryPage }).answer
    const { data, paging } = await page()
    expect([data.length, (await page({ after: paging.after as string })).data.length]).toEqual([100, 2])
  })

  it('tells in words what is not there', async () => {
    const client = await connected(overHttp(tokenFor('ann', ['Admin'])))
    const { isError, text } = await answerOf(client, 'entity', { ...service, fqn: 'nothing' })
    expect([isError, text]).toEqual([true, expect.stringMatching(/^There was no databaseService nothing at \d+\.$/)])
  })
})

it('gives hits in short, however many columns they have, and refuses arguments that a tool does not have', async () => {
  await http.post('/v1/databases', { name: 'wide', service: 'pg' })
  await http.post('/v1/databaseSchemas', { name: 's', database: 'pg.wide' })
  const columns = Array.from({ length: 500 }, (_, at) => ({ name: `column${at}`, dataType: 'INT' }))
  const description = 'Many words. '.repeat(100)
  await http.post('/v1/tables', { name: 'broad', databaseSchema: 'pg.wide.s', description, columns })
  const client = await connected(overHttp(tokenFor('ann', ['Admin'])))
  const { text } = await answerOf(client, 'search', { query: 'broad' })
  const { answer } = JSON.parse(text) as { answer: object }
  const hit = { type: 'table', fqn: 'pg.wide.s.broad', matchedIn: ['name'], description: expect.any(String) }
  expect(answer).toEqual({ total: { value: 1, relation: 'eq' }, hits: [hit] })
  expect(text.length).toBeLessThan(1000)
  const mistyped = JSON.parse((await answerOf(client, 'search', { query: 'braod' })).text) as { answer: object }
  expect(mistyped.answer).toMatchObject({ hits: [{ ...hit, fuzzy: true }] })
  expect(await answerOf(client, 'search', { query: 'broad', limit: 5 })).toMatchObject({
    isError: true,
    text: expect.stringContaining('limit'),
  })
})

it('takes no name for a path', async () => {
  const client = await connected(overHttp(tokenFor('ann', ['Admin'])))
  for (const fqn of ['..', '.', '../..'])
    for (const name of ['entity', 'history'])
      expect(await answerOf(client, name, { type: 'table', fqn })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^There (is|was) no table/),
      })
})

it('reads with the rights of the caller', async () => {
  const client = await connected(overHttp(tokenFor('nobody', ['NoSuchRole'])))
  expect(await answerOf(client, 'entity', service)).toMatchObject({ isError: true })
})

it('gives the contract of a moment, though its asset was deleted later', async () => {
  await http.post('/v1/databases', { name: 'db', service: 'pg' })
  await http.post('/v1/databaseSchemas', { name: 's', database: 'pg.db' })
  const { id } = await http.post('/v1/tables', { name: 't', databaseSchema: 'pg.db.s' })
  await http.post('/v1/dataContracts', { name: 'c', entity: { id, type: 'table' } })
  const client = await connected(overHttp(tokenFor('ann', ['Admin'])))
  const table = { type: 'table', fqn: 'pg.db.s.t' }
  const first = JSON.parse((await answerOf(client, 'contract', table)).text) as { asOf: string; answer: object }
  await http.call('DELETE', `/v1/tables/${id}`)
  const again = JSON.parse((await answerOf(client, 'contract', { ...table, asOf: first.asOf })).text) as typeof first
  expect(again.answer).toEqual(first.answer)
})

it('accepts notifications and answers, which nothing answers', async () => {
  for (const body of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ])
    expect((await http.call('POST', '/mcp', body)).status).toBe(202)
})

it('answers as a program as it does over HTTP', async () => {
  const client = await connected(asProgram(tokenFor('ann', ['Admin'])))
  const direct = await connected(overHttp(tokenFor('ann', ['Admin'])))
  expect(await client.listTools()).toEqual(await direct.listTools())
  const { asOf } = JSON.parse((await answerOf(direct, 'entity', service)).text) as { asOf: string }
  for (const [name, input] of [
    ['entity', { ...service, asOf: Number(asOf) }],
    ['history', { ...service, asOf }],
    ['search', { query: 'pg', type: 'databaseService' }],
    ['diff', { ...service, from: '0.1', to: '0.2' }],
    ['entity', { ...service, fqn: 'nothing' }],
  ] as const)
    expect(await answerOf(client, name, input), name).toEqual(await answerOf(direct, name, input))
})

it('goes on as a program after a line that is not a message, and when nothing answers', () => {
  const program = spawnSync(process.execPath, [launcher, 'mcp', '--url', 'http://127.0.0.1:9', '--token', 'none'], {
    // A line separator of Unicode ends no line.
    input: ['{', 'null', '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"text":"a\u2028b"}}', ''].join('\n'),
    encoding: 'utf8',
  })
  const answers = program.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: unknown; error: { code: number } })
  expect(answers.map(({ id, error }) => [id, error.code])).toEqual([
    [null, -32_700],
    [null, -32_600],
    [7, -32_603],
  ])
  expect(program.status).toBe(0)
})

it('speaks the versions of the protocol that it announces, and not the one that demands batches', async () => {
  const initialize = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })
  const negotiated = async (version: string): Promise<string> =>
    (await http.call('POST', '/mcp', initialize(version))).body.result.protocolVersion
  const newest = await negotiated('1999-01-01')
  expect(await negotiated('2025-06-18')).toBe('2025-06-18')
  expect(await negotiated('2025-03-26')).toBe(newest)
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const inVersion = (version: string) => ({ headers: { 'mcp-protocol-version': version } })
  for (const version of [newest, '2025-06-18'])
    expect((await http.call('POST', '/mcp', ping, inVersion(version))).status).toBe(200)
  for (const version of ['1999-01-01', '2025-03-26', 'junk', ''])
    await http.refuses('BAD_REQUEST', 'POST', '/mcp', ping, inVersion(version))
})

it('refuses what is not a message, and callers without a token', async () => {
  for (const body of [[], {}, { jsonrpc: '2.0', id: null, method: 'ping' }, { jsonrpc: '2.0', id: 1 }])
    await http.refuses('BAD_REQUEST', 'POST', '/mcp', body)
  const { status } = await fetch(`${http.url}/mcp`, { method: 'POST' })
  expect(status).toBe(401)
})
