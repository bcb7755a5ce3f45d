import { once } from 'node:events'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fingerprintOf, type RecordedEvent } from '../../../src/events/events.ts'
import { makeFeed } from '../../../src/subscriptions/feed/feed.ts'
import { matchWithLabels } from '../../../src/projections/activity/matching.ts'
import { makeLabels } from '../../../src/projections/labels.ts'
import { startDispatcher, type Dispatcher } from '../../../src/subscriptions/webhooks/dispatcher.ts'
import { makeSender, type Sender, type SendResult } from '../../../src/subscriptions/webhooks/send.ts'
import type { Webhook } from '../../../src/subscriptions/webhooks/webhook.ts'
import type { WebhookStore } from '../../../src/subscriptions/webhooks/webhookStore.ts'
import { openSqliteWebhookStore } from '../../../src/subscriptions/webhooks/sqlite/webhookStore.ts'
import { pauseAfter, type RetryPolicy } from '../../../src/subscriptions/webhooks/delivery.ts'
import { leavesOf, makeWriter, openLog, write } from '../feed/support.ts'
import { freshStream } from '../../support/events.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { receiving } from '../../support/listening.ts'
import { waitFor } from '../../support/waitFor.ts'
import { secretCodec, webhook } from './webhookStoreContract.ts'

const created = { type: 'Created', data: { name: 'n', members: {} } } as const

/** An endpoint that remembers the positions and texts that it was sent and answers what `status` says. */
const endpoint = async (status: (position: string, attempt: number) => number | Promise<number>) => {
  const taken: string[] = []
  const texts: string[] = []
  const attempts = new Map<string, number>()
  const { url, until } = await receiving(async (text) => {
    const { position } = JSON.parse(text) as { position: string }
    const attempt = (attempts.get(position) ?? 0) + 1
    attempts.set(position, attempt)
    texts.push(text)
    const code = await status(position, attempt)
    if (code < 300) taken.push(position)
    return code
  })
  return { url, taken, texts, attempts, until }
}

const impatient: RetryPolicy = { attempts: 3, base: 1, longest: 4, longestAsked: 2 }

/** A log, a store of webhooks, and dispatchers over them that come and go as processes do. */
const setUp = async ({
  retries = impatient,
  writeEvent = write,
  holdsLease = (): boolean => true,
  sender: given,
  lease = async () => holdsLease(),
  kindsOf = ({ filter }) => filter.kinds,
}: {
  retries?: RetryPolicy
  writeEvent?: typeof write
  holdsLease?: () => boolean
  sender?: Sender
  lease?: WebhookStore['lease']
  kindsOf?: (webhook: Webhook) => readonly string[] | undefined
} = {}) => {
  const log = await openLog()
  const said: unknown[] = []
  const opened = openSqliteWebhookStore(join(await temporaryFolder(), 'webhooks.db'), secretCodec)
  const store: WebhookStore = {
    ...opened,
    lease,
    saveProgress: async (...progress) => holdsLease() && opened.saveProgress(...progress),
  }
  onTestFinished(() => store.close())
  const begin = async (): Promise<{ dispatcher: Dispatcher; end: () => Promise<void> }> => {
    const feed = makeFeed({ log, write: writeEvent, leaves: leavesOf })
    const sender = given ?? makeSender({ allowPrivate: true, userAgent: 'test' })
    const dispatcher = startDispatcher({
      log,
      store,
      feed,
      sender,
      retries,
      secretCodec,
      selectionOf: async (of) => ({
        match: matchWithLabels({ kinds: kindsOf(of) && new Set(kindsOf(of)) }, makeLabels(log)),
      }),
      logger: {
        info: (_: unknown, message?: string) => void said.push(message),
        warn: ({ err }: { err?: unknown }, message?: string) =>
          err === undefined ? void said.push(message) : expect.unreachable(String(err)),
      },
    })
    await dispatcher.sync()
    let ended: Promise<void> | undefined
    const end = (): Promise<void> =>
      (ended ??= dispatcher
        .close()
        .then(() => feed.close())
        .then(() => sender.close()))
    onTestFinished(end)
    return { dispatcher, end }
  }
  return { log, store, begin, said, append: makeWriter(log) }
}

