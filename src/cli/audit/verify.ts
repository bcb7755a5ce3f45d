import { openLog, placeOfLog } from '../../composition/engines.ts'
import { signedByOthersThan } from '../../composition/keys/signedBefore.ts'
import { howToMend } from '../../events/eventStore.ts'
import type { Finding } from '../../events/transfer/logAudit.ts'
import { makeTreeAudit, type TreeAudit } from '../../projections/tree/treeAudit.ts'
import type { Checkpoint } from '../../transparency/checkpoint.ts'
import { closing, say, UsageError, type Call, type ListedCommand } from '../command/command.ts'
import { positionOption } from '../command/selecting.ts'
import { readSettings } from '../command/settings.ts'
import {
  eventsIn,
  liveEvents,
  readCheckpoints,
  readQuorum,
  type Quorum,
  verifyChain,
  verifyWholeLog,
  whatItProves,
  type Audited,
} from './verifyLog.ts'

interface Asked {
  readonly file: string | undefined
  readonly entity: string | undefined
  readonly partial: boolean
  readonly complete: boolean
  readonly until: bigint | undefined
  readonly checkpoints: readonly Checkpoint[]
}

const tell = ({ what, message }: Finding): void => void say(`${what}: ${message}`)

/** @returns with the tree, if the whole log was verified */
const verifyAsked = async (asked: Asked): Promise<Audited & { tree?: TreeAudit; beside?: boolean }> => {
  const { file, entity, partial, complete, until, checkpoints } = asked
  if (file === undefined && entity === undefined)
    return verifyWholeLog(readSettings(process.env, 'stores'), { until, checkpoints }, tell)
  const source = file === undefined ? liveEvents(readSettings(process.env, 'stores'), entity) : eventsIn(file)
  const tree = file === undefined || partial ? undefined : makeTreeAudit({ checkpoints })
  const audited = await verifyChain(source, { partial, dense: complete, until }, tell, tree)
  return { ...audited, ...(tree && { tree }) }
}

/** Warns about keys: which key signs is not proven by the log. */
const warnOfKeys = async (): Promise<void> => {
  const config = readSettings(process.env, 'stores')
  const warnings = await closing(openLog(config, { readOnly: true }), (log) => signedByOthersThan(config, log))
  for (const warning of warnings) say(`\nWARNING: ${warning}`)
}

const report = ({ findings, events, streams, last, tree, beside }: Awaited<ReturnType<typeof verifyAsked>>): string => {
  const verdict =
    findings === 0
      ? 'Everything is as it was written.'
      : `${findings} ${findings === 1 ? 'thing is' : 'things are'} not as written.`
  const lines = [
    `${events} events in ${streams} streams${last === undefined ? '' : `, the last at position ${last}`}: ${verdict}`,
  ]
  if (tree !== undefined) lines.push(`The root of their tree is ${tree.head().root.toString('base64')}.`)
  if (beside === false) lines.push('There is no tree beside the log that it could be compared with.')
  if (tree !== undefined && tree.held() > 0)
    lines.push(`It begins with what was signed in ${tree.held()} checkpoint${tree.held() === 1 ? '' : 's'}.`)
  return `${lines.join('\n')}\n\n${whatItProves}`
}

const quorumOf = ({ checkpoint, witness, quorum }: Call['texts']): Quorum | undefined => {
  if (witness !== undefined && checkpoint === undefined)
    throw new UsageError('--witness is about checkpoints: give --checkpoint and --key with it')
  if (quorum !== undefined && witness === undefined) throw new UsageError('--quorum needs --witness')
  return witness === undefined ? undefined : readQuorum(witness, quorum)
}

/** Verifies the hash chain of every stream and the tree, beside a running service or from a file. */
export const verify: ListedCommand = {
  summary: 'Check that no event was changed, removed, inserted, reordered or given the id of another',
  usage:
    '[--checkpoint FILE --key FILE [--witness KEY [--quorum N]]] [--entity KIND:FQN|ID] [--until POSITION]\n' +
    '       [--file FILE [--partial] [--complete]]\n\n' +
    '  --checkpoint  signed notes that were kept: the log must begin with exactly what they sign\n' +
    '  --key         the public key that they are verified with, as GET /v1/audit/key gave it\n' +
    '  --witness     public key of a witness, or a file of them: only checkpoints count that they have cosigned,\n' +
    '  --quorum      at least so many of them (all, unless it is said)\n' +
    '  --entity      only this entity: its chain\n' +
    '  --file FILE   a file that `catalog replay` wrote (- for stdin), instead of the log;\n' +
    '                needs no service and no settings\n' +
    '  --partial     the file begins at a later position: streams may lack their first events\n' +
    '  --complete    the file is the whole log of the embedded engine: positions have no holes\n' +
    '  --until       a position that was told before: the log must still go that far',
  texts: ['checkpoint', 'key', 'witness', 'quorum', 'entity', 'file', 'until'],
  flags: ['partial', 'complete'],
  run: async ({ texts, flags: { partial = false, complete = false } }) => {
    const { checkpoint, key, entity, file, until } = texts
    const last = positionOption('until', until)
    if (checkpoint !== undefined && (entity !== undefined || partial))
      throw new UsageError('--checkpoint is about the whole log: give neither --entity nor --partial with it')
    if (entity !== undefined && file !== undefined)
      throw new UsageError('--entity reads the log: of a file, export that entity alone (catalog replay --entity)')
    const cosigned = quorumOf(texts)
    const checkpoints = checkpoint === undefined ? [] : readCheckpoints(checkpoint, key, cosigned)
    const audited = await verifyAsked({ file, entity, partial, complete, until: last, checkpoints })
    process.stdout.write(report(audited))
    if (file === undefined && entity === undefined) await warnOfKeys()
    if (audited.findings > 0 && file === undefined)
      say(`\n${howToMend(placeOfLog(readSettings(process.env, 'stores')))}`)
    if (audited.events > 0 || audited.findings > 0) return audited.findings === 0 ? 0 : 1
    throw new Error(
      entity === undefined ? `${file ?? 'the log'} holds no events` : `no event of ${entity} is in the log`,
    )
  },
}
