import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Lease } from '../../../src/projections/lease.ts'
import { applyRows } from '../../support/projecting.ts'
import { databaseOfTest, describeMongo, rowOf } from '../entities/mongo/support.ts'

const silence = 300

const openTwo = async () => {
  const fresh = await databaseOfTest()
  const [one, other] = [await fresh.open({ silence }), await fresh.open({ silence })]
  return { fresh, one, other, first: one.lease as Lease, second: other.lease as Lease }
}

/** Whether it holds the first partition. */
const holds = async (lease: Lease): Promise<boolean> => (await lease.hold()).includes(0)

const every = [0, 1, 2]

describeMongo('what processes on one database share', () => {
  test('the lease belongs to one of them, however many ask at once', async () => {
    const { first, second } = await openTwo()
    const answers = await Promise.all([holds(first), holds(second)])
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  test('as long as the holder gives signs of life nobody else has the lease', async () => {
    const { first, second } = await openTwo()
    await holds(first)
    for (let round = 0; round < 8; round++) {
      expect([await holds(first), await holds(second)]).toEqual([true, false])
      await delay(silence / 5)
    }
  })

  test('a holder that gives no sign loses every partition, and is told so when it wakes', async () => {
    const { first, second } = await openTwo()
    await first.hold()
    await expect.poll(() => second.hold(), { interval: 20 }).toEqual(every)
    expect([await holds(first), await holds(second)]).toEqual([false, true])
  })

  test('a lease that was given back is taken at once, by one', async () => {
    const { first, second, fresh } = await openTwo()
    const third = (await fresh.open({ silence })).lease as Lease
    await holds(first)
    await holds(second)
    await first.leave()
    const answers = await Promise.all([holds(second), holds(third)])
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  test('a process that is alone holds every partition, and hands them over, but not the first, until each has its share', async () => {
    const { first, second, fresh } = await openTwo()
    const third = (await fresh.open({ silence })).lease as Lease
    expect(await first.hold()).toEqual(every)
    const held = async (among: readonly Lease[]) => {
      const all: (readonly number[])[] = []
      for (const lease of among) all.push(await lease.hold())
      return all
    }
    await expect.poll(() => held([first, second]), { interval: 20 }).toEqual([[0], [1, 2]])
    await expect.poll(() => held([first, second, third]), { interval: 20 }).toEqual([[0], [1], [2]])
    for (let round = 0; round < 8; round++) expect(await held([first, second, third])).toEqual([[0], [1], [2]])
  })

  test('what a process releases is taken at once by another, and by itself if there is none', async () => {
    const { first, second } = await openTwo()
    await first.hold()
    await first.release()
    expect(await first.hold()).toEqual(every)
    await first.release()
    expect([await second.hold(), await first.hold()]).toEqual([every, []])
  })

  test('when somebody drops the database one of the processes has the lease again', async () => {
    const { first, second, fresh } = await openTwo()
    await holds(first)
    await fresh.db.dropDatabase()
    const answers = [await holds(second), await holds(first)]
    expect(answers.filter(Boolean)).toHaveLength(1)
  })

  test('each sees all that told of themselves until they leave', async () => {
    const { first, second } = await openTwo()
    await holds(first)
    await first.report(7n)
    await second.report(undefined)
    const [one, other] = await second.processes()
    expect([one, other]).toMatchObject([
      { id: first.id, projects: expect.arrayContaining(['entities']) as string[], position: 7n, pid: process.pid },
      { id: second.id, projects: [], position: undefined },
    ])
    await first.release()
    await holds(second)
    expect((await second.processes()).map(({ projects }) => projects.includes('entities'))).toEqual([false, true])
    await first.leave()
    expect((await second.processes()).map(({ id }) => id)).toEqual([second.id])
  })

  test('each sees how far a projection has come, and when its collection is gone', async () => {
    const { fresh, one, other } = await openTwo()
    expect(await other.readCheckpoint?.('entities')).toBeUndefined()
    await applyRows(one, [rowOf()], 12n)
    expect(await other.readCheckpoint?.('entities')).toMatchObject({ position: 12n })
    await fresh.db.dropDatabase()
    expect(await other.readCheckpoint?.('entities')).toBeUndefined()
  })
})
