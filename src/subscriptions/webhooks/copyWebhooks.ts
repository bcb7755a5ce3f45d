import type { EventPosition } from '../../events/transfer/copyLog.ts'
import type { DeadLetter, WebhookProgress } from './webhook.ts'
import type { ReadMark, WebhookStore } from './webhookStore.ts'

type Find = (positions: Iterable<bigint>) => Promise<ReadonlyMap<bigint, EventPosition>>

type Found = (position: bigint | string) => EventPosition

const readContent = async (store: WebhookStore) => {
  const webhooks = []
  for (const stored of await store.list()) {
    const { id } = stored.webhook
    webhooks.push({ ...stored, letters: await store.deadLetters(id, undefined, await store.countDeadLetters(id)) })
  }
  const marks = []
  for (const reader of await store.readers()) marks.push({ reader, marks: await store.readMarks(reader) })
  return { webhooks, marks }
}

const positionsOf = ({ position, newest, lastSuccess, lastError }: WebhookProgress): bigint[] => [
  ...(position === undefined ? [] : [position]),
  ...(newest === undefined ? [] : [newest.position]),
  ...[lastSuccess, lastError].flatMap((last) => (last === undefined ? [] : [BigInt(last.position)])),
]

const positionsIn = ({ webhooks, marks }: Awaited<ReturnType<typeof readContent>>): bigint[] => [
  ...webhooks.flatMap(({ progress, letters }) => [
    ...positionsOf(progress),
    ...letters.map(({ position }) => position),
  ]),
  ...marks.flatMap((each) => each.marks.map(({ position }) => position)),
]

const progressInCopy = (progress: WebhookProgress, found: Found): WebhookProgress => {
  const { position, newest, lastSuccess, lastError } = progress
  const event = newest && found(newest.position).event
  const moved = <T extends { readonly position: string }>(last: T): T => ({
    ...last,
    position: String(found(last.position).upTo ?? 0n),
  })
  return {
    ...progress,
    position: position === undefined ? undefined : found(position).upTo,
    newest: newest && event !== undefined ? { ...newest, position: event } : undefined,
    ...(lastSuccess && { lastSuccess: moved(lastSuccess) }),
    ...(lastError && { lastError: moved(lastError) }),
  }
}

const lettersInCopy = (letters: readonly DeadLetter[], found: Found): DeadLetter[] =>
  letters.flatMap((letter) => {
    const { event } = found(letter.position)
    return event === undefined ? [] : [{ ...letter, position: event }]
  })

const marksInCopy = (marks: readonly ReadMark[], found: Found): ReadMark[] =>
  marks.flatMap(({ position, upTo }) => {
    const place = upTo ? found(position).upTo : found(position).event
    return place === undefined ? [] : [{ position: place, upTo }]
  })

/**
 * Makes the webhooks of a store those of another, at the same events of a copy of the log, and adds its read marks. What
 * is about events that were not copied stays behind.
 * @param find finds positions of the log in its copy
 * @returns how many were copied
 */
export const copyWebhooks = async (source: WebhookStore, target: WebhookStore, find: Find) => {
  const content = await readContent(source)
  const all = await find(positionsIn(content))
  const found: Found = (position) => all.get(BigInt(position)) as EventPosition
  const counts = { webhooks: content.webhooks.length, deadLetters: 0, readMarks: 0 }
  for (const { webhook } of await target.list()) await target.delete(webhook.id)
  for (const { webhook, progress, letters } of content.webhooks) {
    await target.create(webhook, progressInCopy(progress, found))
    const copied = lettersInCopy(letters, found)
    for (const letter of copied) await target.addDeadLetter(webhook.id, letter, copied.length)
    counts.deadLetters += copied.length
  }
  for (const { reader, marks } of content.marks) {
    const copied = marksInCopy(marks, found)
    await target.addReadMarks(reader, copied)
    counts.readMarks += copied.length
  }
  return counts
}
