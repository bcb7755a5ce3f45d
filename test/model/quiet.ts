import { isDeepStrictEqual } from 'node:util'
import type { State } from './catalog.ts'
import type { Say } from './findings.ts'
import type { Host } from './host.ts'
import { pathOf, type Key } from './kinds.ts'
import type { Story } from './order.ts'
import { differences } from './shows.ts'

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

const different = (a: Record<string, unknown>, b: Record<string, unknown>): string =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((name) => !isDeepStrictEqual(a[name], b[name]))
    .map((name) => `${name}: ${JSON.stringify(a[name])} and ${JSON.stringify(b[name])}`)
    .join('; ') || 'the order of members'

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
  const version = (last.version / 10).toFixed(1)
  for (const moment of [position, version, new Date().toISOString()]) {
    const past = await host.call('GET', `${pathOf(key)}?asOf=${moment}`)
    const plain = (body: object): object => (moment === version ? { ...body, votes: 0, followers: 0 } : body)
    if (past.status !== 200 || !sameBytes(plain(past.body), plain(now.body)))
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
