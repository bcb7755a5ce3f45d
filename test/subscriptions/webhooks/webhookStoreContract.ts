import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { makeSecretCodec } from '../../../src/composition/secretCodec.ts'
import { newSecret } from '../../../src/subscriptions/webhooks/signature.ts'
import { sealEndpoint, type DeadLetter, type Webhook } from '../../../src/subscriptions/webhooks/webhook.ts'
import type { WebhookStore } from '../../../src/subscriptions/webhooks/webhookStore.ts'

export const secretCodec = makeSecretCodec('a secret of the webhook stores, long enough')

const { seal } = secretCodec

export const webhook = ({
  endpoint = 'https://example.com/in',
  ...more
}: Partial<Omit<Webhook, 'endpoint'>> & { endpoint?: string } = {}): Webhook => ({
  id: randomUUID(),
  name: `hook ${randomUUID()}`,
  endpoint: sealEndpoint(secretCodec, endpoint),
  filter: { kinds: ['apple'] },
  enabled: true,
  secret: seal(newSecret()),
  createdAt: '2024-05-06T07:08:09.010Z',
  createdBy: 'ada',
  updatedAt: '2024-05-06T07:08:09.010Z',
  updatedBy: 'ada',
  ...more,
})

export const letter = (position: bigint): DeadLetter => ({
  position,
  eventId: randomUUID(),
  type: 'catalog.apple.Created',
  subject: 'a',
  attempts: 3,
  error: 'no',
  time: '2024-05-06T07:08:09.010Z',
})

const far = 9_007_199_254_740_993n

/** A change of a webhook that nothing has changed yet. */
const first = (hook: Webhook) => ({ webhook: hook, generation: 1 })