/** A sender whose messages are not answered before they are aborted, and then like this. */
const hanging = (result: SendResult) => {
  const sent: string[] = []
  const send: Sender['send'] = async ({ id }, signal) => {
    sent.push(id)
    await once(signal, 'abort')
    await nextTurn()
    return result
  }
  return { sent, sender: { send, close: () => undefined } }
}

const positions = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1))

describe('deliveries', () => {
  test('come in the order of the log, those that match alone, and repeated until they are taken', async () => {
    const { append, store, begin } = await setUp()
    const { url, taken, attempts, until } = await endpoint((position, attempt) =>
      position === '2' && attempt < 3 ? 503 : 200,
    )
    for (let index = 0; index < 4; index++) await append(freshStream(index === 2 ? 'pear' : 'apple'), created)
    const hook = webhook({ endpoint: url })
    await store.create(hook, { position: undefined })
    await begin()
    await until(() => taken.length === 3)
    await append(freshStream('apple'), created)
    await until(() => taken.length === 4)
    expect(taken).toEqual(['1', '2', '4', '5'])
    expect(attempts.get('2')).toBe(3)
    await until(async () => (await store.get(hook.id))?.progress.position === 5n)
    const progress = (await store.get(hook.id))?.progress
    expect(progress).toMatchObject({
      lastSuccess: { position: '5', status: 200 },
      lastError: { position: '2', attempts: 2, message: 'The endpoint answered 503.' },
    })
  })

  test('deliveries that fail too often are laid aside, which is told once, and taken from there by a replay', async () => {
    const { append, store, begin, said } = await setUp()
    let broken = true
    const { url, taken, until } = await endpoint((position, attempt) =>
      broken && (position === '2' || (position === '3' && attempt < 2)) ? 500 : 200,
    )
    for (let index = 0; index < 3; index++) await append(freshStream('apple'), created)
    const hook = webhook({ endpoint: url })
    await store.create(hook, { position: undefined })
    const { dispatcher } = await begin()
    await until(() => taken.length === 2)
    expect(taken).toEqual(['1', '3'])
    await waitFor(() =>
      expect(said).toEqual([
        'deliveries of a webhook fail',
        'an event became a dead letter',
        'deliveries of a webhook succeed again',
      ]),
    )
    expect(await store.deadLetters(hook.id, undefined, 10)).toMatchObject([
      {
        position: 2n,
        attempts: 3,
        type: 'catalog.apple.Created',
        error: 'The endpoint answered 500.',
      },
    ])
    broken = false
    await store.update({ webhook: hook, generation: 1 }, { position: 1n })
    await dispatcher.sync()
    await until(() => taken.length === 4)
    expect(taken).toEqual(['1', '3', '2', '3'])
    expect(await store.countDeadLetters(hook.id)).toBe(0)
  })

  test('go on from the checkpoint in the next process, without leaving anything out', async () => {
    const { append, store, begin } = await setUp()
    let answered = 0
    const { url, taken, until } = await endpoint(() => (answered++ % 4 === 3 ? 500 : 200))
    await store.create(webhook({ endpoint: url }), { position: undefined })
    const total = 40
    for (let index = 0; index < total; index++) {
      await append(freshStream('apple'), created)
      if (index % 8 !== 0) continue
      const { end } = await begin()
      const before = taken.length
      await until(() => taken.length > before + 1 || taken.at(-1) === String(index + 1))
      await end()
    }
    await begin()
    await until(() => taken.at(-1) === String(total))
    expect([...new Set(taken)]).toEqual(positions(total))
  })

  test('that were accepted while their process ends are not sent again', async () => {
    const { sent, sender } = hanging({ ok: true, status: 250 })
    const { append, store, begin } = await setUp({ sender })
    const hook = webhook({})
    await store.create(hook, { position: undefined })
    await append(freshStream('apple'), created)
    const { end } = await begin()
    await waitFor(() => expect(sent).toHaveLength(1))
    await end()
    expect((await store.get(hook.id))?.progress.position).toBe(1n)
  })

  test('of a webhook that is changed begin when those of before have ended, which are no failures', async () => {
    const { sent, sender } = hanging({ ok: false, error: 'aborted' })
    const leases: number[] = []
    const lease: WebhookStore['lease'] = async (_id, _holder, milliseconds) => leases.push(milliseconds) > 0
    const { append, store, begin } = await setUp({ sender, lease })
    const hook = webhook({})
    await store.create(hook, { position: undefined })
    await append(freshStream('apple'), created)
    const { dispatcher, end } = await begin()
    await waitFor(() => expect(sent).toHaveLength(1))
    await store.update({ webhook: hook, generation: 1 })
    await dispatcher.sync()
    await waitFor(() => expect(sent).toHaveLength(2))
    await end()
    expect(leases).toEqual([30_000, 0, 30_000, 0])
    expect((await store.get(hook.id))?.progress.lastError).toBeUndefined()
  })

  test('go on in another process as soon as their process has ended', async () => {
    const [holders, former] = [new Set<string>(), new Set<string>()]
    const lease = async (_: string, holder: string, milliseconds: number): Promise<boolean> => {
      if ([...holders].some((other) => other !== holder)) return false
      if (milliseconds === 0) holders.delete(holder)
      else holders.add(holder)
      former.add(holder)
      return true
    }
    const { append, store, begin } = await setUp({ lease })
    const { url, taken, until } = await endpoint(() => 200)
    const hook = webhook({ endpoint: url })
    await store.create(hook, { position: undefined })
    for (const count of [1, 2]) {
      await append(freshStream('apple'), created)
      const { end } = await begin()
      await until(async () => (await store.get(hook.id))?.progress.position === BigInt(count))
      await end()
    }
    expect([taken, former.size, holders.size]).toEqual([['1', '2'], 2, 0])
  })

  test('end when the endpoint is gone, and go on with the same event once the webhook is enabled again', async () => {
    const { append, store, begin, said } = await setUp()
    let gone = true
    const { url, taken, attempts, until } = await endpoint((position) => (gone && position === '2' ? 410 : 200))
    const hook = webhook({ endpoint: url })
    await store.create(hook, { position: undefined })
    for (let index = 0; index < 3; index++) await append(freshStream('apple'), created)
    const { dispatcher } = await begin()
    await until(async () => (await store.get(hook.id))?.webhook.enabled === false)
    expect((await store.get(hook.id))?.webhook).toMatchObject({
      updatedBy: 'system',
      updatedAt: expect.not.stringMatching(hook.updatedAt),
    })
    expect(said).toEqual(['a webhook was disabled, since its endpoint answered 410'])
    expect((await store.get(hook.id))?.progress).toMatchObject({
      position: 1n,
      lastError: { position: '2', attempts: 1, message: expect.stringContaining('410') },
    })
    expect([taken, attempts.get('2'), await store.countDeadLetters(hook.id)]).toEqual([['1'], 1, 0])
    gone = false
    await store.update({ webhook: hook, generation: 2 })
    await dispatcher.sync()
    await until(() => taken.length === 3)
    expect(taken).toEqual(['1', '2', '3'])
  })

  test('end when the webhook is disabled, changed or deleted', async () => {
    const { append, store, begin } = await setUp()
    const first = await endpoint(() => 200)
    const second = await endpoint(() => 200)
    const hook = webhook({ endpoint: first.url })
    await store.create(hook, { position: undefined })
    const { dispatcher } = await begin()
    await append(freshStream('apple'), created)
    await first.until(() => first.taken.length === 1)
    await first.until(async () => (await store.get(hook.id))?.progress.position === 1n)
    await store.update({ webhook: { ...hook, enabled: false }, generation: 1 })
    await dispatcher.sync()
    await append(freshStream('apple'), created)
    const turned = { ...hook, endpoint: webhook({ endpoint: second.url }).endpoint }
    await store.update({ webhook: turned, generation: 2 })
    await dispatcher.sync()
    await second.until(() => second.taken.length === 1)
    await store.delete(hook.id)
    await dispatcher.sync()
    expect(first.taken).toEqual(['1'])
    expect(second.taken).toEqual(['2'])
    expect(dispatcher.progress(hook.id)).toBeUndefined()
  })

  test('go to no former endpoint once another process has changed, made anew or deleted the webhook', async () => {
    const { append, store, begin } = await setUp()
    const [first, second, third] = [await endpoint(() => 200), await endpoint(() => 200), await endpoint(() => 200)]
    const hook = webhook({ endpoint: first.url })
    await store.create(hook, { position: undefined })
    const { dispatcher } = await begin()
    const isDone = async (position: bigint) => (await store.get(hook.id))?.progress.position === position
    await append(freshStream('apple'), created)
    await first.until(() => isDone(1n))
    await store.delete(hook.id)
    const made = { ...webhook({ endpoint: second.url }), id: hook.id }
    await store.create(made, { position: 1n })
    await append(freshStream('apple'), created)
    await second.until(() => isDone(2n))
    const turned = { ...made, endpoint: webhook({ endpoint: third.url }).endpoint }
    await store.update({ webhook: turned, generation: 1 })
    await append(freshStream('apple'), created)
    await third.until(() => isDone(3n))
    await store.delete(hook.id)
    await append(freshStream('apple'), created)
    await expect.poll(() => dispatcher.progress(hook.id)).toBeUndefined()
    expect([first.taken, second.taken, third.taken]).toEqual([['1'], ['2'], ['3']])
  })

  test('end in a process that has lost the lease to another one, at the next outcome', async () => {
    let isHeld = true
    const { append, store, begin } = await setUp({ holdsLease: () => isHeld })
    const { url, taken, until } = await endpoint(() => 200)
    const hook = webhook({ endpoint: url })
    await store.create(hook, { position: undefined })
    const { dispatcher } = await begin()
    await append(freshStream('apple'), created)
    await until(() => dispatcher.progress(hook.id)?.progress.position === 1n)
    isHeld = false
    for (let index = 0; index < 2; index++) await append(freshStream('apple'), created)
    await expect.poll(() => dispatcher.progress(hook.id)).toBeUndefined()
    expect(taken).toEqual(['1', '2'])
  })

  test('end in a process that cannot renew the lease, while they wait as well', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    let isHeld = true
    const { sent, sender } = hanging({ ok: false, error: 'aborted' })
    const { append, store, begin } = await setUp({ sender, holdsLease: () => isHeld })
    const hook = webhook({})
    await store.create(hook, { position: undefined })
    await append(freshStream('apple'), created)
    const { dispatcher } = await begin()
    await waitFor(() => expect(sent).toHaveLength(1))
    isHeld = false
    vi.advanceTimersByTime(10_000)
    await waitFor(() => expect(dispatcher.progress(hook.id)).toBeUndefined())
  })

  test('leave the lease when their process ends, also where it was just being renewed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const renewing = Promise.withResolvers<void>()
    const asked: number[] = []
    let held = false
    const { store, begin } = await setUp({
      lease: async (_id, _holder, milliseconds) => {
        if (asked.push(milliseconds) === 2) await renewing.promise
        held = milliseconds > 0
        return true
      },
    })
    const hook = webhook()
    await store.create(hook, { position: undefined })
    const { dispatcher, end } = await begin()
    await expect.poll(() => dispatcher.progress(hook.id)).toBeDefined()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked).toHaveLength(2)
    const ended = end()
    await pause(50)
    renewing.resolve()
    await ended
    await nextTurn()
    expect(held).toBe(false)
  })

  test('are not sent when their turn comes and who set them up may not view them any more', async () => {
    let kinds = ['apple']
    const { append, store, begin } = await setUp({ kindsOf: () => kinds })
    const { url, taken, until } = await endpoint(() => {
      kinds = ['pear']
      return 200
    })
    const hook = webhook({ endpoint: url })
    await store.create(hook, { position: undefined })
    for (let index = 0; index < 2; index++) await append(freshStream('apple'), created)
    const { dispatcher } = await begin()
    await until(() => dispatcher.progress(hook.id)?.progress.position === 2n)
    expect(taken).toEqual(['1'])
  })

  test('send what the log shows when they are sent: an erased value is sent by no retry and from no page', async () => {
    let shown = 'secret'
    const { append, store, begin } = await setUp({
      writeEvent: (event, leaf) => write(event, leaf).replace('"n"', `"${shown}"`),
    })
    const { url, texts, taken, until } = await endpoint(async (position, attempt) => {
      if (position === '1') await pause(1_100)
      if (position === '1') shown = 'erased once'
      if (position === '2' && attempt === 1) shown = 'erased again'
      return position === '2' && attempt === 1 ? 500 : 200
    })
    await store.create(webhook({ endpoint: url }), { position: undefined })
    for (let index = 0; index < 2; index++) await append(freshStream('apple'), created)
    await begin()
    await until(() => taken.length === 2)
    const names = texts.map((text) => (JSON.parse(text) as { data: { name: string } }).data.name)
    expect(names).toEqual(['secret', 'erased once', 'erased again'])
  })

  test('leave nothing out of a log that was put back to before the checkpoint', async () => {
    const { append, store, begin, log } = await setUp()
    const { url, taken, until } = await endpoint(() => 200)
    for (let index = 0; index < 2; index++) await append(freshStream('apple'), created)
    const newest = fingerprintOf((await log.eventAt(2n)) as RecordedEvent)
    await store.create(webhook({ endpoint: url }), { position: 3n, newest })
    for (let index = 0; index < 3; index++) await append(freshStream('apple'), created)
    await begin()
    await until(() => taken.includes('5'))
    expect(taken).toEqual(['3', '4', '5'])
  })

  test('deliveries to one endpoint do not wait for another that fails', async () => {
    const { append, store, begin } = await setUp({
      retries: { attempts: 3, base: 600_000, longest: 600_000, longestAsked: 0 },
    })
    const good = await endpoint(() => 200)
    const bad = await endpoint(() => 500)
    const hook = webhook({ endpoint: bad.url })
    await store.create(hook, { position: undefined })
    await store.create(webhook({ endpoint: good.url }), { position: undefined })
    const { dispatcher } = await begin()
    for (let index = 0; index < 3; index++) await append(freshStream('apple'), created)
    await good.until(() => good.taken.length === 3)
    await bad.until(() => dispatcher.progress(hook.id)?.failing === true)
    expect(bad.attempts).toEqual(new Map([['1', 1]]))
  })
})

test('pauses double up to a bound, within a quarter', () => {
  const policy = { attempts: 10, base: 1000, longest: 300_000, longestAsked: 3_600_000 }
  expect([1, 2, 5, 9, 10, 30].map((failures) => pauseAfter(failures, policy, undefined, 0.5))).toEqual([
    1000, 2000, 16_000, 256_000, 300_000, 300_000,
  ])
  expect([0, 1].map((random) => pauseAfter(1, policy, undefined, random))).toEqual([750, 1250])
  expect([10, 5000, 1e12].map((asked) => pauseAfter(1, policy, asked, 0.5))).toEqual([1000, 5000, 3_600_000])
})
