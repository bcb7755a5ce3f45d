import { fingerprintOf, isBehind, type RecordedEvent } from '../../events/events.ts'
import type { EventStore } from '../../events/eventStore.ts'
import { sleep } from '../../shared/backOff.ts'
import type { Feed, FeedPage } from '../feed/feed.ts'
import { makeFeedItem } from '../feed/feedTail.ts'
import type { WorkerOptions } from '../webhooks/delivery.ts'
import type { SendResult, Sender } from '../webhooks/send.ts'
import type { InboxDelivery, Webhook } from '../webhooks/webhook.ts'
import type { Mailer } from './mailer.ts'
import { mailOf, postOf, type InboxEntry } from './messages.ts'

export interface InboxPlace {
  readonly position: bigint
  /** Epoch milliseconds. */
  readonly time: number
}

/** Reads of the recipient's inbox. */
export interface InboxSource {
  /** Entries after a position, oldest first, and the position up to which the inbox is complete. */
  places(after: bigint | undefined, limit: number): Promise<{ places: InboxPlace[]; reached: bigint | undefined }>
  /** The entries that the recipient may view now and wants to receive. */
  entries(positions: readonly bigint[]): Promise<InboxEntry[]>
  /** `undefined` if the recipient no longer exists, even if another user has the name now. */
  reader(): Promise<{ readonly email: string | undefined; readonly isDeleted: boolean } | undefined>
}

interface InboxDeliveryOptions {
  readonly webhook: Webhook & { readonly inbox: InboxDelivery }
  readonly source: InboxSource
  readonly log: Pick<EventStore, 'eventAt'>
  readonly feed: Pick<Feed, 'wait' | 'closing'>
  readonly sender: Sender
  /** Absent without a configured mail server. */
  readonly mailer: Mailer | undefined
  /** Public base URL of the console, if known. */
  readonly base: string | undefined
  /** Epoch milliseconds by the clock of the machine, to which days belong. */
  readonly now: () => number
}

/** Hour of the daily digest, in UTC. */
const digestHour = 7

/** Time of the last due digest, in epoch milliseconds. */
export const lastDigest = (now: number): number => {
  const day = 24 * 3_600_000
  return Math.floor((now - digestHour * 3_600_000) / day) * day + digestHour * 3_600_000
}

/** Milliseconds for collecting entries into one message, and between checks for a digest. */
const batchWindow = 1_000
const digestCheckInterval = 60_000

/** A feed item with positions only: its message is made when it is sent, with the permissions of that time. */
const itemOf = async (log: InboxDeliveryOptions['log'], positions: readonly bigint[]) =>
  makeFeedItem((await log.eventAt(positions.at(-1) as bigint)) as RecordedEvent, JSON.stringify(positions.map(String)))

/** When it was written by the clock of the machine, which the log may be ahead of. */
const writtenAt = async ({ log, now }: InboxDeliveryOptions, { position, time }: InboxPlace): Promise<number> => {
  const event = time > now() ? await log.eventAt(position) : undefined
  return event?.metadata.machineTime === undefined ? time : Date.parse(event.metadata.machineTime)
}

const nextPage = async (options: InboxDeliveryOptions, after: bigint | undefined): Promise<FeedPage> => {
  const { webhook, source, log, now } = options
  // Entries of that time are sent after a restore.
  if ((await source.reader())?.isDeleted === true) return { items: [], position: after, newest: undefined, end: true }
  const isDaily = webhook.inbox.when === 'daily'
  const limit = isDaily ? 1_000 : 100
  const { places, reached } = await source.places(after, limit)
  // What comes before something that is due was there in time, too: its clock may have been wrong.
  let count = places.length
  const digest = lastDigest(now())
  while (isDaily && count > 0 && (await writtenAt(options, places[count - 1] as InboxPlace)) >= digest) count--
  const due = places.slice(0, count)
  const last = due.at(-1)?.position
  const isAll = due.length === places.length && places.length < limit
  const passed = isAll && isBehind(after, reached) ? reached : last
  const wanted = (await source.entries(due.map((place) => place.position))).map((entry) => BigInt(entry.position))
  const messages = isDaily && wanted.length > 0 ? [wanted] : wanted.map((one) => [one])
  const items = await Promise.all(messages.map((positions) => itemOf(log, positions)))
  // The event of the position: from an earlier one, the next start would send again, to whoever has joined a team since.
  const event = passed === undefined ? undefined : await log.eventAt(passed)
  const end = due.length < limit
  return { items, position: event?.position ?? last ?? after, newest: event && fingerprintOf(event), end }
}

const sendTo = async (
  { webhook, source, sender, mailer, base }: InboxDeliveryOptions,
  { id, body, endpoint, secret }: Parameters<Sender['send']>[0],
  signal: AbortSignal,
): Promise<SendResult> => {
  const reader = await source.reader()
  if (reader === undefined) return { ok: false, error: 'The user whom it was for no longer exists.', gone: true }
  if (reader.isDeleted) return { ok: false, error: 'Your user is deleted.' }
  const entries = await source.entries((JSON.parse(body) as string[]).map(BigInt))
  if (entries.length === 0) return { ok: true, status: 204 }
  const { channel } = webhook.inbox
  if (channel !== 'email') {
    const text = JSON.stringify(postOf(channel, entries, base))
    return sender.send({ endpoint, secret, id, body: text, contentType: 'application/json' }, signal)
  }
  if (reader.email === undefined) return { ok: false, error: 'Your user has no e-mail address.' }
  return mailer === undefined
    ? { ok: false, error: 'This catalog has no mail server.' }
    : mailer.send(reader.email, mailOf(entries, base), `${webhook.id}.${id}`)
}

/** Source and sender for the delivery worker of an inbox. */
export const makeInboxOutlet = (options: InboxDeliveryOptions): Pick<WorkerOptions, 'feed' | 'sender' | 'select'> => {
  const { feed, sender, webhook } = options
  return {
    feed: {
      closing: feed.closing,
      read: ({ after }) => nextPage(options, after),
      wait: async (position, signal, milliseconds) => {
        if (webhook.inbox.when === 'daily') return sleep(digestCheckInterval, AbortSignal.any([signal, feed.closing]))
        await feed.wait(position, signal, milliseconds)
        await sleep(batchWindow, AbortSignal.any([signal, feed.closing]))
      },
    },
    sender: { ...sender, send: (message, signal) => sendTo(options, message, signal) },
    select: async () => ({ match: () => true }),
  }
}
