import { UsageError, type CliCommand, type ListedCommand } from '../command/command.ts'
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
  texts: Object.values(verbs).flatMap(({ texts = [] }) => texts),
  flags: Object.values(verbs).flatMap(({ flags = [] }) => flags),
  run: async ({ texts, flags, words: [name = '', ...words] }) => {
    const verb = verbs[name]
    if (verb === undefined) throw new UsageError(`say what to do: catalog audit ${Object.keys(verbs).join(', ')}`)
    const known = [...(verb.texts ?? []), ...(verb.flags ?? [])]
    const strange = Object.keys(texts).filter((option) => !known.includes(option))
    if (strange.length > 0) throw new UsageError(`audit ${name} has no option --${strange.join(', --')}`)
    if (words.length > (verb.words ?? 0)) throw new UsageError(`audit ${name} does not understand ${words.at(-1)}`)
    return verb.run({ texts, flags, words })
  },
}
