import { mustBeComplete, UsageError, type CliCommand, type CommandSummary, print } from '../command/command.ts'
import { exportEvidence } from './evidence/export.ts'
import { verify } from './verify.ts'
import { watch } from './watch.ts'
import { auditKeyFileOf, auditKeysText, existingAuditKeys } from '../../composition/keys/auditKeys.ts'
import { replaceSecret } from '../../stores/sqlite/dataFolder.ts'
import { makeSignerKey, readSignerKey } from '../../transparency/note.ts'
import { signSuccession } from '../../transparency/succession.ts'
import { readSettings } from '../command/settings.ts'

/** Replaces the signing key: the old key signs its successor and is then destroyed. */
export const rotate: CommandSummary = {
  summary: 'Create a new key for checkpoints, signed by the present one as its successor',
  usage:
    '\n\nReplaces the key file. After its next start the service signs with the new key and records that in the log. ' +
    'With several\n' +
    'processes, give all of them the new file first.',
  run: async () => {
    const config = readSettings(process.env, 'service')
    const file = auditKeyFileOf(config)
    const present = existingAuditKeys(config)
    const next = readSignerKey(makeSignerKey(present.signer.name))
    const note = signSuccession(next, present.signer)
    replaceSecret(
      file,
      auditKeysText({ signer: next, keys: [next, ...present.keys], successions: [...present.successions, note] }),
    )
    return print([
      `${file} has a new key. Restart the service to sign with it.`,
      '',
      `Now:    ${next.text}`,
      `Before: ${present.signer.text}`,
      '',
      'Anybody who trusts the former key can trust the new one because of this note (also at GET /v1/audit/successions):',
      '',
      ...note.trimEnd().split('\n'),
    ])
  },
}

const verbs: Readonly<Record<string, CommandSummary>> = { verify, watch, export: exportEvidence, rotate }

export const audit: CliCommand = {
  usage: `${Object.entries(verbs)
    .map(([name, { summary, usage }]) => `${name} ${usage}\n\n${summary}.`)
    .join('\n\n\nUsage: catalog audit ')}`,
  words: 2,
  texts: Object.values(verbs).flatMap(({ texts = [] }) => texts),
  flags: Object.values(verbs).flatMap(({ flags = [] }) => flags),
  run: async ({ texts, flags, words: [name = '', ...words] }) => {
    const verb = verbs[name]
    if (verb === undefined)
      throw new UsageError(`Name one of ${Object.keys(verbs).join(', ')}${name && `, not ${name}`}.`)
    const known = [...(verb.texts ?? []), ...(verb.flags ?? [])]
    const strange = Object.keys(texts).filter((option) => !known.includes(option))
    if (strange.length > 0) throw new UsageError(`audit ${name} has no option --${strange.join(', --')}`)
    if (words.length > (verb.words ?? 0)) throw new UsageError(`audit ${name} does not understand ${words.at(-1)}`)
    mustBeComplete(verb, { texts, flags, words })
    return verb.run({ texts, flags, words })
  },
}
