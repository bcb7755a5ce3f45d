import { expect, it } from 'vitest'
import type { CatalogRequest } from '../../../src/api/deps.ts'
import { activitiesOf, readEffects } from '../../../src/api/requests/effects.ts'
import type { Entity } from '../../../src/commands/evolve.ts'
import { limits } from '../../../src/shared/limits.ts'

const idOf = (position: bigint): string => `t${position}`

/** A request that created so many tables, whose states have a text of this length. */
const creating = (count: number, length = 1): CatalogRequest => {
  const stateOf = (id: string) =>
    ({ kind: 'table', id, members: { description: 'x'.repeat(length) } }) as object as Entity
  const rowAt = (position: bigint) => ({
    position,
    kind: 'table',
    entityId: idOf(position),
    changed: ['description'],
    owners: [],
  })
  return {
    actor: { name: 'ann', roles: [] },
    access: { may: () => 'yes', holds: async () => true },
    progress: () => {},
    api: {
      runner: { shownPosition: async () => undefined },
      history: {
        transitions: async function* ({ id }: { id: string }) {
          yield { before: undefined, after: stateOf(id) }
        },
      },
      commands: { lookup: async (ids: string[]) => new Map(ids.map((id) => [id, stateOf(id)])) },
      readModels: {
        get: async () => undefined,
        getHeads: async (ids: string[]) => new Map(ids.map((id) => [id, { isLarge: length > 16_384 }])),
        activity: async ({ after = -1n, limit }: { after?: bigint; limit: number }) => {
          const size = Math.min(limit, count - 1 - Number(after))
          const rows = Array.from({ length: size }, (_, at) => rowAt(after + 1n + BigInt(at)))
          return { rows, next: Number(after) + size < count - 1 ? rows.at(-1)?.position : undefined }
        },
      },
    },
  } as object as CatalogRequest
}

it.each([
  ['many small ones', 12_000, 10],
  ['a few large ones', 60, 1024 * 1024],
])('all that a request did is read, in groups that fit into memory: %s', async (_, count, length) => {
  const request = creating(count, length)
  const activities = await activitiesOf(request, 'r')
  expect(activities.length).toBe(count)
  const ids: string[] = []
  for await (const effects of readEffects(request, activities)) {
    expect(effects.length).toBeLessThanOrEqual(500)
    expect(effects.length * 2 * length).toBeLessThan(20 * 1024 * 1024)
    ids.push(...effects.map(({ id, before, after }) => (before === undefined && after !== undefined ? id : '')))
  }
  expect(ids).toEqual(activities.map(({ id }) => id))
})

it('what a request did beyond the limit is too much', async () => {
  const most = limits.revertedEvents.value
  expect((await activitiesOf(creating(most), 'r')).length).toBe(most)
  await expect(activitiesOf(creating(most + 1), 'r')).rejects.toThrow(`more than ${most} events`)
})
