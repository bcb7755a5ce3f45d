import { existsSync, readFileSync, createReadStream } from 'node:fs'
import type { Config } from '../../composition/settings/config.ts'
import { openReadModels, openLog } from '../../composition/engines.ts'
import { makeAudit, missingAt, type Audit, type AuditOptions, type Finding } from '../../events/transfer/logAudit.ts'
import { makeTreeAudit, type TreeAudit } from '../../projections/tree/treeAudit.ts'
import { makeLogTree } from '../../projections/tree/tree.ts'
import { notesIn, openCheckpoint, type TreeCheckpoint } from '../../transparency/checkpoint.ts'
import {
  countCosigners,
  NoteError,
  readVerifierKey,
  readWitnessKey,
  type VerifierKey,
} from '../../transparency/note.ts'
import { followSuccessions } from '../../transparency/succession.ts'
import { print, UsageError } from '../command/command.ts'
import { linesOf } from '../command/lines.ts'
import type { RecordedEvent } from '../../events/events.ts'
import { exactCodec } from '../../events/provenCodec.ts'
import { readExportLine } from '../../events/transfer/exportLine.ts'
import { MissingEvents } from '../../events/eventStore.ts'
import { startBar } from '../command/progressBar.ts'
import { readEntity } from '../command/selectEvents.ts'
import { eventsAndDamage, type Damage } from '../../events/transfer/damage.ts'

/** What an audit proves and does not prove. */
export const proofNote = [
  'This proves that every event matches its hash, that no stream lacks an event or has one twice, and (for the log',
  'itself) that it matches the tree stored with it. Somebody with access to all files could forge all of this for',
  'other events. Only a checkpoint that was stored elsewhere proves more: that the log begins with exactly the events',
  'that were signed then. Nothing proves what was written after your newest checkpoint, that what users wrote is true,',
  'or that the holder of the key did not show somebody else a different log: compare your checkpoints with those of',
  'other witnesses.',
]

/** Reads a file of the caller. What is wrong with it says nothing about the log. @throws UsageError */
export const readOwnFile = <T>(file: string, read: (text: string) => T): T => {
  try {
    return read(readFileSync(file, 'utf8'))
  } catch (error) {
    throw error instanceof NoteError ? new UsageError(`${file}: ${error.message}`) : error
  }
}

const publicKeysIn = (text: string): VerifierKey[] => {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => /^\S+ successor$/.test(line))
  const [keys, notes] = end < 0 ? [lines, []] : [lines.slice(0, end), notesIn(lines.slice(end).join('\n'))]
  const read = keys.filter((line) => line.trim() !== '').map(readVerifierKey)
  if (read.length === 0) throw new NoteError('It has no public key.')
  return followSuccessions(read, notes)
}

/** Reads public keys, one per line, followed by notes of succession. @throws UsageError */
export const readPublicKeys = (file: string): VerifierKey[] => readOwnFile(file, publicKeysIn)

/**
 * Reads the keys of accepted witnesses (one per line of a file, or a key itself), and how many of them must have cosigned.
 * @throws NoteError, UsageError
 */
export const readQuorum = (witness: string, quorum: string | undefined) => {
  const text = existsSync(witness) ? readFileSync(witness, 'utf8') : witness
  const witnesses = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readWitnessKey(line)]))
  const threshold = quorum === undefined ? witnesses.length : Number(quorum)
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > witnesses.length)
    throw new UsageError(`--quorum must be a number from 1 to ${witnesses.length}, as many as there are keys`)
  return { witnesses, threshold }
}

type Quorum = ReturnType<typeof readQuorum>

/** The checkpoints with enough cosignatures. @throws NoteError, Error when there is none */
const cosignedBy = (notes: readonly string[], { witnesses, threshold }: Quorum): string[] => {
  const counts = notes.map((note) => countCosigners(note, witnesses))
  const enough = notes.filter((_, at) => (counts[at] as number) >= threshold)
  if (enough.length > 0) return enough
  throw new NoteError(
    `No checkpoint has cosignatures of ${threshold} of these witnesses; at most, one has ${Math.max(0, ...counts)}.`,
  )
}

