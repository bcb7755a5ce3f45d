import { setTimeout as delay } from 'node:timers/promises'
import { checkAnswers } from './answers.ts'
import { readFeed } from './feed.ts'
import type { Finding } from './findings.ts'
import { generate } from './generate.ts'
import { startHost, type Host } from './host.ts'
import type { Step } from './operations.ts'
import { tell, type Story } from './order.ts'
import { checkOutcome } from './outcome.ts'
import { play, type Seen } from './play.ts'
import { checkQuiet } from './quiet.ts'

export interface Options {
  readonly seed: number
  readonly operations: number
  /** Kill the service in between. */
  readonly kill: boolean
  /** Requests at once. */
  readonly width: number
  readonly progress?: (line: string) => void
}

/** Operations of one episode: it has names of its own, so that it can be played again alone. */
const episodeSize = 400
/** Operations for each kill. */
const killEvery = 200

/** What a killed service had not carried down is finished behind the first requests: waits until nothing more comes. */
const quietStory = async (host: Host, after: string, seen: readonly Seen[]): Promise<Story> => {
  for (let length = -1; ;) {
    const events = await readFeed(host, after)
    const story = tell(events, seen)
    if (events.length === length || checkOutcome(story, seen).length === 0) return story
    length = events.length
    await delay(1000)
  }
}

/** Plays one episode and checks everything about it. */
export const playEpisode = async (
  host: Host,
  name: string,
  steps: readonly Step[],
  width: number,
): Promise<Finding[]> => {
  const { body } = await host.call('GET', '/v1/events?after=latest')
  const seen = await play(host, name, steps, width)
  const story = await quietStory(host, body.paging.after, seen)
  return [
    ...story.findings,
    ...checkAnswers(story, seen),
    ...checkOutcome(story, seen),
    ...(await checkQuiet(host, story)),
  ]
}

/** What the command line finds about the whole log and the whole of the read models. */
const checkStores = (host: Host): Finding[] => {
  const commands = [
    { rule: 'the read models agree with the log', args: ['verify'] },
    { rule: 'the log is whole', args: ['audit', 'verify'] },
  ] as const
  return commands.flatMap(({ rule, args }) => {
    const { code, output } = host.cli(...args)
    return code === 0 ? [] : [{ rule, message: `catalog ${args.join(' ')}: ${output}` }]
  })
}

/** Plays as many operations as asked, episode after episode on one service. @returns everything that was found */
export const run = async ({ seed, operations, kill, width, progress = () => {} }: Options): Promise<Finding[]> => {
  const host = await startHost()
  const findings: Finding[] = []
  try {
    const episodes = Math.ceil(operations / episodeSize)
    for (let episode = 1; episode <= episodes; episode++) {
      const count = Math.min(episodeSize, operations - (episode - 1) * episodeSize)
      const steps = generate(`${seed} ${episode}`, `w${episode}x`, count, kill ? Math.floor(count / killEvery) : 0)
      const found = await playEpisode(host, `m${seed}.${episode}`, steps, width)
      progress(
        `seed ${seed}, episode ${episode} of ${episodes}: ${steps.length} steps, ${host.kills()} kills so far, ${found.length} findings`,
      )
      findings.push(...found)
    }
    await host.stop()
    findings.push(...checkStores(host))
  } finally {
    await host.stop()
    await host.remove()
  }
  return findings
}
