import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyWebhooks } from '../../../src/subscriptions/webhooks/copyWebhooks.ts'
import { openMongoWebhookStore } from '../../../src/subscriptions/webhooks/mongo/webhookStore.ts'
import { openSqliteWebhookStore } from '../../../src/subscriptions/webhooks/sqlite/webhookStore.ts'
import type { ReadMark } from '../../../src/subscriptions/webhooks/webhookStore.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { letter, secretCodec, webhook } from './webhookStoreContract.ts'

const url = process.env['CATALOG_TEST_MONGODB_URL']

const inSqlite = async () => openSqliteWebhookStore(join(await temporaryFolder(), 'webhooks.db'), secretCodec)

const inMongo = async () => {
  const database = `catalog-test-${randomUUID().slice(0, 8)}`
  onTestFinished(async () => {
    const client = await MongoClient.connect(url as string)
    await client.db(database).dropDatabase()
    await client.close()
  })
  return openMongoWebhookStore({ url: url as string, database, secretCodec })
}

/** Ways of a copy; those with MongoDB where there is a server. */
const ways = [
  ['within SQLite', inSqlite, inSqlite],
  ['from SQLite to MongoDB', inSqlite, inMongo],
  ['from MongoDB to SQLite', inMongo, inSqlite],
] as const

const byPosition = (a: ReadMark, b: ReadMark): number => (a.position < b.position ? -1 : 1)

/** A copy in which each position is a thousand times that of its source, which has events at even positions up to 8. */
const find = async (positions: Iterable<bigint>) =>
  new Map(
    [...positions].map((position) => {
      const last = position > 8n ? 8n : position - (position % 2n)
      const upTo = last === 0n ? undefined : last * 1000n
      return [position, { upTo, event: position === last ? upTo : undefined }] as const
    }),
  )

const tag = '0123456789abcdef'

describe.each(url === undefined ? ways.slice(0, 1) : ways)('a copy %s', (_, openSource, openTarget) => {
  const openBoth = async () => {
    const both = [await openSource(), await openTarget()] as const
    for (const store of both) onTestFinished(() => store.close())
    return both
  }

  test('webhooks go on at the same events of the copy, with their secrets and dead letters', async () => {
    const [source, target] = await openBoth()
    const [hook, fresh, ahead] = [webhook({ name: 'a' }), webhook({ name: 'b' }), webhook({ name: 'c' })]
    const success = { time: 't', position: '4', status: 200 }
    const failure = { time: 't', position: '6', message: 'm', attempts: 1 }
    const progress = { position: 7n, newest: { position: 6n, tag }, lastSuccess: success, lastError: failure }
    await source.create(hook, progress)
    await source.create(fresh, { position: undefined })
    await source.create(ahead, { position: 10n, newest: { position: 10n, tag } })
    const letters = [letter(2n), letter(6n), letter(10n)]
    for (const one of letters) await source.addDeadLetter(hook.id, one, 10)
    expect(await copyWebhooks(source, target, find)).toEqual({ webhooks: 3, deadLetters: 2, readMarks: 0 })
    const copied = await target.list()
    expect(copied.map((each) => each.webhook)).toEqual([hook, fresh, ahead])
    expect(copied.map((each) => each.progress)).toEqual([
      {
        position: 6000n,
        newest: { position: 6000n, tag },
        lastSuccess: { ...success, position: '4000' },
        lastError: { ...failure, position: '6000' },
      },
      { position: undefined },
      { position: 8000n },
    ])
    expect(await target.deadLetters(hook.id, undefined, 10)).toEqual([
      { ...letters[0], position: 2000n },
      { ...letters[1], position: 6000n },
    ])
  })

  test('read marks are about the same events, and those about no event are left out', async () => {
    const [source, target] = await openBoth()
    const mark = (position: bigint, upTo = false) => ({ position, upTo })
    await source.addReadMarks('ann', [mark(2n, true), mark(6n), mark(7n), mark(12n)])
    await source.addReadMarks('bob', [mark(5n, true), mark(12n)])
    await source.addReadMarks('cleo', [mark(1n, true)])
    await target.addReadMarks('bob', [mark(6000n)])
    expect(await copyWebhooks(source, target, find)).toEqual({ webhooks: 0, deadLetters: 0, readMarks: 3 })
    expect((await target.readMarks('ann')).toSorted(byPosition)).toEqual([mark(2000n, true), mark(6000n)])
    expect((await target.readMarks('bob')).toSorted(byPosition)).toEqual([mark(4000n, true), mark(6000n)])
    expect((await target.readMarks('cleo')).toSorted(byPosition)).toEqual([])
  })

  test('a repeated copy brings what is new, and takes away what is gone', async () => {
    const [source, target] = await openBoth()
    const [kept, gone] = [webhook({ name: 'kept' }), webhook({ name: 'gone' })]
    for (const each of [kept, gone]) await source.create(each, { position: 2n })
    for (const position of [2n, 4n]) await source.addDeadLetter(kept.id, letter(position), 10)
    await copyWebhooks(source, target, find)
    await source.delete(gone.id)
    const added = webhook({ name: 'gone' })
    await source.create(added, { position: undefined })
    await source.update({ webhook: { ...kept, enabled: false }, generation: 1 }, { position: 8n })
    await source.removeDeadLetter(kept.id, 2n)
    for (const _ of [1, 2]) await copyWebhooks(source, target, find)
    expect(await target.list()).toMatchObject([
      { webhook: added, progress: { position: undefined } },
      { webhook: { ...kept, enabled: false }, progress: { position: 8000n } },
    ])
    expect((await target.deadLetters(kept.id, undefined, 10)).map(({ position }) => position)).toEqual([4000n])
  })
})
