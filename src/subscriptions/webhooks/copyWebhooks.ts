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

type Content = Awaited<ReturnType<typeof readContent>>

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

const contentInCopy = ({ webhooks, marks }: Content, found: Found): Content => ({
  webhooks: webhooks.map(({ progress, letters, ...stored }) => ({
    ...stored,
    progress: progressInCopy(progress, found),
    letters: lettersInCopy(letters, found),
  })),
  marks: marks.map((each) => ({ ...each, marks: marksInCopy(each.marks, found) })),
})

/** All positions that {@link contentInCopy} asks for. */
const positionsIn = (content: Content): bigint[] => {
  const positions: bigint[] = []
  contentInCopy(content, (position) => {
    positions.push(BigInt(position))
    return { upTo: undefined, event: undefined }
  })
  return positions
}

/**
 * Replaces the webhooks of a store by those of another, with positions in the copy of the log, and adds its read marks.
 * Dead letters and read marks of events that were not copied are left out.
 * @param find finds positions of the log in its copy
 * @returns how many were copied
 */
export const copyWebhooks = async (source: WebhookStore, target: WebhookStore, find: Find) => {
  const content = await readContent(source)
  const found = await find(positionsIn(content))
  const { webhooks, marks } = contentInCopy(content, (position) => found.get(BigInt(position)) as EventPosition)
  for (const { webhook } of await target.list()) await target.delete(webhook.id)
  for (const { webhook, progress, letters } of webhooks) {
    await target.create(webhook, progress)
    for (const letter of letters) await target.addDeadLetter(webhook.id, letter, letters.length)
  }
  for (const { reader, marks: own } of marks) await target.addReadMarks(reader, own)
  return {
    webhooks: webhooks.length,
    deadLetters: webhooks.flatMap(({ letters }) => letters).length,
    readMarks: marks.flatMap((each) => each.marks).length,
  }
}
