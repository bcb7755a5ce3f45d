import { beforeAll, expect, it } from 'vitest'
import { waitFor } from '../support/waitFor.ts'
import { answered, as, problem, useHttp } from './support.ts'

const http = useHttp()

beforeAll(async () => {
  await http.post('/v1/users', { name: 'ann' })
  await http.post('/v1/glossaries', { name: 'g' })
})

const ann = as('ann', 'DataConsumer')
const steward = as('ed', 'DataSteward')
const get = (path: string, options = {}) => http.get(`/v1/${path}`, options)
const newTerm = async (name: string, more: object = {}) =>
  await http.post('/v1/glossaryTerms', { name, glossary: 'g', owners: ['ann'], ...more })
const ask = async (id: string, confirmBy: string | null) =>
  await http.patch(`/v1/glossaryTerms/${id}`, JSON.stringify({ confirmBy }), steward)
const confirm = (id: string, body: object, options: object = ann) =>
  http.call('PUT', `/v1/glossaryTerms/${id}/confirm`, body, options)
const named = async (filter: string) =>
  (await get(`glossaryTerms?${filter}&fields=*`)).data.map(({ name }: { name: string }) => name)

it('an owner says that it is right: who and when, until another day, without a new version', async () => {
  const { id } = await newTerm('one', { confirmBy: '2099-01-01' })
  expect(await named('confirmation=asked')).toContain('one')
  const { body } = await answered(200, confirm(id, { confirmBy: '2099-06-30' }))
  expect(body).toMatchObject({ version: 0.1, confirmBy: '2099-06-30', confirmed: { user: 'ann' } })
  expect(Date.parse(body.confirmed.time)).toBeGreaterThan(Date.now() - 60_000)
  const { body: last } = await answered(200, confirm(id, {}))
  expect(last.confirmBy).toBeUndefined()
  expect(await named('confirmation=asked')).not.toContain('one')
  const { data } = await get(`glossaryTerms/${id}/history`)
  expect(data.slice(1).map(({ type, user }: { type: string; user: string }) => [type, user])).toEqual([
    ['Confirmed', 'ann'],
    ['Confirmed', 'ann'],
  ])
})

it('an owner undoes their own confirmation, as long as they own it', async () => {
  const { id } = await newTerm('undone', { confirmBy: '2099-01-01' })
  const { headers } = await answered(200, confirm(id, { confirmBy: '2099-06-30' }))
  const undo = () => http.call('POST', `/v1/requests/${headers.get('x-request-id')}/revert`, undefined, ann)
  expect((await answered(200, undo())).body.data).toMatchObject([{ undo: 'change', outcome: 'reverted' }])
  const term = await get(`glossaryTerms/${id}`)
  expect([term.confirmBy, term.confirmed]).toEqual(['2099-01-01', undefined])
  await http.patch(`/v1/glossaryTerms/${id}`, { owners: null, reviewers: ['ann'] })
  await problem(403, 'FORBIDDEN', undo())
})

it('who neither owns it nor may approve is refused, and so is what is not a day', async () => {
  const { id } = await newTerm('two')
  await problem(403, 'FORBIDDEN', confirm(id, {}, as('bob', 'DataConsumer')))
  await answered(200, confirm(id, {}, steward))
  await problem(400, 'BAD_REQUEST', confirm(id, { confirmBy: 'soon' }))
  await http.refuses('BAD_REQUEST', 'GET', '/v1/glossaryTerms?due=maybe')
  await http.remove(`/v1/glossaryTerms/${id}`)
  await problem(404, 'NOT_FOUND', confirm(id, {}))
})

it('what nobody confirms in time is due: on itself, in lists, in the inbox of its owners, and in the past', async () => {
  const late = await newTerm('late')
  const moved = await newTerm('moved')
  const fine = await newTerm('fine', { confirmBy: '2099-01-01' })
  await http.put(`/v1/glossaryTerms/${late.id}/followers`, JSON.stringify(fine.owners[0].id), {
    headers: { 'content-type': 'application/json' },
    ...as('ann', 'DataConsumer'),
  })
  await ask(late.id, '2026-01-31')
  await ask(moved.id, '2026-01-31')
  const before = await http.head()
  await http.restart()
  await waitFor(async () => expect(await named('due=true')).toHaveLength(2))
  expect(await get(`glossaryTerms/${late.id}`)).toMatchObject({ version: 0.2, updatedBy: 'ed', due: '2026-01-31' })
  expect((await get(`glossaryTerms/${fine.id}`)).due).toBeUndefined()
  expect(await named(`due=true&asOf=@${before}`)).toEqual([])
  const { data } = await get(`glossaryTerms/${late.id}/history`)
  expect(data.at(-1)).toMatchObject({ type: 'FellDue', user: 'system', data: { confirmBy: '2026-01-31' } })
  const entries = (await get('inbox?limit=50', ann)).data.filter((one: { concern: string }) => one.concern === 'due')
  expect(entries.map((one: { entity: { name: string } }) => one.entity.name).toSorted()).toEqual(['late', 'moved'])
  expect(entries[0].summary).toBe('Was not confirmed by 2026-01-31.')

  expect((await ask(moved.id, '2099-01-01')).due).toBeUndefined()
  const { body } = await answered(200, confirm(late.id, {}))
  expect(body.due).toBeUndefined()
  expect(await named('due=true')).toEqual([])
  await http.restart()
  expect(await named('due=true')).toEqual([])

  const { correlationId } = (await get(`glossaryTerms/${late.id}/history`)).data.at(-1)
  await answered(200, http.call('POST', `/v1/requests/${correlationId}/revert`))
  const back = await get(`glossaryTerms/${late.id}`)
  expect([back.confirmBy, back.due, back.confirmed]).toEqual(['2026-01-31', '2026-01-31', undefined])
})
