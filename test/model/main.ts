import { parseArgs } from 'node:util'
import { summary, unexpected } from './findings.ts'
import { run } from './run.ts'

/** `npm run model -- --seed 7 --operations 20000 --kill` */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    operations: { type: 'string', default: '2000' },
    width: { type: 'string', default: '8' },
    processes: { type: 'string', default: '1' },
    kill: { type: 'boolean', default: false },
    'kill-stores': { type: 'boolean', default: false },
    share: { type: 'string', default: '1' },
    shrink: { type: 'string', default: '60' },
  },
})

const readNumber = (name: 'seed' | 'operations' | 'width' | 'processes' | 'share' | 'shrink'): number => {
  if (/^\d{1,9}(\.\d+)?$/.test(values[name])) return Number(values[name])
  throw new Error(`--${name} must be a number, not ${values[name]}.`)
}

const outcome = await run({
  seed: readNumber('seed'),
  operations: readNumber('operations'),
  width: readNumber('width'),
  processes: readNumber('processes'),
  share: readNumber('share'),
  shrinkFor: readNumber('shrink'),
  kill: values.kill,
  killStores: values['kill-stores'],
  progress: (line) => void process.stderr.write(`${line}\n`),
})
const { findings, kills, stores, events, shortest } = outcome
const failed = unexpected(findings)
process.stdout.write(summary(findings))
if (shortest !== undefined) {
  process.stdout.write(`The shortest list of operations that was found to fail so, ${values.width} at once:\n`)
  for (const step of shortest) process.stdout.write(`    ${JSON.stringify(step)}\n`)
}
process.stdout.write(
  `Seed ${values.seed}: ${values.operations} operations, ${events} events, ${[`${kills} kills`, ...stores].join(', ')}, ${findings.length} findings, ${failed.length} of them not known.\n`,
)
if (failed.length > 0) process.exitCode = 1
