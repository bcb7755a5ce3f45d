import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { tokenFor } from '../support/service.ts'
import { as, useHttp } from './support.ts'

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

const asProgram = (token: string) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, '../../bin/catalog.js'), 'mcp', '--url', http.url],
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

const service = { type: 'databaseService', fqn: 'pg' }

describe.each([
  ['over HTTP', overHttp],
  ['as a program', asProgram],
])('the Model Context Protocol %s', (_, transport) => {
  it('offers tools that only read', async () => {
    const client = await connected(transport(tokenFor('ann', ['Admin'])))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search', 'entity', 'lineage', 'contract', 'diff', 'history'])
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
  })

  it('gives the same answer to the same question about the same moment, whatever came later', async () => {
    const client = await connected(transport(tokenFor('ann', ['Admin'])))
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
    const client = await connected(transport(tokenFor('ann', ['Admin'])))
    expect((await answerOf(client, 'history', service)).text).toContain('"type":"Updated"')
    expect((await answerOf(client, 'diff', { ...service, from: '0.1', to: '0.2' })).text).toContain('“Ours.”')
    const { text } = await answerOf(client, 'search', { query: 'pg' })
    expect(text).toContain('"fullyQualifiedName":"pg"')
    const { asOf, 'Catalog-Position': position } = JSON.parse(text) as Record<string, string>
    expect([asOf, Number(asOf)]).toEqual([position, expect.any(Number)])
  })

  it('tells in words what is not there', async () => {
    const client = await connected(transport(tokenFor('ann', ['Admin'])))
    const { isError, text } = await answerOf(client, 'entity', { ...service, fqn: 'nothing' })
    expect([isError, text]).toEqual([true, expect.stringMatching(/^There was no databaseService nothing at \d+\.$/)])
  })
})

it('reads with the rights of the caller', async () => {
  const client = await connected(overHttp(tokenFor('nobody', ['NoSuchRole'])))
  expect(await answerOf(client, 'entity', service)).toMatchObject({ isError: true })
})

it('refuses what is no message, and callers without a token', async () => {
  await http.refuses('BAD_REQUEST', 'POST', '/mcp', [])
  const { status } = await fetch(`${http.url}/mcp`, { method: 'POST' })
  expect(status).toBe(401)
})
