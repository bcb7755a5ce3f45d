import { expect, it } from 'vitest'
import type { CatalogEvent } from '../../../src/events/events.ts'
import { clearInboxes } from '../../../src/subscriptions/inbox/clearInboxes.ts'
import type { Webhook } from '../../../src/subscriptions/webhooks/webhook.ts'
import type { StoredWebhook } from '../../../src/subscriptions/webhooks/webhookStore.ts'
import { recordedEvent } from '../../support/events.ts'

const time = '2030-05-01T10:00:00.000Z'
const [before, later] = [{ createdAtRevision: 5 }, { createdAtRevision: 6 }]

const forgotten = (members = ['email']): CatalogEvent => ({ type: 'Forgotten', data: { members, keys: ['fay'] } })
const hardDeleted: CatalogEvent = { type: 'HardDeleted', data: { deletion: 'd' } }

/** What is deleted of an inbox of fay, with a delivery and a read mark, when she has this event at position 9, revision 6. */
const cleared = async (event: CatalogEvent, created: Partial<Webhook>, { mark = 9n, owner = 'fay' } = {}) => {
  const webhook = { id: 'delivery', createdBy: owner, ...created, inbox: { channel: 'slack' } }
  const deleted: unknown[] = []
  await clearInboxes(
    {
      list: async () => [{ webhook } as never as StoredWebhook],
      delete: async (id) => deleted.push(id) > 0,
      readMarks: async (reader) => (reader === owner ? [{ position: mark, upTo: true }] : []),
      deleteReadMarks: async (_, upTo) => void deleted.push(upTo),
    },
    [recordedEvent(event, { stream: 'user-fay', revision: 6n, position: 9n, name: 'fay', time })],
  )
  return deleted
}

it.each([
  ['is forgotten', forgotten()],
  ['is gone', hardDeleted],
])('the deliveries and read marks of whoever %s are deleted', async (_, event) => {
  expect(await cleared(event, before)).toEqual([9n, 'delivery'])
})

// The events are told again at each start.
it('what came after it is kept', async () => {
  expect(await cleared(forgotten(), later, { mark: 10n })).toEqual([])
  expect(await cleared(hardDeleted, later, { mark: 10n })).toEqual([])
})

it('an old delivery, of which only the time is known, is deleted if it was set up before', async () => {
  expect(await cleared(forgotten(), { createdAt: '2030-04-30T10:00:00.000Z' })).toEqual([9n, 'delivery'])
  expect(await cleared(forgotten(), { createdAt: '2030-05-02T10:00:00.000Z' }, { mark: 10n })).toEqual([])
})

it('what belongs to somebody else is kept, and to who has the name of somebody who is forgotten', async () => {
  expect(await cleared(forgotten(), before, { owner: 'gus' })).toEqual([])
  expect(await cleared(forgotten([]), before)).toEqual([])
})
