import { describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/registry/kinds.ts'
import type { KindDefinition } from '../../src/kinds/defineKind.ts'
import { operations } from '../../src/api/http/route.ts'
import { readDocument, type Operation } from '../attack/document.ts'
import { thorough } from '../support/fastCheck.ts'
import { as, makerOf, useHttp } from './support.ts'
import { unknownId } from './kinds/kindUnderTest.ts'

const others = operations.filter((operation) => operation !== 'view').join(', ')

const http = useHttp({
  policies: `roles:
  All:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
${kinds.map(({ name }) => `  No_${name}:\n    - { effect: deny, operations: [view], kinds: [${name}] }\n`).join('')}
  Own:
    - { effect: allow, operations: [view], kinds: ['*'], condition: isOwner }
    - { effect: allow, operations: [${others}], kinds: ['*'] }
`,
})

/** What is said of an entity of a kind that only others may view. */
const secretOf = ({ name }: KindDefinition): string => `Only for the eyes of others: ${name}.`

/** One entity, as paths and bodies name it. */
interface Named {
  readonly id: string
  readonly fullyQualifiedName: string
}

const unknown: Named = { id: unknownId, fullyQualifiedName: 'nothing.of.this.name.there' }

/** Bodies that would go well, by the beginning of the operation's id. */
const bodies: readonly (readonly [RegExp, (named: Named) => unknown, type?: string])[] = [
  [/^vote_/, () => ({ updatedVoteType: 'votedUp' })],
  [/^follow_/, () => JSON.stringify(unknownId)],
  [/^restore_/, ({ id }) => ({ id })],
  [/^revert_/, () => ({ version: 0.1 })],
  [/^(patch|impact)_/, () => ({}), 'application/merge-patch+json'],
  [/^propose_/, () => ({ patch: { description: 'proposed' } })],
  [/^change_many_/, ({ id }) => ({ ids: [id], set: { description: 'changed' } })],
  [
    /^import_csv_/,
    ({ fullyQualifiedName }) => `fullyQualifiedName,description\n"${fullyQualifiedName.replaceAll('"', '""')}",x\n`,
    'text/csv',
  ],
  [/^sweep_/, ({ fullyQualifiedName }) => ({ scope: fullyQualifiedName.replace(/\.[^.]*$/, ''), seen: [] })],
  [/^(add|remove)_/, () => ({ assets: [] })],
  [/^report_(result|contract)/, () => ({ status: 'Success' })],
  [/^state_lineage/, () => ({ edges: [] })],
]

const queries: readonly (readonly [RegExp, string])[] = [
  [/^diff_/, '?from=0.1&fields=*'],
  [/^(import_csv|change_many)_/, '?dryRun=true'],
  [/^search$/, '?q=eyes&size=1000'],
]

/** Where an operation asks for an entity; `undefined` where its path needs something else. */
const pathOf = ({ id, template }: Operation, definition: KindDefinition, named: Named, request: string) => {
  const path = template
    .replace('{id}', named.id)
    .replace('{fqn}', encodeURIComponent(named.fullyQualifiedName))
    .replace('{version}', '0.1')
    .replace('{userId}', unknownId)
    .replace('{kind}', definition.name)
    .replace('{correlationId}', request)
  return path.includes('{') ? undefined : path + (queries.find(([pattern]) => pattern.test(id))?.[1] ?? '')
}

let all: Promise<readonly Operation[]> | undefined

/** All operations, the deletions last. */
const readOperations = async (): Promise<readonly Operation[]> =>
  readDocument((await http.service.call('GET', '/api/openapi.json')).body).operations.toSorted(
    (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
  )

/** What every operation answers about an entity, but those of other kinds. @param options the caller */
const walk = async (definition: KindDefinition, named: Named, request: string, options: ReturnType<typeof as>) => {
  const answers: { operation: Operation; status: number; text: string }[] = []
  for (const operation of await (all ??= readOperations())) {
    const path = pathOf(operation, definition, named, request)
    const isOfAnother = kinds.some((kind) => kind !== definition && isOf(kind, operation))
    if (
      path === undefined ||
      (isOfAnother && !thorough) ||
      operation.open ||
      /stream|forget|sessions|series/i.test(operation.path)
    )
      continue
    const [, make = () => ({}), type = 'application/json'] =
      bodies.find(([pattern]) => pattern.test(operation.id)) ?? []
    const body = operation.body === undefined ? undefined : make(named)
    const sent = { ...options, ...(body !== undefined && { headers: { 'content-type': type } }) }
    const { status, body: answer } = await http.service.call(operation.method, path, body, sent)
    answers.push({ operation, status, text: JSON.stringify(answer) })
  }
  return answers
}

/** An answer without what differs between any two, and what was asked about. */
const comparable = (text: string, { id, fullyQualifiedName }: Named): string =>
  text
    .replaceAll(/"(instance|correlationId|timestamp)":"[^"]*"/g, '')
    .replaceAll(id, 'ID')
    .replaceAll(JSON.stringify(fullyQualifiedName).slice(1, -1), 'FQN')

const isOf = ({ path }: KindDefinition, { template }: Operation): boolean =>
  template === `/v1/${path}` || template.startsWith(`/v1/${path}/`)

/** With these that is tested at each run: among them they have all routes. */
const some = new Set(['topic', 'table', 'tag', 'user', 'dataProduct', 'dataContract', 'testCase'])

describe.each(kinds.filter(({ name }) => thorough || some.has(name)))('what there is of kind $name', (definition) => {
  const secret = secretOf(definition)

  /** An entity that keeps a secret, now and in the past; and the request that gave it away. */
  const hidden = async (name: string): Promise<{ named: Named; request: string }> => {
    const named: Named = await makerOf(http.call, definition).create(name, 'full')
    const options = { headers: { 'content-type': 'application/merge-patch+json' } }
    const patch = async (description: string) =>
      http.call('PATCH', `/v1/${definition.path}/${named.id}`, { description }, options)
    const { headers } = await patch(secret)
    await patch(`${secret}!`)
    return { named, request: headers.get('x-request-id') ?? '' }
  }

  it('is told by no route to who may not view the kind, whatever else he may do', async () => {
    const { named, request } = await hidden('denied')
    const answers = await walk(definition, named, request, as('bea', 'All', `No_${definition.name}`))
    const told = answers.filter(({ text }) => text.includes(secret)).map(({ operation }) => operation.id)
    const open = answers.filter(({ operation, status }) => isOf(definition, operation) && status !== 403)
    expect({ told, open: open.map(({ operation, status }) => [operation.id, status]) }).toEqual({ told: [], open: [] })
    expect(answers.filter(({ operation }) => isOf(definition, operation)).length).toBeGreaterThan(20)
  })

  it('is answered about as what there is not, to who may view only what he owns', async () => {
    const own = as('kim', 'Own')
    const [{ named, request }, deleted] = [await hidden('not his'), await hidden('deleted')]
    await http.call('DELETE', `/v1/${definition.path}/${deleted.named.id}`)
    const { full } = await makerOf(http.call, definition).sample('not his')
    const written = await http.service.call('PUT', `/v1/${definition.path}`, full, own)
    expect(written.status).toBeGreaterThan(399)
    expect(JSON.stringify(written.body)).not.toContain(secret)
    const nothing = await walk(definition, unknown, unknownId, own)
    for (const one of [named, deleted.named]) {
      const answers = await walk(definition, one, request, own)
      const told = answers.filter(({ text }) => text.includes(secret)).map(({ operation }) => operation.id)
      const differing = answers.flatMap(({ operation, status, text }, at) => {
        const other = nothing[at] as (typeof answers)[number]
        const [is, isNot] = [comparable(text, one), comparable(other.text, unknown)]
        return isOf(definition, operation) && (status !== other.status || is !== isNot)
          ? [[operation.id, status, is.slice(0, 300), other.status, isNot.slice(0, 300)]]
          : []
      })
      expect({ told, differing }).toEqual({ told: [], differing: [] })
    }
  })
})

it('nor is a deletion told to its author, once he may not view the kind', async () => {
  const [all, no] = [as('bea', 'All'), as('bea', 'All', 'No_glossary')]
  const { id } = await http.post('/v1/glossaries', { name: 'deleted by bea' }, all)
  const { headers } = await http.call('DELETE', `/v1/glossaries/${id}`, undefined, all)
  const revision = /\d+/.exec(headers.get('etag') ?? '')?.[0]
  const operation = `/v1/operations/glossary-${id}-${revision}`
  expect((await http.get(operation, all)).operation).toBe('delete')
  await http.refuses('NOT_FOUND', 'GET', operation, undefined, no)
})

it('who may view only what he owns may still create what others will own', async () => {
  await http.post('/v1/glossaries', { name: 'for others' }, as('kim', 'Own'))
})

it('an owner whom the caller may not view comes back with a version, with a request that is taken back, and with a proposal', async () => {
  const [all, no] = [as('bea', 'All'), as('bea', 'All', 'No_user')]
  await http.post('/v1/users', { name: 'hidden owner' }, all)
  const owners = [{ type: 'user', fullyQualifiedName: 'hidden owner' }]
  const { id } = await http.post('/v1/glossaries', { name: 'owned by the hidden', owners }, all)
  const path = `/v1/glossaries/${id}`
  const ownersNow = async (): Promise<string[]> =>
    (await http.get(`${path}?fields=owners`, all)).owners.map(({ name }: { name: string }) => name)
  const merge = { ...no, headers: { 'content-type': 'application/merge-patch+json' } }
  const clear = async (): Promise<string> => {
    const { status, headers } = await http.call('PATCH', path, { owners: [] }, merge)
    expect([status, await ownersNow()]).toEqual([200, []])
    return headers.get('x-request-id') ?? ''
  }
  await clear()
  expect((await http.call('POST', `${path}/revert`, { version: 0.1 }, no)).status).toBe(200)
  expect(await ownersNow()).toEqual(['hidden owner'])
  const request = await clear()
  expect((await http.call('POST', `/v1/requests/${request}/revert`, undefined, no)).status).toBe(200)
  expect(await ownersNow()).toEqual(['hidden owner'])
  await clear()
  const proposal = await http.post(`${path}/proposals`, { patch: { owners } }, as('ann', 'All'))
  const accepted = await http.call('PUT', `/v1/proposals/${proposal.id}/accept`, {}, no)
  expect([accepted.status, accepted.body.message]).toEqual([200, undefined])
  expect(await ownersNow()).toEqual(['hidden owner'])
})