/** Reads the signed notes of a file. @param quorum required cosignatures @throws NoteError, UsageError */
export const readSignedCheckpoints = (file: string, keyFile: string | undefined, quorum?: Quorum): TreeCheckpoint[] => {
  if (keyFile === undefined)
    throw new UsageError('--checkpoint needs --key FILE: the public key, as GET /v1/audit/key gave it')
  const keys = readPublicKeys(keyFile)
  const notes = notesIn(readFileSync(file, 'utf8'))
  if (notes.length === 0) throw new Error(`${file} has no checkpoint`)
  return (quorum ? cosignedBy(notes, quorum) : notes).map((note) => openCheckpoint(note, keys))
}

export interface AuditReport extends ReturnType<Audit['counts']> {
  readonly findings: number
}

/** Verifies all events of a source and prints each finding. */
export const verifyChain = async (
  source: EventSource,
  options: AuditOptions,
  tree?: TreeAudit,
): Promise<AuditReport> => {
  const audit = makeAudit(options)
  let findings = 0
  const note = ({ what, message }: Finding): void => {
    findings++
    print(`${what}: ${message}`)
  }
  for await (const item of source) {
    const isEvent = !('what' in item)
    for (const finding of isEvent ? audit.inspect(item) : [item]) note(finding)
    if (isEvent) await tree?.addEvent(item)
  }
  audit.end().forEach(note)
  for (const finding of (await tree?.end()) ?? []) note(finding)
  return { findings, ...audit.counts() }
}

/** The tree that is stored with the log. @throws Error when there is none that can be read */
const openStoredTree = async (config: Config) => {
  const { close, ...readModels } = await openReadModels(config, { readOnly: true })
  const tree = makeLogTree(readModels)
  try {
    const { size } = await tree.head()
    if (size === 0) throw new Error('it has no events yet.')
    return { tree, size, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Verifies the whole log (hash chains, stored tree and signed checkpoints) and prints each finding. */
export const verifyWholeLog = async (
  config: Config,
  options: Pick<AuditOptions, 'until'> & { readonly checkpoints?: readonly TreeCheckpoint[] },
): Promise<AuditReport & { readonly tree: TreeAudit; readonly notCompared: string | undefined }> => {
  // Opened before the log, so that events written meanwhile are in neither.
  const opened = await openStoredTree(config).catch((error: Error) => error)
  const [stored, notCompared] = opened instanceof Error ? [undefined, opened.message] : [opened, undefined]
  try {
    const tree = makeTreeAudit({ checkpoints: options.checkpoints ?? [], stored })
    const oneWriter = config.eventStoreUrl === undefined
    const audited = await verifyChain(liveEvents(config), { oneWriter, until: options.until }, tree)
    return { ...audited, tree, notCompared }
  } finally {
    await stored?.close()
  }
}

/** Events, and findings in place of unreadable ones. */
type EventSource = AsyncIterable<RecordedEvent | Finding>

/** The events of a file, one per line. All invalid lines are reported together. */
export async function* eventsIn(file: string): AsyncGenerator<RecordedEvent | Finding> {
  const input = file === '-' ? process.stdin : createReadStream(file)
  let number = 0
  let strange = 0
  let first = 0
  for await (const line of linesOf(input)) {
    number++
    if (line.trim() === '') continue
    const event = readExportLine(line)
    if (event !== undefined) yield event
    else if (strange++ === 0) first = number
  }
  if (strange === 1) yield { what: 'changed', message: `Line ${first} is not an event.` }
  if (strange > 1)
    yield { what: 'changed', message: `${strange} lines are not events, the first one is line ${first}.` }
}

const lost = ({ from, to, error }: Damage): Finding => {
  const positions = from === to ? `position ${from}` : `positions ${from} to ${to}`
  if (error instanceof MissingEvents) return { what: 'removed', message: missingAt({ from, to }) }
  return { what: 'unreadable', message: `${positions} of the log: ${error.message}` }
}

/** The present events of the log, or of one entity, and findings in place of unreadable ones. */
export async function* liveEvents(config: Config, entity?: string): AsyncGenerator<RecordedEvent | Finding> {
  const isWanted = entity === undefined ? () => true : readEntity(entity).match
  const log = await openLog(config, { readOnly: true, codec: exactCodec })
  const head = await log.head()
  const bar = startBar('audit', head)
  try {
    for await (const found of eventsAndDamage(log, (after) => log.readAll({ after }))) {
      if ('error' in found) {
        yield lost(found)
        continue
      }
      if (found.position > (head ?? 0n)) return
      bar.reached(found.position)
      if (isWanted(found)) yield found
    }
  } finally {
    bar.stop()
    await log.close()
  }
}
