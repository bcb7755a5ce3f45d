import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { adminToken, startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'
import { besideCrowd, crowds } from './crowds.ts'
import { curlOf } from './curl.ts'
import { readDocument } from './document.ts'
import { makeJudge } from './judge.ts'
import { readable } from './inspect.ts'
import { largestOf } from './largest.ts'
import { memoryOf, type Memory } from './memory.ts'
import { startPings } from './pings.ts'
import type { Ping } from './pinger.ts'
import type { Maker } from './making.ts'
import { attackOf, policies, roles, type Attack } from './requests.ts'
import { makeSender, type Sender } from './send.ts'
import { turnsOf } from './turns.ts'
import { populate, type World } from './world.ts'
import { atThisPace, shortestTime } from '../support/processorTime.ts'

export interface AttackOptions {
  readonly requests: number
  readonly seed: string
  /** Characters of the largest texts and lists. */
  readonly large: number
  /** Requests under way at a time. */
  readonly concurrency: number
  /** Milliseconds of work of the service that a ping may wait for. */
  readonly longestPing: number
  /** The stores are servers that may be slow: 503 with Retry-After is what is to be answered then. */
  readonly storesApart?: boolean
  /** Send the largest requests too, each alone. */
  readonly largest?: boolean
  /** Settings of the service, beside those of the tests. */
  readonly env?: Readonly<Record<string, string>>
  /** Told each finding at once, and progress now and then. */
  readonly say?: (text: string) => void
}

/** Something that must not be. */
export interface Finding {
  readonly what: string
  /** How to send the request again. */
  readonly again: string
}

export interface Report {
  readonly findings: readonly Finding[]
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>
  /** Operations that were asked at least once with success, and all. */
  readonly succeeded: number
  readonly operations: number
  readonly pings: readonly Ping[]
  readonly before: Memory
  readonly after: Memory
}

/** Milliseconds that one request alone may compute in one turn of the event loop: nobody else is answered meanwhile. */
export const longestTurn = 100

/** Attempts before a large request or a crowd is taken to hold everybody up. */
const attempts = 3

/**
 * Bytes that may be held beyond what was held before: after the attack, and again after the largest requests. Caches have
 * room for so much of either; that they grow no further is seen when the largest requests are sent again.
 */
export const keptAtMost = 64 * 1024 * 1024

/** Times that the largest requests are sent again, and bytes that may be held then beyond what was held before. */
const moreRounds = 3
const grownAtMost = 24 * 1024 * 1024

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

interface Underway {
  readonly attack: Attack
  readonly began: number
  ended: number
}

const tellUnderway = ({ attack, began, ended }: Underway, { began: asked }: Ping): string => {
  const { number, method, target, body, role } = attack
  const sent = `sent ${asked - began} ms before it, with ${body?.length ?? 0} bytes, by ${role}`
  const took = ended === Number.POSITIVE_INFINITY ? 'not answered yet' : `answered after ${ended - began} ms`
  return `# request ${number}: ${method} ${target.slice(0, 200)}, ${sent}, ${took}`
}

/** One attack on one service. */
class Run {
  readonly findings = new Map<string, Finding>()
  readonly statuses: Record<string, number> = {}
  readonly succeeded = new Set<string>()
  readonly recent: Underway[] = []
  readonly suspects = new Map<number, Attack>()
  /** When memory was measured last. */
  private measured = { from: 0, to: 0 }
  private readonly options: AttackOptions
  private readonly service: RunningService
  private readonly maker: Maker
  private readonly judge: ReturnType<typeof makeJudge>
  private readonly sender: Sender
  private readonly tokens: ReadonlyMap<string, string | undefined>

  constructor(options: AttackOptions, service: RunningService, maker: Maker, judge: ReturnType<typeof makeJudge>) {
    this.options = options
    this.service = service
    this.maker = maker
    this.judge = judge
    this.sender = makeSender(service.url)
    const forged = `${adminToken.slice(0, -4)}AAAA`
    this.tokens = new Map(
      roles.map((role) => [
        role,
        role === 'nobody' ? undefined : role === 'forged' ? forged : tokenFor(`attacker-${role}`, [role]),
      ]),
    )
  }

  note(kind: string, what: string, attack?: Attack): void {
    if (this.findings.has(kind)) return
    const again = attack === undefined ? '' : curlOf(attack, this.service.url, this.options.seed)
    this.findings.set(kind, { what, again })
    this.options.say?.(`${what}\n${again}\n`)
  }

  async send(attack: Attack): Promise<void> {
    const underway: Underway = { attack, began: Date.now(), ended: Number.POSITIVE_INFINITY }
    this.recent.push(underway)
    if (this.recent.length > 500) this.recent.splice(0, 250)
    const outcome = await this.sender.send(attack, this.tokens.get(attack.role))
    underway.ended = Date.now()
    const status = String(outcome.status ?? 'none')
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
    if (outcome.status !== undefined && outcome.status < 300) this.succeeded.add(attack.operation.id)
    if (outcome.whole && outcome.status === 200) this.learn(outcome.body)
    for (const wrong of this.judge(attack, outcome)) {
      const shape = attack.operation.id.replace(/_[A-Za-z]+/, '')
      this.note(
        `${shape} ${wrong.replace(/[\d'"].*/s, '')}`,
        `${attack.method} ${attack.operation.path}: ${wrong}`,
        attack,
      )
    }
  }

  private learn(body: Buffer): void {
    const { cursors } = this.maker.world
    const cursor = /"(?:after|before)":"([^"]+)"\}*$/.exec(body.subarray(-400).toString('latin1'))?.[1]
    if (cursor === undefined) return
    cursors.push(cursor)
    if (cursors.length > 200) cursors.shift()
  }

  /** All requests from one number to another, some at a time. */
  async through(from: number, to: number): Promise<void> {
    let next = from
    const work = async (): Promise<void> => {
      while (next < to && this.service.process.exitCode === null) {
        const number = next
        next += 1
        await this.send(attackOf(this.maker, number))
      }
    }
    await Promise.all(Array.from({ length: this.options.concurrency }, work))
    if (this.service.process.exitCode !== null)
      this.note('ended', `the service ended with ${this.service.process.exitCode}`, this.recent.at(-1)?.attack)
  }

  readonly pinged = (ping: Ping): void => {
    if (ping.status !== 200 && !(this.options.storesApart === true && ping.status === 503))
      this.note('ping failed', `a ping got ${ping.status ?? 'no answer'}`)
    const end = ping.began + ping.milliseconds
    if (ping.computed <= this.options.longestPing || (ping.began < this.measured.to && end > this.measured.from)) return
    const underway = this.recent.filter(({ began, ended }) => began < end && ended > ping.began)
    for (const { attack } of underway) this.suspects.set(attack.number, attack)
    if (this.findings.has('slow ping')) return
    const what = `a ping waited for ${Math.round(ping.computed)} ms of work of others, ${Math.round(ping.milliseconds)} ms in all`
    const again = `# under way were, of seed ${this.options.seed}\n${underway.map((each) => tellUnderway(each, ping)).join('\n')}`
    this.findings.set('slow ping', { what, again })
    this.options.say?.(`${what}\n${again}\n`)
  }

  /** Measures memory. The service collects all its garbage for that: no request makes it, so the pings do not count. */
  async memory(): Promise<Memory> {
    this.measured = { from: Date.now(), to: Number.POSITIVE_INFINITY }
    const memory = await memoryOf(this.service)
    this.measured.to = Date.now()
    return memory
  }

  /**
   * Sends what was under way during slow pings again, one after the other, and tells what holds everybody up alone.
   * Twice, as the service may have happened to collect garbage.
   */
  async ask(): Promise<void> {
    const turns = await turnsOf(this.service)
    const costs: { attack: Attack; cost: number }[] = []
    for (const attack of [...this.suspects.values()].slice(-200)) {
      const again = () => turns.longest(() => this.sender.send(attack, this.tokens.get(attack.role)))
      const cost = await again()
      if (cost > atThisPace(longestTurn)) costs.push({ attack, cost: Math.min(cost, await again()) })
    }
    turns.close()
    const dear = costs.filter(({ cost }) => cost > atThisPace(longestTurn)).toSorted((a, b) => b.cost - a.cost)
    for (const { attack, cost } of dear.slice(0, 5)) {
      this.note(
        `dear ${attack.operation.id.replace(/_[A-Za-z]+/, '')}`,
        `${attack.method} ${attack.operation.path} holds everybody up for ${Math.round(cost)} ms alone`,
        attack,
      )
    }
  }

  /** Sends the largest requests, one after the other, and tells what holds everybody up or fails. */
  async sendLargest(world: World): Promise<void> {
    const turns = await turnsOf(this.service)
    for (const { what, method, path, body, options } of largestOf(world)) {
      const cost = await shortestTime(attempts, longestTurn, () =>
        turns.longest(async () => {
          const { status } = await this.service.call(method, path, body, options)
          if (status >= 500) this.note(`${status} ${what}`, `${status} for ${what}: ${method} ${path}`)
        }),
      )
      if (cost > atThisPace(longestTurn))
        this.note(`dear ${what}`, `${what} holds everybody up for ${Math.round(cost)} ms: ${path}`)
    }
    turns.close()
  }

  /** Sends the largest requests again. What caches keep of them they keep by now: nothing more may stay. */
  async sendLargestAgain(world: World, before: Memory): Promise<Memory> {
    for (let round = 0; round < moreRounds; round += 1)
      for (const { method, path, body, options } of largestOf(world))
        await this.service.call(method, path, body, options)
    const after = await this.memory()
    const grown = after.held - before.held
    this.options.say?.(`${megabytes(grown)} MB more are held after ${moreRounds} more rounds of the largest requests`)
    if (grown > grownAtMost)
      this.note(
        'growth',
        `${megabytes(grown)} MB more are held after ${moreRounds} more rounds of the largest requests`,
      )
    return after
  }

  /** Lets crowds ask for long lists and pages of events, and read nothing: others must be answered. */
  async sendCrowds(): Promise<void> {
    const paths = ['/api/v1/tables?limit=1000&fields=*', '/api/v1/events?limit=1000&wait=1']
    for (const path of paths)
      for (const [what, crowd] of Object.entries(crowds)) {
        const about = `${what} for ${path}`
        const shortest = await shortestTime(attempts, this.options.longestPing, async () => {
          const { pings } = await besideCrowd(this.service, path, crowd)
          for (const { status } of pings)
            if (status !== 200) this.note(`crowd ${about} ${status}`, `${status} for a small request beside ${about}`)
          return Math.max(...pings.map(({ computed }) => computed))
        })
        if (shortest > atThisPace(this.options.longestPing))
          this.note(`crowd ${about}`, `${about} kept a small request waiting for ${Math.round(shortest)} ms of work`)
      }
  }

  close(): void {
    this.sender.close()
  }
}

