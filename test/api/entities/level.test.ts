import { expect, test } from 'vitest'
import { waitForTimeline } from '../../../src/api/entities/reads/moment.ts'
import { waitForProjection } from '../../../src/api/entities/reads/catchUp.ts'
import { ProjectionBehind } from '../../../src/projections/errors.ts'

/** A log that ends at 60, and a runner whose entities show 100, and whose other projection comes on by so much whenever somebody has waited too long. */
const runnerThat = (comesOn: bigint) => {
  let at = 10n
  const waits: bigint[] = []
  const runner = {
    shownPosition: async () => 100n,
    position: (projection?: string) => (projection === undefined ? 100n : at),
    waitFor: async (position: bigint) => {
      waits.push(at)
      if (at >= position) return
      at += comesOn
      throw new ProjectionBehind(`The search index has not come to ${position}.`)
    },
  }
  const log = { head: async () => 60n }
  const commands = { waitForCascadesUpTo: async () => undefined }
  return { api: { runner, log, commands } as unknown as Parameters<typeof waitForTimeline>[0], waits }
}

test('whoever needs a projection that is behind for too long is told so', async () => {
  const { api, waits } = runnerThat(90n)
  await expect(waitForProjection(api, 'search')).rejects.toThrow(ProjectionBehind)
  await waitForProjection(api, 'search')
  expect(waits).toEqual([10n, 100n])
})

test('what is shown is of the log, also where the store goes on with events of others behind those of the catalog', async () => {
  const { api, waits } = runnerThat(90n)
  await expect(waitForTimeline(api, 101n)).rejects.toThrow(/beyond the end of this catalog’s log/)
  await expect(waitForTimeline(api, 100n)).rejects.toThrow(ProjectionBehind)
  await waitForTimeline(api, 100n)
  expect(waits).toEqual([10n])
})

test('what lies behind the newest event of the catalog is shown with that event', async () => {
  const { api, waits } = runnerThat(50n)
  await expect(waitForTimeline(api, 100n)).rejects.toThrow(ProjectionBehind)
  await waitForTimeline(api, 100n)
  expect(waits).toEqual([10n, 60n])
})
