import { isDeepStrictEqual } from 'node:util'
import jsonPatch from 'fast-json-patch'
import type { Random } from '../support/random.ts'
import type { State } from './catalog.ts'
import type { Say } from './findings.ts'
import type { Host } from './host.ts'
import { pathOf, type Key } from './kinds.ts'
import { targetOf } from './operations.ts'
import type { Story } from './order.ts'
import type { Seen } from './play.ts'
import { different, forEachOf, unequal, type Body } from './quiet.ts'
import { differences } from './shows.ts'

interface Asking {
  readonly host: Host
  readonly story: Story
  readonly say: Say
}

const firstOfVersion = (states: readonly State[], { life, version }: State): State =>
  states.find((state) => state.life === life && state.version === version) as State

/** The place of the last event up to an instant. Where clocks differ later ones may stand before it. */
const placeAt = ({ events }: Story, instant: number): number => events.findLastIndex(({ time }) => time <= instant)

/** What is expected of an entity at a moment, in the catalog after the event at a place. */
interface Expected {
  readonly state: State | undefined
  readonly at: number
  /** The answer that showed it so. */
  readonly body?: Body | undefined
}

/** Asks for the entity as of a moment, and expects a state and what the catalog was then. */
const expectPast = async (
  { host, story, say }: Asking,
  key: Key,
  moment: string,
  { state: own, at, body }: Expected,
): Promise<void> => {
  const view = story.viewThen(at)
  const state = own && { ...own, status: view.get(key)?.status ?? own.status }
  const past = await host.call('GET', `${pathOf(key)}?asOf=${moment}&include=all`)
  const revision = past.headers.get('etag')?.replaceAll('"', '').split('-')[0]
  const wanted = state === undefined || state.status === 'gone' ? 404 : 200
  if (past.status !== wanted)
    return say('the past is what was answered then', `as of ${moment} is answered ${past.status}, not ${wanted}`, key)
  if (wanted === 404) return
  if (revision !== String(state?.revision))
    return say(
      'the past is what was answered then',
      `as of ${moment} is revision ${revision}, not ${state?.revision}`,
      key,
    )
  // Whether it was deleted may have been told after the event that the answer shows, or before one above counted for it.
  const shown = body && { ...body, deleted: state?.status === 'deleted' }
  const found = shown === undefined ? undefined : unequal(past.body, shown)
  if (found !== undefined)
    say('the past is what was answered then', `as of ${moment} is not what was answered then: ${found}`, key)
  const others = differences(past.body, state as State, view)
  if (others.length > 0)
    say('everything in an answer about a moment is as it was then', `as of ${moment}: ${others.join('; ')}`, key)
}

/** One recorded answer: as of its position, its instant and its version it is the same. */
const checkRecorded = async (asking: Asking, one: Seen): Promise<void> => {
  const { story } = asking
  const key = targetOf(one.operation)
  const states = key === undefined ? undefined : story.states.get(key)
  const state = states?.find(({ revision }) => String(revision) === one.revision)
  if (key === undefined || states === undefined || state === undefined) return
  const { position, time } = story.events[state.at] as { position: string; time: number }
  // What was stated is not answered with the entity.
  const body = one.operation.do === 'state' ? undefined : one.body
  await expectPast(asking, key, position, { state, at: state.at, body })
  const at = placeAt(story, time)
  const then = states.findLast((each) => each.at <= at)
  await expectPast(asking, key, new Date(time).toISOString(), {
    state: then,
    at,
    body: then === state ? body : undefined,
  })
  if (state.life !== states.at(-1)?.life) return
  const first = firstOfVersion(states, state)
  // A confirmation makes no version: the version is as it began.
  const began = first.values === state.values ? body : undefined
  await expectPast(asking, key, (state.version / 10).toFixed(1), { state: first, at: first.at, body: began })
}

/**
 * At any instant the past is what a reader could have seen then: all that was answered before it, nothing that was sent
 * after it.
 */
