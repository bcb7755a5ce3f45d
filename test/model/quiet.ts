import { differingNames, type State } from './catalog.ts'
import type { Say } from './findings.ts'
import type { Host } from './host.ts'
import { pathOf, type Key } from './kinds.ts'
import type { Story } from './order.ts'
import { differences } from './shows.ts'

// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any

/** Runs the checks of many things, a few at once. */
export const forEachOf = async <T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> => {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < things.length) await work(things[next++] as T)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

/** Texts that are equal have equal members in an equal order. */
const sameBytes = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Members in which two answers differ, with both values. */
export const different = (a: Record<string, unknown>, b: Record<string, unknown>): string =>
  differingNames(a, b)
    .map((name) => `${name}: ${JSON.stringify(a[name])} and ${JSON.stringify(b[name])}`)
    .join('; ') || 'the order of members'

/** Counts of what stands elsewhere, and what the entities that are referred to lend. */
const elsewhere = new Set(['votes', 'termCount', 'serviceType'])

const isReference = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (('id' in value && 'type' in value) || 'tagFQN' in value)

/** An answer without what it shows of other entities, which are shown as they are now. */
const plain = (body: Body): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body).filter(([name, value]) => {
      const one = Array.isArray(value) ? value[0] : value
      return !elsewhere.has(name) && !isReference(one) && !(Array.isArray(value) && value.length === 0)
    }),
  )

/** How two answers about one entity differ, apart from what they show of others; `undefined`: not at all. */
export const unequal = (a: Body, b: Body): string | undefined => {
  const [one, other] = [plain(a), plain(b)]
  return sameBytes(one, other) ? undefined : different(one, other)
}

/** The entity as it is now: what was last written, and the same as its newest past. */
const checkNow = async (host: Host, story: Story, key: Key, last: State, say: Say): Promise<void> => {
  const now = await host.call('GET', `${pathOf(key)}?include=all`)
  if (last.status === 'gone') {
    if (now.status !== 404)
      say('the entity is what was last written', `was deleted for good and is answered ${now.status}`, key)
    return
  }
  if (now.status !== 200)
    return say('the entity is what was last written', `is answered ${now.status}: ${now.body?.detail}`, key)
  const found = differences(now.body, last, story.viewAt(Infinity))
  if (found.length > 0) say('the entity is what was last written', found.join('; '), key)
  const position = story.events.at(-1)?.position
  for (const moment of [position, new Date().toISOString()]) {
    const past = await host.call('GET', `${pathOf(key)}?asOf=${moment}&include=all`)
    if (past.status !== 200 || !sameBytes(past.body, now.body))
      say(
        'the past is what was answered then',
        `as of ${moment} it is not what GET answers: ${past.status === 200 ? different(past.body, now.body) : past.status}`,
        key,
      )
  }
}

/** What is answered now about everything that an episode was about. */
export const checkPresent = (host: Host, story: Story, say: Say): Promise<void> =>
  forEachOf([...story.states], ([key, states]) => checkNow(host, story, key, states.at(-1) as State, say))
