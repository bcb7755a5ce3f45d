import { parseArgs } from 'node:util'
import { external } from '../support/external.ts'
import { attack, type Report } from './attack.ts'
import { startTwins, wander } from './twinWorlds.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now()) },
    large: { type: 'string', default: '200000' },
    concurrency: { type: 'string', default: '16' },
    worlds: { type: 'string', default: '3000' },
  },
})

const whole = (name: 'requests' | 'large' | 'concurrency' | 'worlds'): number => {
  const number = Number(values[name])
  if (Number.isSafeInteger(number) && number > 0) return number
  throw new RangeError(`--${name} must be a whole number from 1`)
}

const summary = ({ statuses, succeeded, operations, pings, before, after, findings }: Report): string => {
  const sorted = pings.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
  const worst = Math.max(0, ...pings.map(({ computed }) => computed)).toFixed(1)
  return [
    `statuses: ${Object.entries(statuses)
      .map(([status, count]) => `${status} ${count}×`)
      .join(', ')}`,
    `operations that succeeded at least once: ${succeeded} of ${operations}`,
    `pings: ${pings.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms, of which the service computed at most ${worst} ms`,
    `memory held: ${(before.held / 1e6).toFixed(0)} MB before, ${(after.held / 1e6).toFixed(0)} MB after; resident ${(after.resident / 1e6).toFixed(0)} MB`,
    `findings: ${findings.length}`,
  ].join('\n')
}

const { seed } = values
process.stdout.write(`seed ${seed}\n`)
const report = await attack({
  requests: whole('requests'),
  large: whole('large'),
  concurrency: whole('concurrency'),
  longestPing: 250,
  largest: true,
  storesApart: external.eventStoreUrl !== undefined || external.mongodbUrl !== undefined,
  seed,
  say: (text) => process.stdout.write(`${text}\n`),
})
process.stdout.write(`${summary(report)}\n`)
const { worlds, stop } = await startTwins()
const { differing, succeeded } = await wander(worlds, whole('worlds'), seed).finally(stop)
for (const { target, answers } of differing)
  process.stdout.write(`GET ${target} tells of what is hidden: ${answers.join(' | ')}\n`)
process.stdout.write(
  `two worlds, asked ${values.worlds} times, of which ${succeeded / 2} with success: ${differing.length} differences\n`,
)
process.exitCode = report.findings.length + differing.length === 0 ? 0 : 1
