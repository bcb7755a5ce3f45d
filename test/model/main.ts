import { parseArgs } from 'node:util'
import { summary, unexpected } from './findings.ts'
import { run } from './run.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    operations: { type: 'string', default: '2000' },
    width: { type: 'string', default: '8' },
    kill: { type: 'boolean', default: false },
  },
})

const number = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Error(`${text} is no number that a run can have.`)
}

const findings = await run({
  seed: number(values.seed),
  operations: number(values.operations),
  width: number(values.width),
  kill: values.kill,
  progress: (line) => void process.stderr.write(`${line}\n`),
})
const failed = unexpected(findings)
process.stdout.write(summary(findings))
process.stdout.write(
  `Seed ${values.seed}, ${values.operations} operations: ${findings.length} findings, ${failed.length} of them not known.\n`,
)
if (failed.length > 0) process.exitCode = 1
