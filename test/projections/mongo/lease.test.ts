import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Lease } from '../../../src/projections/lease.ts'
import { applyRows } from '../../support/projecting.ts'
import { describeMongo, freshDatabase, rowOf } from '../entities/mongo/support.ts'

const silence = 300

const openTwo = async () => {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.dispose())
  const [one, other] = [await fresh.open({ silence }), await fresh.open({ silence })]
  return { fresh, one, other, first: one.lease as Lease, second: other.lease as Lease }
}

describeMongo('what processes on one database share', () => {
  test('the lease belongs to one of them, however many ask at once', async () => {
    const { first, second } = await openTwo()
    const answers = await Promise.all([first.hold(), second.hold()])
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  test('as long as the holder gives signs of life nobody else has the lease', async () => {
    const { first, second } = await openTwo()
    await first.hold()
    for (let round = 0; round < 8; round++) {
      expect([await first.hold(), await second.hold()]).toEqual([true, false])
      await delay(silence / 5)
    }
  })

  test('a holder that gives no sign loses the lease, and is told so when it wakes', async () => {
    const { first, second } = await openTwo()
    await first.hold()
    await expect.poll(() => second.hold(), { interval: 20 }).toBe(true)
    expect([await first.hold(), await second.hold()]).toEqual([false, true])
  })

  test('a lease that was given back is taken at once, by one', async () => {
    const { first, second, fresh } = await openTwo()
    const third = (await fresh.open({ silence })).lease as Lease
    await first.hold()
    await second.hold()
    await first.release()
    const answers = await Promise.all([second.hold(), third.hold()])
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  test('when somebody drops the database one of the processes has the lease again', async () => {
    const { first, second, fresh } = await openTwo()
    await first.hold()
    await fresh.db.dropDatabase()
    const answers = [await second.hold(), await first.hold()]
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  test('each sees all that told of themselves until they leave', async () => {
    const { first, second } = await openTwo()
    await first.hold()
    await first.report(7n)
    await second.report(undefined)
    const [one, other] = await second.processes()
    expect([one, other]).toMatchObject([
      { id: first.id, projects: true, position: 7n, pid: process.pid },
      { id: second.id, projects: false, position: undefined },
    ])
    await first.release()
    await second.hold()
    expect((await second.processes()).map(({ projects }) => projects)).toEqual([false, true])
    await first.leave()
    expect((await second.processes()).map(({ id }) => id)).toEqual([second.id])
  })

  test('each sees how far a projection has come, and when its collection is gone', async () => {
    const { fresh, one, other } = await openTwo()
    expect(await other.shown?.('entities')).toBeUndefined()
    await applyRows(one, [rowOf()], 12n)
    expect(await other.shown?.('entities')).toMatchObject({ position: 12n })
    await fresh.db.dropDatabase()
    expect(await other.shown?.('entities')).toBeUndefined()
  })
})