const checkInstant = async (
  { host, story, say }: Asking,
  seen: readonly Seen[],
  key: Key,
  instant: number,
): Promise<void> => {
  const past = await host.call('GET', `${pathOf(key)}?asOf=${new Date(instant).toISOString()}&include=all`)
  const revision = past.status === 200 ? Number(past.headers.get('etag')?.replaceAll('"', '').split('-')[0]) : -1
  const about = seen.filter((one) => targetOf(one.operation) === key && one.revision !== undefined && one.end < instant)
  const least = Math.max(-1, ...about.map(({ revision }) => Number(revision)))
  const states = story.states.get(key) ?? []
  const starts = new Map(seen.map(({ correlation, start }) => [correlation, start]))
  const place = placeAt(story, instant)
  const later = states.find(
    (state) => state.at > place && (starts.get(story.events[state.at]?.correlation ?? '') ?? 0) > instant + 1,
  )
  const most = later === undefined ? Infinity : later.revision - 1
  const gone =
    past.status === 404 && states.some(({ status, revision: at }) => status === 'gone' && at >= least && at <= most)
  if (gone || (revision >= least && revision <= most)) return
  say(
    'the past is what was answered then',
    `as of ${new Date(instant).toISOString()} is revision ${revision}; readers saw ${least} to ${most}`,
    key,
  )
}

/** Versions, one version, and the difference of two. */
const checkVersions = async ({ host, story, say }: Asking, key: Key, random: Random): Promise<void> => {
  const states = story.states.get(key) as readonly State[]
  const present = states.filter(({ life, status }) => life === states.at(-1)?.life && status !== 'gone')
  const numbers = [...new Set(present.map(({ version }) => version / 10))].toReversed()
  const { status, body } = await host.call('GET', `${pathOf(key)}/versions?limit=1000`)
  const told = status === 200 ? (body.versions as Body[]) : []
  const shown = told.map(({ version }) => version as number)
  if (!isDeepStrictEqual(shown, numbers))
    return say('versions and history agree', `has the versions ${shown.join(', ')}, not ${numbers.join(', ')}`, key)
  for (const version of told) {
    const made = present.find((state) => state.version / 10 === version.version) as State
    const found = differences(version, made, story.viewThen(made.at))
    if (found.length > 0)
      say(
        'everything in an answer about a moment is as it was then',
        `version ${version.version}: ${found.join('; ')}`,
        key,
      )
  }
  const [a, b] = [random.pick(told), random.pick(told)]
  const one = await host.call('GET', `${pathOf(key)}/versions/${a.version.toFixed(1)}`)
  if (one.status !== 200 || !isDeepStrictEqual(one.body, a))
    say('versions and history agree', `version ${a.version} alone is not what it is in the list of versions`, key)
  const diff = await host.call(
    'GET',
    `${pathOf(key)}/diff?from=${a.version.toFixed(1)}&to=${b.version.toFixed(1)}&fields=*`,
  )
  const led = diff.status === 200 ? jsonPatch.applyPatch(structuredClone(a), diff.body).newDocument : undefined
  if (!isDeepStrictEqual(led, b))
    say(
      'a difference leads from one state to the other',
      `from ${a.version} to ${b.version} it is not where this leads (${different(led ?? {}, b)}): ${JSON.stringify(diff.body)}`,
      key,
    )
}

const checkHistory = async ({ host, story, say }: Asking, key: Key): Promise<void> => {
  const { status, body } = await host.call('GET', `${pathOf(key)}/history?limit=1000`)
  const told = status === 200 ? (body.data as Body[]) : []
  const shown = told.map(({ id, type, position, revision, user, correlationId, clientCorrelationId = correlationId }) =>
    [id, type, position, revision, user, clientCorrelationId].join(' '),
  )
  const events = story.events.filter((event) => event.key === key)
  const wanted = events.map((event, at) =>
    [event.id, event.type, event.position, at, event.actor, event.correlation].join(' '),
  )
  if (!isDeepStrictEqual(shown, wanted))
    say('versions and history agree', `has the history ${shown.join('; ')}, but the feed had ${wanted.join('; ')}`, key)
}

/** Asks a quiet catalog about everything that was answered, or about a part of it. */
export const checkPast = async (
  asking: Asking,
  seen: readonly Seen[],
  random: Random,
  share: number,
): Promise<void> => {
  const answered = seen.filter(({ status, revision }) => status < 300 && revision !== undefined && random.chance(share))
  await forEachOf(answered, (one) => checkRecorded(asking, one))
  const keys = [...asking.story.states.keys()].filter(() => random.chance(share))
  await forEachOf(keys, async (key) => {
    await checkVersions(asking, key, random)
    await checkHistory(asking, key)
    await checkInstant(asking, seen, key, random.pick(seen).start)
  })
}