/** What every {@link WebhookStore} does. @param open gives the same store again when it is called twice in a test */
export const describeWebhookStore = (name: string, open: () => Promise<WebhookStore>): void => {
  describe(name, () => {
    test('keeps webhooks, by name, and refuses a name that is taken', async () => {
      const store = await open()
      const [b, a] = [webhook({ name: 'b' }), webhook({ name: 'a' })]
      expect(await store.create(b, { position: undefined })).toBe('written')
      expect(await store.create(a, { position: 12n })).toBe('written')
      expect(await store.create(webhook({ name: 'a' }), { position: undefined })).toBe('taken')
      expect(await store.update(first({ ...b, name: 'a' }))).toBe('taken')
      expect((await store.list()).map((stored) => stored.webhook)).toEqual([a, b])
      expect(await store.get(a.id)).toMatchObject({ webhook: a, progress: { position: 12n } })
      expect((await store.get(b.id))?.progress.position).toBeUndefined()
      expect(await store.get(randomUUID())).toBeUndefined()
    })

    test('an update begins a generation, and progress of an older one does not count', async () => {
      const store = await open()
      const hook = webhook()
      await store.create(hook, { position: undefined })
      const generationNow = async (): Promise<number> => (await store.get(hook.id))?.generation ?? 0
      const generation = await generationNow()
      const progress = { position: far, lastError: { time: 't', position: '1', message: 'm', attempts: 2 } }
      const by = { generation, holder: 'one' }
      expect(await store.lease(hook.id, 'one', 60_000)).toBe(true)
      expect(await store.saveProgress(hook.id, by, progress)).toBe(true)
      expect((await store.get(hook.id))?.progress).toEqual(progress)
      expect(await store.update({ webhook: { ...hook, enabled: false }, generation })).toBe('written')
      expect(await store.get(hook.id)).toMatchObject({ webhook: { enabled: false }, progress })
      expect(await store.saveProgress(hook.id, by, { position: 1n })).toBe(false)
      expect(await store.update({ webhook: hook, generation: await generationNow() }, { position: 5n })).toBe('written')
      expect((await store.get(hook.id))?.progress).toEqual({ position: 5n })
      expect(await generationNow()).toBeGreaterThan(generation + 1)
      expect(await store.update(first(webhook()))).toBe('missing')
      expect(await store.update({ webhook: { ...hook, enabled: false }, generation })).toBe('missing')
      const renamed = { webhook: { ...hook, name: 'now' }, generation: await generationNow() }
      expect(await store.update(renamed)).toBe('written')
      expect((await store.get(hook.id))?.webhook).toMatchObject({ name: 'now', enabled: true })
      expect(await store.saveProgress(randomUUID(), { generation: 1, holder: 'one' }, { position: 1n })).toBe(false)
    })

    test('keeps the newest dead letters, and forgets them with their webhook, also one that comes later', async () => {
      const store = await open()
      const [hook, other] = [webhook(), webhook()]
      for (const each of [hook, other]) await store.create(each, { position: undefined })
      const letters = [3n, 1n, far, 2n].map(letter)
      for (const each of letters) await store.addDeadLetter(hook.id, each, 10)
      await store.addDeadLetter(other.id, letter(1n), 10)
      const inOrder = letters.toSorted((a, b) => (a.position < b.position ? -1 : 1))
      expect(await store.deadLetters(hook.id, undefined, 10)).toEqual(inOrder)
      expect(await store.deadLetters(hook.id, 1n, 2)).toEqual(inOrder.slice(1, 3))
      await store.addDeadLetter(hook.id, letter(4n), 3)
      expect((await store.deadLetters(hook.id, undefined, 10)).map(({ position }) => position)).toEqual([3n, 4n, far])
      await store.removeDeadLetter(hook.id, 4n)
      expect(await store.countDeadLetters(hook.id)).toBe(2)
      expect(await store.delete(hook.id)).toBe(true)
      expect(await store.delete(hook.id)).toBe(false)
      expect(await store.countDeadLetters(hook.id)).toBe(0)
      await store.addDeadLetter(hook.id, letter(5n), 10)
      expect(await store.countDeadLetters(hook.id)).toBe(0)
      expect(await store.countDeadLetters(other.id)).toBe(1)
    })

    test('an endpoint that was kept as it is comes out sealed, and is kept so with the next change', async () => {
      const store = await open()
      const endpoint = 'https://hooks.example.com/services/T0/key'
      const old = JSON.parse(JSON.stringify({ ...webhook(), endpoint })) as Webhook
      await store.create(old, { position: undefined })
      const read = (await store.get(old.id))?.webhook as Webhook
      expect(read.endpoint['$shown']).toBe('https://hooks.example.com/********')
      expect(secretCodec.open(read.endpoint)).toBe(endpoint)
      expect((await store.get(old.id))?.webhook).not.toEqual(read)
      await store.update(first(read))
      expect(await store.list()).toMatchObject([{ webhook: read }])
    })

    test('read marks are those of their reader, and one up to a position takes the place of those before it', async () => {
      const store = await open()
      const mark = (position: bigint, upTo = false) => ({ position, upTo })
      const marksOf = async (reader: string) =>
        (await store.readMarks(reader)).toSorted((a, b) => (a.position < b.position ? -1 : 1))
      expect(await marksOf('ann')).toEqual([])
      expect(await store.readers()).toEqual([])
      await store.addReadMarks('ann', [mark(far), mark(3n), mark(12n), mark(3n)])
      await store.addReadMarks('ann b', [mark(1n)])
      expect(await marksOf('ann')).toEqual([mark(3n), mark(12n), mark(far)])
      await store.addReadMarks('ann', [mark(12n, true)])
      await store.addReadMarks('ann', [mark(12n)])
      expect(await marksOf('ann')).toEqual([mark(12n, true), mark(far)])
      expect(await marksOf('ann b')).toEqual([mark(1n)])
      expect((await store.readers()).toSorted()).toEqual(['ann', 'ann b'])
      await store.deleteReadMarks('ann', 12n)
      expect(await marksOf('ann')).toEqual([mark(far)])
      expect(await marksOf('ann b')).toEqual([mark(1n)])
      await store.close()
      expect(await (await open()).readMarks('ann b')).toEqual([mark(1n)])
    })

    test('everything is there again after it was opened anew', async () => {
      const store = await open()
      const hook = webhook()
      await store.create(hook, { position: far })
      await store.addDeadLetter(hook.id, letter(7n), 10)
      await store.close()
      const again = await open()
      expect(await again.get(hook.id)).toMatchObject({ webhook: hook, progress: { position: far } })
      expect(await again.countDeadLetters(hook.id)).toBe(1)
    })
  })
}
