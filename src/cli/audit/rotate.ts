import { auditKeyFileOf, auditKeysText, existingAuditKeys } from '../../composition/keys/auditKeys.ts'
import { replaceSecret } from '../../stores/sqlite/dataFolder.ts'
import { makeSignerKey, readSignerKey } from '../../transparency/note.ts'
import { signSuccession } from '../../transparency/succession.ts'
import { print, type CliCommand } from '../command/command.ts'
import { readSettings } from '../command/settings.ts'

/** Replaces the signing key: the old key signs its successor and is then destroyed. */
export const rotate: CliCommand = {
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
