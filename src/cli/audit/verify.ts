import { logLocation } from '../../composition/engines.ts'
import { repairAdvice } from '../../events/eventStore.ts'
import type { AuditOptions } from '../../events/transfer/logAudit.ts'
import { makeTreeAudit, type TreeAudit } from '../../projections/tree/treeAudit.ts'
import type { TreeCheckpoint } from '../../transparency/checkpoint.ts'
import { print, UsageError, type CommandInput, type CliCommand } from '../command/command.ts'
import { positionOption } from '../command/selectEvents.ts'
import { readSettings } from '../command/settings.ts'
import {
  eventsIn,
  liveEvents,
  readSignedCheckpoints,
  readQuorum,
  verifyChain,
  verifyWholeLog,
  proofNote,
  type AuditReport,
} from './verifyLog.ts'

/** @returns with the tree, if the whole log was verified */
const verifySource = async (
  { file, entity }: CommandInput['texts'],
  options: AuditOptions,
  checkpoints: readonly TreeCheckpoint[],
): Promise<AuditReport & { tree?: TreeAudit; notCompared?: string | undefined }> => {
  if (file === undefined && entity === undefined)
    return verifyWholeLog(readSettings(process.env, 'stores'), { until: options.until, checkpoints })
  const source = file === undefined ? liveEvents(readSettings(process.env, 'stores'), entity) : eventsIn(file)
  const tree = file === undefined || options.partial ? undefined : makeTreeAudit({ checkpoints })
  return { ...(await verifyChain(source, options, tree)), ...(tree && { tree }) }
}

const report = ({
  findings,
  events,
  streams,
  last,
  tree,
  notCompared,
}: Awaited<ReturnType<typeof verifySource>>): string[] => {
  const verdict = findings === 0 ? 'Nothing was changed.' : `${findings} ${findings === 1 ? 'problem' : 'problems'}.`
  const lines = [
    `${events} events in ${streams} streams${last === undefined ? '' : `, the last at position ${last}`}: ${verdict}`,
  ]
  if (tree !== undefined) lines.push(`The root of their tree is ${tree.head().root.toString('base64')}.`)
  if (notCompared !== undefined) lines.push(`It was compared with no stored tree: ${notCompared}`)
  if (tree !== undefined && tree.verifiedCount() > 0)
    lines.push(
      `It begins with the events signed by ${tree.verifiedCount()} checkpoint${tree.verifiedCount() === 1 ? '' : 's'}.`,
    )
  return [...lines, '', ...proofNote]
}

/** Verifies the hash chain of every stream and the tree, beside a running service or from a file. */
export const verify: CliCommand = {
  usage:
    '[--checkpoint FILE --key FILE [--witness KEY [--quorum N]]] [--entity KIND:FQN|ID] [--until POSITION]\n' +
    '       [--file FILE [--partial] [--complete]]\n\n' +
    '  --checkpoint  a file of signed checkpoints: the log must begin with exactly the events that they sign\n' +
    '  --key         the public key to verify them with, from GET /v1/audit/key\n' +
    '  --witness     the public key of a witness, or a file of keys: ignore checkpoints that they have not cosigned\n' +
    '  --quorum      how many witnesses must have cosigned (default: all)\n' +
    '  --entity      check only the chain of this entity\n' +
    '  --file FILE   check a file from `catalog replay` (- for stdin) instead of the log;\n' +
    '                needs no service and no settings; without --checkpoint, two events of different\n' +
    '                streams that were swapped are told only by their times, if these go backwards\n' +
    '  --partial     the file starts at a later position, so streams may lack their first events\n' +
    '  --complete    the file is a whole log of the embedded engine, so positions must have no gaps\n' +
    '  --until       a position reported earlier, which the log must still reach',
  texts: ['checkpoint', 'key', 'witness', 'quorum', 'entity', 'file', 'until'],
  flags: ['partial', 'complete'],
  needs: { key: 'checkpoint', witness: 'checkpoint', quorum: 'witness', partial: 'file', complete: 'file' },
  run: async ({ texts, flags: { partial = false, complete = false } }) => {
    const { checkpoint, key, witness, quorum, entity, file, until } = texts
    const last = positionOption('until', until)
    if (checkpoint !== undefined && (entity !== undefined || partial))
      throw new UsageError('--checkpoint is about the whole log and cannot be combined with --entity or --partial')
    if (entity !== undefined && file !== undefined)
      throw new UsageError('--entity reads the log: of a file, export that entity alone (catalog replay --entity)')
    const cosigned = witness === undefined ? undefined : readQuorum(witness, quorum)
    const checkpoints = checkpoint === undefined ? [] : readSignedCheckpoints(checkpoint, key, cosigned)
    const audited = await verifySource(texts, { partial, dense: complete, until: last }, checkpoints)
    print(report(audited))
    if (audited.findings > 0 && file === undefined)
      print(['', repairAdvice(logLocation(readSettings(process.env, 'stores')))])
    if (audited.events > 0 || audited.findings > 0) return audited.findings === 0 ? 0 : 1
    throw new Error(entity === undefined ? `${file ?? 'the log'} has no events` : `no event of ${entity} is in the log`)
  },
}
