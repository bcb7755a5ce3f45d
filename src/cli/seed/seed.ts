import { SingleBar } from 'cli-progress'
import type { CliCommand } from '../command.ts'
import { clientOptions, clientsFor, givenToken } from '../localClient.ts'

const seeder = 'amara_almeida'

/** Loads the demo company through the public API. */
export const seed: CliCommand = {
  usage:
    '[--url http://127.0.0.1:8585] [--token TOKEN]\n\nWith --token everything is done in the name of its user, ' +
    'and nobody votes.',
  options: clientOptions,
  run: async ({ url, token }) => {
    const { companySteps, sizeOf } = await import('./company.ts')
    const { load } = await import('./load.ts')
    const given = givenToken(token) !== undefined
    const client = clientsFor({ url, token }, seeder)()
    const steps = companySteps().filter((step) => !(given && step.title === 'votes'))
    const total = steps.reduce((sum, step) => sum + sizeOf(step), 0)
    const bar = new SingleBar({
      format: '{bar} {percentage}% | {value}/{total} | {title}',
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    })
    bar.start(total, 0, { title: '' })
    const begun = performance.now()
    try {
      await load(client, steps, { advance: (title, count) => bar.increment(count, { title }) })
    } finally {
      bar.stop()
    }
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    process.stdout.write(
      `Loaded in ${seconds} s:\n${steps.map((step) => `  ${String(sizeOf(step)).padStart(5)} ${step.title}`).join('\n')}\n`,
    )
    return 0
  },
}
