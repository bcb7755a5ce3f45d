import { expect, it } from 'vitest'
import { databaseOfTest, describeMongo } from '../entities/mongo/support.ts'
import { expectTree, grow, logOf } from './treeContract.ts'

describeMongo('two processes that project into one MongoDB database', () => {
  it('grow one tree, whoever of them is ahead', async () => {
    const { open } = await databaseOfTest()
    const [one, other] = [await open(), await open()]
    const log = logOf(1500)
    await grow(one, log.slice(0, 300))
    await grow(other, log.slice(0, 700))
    await grow(one, log.slice(300, 310))
    await Promise.all([grow(one, log.slice(310, 900)), grow(other, log.slice(700, 1100))])
    await grow(other, log.slice(1100, 1101))
    await grow(one, log.slice(900))
    await expectTree(one, log, [0, 305, 704, 1100])
    await expectTree(other, log)
    await expect(one.checkpoints()).resolves.toBeDefined()
  })

  it('grow one tree when they take turns, each going on from the checkpoint', async () => {
    const { open } = await databaseOfTest()
    const [one, other] = [await open(), await open()]
    const log = logOf(40)
    for (const [index, store] of [one, other, one, other].entries()) {
      await store.checkpoints()
      await grow(store, log.slice(index * 10, index * 10 + 10))
    }
    await expectTree(one, log, [0, 15, 25, 39])
  })
})