/** What the log says that it should not: failures, and lines that a caller can make long. */
const readLog = (run: Run, output: string): void => {
  for (const line of output.split('\n')) {
    if (line.length > 8192)
      run.note('long line', `a line of the log has ${line.length} characters: ${line.slice(0, 300)}`)
    if (/"level":(?:50|60)/.test(line))
      run.note(`log ${/"msg":"[^"]*"/.exec(line)?.[0]}`, `the log says ${line.slice(0, 2000)}`)
  }
}

/** Memory may come back late, not never. */
const memoryAfter = async (run: Run, what: string, before: Memory): Promise<Memory> => {
  let after = await run.memory()
  for (let tries = 0; tries < 10 && after.held - before.held > keptAtMost; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    after = await run.memory()
  }
  if (after.held - before.held > keptAtMost)
    run.note(`memory ${what}`, `${megabytes(after.held - before.held)} MB did not come back after ${what}`)
  return after
}

/** Starts a service of its own, attacks it, and tells everything that must not be. */
export const attack = async (options: AttackOptions): Promise<Report> => {
  const { requests, seed, large, env = {}, say } = options
  const folder = temporaryDataDir()
  const policiesFile = join(folder.path, 'policies.yaml')
  writeFileSync(policiesFile, JSON.stringify(policies))
  const service = await startBuilt(folder.path, { ...readable, CATALOG_POLICIES_FILE: policiesFile, ...env })
  const pings: Ping[] = []
  try {
    const { body } = await service.call('GET', '/api/openapi.json')
    const maker: Maker = { document: readDocument(body), world: await populate(service.call), seed, sizes: { large } }
    const run = new Run(options, service, maker, makeJudge(body, options.storesApart))
    const warm = Math.min(1000, Math.floor(requests / 5))
    await run.through(0, warm)
    const before = await run.memory()
    const pinging = startPings(service, adminToken, run.pinged)
    for (let from = warm; from < requests; from += 5000) {
      await run.through(from, Math.min(requests, from + 5000))
      if (service.process.exitCode !== null) break
      if (from + 5000 < requests) await populate(service.call)
      say?.(
        `${Math.min(requests, from + 5000)} requests, ${pinging.all.length} pings, ${run.findings.size} findings, statuses ${JSON.stringify(run.statuses)}, ${megabytes((await run.memory()).held)} MB held`,
      )
    }
    await pinging.stop()
    pings.push(...pinging.all)
    await run.ask()
    let after = await memoryAfter(run, 'the attack', before)
    if (options.largest === true) {
      const world = await populate(service.call)
      await run.sendLargest(world)
      after = await memoryAfter(run, 'the largest requests', after)
      after = await run.sendLargestAgain(world, after)
      await run.sendCrowds()
      after = await memoryAfter(run, 'crowds that read nothing', after)
    }
    run.close()
    const code = await service.stop()
    if (code !== 0) run.note('stop', `the service ended with ${code}`)
    readLog(run, service.output())
    return {
      findings: [...run.findings.values()],
      statuses: run.statuses,
      succeeded: run.succeeded.size,
      operations: maker.document.operations.length,
      pings,
      before,
      after,
    }
  } finally {
    await service.stop('SIGKILL')
    await folder.remove()
  }
}
