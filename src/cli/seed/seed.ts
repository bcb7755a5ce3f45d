import { say, type CliCommand } from '../command/command.ts'
import { clientTexts, clientsFor, givenToken } from '../client/apiClient.ts'
import { withTitledProgress } from '../command/progressBar.ts'

const seeder = 'amara_almeida'

/** Loads the demo company through the public API. */
export const seed: CliCommand = {
  usage:
    '[--url http://127.0.0.1:8585] [--token TOKEN]\n\nWith --token everything is done in the name of its user, ' +
    'and nobody votes.',
  texts: clientTexts,
  run: async ({ texts }) => {
    const { companySteps, sizeOf } = await import('./load.ts')
    const { load } = await import('./load.ts')
    const given = givenToken(texts) !== undefined
    const client = clientsFor(texts, seeder)()
    const steps = companySteps().filter((step) => !(given && step.title === 'votes'))
    const total = steps.reduce((sum, step) => sum + sizeOf(step), 0)
    const begun = performance.now()
    await withTitledProgress(total, (advance) => load(client, steps, { advance }))
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    const lines = steps.map((step) => `  ${String(sizeOf(step)).padStart(5)} ${step.title}`)
    return say(`Loaded in ${seconds} s:\n${lines.join('\n')}`)
  },
}
