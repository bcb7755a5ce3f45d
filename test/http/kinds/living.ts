import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/shared/json.ts'
import { descendantKinds } from '../../../src/kinds/registry/kinds.ts'
import { external } from '../../support/external.ts'
import { answered, byName, merge } from '../support.ts'
import { unknownId, type KindUnderTest } from './kindUnderTest.ts'

/** Delete, restore, and the verbs of traits. */
export const canBeDeleted = ({
  definition,
  path,
  call,
  refused,
  maker,
  get,
  post,
  put,
  remove,
  refuses,
  alike,
}: KindUnderTest): void => {
  const tenths = (version: number): number => Math.round(version * 10)

  const kind = definition.name

  alike('soft delete hides, restore brings back', async () => {
    const { minimal } = await maker.sample('soft')
    const created = await post(path, minimal)
    const at = `${path}/${created.id}`
    const deleted = await answered(200, call('DELETE', at))
    expect(deleted.body).toMatchObject({ id: created.id, deleted: true, version: 0.2 })
    expect(deleted.body.changeDescription.fieldsUpdated).toEqual([{ name: 'deleted', oldValue: false, newValue: true }])
    for (const hidden of [at, byName(definition, created.fullyQualifiedName), `${at}?include=non-deleted`])
      await refuses('NOT_FOUND', 'GET', hidden)
    for (const include of ['deleted', 'all']) expect(await get(`${at}?include=${include}`)).toEqual(deleted.body)
    const listed = async (include: string) => {
      const body = await get(`${path}?limit=1000&include=${include}`)
      return body.data.some((each: JsonObject) => each['id'] === created.id)
    }
    expect([await listed('deleted'), await listed('all'), await listed('non-deleted')]).toEqual([true, true, false])
    await refuses('ENTITY_ALREADY_EXISTS', 'POST', path, minimal)
    await refuses('NOT_FOUND', 'PATCH', at, { description: 'x' }, merge)
    await refuses('NOT_FOUND', 'DELETE', at)
    if (definition.traits.votes) await refuses('NOT_FOUND', 'PUT', `${at}/vote`, { updatedVoteType: 'votedUp' })
    if (definition.traits.followers) await refuses('NOT_FOUND', 'PUT', `${at}/followers`, JSON.stringify(unknownId))
    const restored = await answered(200, call('PUT', `${path}/restore`, { id: created.id }))
    expect(restored.body).toMatchObject({ deleted: false, version: 0.3 })
    expect(await get(at)).toEqual(restored.body)
    expect((await answered(200, refused('PUT', `${path}/restore`, { id: created.id }))).body).toEqual(restored.body)
    await answered(200, call('DELETE', byName(definition, created.fullyQualifiedName)))
    expect((await answered(200, call('PUT', `${path}/restore?id=${created.id}`))).body.version).toBe(0.5)
    await answered(200, call('DELETE', at))
    const upserted = await answered(200, call('PUT', path, { ...minimal, description: 'Back' }))
    expect(upserted.body).toMatchObject({ id: created.id, deleted: false, description: 'Back' })
    expect(tenths(upserted.body.version)).toBeGreaterThan(6)
    for (const body of [{}, { id: 'x' }, { id: created.id, more: 1 }, [], 'null'])
      await refuses('BAD_REQUEST', 'PUT', `${path}/restore`, body)
  })

  alike('hard delete ends a life, and the next begins at 0.1 with the history kept', async () => {
    const { minimal } = await maker.sample('hard')
    const created = await post(path, { ...minimal, description: 'First life' })
    const at = `${path}/${created.id}`
    const gone = await answered(204, call('DELETE', `${at}?hardDelete=true`))
    expect(gone.body).toBe('')
    await refuses('NOT_FOUND', 'GET', `${at}?include=all`)
    await refuses('NOT_FOUND', 'DELETE', `${at}?hardDelete=true`)
    await refuses('NOT_FOUND', 'PUT', `${path}/restore`, { id: created.id })
    const next = await answered(201, call('POST', path, minimal))
    expect(next.body).toMatchObject({ id: created.id, version: 0.1 })
    expect([next.body.description, next.body.changeDescription]).toEqual([undefined, undefined])
    expect((await get(`${at}/versions`)).versions.map((each: JsonObject) => each['version'])).toEqual([0.1])
    const history = await get(`${at}/history`)
    // A log that cannot refuse an append has what may have children hidden before it is looked below.
    const hidden =
      external.eventStoreUrl !== undefined && descendantKinds(kind).some(({ dependent }) => !dependent)
        ? ['SoftDeleted']
        : []
    const types = ['Created', ...hidden, 'HardDeleted', 'Created']
    expect(history.data.map((event: JsonObject) => event['type'])).toEqual(types)
    await answered(200, call('DELETE', at))
    await remove(`${byName(definition, created.fullyQualifiedName)}?hardDelete=true`)
  })

  if (definition.traits.followers)
    alike('can be followed', async () => {
      const { id, version } = await maker.create('followed')
      const user = await post('/v1/users', { name: `follower of ${kind}` })
      const at = `${path}/${id}/followers`
      const followed = await answered(200, call('PUT', at, JSON.stringify(user.id)))
      expect(followed.body.followers).toEqual([
        { id: user.id, type: 'user', name: user.name, fullyQualifiedName: user.fullyQualifiedName, deleted: false },
      ])
      expect(followed.body.version).toBe(version)
      for (const [type, said] of [
        ['text/plain', user.id],
        ['application/json', user.id],
        ['application/json', `"${user.id}"`],
        ['application/x-www-form-urlencoded', user.id],
        ['application/x-www-form-urlencoded', `%22${user.id}%22=`],
      ] as const)
        await answered(200, refused('PUT', at, said, { headers: { 'content-type': type } }))
      expect(
        (await get(`${path}?fields=followers&limit=1000`)).data.find((each: JsonObject) => each['id'] === id).followers,
      ).toHaveLength(1)
      const left = await answered(200, call('DELETE', `${at}/${user.id}`))
      expect([left.body.followers, left.body.version]).toEqual([[], version])
      await answered(200, refused('DELETE', `${at}/${user.id}`))
      const types = (await get(`${path}/${id}/history`)).data.map((event: JsonObject) => event['type'])
      expect(types).toEqual(['Created', 'FollowerAdded', 'FollowerRemoved'])
      await remove(`/v1/users/${user.id}`)
      await refuses('NOT_FOUND', 'PUT', at, JSON.stringify(user.id))
      for (const missing of [unknownId, id]) await refuses('NOT_FOUND', 'PUT', at, JSON.stringify(missing))
      await refuses('NOT_FOUND', 'PUT', `${path}/${unknownId}/followers`, JSON.stringify(user.id))
      await refuses('NOT_FOUND', 'DELETE', `${at}/${unknownId}`)
      for (const body of ['{}', '"x"', '[]', 'null']) await refuses('BAD_REQUEST', 'PUT', at, body)
    })

  if (definition.traits.votes)
    alike('can be voted on', async () => {
      const { id, version } = await maker.create('voted')
      const at = `${path}/${id}/vote`
      const votes = async (vote: string) => await put(at, { updatedVoteType: vote })
      const up = await votes('votedUp')
      expect(up).toMatchObject({ version, votes: { upVotes: 1, downVotes: 0, downVoters: [] } })
      expect(up.votes.upVoters[0]).toMatchObject({ type: 'user', name: 'admin' })
      await answered(200, refused('PUT', at, { updatedVoteType: 'votedUp' }))
      expect((await votes('votedDown')).votes).toMatchObject({ upVotes: 0, downVotes: 1 })
      expect((await votes('unVoted')).votes).toEqual({ upVotes: 0, downVotes: 0, upVoters: [], downVoters: [] })
      await refuses('NOT_FOUND', 'PUT', `${path}/${unknownId}/vote`, { updatedVoteType: 'votedUp' })
      for (const body of [{}, { updatedVoteType: 'up' }, { updatedVoteType: 'votedUp', more: 1 }, []])
        await refuses('BAD_REQUEST', 'PUT', at, body)
    })

  it('has only the verbs of its traits', async () => {
    const { id } = await maker.create('traits')
    const verbs: [boolean | undefined, string, unknown][] = [
      [definition.traits.followers, 'followers', JSON.stringify(unknownId)],
      [definition.traits.votes, 'vote', { updatedVoteType: 'votedUp' }],
      [definition.traits.assets, 'assets/add', { assets: [] }],
      [definition.traits.assets, 'inputPorts/remove', { assets: [] }],
    ]
    for (const [has, verb, body] of verbs) {
      if (!has) await refuses('NOT_FOUND', 'PUT', `${path}/${id}/${verb}`, body)
    }
  })
}
