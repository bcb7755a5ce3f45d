import { expect, test } from 'vitest'
import { makeAccess } from '../../src/api/access.ts'
import type { CatalogRequest } from '../../src/api/deps.ts'
import { withDependencies } from '../../src/api/entities/reads/answerDependencies.ts'
import { hashOf } from '../../src/api/http/responseCache.ts'
import type { Permission } from '../../src/api/http/route.ts'
import { userId } from '../../src/commands/caller.ts'
import { entityId } from '../../src/kinds/names.ts'

const team = entityId('team', 'sales')

/** Read models in which ann is in a team; they count the reads. */
const reading = (permissions: Readonly<Record<string, Permission>>) => {
  const reads: string[] = []
  const api = {
    permits: (_: unknown, operation: string) => permissions[operation] ?? 'no',
    commands: { secretCodec: { hideId: (id: string) => `opaque ${id}` } },
    log: {},
    history: {},
    readModels: {
      get: async (id: string) => {
        reads.push(id)
        return {
          id,
          kind: 'user',
          status: 'live',
          born: 0n,
          fullyQualifiedName: 'ann',
          edges: [{ rel: 'teams', target: team }],
        }
      },
      getReferences: async (ids: readonly string[]) =>
        new Map(ids.map((id) => [id, { id, born: 0n, status: 'live', reference: '{"fullyQualifiedName":"sales"}' }])),
    },
  }
  const actor = { name: 'ann', roles: [] }
  return { api, actor, reads, access: makeAccess(api as never, actor) }
}

const owned = { edges: [{ rel: 'owners', target: team }] }
const reviewed = { edges: [{ rel: 'reviewers', target: userId('ann') }] }

test('who owns something is judged by rows, states and events alike, and by the members that count', async () => {
  const { access } = reading({})
  const state = { members: { owners: [{ id: team, type: 'team', fullyQualifiedName: 'sales' }] } }
  for (const one of [owned, state, { owners: [team] }]) expect(await access.holds('ifOwner', one)).toBe(true)
  for (const one of [{ edges: [] }, { members: {} }, { owners: [] }, undefined, reviewed])
    expect(await access.holds('ifOwner', one)).toBe(false)
  expect(await access.holds('ifOwner', reviewed, ['owners', 'reviewers'])).toBe(true)
  expect([await access.holds('no', owned), await access.holds('yes', undefined)]).toEqual([false, true])
})

test('what the caller owns by is read once, and only if it is asked for', async () => {
  const { access, reads } = reading({ view: 'yes', edit: 'ifOwner' })
  expect([access.may('view', 'table'), access.must('edit', 'table'), access.sees('table')]).toEqual([
    'yes',
    'ifOwner',
    true,
  ])
  expect(() => access.must('delete', 'table')).toThrow('Your roles do not allow delete on table.')
  await access.holds('yes', owned)
  expect(reads).toEqual([])
  for (let times = 0; times < 3; times++) await access.holds('ifOwner', owned)
  expect(await access.own()).toEqual([userId('ann'), team])
  expect(reads).toEqual([userId('ann')])
})

test('all of the past of a kind is seen by who may read versions, not by who may view it now', () => {
  const seen = (...of: Parameters<typeof reading>) =>
    [false, true].map((inPast) => reading(...of).access.seesAll('table', inPast))
  expect(seen({ view: 'yes', versions: 'ifOwner' })).toEqual([true, false])
  expect(seen({ view: 'yes', versions: 'yes' })).toEqual([true, true])
})

test('a cached answer depends on what its caller owns by', async () => {
  const { api, actor, access } = reading({})
  const request = { api, actor, access, isRepeated: true } as object as CatalogRequest
  const { dependencies } = await withDependencies(request, async (asked) => {
    await asked.access.own()
    return { status: 200 }
  })
  expect([userId('ann'), team].map((id) => dependencies?.has(hashOf(id)))).toEqual([true, true])
})
