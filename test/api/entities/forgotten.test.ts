import { expect, test } from 'vitest'
import { startInProcess } from '../../support/running.ts'

interface Change {
  readonly fieldsAdded: readonly { name: string }[]
  readonly fieldsUpdated: readonly { name: string }[]
  readonly fieldsDeleted: readonly { name: string }[]
}

const namesOf = ({ fieldsAdded, fieldsUpdated, fieldsDeleted }: Change): string[] =>
  [...fieldsAdded, ...fieldsUpdated, ...fieldsDeleted].map(({ name }) => name)

test('what was erased is said to be, and nothing that was written since is lost with it', async () => {
  const { call } = await startInProcess()
  const created = await call('POST', '/v1/users', { name: 'lea', displayName: 'Lea', description: 'one' })
  const path = `/v1/users/${created.body['id'] as string}`
  const mergePatch = { 'content-type': 'application/merge-patch+json' }
  const patch = (body: object) => call('PATCH', path, body, { headers: mergePatch })
  const renamed = await patch({ displayName: 'Lea L.' })
  await patch({ description: 'two' })
  const both = await patch({ displayName: 'Lea M.', isAdmin: true })
  const forgotten = await call('POST', `${path}/forget`)
  expect([renamed.status, both.status, forgotten.status]).toEqual([200, 200, 200])

  const { versions } = (await call('GET', `${path}/versions`)).body as unknown as {
    versions: { version: number; changeDescription?: Change }[]
  }
  const named = versions.map(({ version, changeDescription }) => [
    version,
    changeDescription && namesOf(changeDescription),
  ])
  expect(named.slice(1, 4)).toEqual([
    [0.4, ['isAdmin', 'displayName']],
    [0.3, ['description']],
    [0.2, ['displayName']],
  ])
  const compared = async (form: string) => (await call('GET', `${path}/diff?from=0.1&to=0.2&form=${form}`)).body
  expect(await compared('sentence')).toEqual({
    sentence: 'Whether displayName and description changed is not known: the values cannot be read any more.',
  })
  expect(await compared('members')).toMatchObject({ fieldsUpdated: [], unreadable: ['displayName', 'description'] })

  const undone = async (answer: typeof renamed, dryRun = true) => {
    const id = answer.headers.get('x-request-id') as string
    const { status, body } = await call('POST', `/v1/requests/${id}/revert?dryRun=${dryRun}`)
    return [status, (body['data'] as object[])[0]]
  }
  const erased = 'What displayName said before was erased.'
  expect(await undone(renamed)).toMatchObject([200, { undo: 'none', outcome: 'unchanged', message: erased }])
  expect(await undone(both, false)).toMatchObject([200, { outcome: 'reverted', changed: ['isAdmin'], message: erased }])
  expect(await undone(forgotten)).toMatchObject([200, { outcome: 'conflict' }])

  await patch({ displayName: 'Somebody', isAdmin: true })
  const reverted = (version: string) => call('POST', `${path}/revert`, { version })
  const readable = await reverted(String(((await call('GET', path)).body as { version: number }).version))
  expect(readable.body).not.toHaveProperty('unreadable')
  const before = (await call('GET', path)).body
  const preview = await call('POST', `${path}/revert?dryRun=true`, { version: '0.1' })
  expect(preview.body).toMatchObject({ displayName: 'Somebody', unreadable: ['displayName', 'description'] })
  expect(preview.body['isAdmin']).not.toBe(true)
  expect((await call('GET', path)).body).toEqual(before)
  const back = await reverted('0.1')
  expect(back.body).toMatchObject({ displayName: 'Somebody', unreadable: ['displayName', 'description'] })
  expect(back.body['isAdmin']).not.toBe(true)
  expect((await reverted('0.1')).body).toMatchObject({ unreadable: ['displayName', 'description'] })
  expect((await call('GET', path)).body).not.toHaveProperty('unreadable')
})
