import { setTimeout as delay } from 'node:timers/promises'
import { randomFor } from '../support/random.ts'
import { checkAnswers } from './answers.ts'
import { readFeed } from './feed.ts'
import { noteIn, type Finding, type Say } from './findings.ts'
import type { Host } from './host.ts'
import { partsOf } from './kinds.ts'
import { checkInboxes } from './inbox.ts'
import { checkLineage } from './lineage.ts'
import { checkTagged, checkLists, checkListsThen, checkSearch, type Ends } from './lists.ts'
import type { Step } from './operations.ts'
import { tell, type Story } from './order.ts'
import { checkOutcome, standsHidden } from './outcome.ts'
import { checkPast } from './past.ts'
import { play, type Seen } from './play.ts'
import { checkProposals, ofEntities, type Proposed } from './proposals.ts'
import { checkPresent } from './quiet.ts'
import { checkTakeBacks } from './takeBack.ts'

export interface Episode {
  /** Stands in the correlation id of every request. */
  readonly name: string
  readonly steps: readonly Step[]
  /** Requests at once. */
  readonly width: number
  /** Share of the answers that are asked for again as of their moment, 0 to 1. */
  readonly share: number
}

/**
 * Milliseconds without an event after which nothing more is waited for: what a request has hidden that was cut short is
 * brought back after 12 seconds, and a process whose stores were away asks for them at intervals.
 */
const settling = 20_000

/** What a killed service had not carried down is finished behind the first requests: waits until nothing more comes. */
const quietStory = async (host: Host, after: string, seen: readonly Seen[]): Promise<Story> => {
  for (let length = -1, last = Date.now(); ;) {
    const events = ofEntities(await readFeed(host, after))
    const story = tell(events, seen)
    if (events.length !== length) last = Date.now()
    const isQuiet = checkOutcome(story, seen).length === 0 && !standsHidden(story, seen)
    if (isQuiet || Date.now() - last > settling) return story
    length = events.length
    await delay(1000)
  }
}

/**
 * What was answered and decided on read models that had gone back is worth nothing: they are built again, and judged is
 * whether they show the log. Keys of personal values do not come back: MongoDB has lost those of some users.
 */
const afterLoss = (host: Host, findings: Finding[]): Say => {
  const { code, output } = host.cli('rebuild')
  const say = noteIn(findings)
  if (code !== 0) say('the read models agree with the log', `catalog rebuild: ${output}`)
  return (rule, message, key) => {
    if (key === undefined || partsOf(key).kind !== 'user') say(rule, message, key)
  }
}

interface Played extends Episode {
  readonly host: Host
  readonly seen: readonly Seen[]
  readonly proposed: readonly Proposed[]
  readonly hasLost: boolean
}

/** Checks everything that a story should show. */
const checkShown = async ({ host, name, share, seen, proposed, hasLost }: Played, story: Story, say: Say) => {
  const ends: Ends = new Map([...story.states].map(([key, states]) => [key, states.at(-1)?.status ?? 'gone']))
  if (!hasLost) await checkProposals(host, story, proposed, say)
  await checkPresent(host, story, say)
  await checkPast({ host, story, say }, seen, randomFor(name), share)
  await checkLineage({ host, story, say }, randomFor(`${name} lineage`), share)
  await checkLists(host, ends, say)
  await checkTagged(host, ends, story.viewAt(Infinity), say)
  const random = randomFor(`${name} lists`)
  const some = story.events.map((_, at) => at).filter(() => random.chance(share / 20))
  await checkListsThen(host, story, say, some.slice(0, 5))
  await checkSearch(host, ends, say)
  return ends
}

/** How often a story is told anew because it went on: requests that were answered 503 may, and what is due falls due. */
const mostTold = 4

/** Plays one episode and checks everything about it. @returns what was found, and what every entity is in the end */
export const playEpisode = async (host: Host, episode: Episode): Promise<{ findings: Finding[]; ends: Ends }> => {
  const { name, steps, width, share } = episode
  const { after } = (await host.call('GET', '/v1/events?after=latest')).body.paging
  const losses = host.stores.losses('MongoDB')
  const { seen, proposed } = await play(host, name, steps, width)
  const hasLost = host.stores.losses('MongoDB') > losses
  for (let told = 1; ; told++) {
    const story = await quietStory(host, after, seen)
    const findings = hasLost ? [] : [...story.findings, ...checkAnswers(story, seen), ...checkOutcome(story, seen)]
    const say = hasLost ? afterLoss(host, findings) : noteIn(findings)
    const ends = await checkShown({ ...episode, host, seen, proposed, hasLost }, story, say)
    const wentOn = ofEntities(await readFeed(host, after)).length > story.events.length
    if (findings.length > 0 && wentOn && told < mostTold) continue
    await checkInboxes(host, story, steps, say)
    if (hasLost) return { findings, ends }
    const back = await checkTakeBacks(host, story, randomFor(`${name} taken back`), share, say)
    return { findings, ends: new Map([...ends, ...[...back].map(([key, { status }]) => [key, status] as const)]) }
  }
}
