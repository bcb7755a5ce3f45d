import { UsageError, type CliCommand, type ListedCommand } from '../command.ts'
import { exportEvidence } from './evidence/export.ts'
import { rotate } from './rotate.ts'
import { verify } from './verify.ts'
import { watch } from './watch.ts'

const verbs: Readonly<Record<string, ListedCommand>> = { verify, watch, export: exportEvidence, rotate }

export const audit: CliCommand = {
  usage: `${Object.entries(verbs)
    .map(([name, { summary, usage }]) => `${name} ${usage}\n\n${summary}.`)
    .join('\n\n\nUsage: catalog audit ')}`,
  words: 2,
  options: Object.assign({}, ...Object.values(verbs).map(({ options }) => options)) as CliCommand['options'],
  run: async (options, [name = '', ...positionals]) => {
    const verb = verbs[name]
    if (verb === undefined) throw new UsageError(`say what to do: catalog audit ${Object.keys(verbs).join(', ')}`)
    const strange = Object.keys(options).filter((option) => !(option in verb.options))
    if (strange.length > 0) throw new UsageError(`audit ${name} has no option --${strange.join(', --')}`)
    if (positionals.length > (verb.words ?? 0))
      throw new UsageError(`audit ${name} does not understand ${positionals.at(-1)}`)
    return verb.run(options, positionals)
  },
}
