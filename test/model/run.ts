import type { State } from './catalog.ts'
import { playEpisode } from './episode.ts'
import { readFeed } from './feed.ts'
import { noteIn, summary, unexpected, type Finding } from './findings.ts'
import { generate, renamed } from './generate.ts'
import { startHost, type Host } from './host.ts'
import type { Key } from './kinds.ts'
import { checkWholeLists, everything } from './lists.ts'
import type { Kill, Step } from './operations.ts'
import { startReceiver } from './receiver.ts'
import { shrink } from './shrink.ts'

export interface Options {
  readonly seed: number
  readonly operations: number
  /** Kill the service in between. */
  readonly kill: boolean
  /** Kill the servers of the stores in between, those that there are commands for. */
  readonly killStores: boolean
  /** Requests at once. */
  readonly width: number
  /** Processes of the service on the same servers; more than one only on external ones. */
  readonly processes: number
  /** Share of the answers that are asked for again as of their moment, 0 to 1. */
  readonly share: number
  /** Seconds to spend on finding a shorter list that fails as well. */
  readonly shrinkFor: number
  readonly progress?: (line: string) => void
}

export interface Outcome {
  readonly findings: readonly Finding[]
  readonly kills: number
  /** What came of each store: how often it was killed, and what it lost. */
  readonly stores: readonly string[]
  readonly events: number
  /** The shortest list that was found to break the same rule as the first episode that failed. */
  readonly shortest?: readonly Step[]
}

/** Operations of one episode: it has names of its own, so that it can be played again alone. */
const episodeSize = 400

/** Operations for each kill. */
const killEvery = 200

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

const stepsOf = ({ seed, operations, kill }: Options, { stores }: Host, episode: number): Step[] => {
  const count = Math.min(episodeSize, operations - (episode - 1) * episodeSize)
  const each: Kill[] = [
    ...(kill ? [{ do: 'kill' } as const] : []),
    ...stores.names.map((store) => ({ do: 'kill', store }) as const),
  ]
  const kills = each.flatMap((one) => Array.from({ length: Math.floor(count / killEvery) }, () => one))
  return generate(`${seed} ${episode}`, `w${episode}x`, count, kills)
}

/** What came of each store that was killed. */
const storesTold = ({ stores }: Host): string[] =>
  stores.names.map((name) => {
    const lost = stores.losses(name)
    return `${stores.kills(name)} of ${name}${lost === 0 ? '' : ` (which lost ${lost} times what it had acknowledged)`}`
  })

/** How often a list is played before it is taken for one that does not fail. */
const tries = 3

/** Plays ever shorter lists on a service of their own, each under new names. */
export const findShortest = async (
  steps: readonly Step[],
  rules: ReadonlySet<string>,
  { width, shrinkFor, processes, killStores }: Options,
): Promise<readonly Step[]> => {
  const [, prefix = ''] = /(w\d+x)/.exec(JSON.stringify(steps)) ?? []
  const host = await startHost({ processes, killStores })
  let world = 1000
  try {
    const fails = async (part: readonly Step[]): Promise<boolean> => {
      for (let attempt = 0; attempt < tries; attempt++) {
        world += 1
        const episode = { name: `s${world}`, steps: renamed(part, prefix, `w${world}x`), width, share: 1 }
        const { findings } = await playEpisode(host, episode)
        if (unexpected(findings).some(({ rule }) => rules.has(rule))) return true
      }
      return false
    }
    return await shrink(steps, fails, Date.now() + shrinkFor * 1000)
  } finally {
    await host.stop()
    await host.remove()
  }
}

/** A log that forgets is none: what follows from it is not the doing of the catalog. */
const lostEvents = ({ stores }: Host, before: number): Finding[] => {
  const times = stores.losses('EventStoreDB') - before
  const message = `${times} times EventStoreDB did not have, after a kill, the event that it had acknowledged just before`
  return times === 0 ? [] : [{ rule: 'a log keeps what it acknowledged', message }]
}

const playAll = async (
  host: Host,
  options: Options,
): Promise<Outcome & { failed?: { steps: Step[]; rules: Set<string> } }> => {
  const { seed, operations, width, share, progress = () => {} } = options
  const findings: Finding[] = []
  const begin = await everything(host)
  const receiver = await startReceiver(host)
  const { body } = await host.call('GET', '/v1/events?after=latest')
  const ends = new Map<Key, State['status']>()
  let failed: { steps: Step[]; rules: Set<string> } | undefined
  const episodes = Math.ceil(operations / episodeSize)
  for (let episode = 1; episode <= episodes; episode++) {
    const steps = stepsOf(options, host, episode)
    const losses = host.stores.losses('EventStoreDB')
    const played = await playEpisode(host, { name: `m${seed}.${episode}`, steps, width, share })
    findings.push(...played.findings, ...lostEvents(host, losses))
    for (const [key, status] of played.ends) ends.set(key, status)
    const rules = new Set(unexpected(played.findings).map(({ rule }) => rule))
    if (rules.size > 0) failed ??= { steps, rules }
    progress(
      `seed ${seed}, episode ${episode} of ${episodes}: ${steps.length} steps, ${[`${host.kills()} kills`, ...storesTold(host)].join(', ')} so far, ${played.findings.length} findings, ${[...rules].join('; ') || 'none new'}\n${summary(played.findings)}`,
    )
  }
  const actors = (await everything(host)).filter((key) => /^user [a-z]+$/.test(key))
  await checkWholeLists(host, ends, [...begin, ...actors], noteIn(findings))
  const events = await readFeed(host, body.paging.after)
  if (host.stores.losses('MongoDB') === 0) findings.push(...(await receiver.check(events)))
  else progress('The webhook is not judged: MongoDB, which keeps it, had lost what it had acknowledged.')
  receiver.close()
  return { findings, kills: host.kills(), stores: storesTold(host), events: events.length, ...(failed && { failed }) }
}

/** Plays as many operations as asked, episode after episode on one service, and checks everything. */
export const run = async (options: Options): Promise<Outcome> => {
  const host = await startHost(options)
  try {
    const { failed, ...outcome } = await playAll(host, options)
    await host.caughtUp()
    await host.stop()
    const findings = [...outcome.findings, ...checkStores(host)]
    const shortest =
      failed && options.shrinkFor > 0 ? await findShortest(failed.steps, failed.rules, options) : undefined
    return { ...outcome, findings, ...(shortest && { shortest }) }
  } finally {
    await host.stop()
    await host.remove()
  }
}
