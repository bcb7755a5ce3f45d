import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { cp, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { create } from 'tar'
import type { AuditKeys } from '../../../api/deps.ts'
import type { Config } from '../../../composition/settings/config.ts'
import { openLog, openReadModels } from '../../../composition/engines.ts'
import { existingAuditKeys } from '../../../composition/keys/auditKeys.ts'
import { type RecordedEvent, isBehind } from '../../../events/events.ts'
import type { EventStore } from '../../../events/eventStore.ts'
import { provenExactCodec } from '../../../events/provenCodec.ts'
import { exportLine } from '../../../events/transfer/exportLine.ts'
import { signHead } from '../../../projections/tree/signHead.ts'
import { makeLogTree, type LogTree, type HeadAt } from '../../../projections/tree/tree.ts'
import { entryOf } from '../../../projections/tree/treeProjection.ts'
import { leafHash } from '../../../transparency/merkle.ts'
import { signNote } from '../../../transparency/note.ts'
import { withResource, print, UsageError, type CliCommand } from '../../command/command.ts'
import { readSettings } from '../../command/settings.ts'
import { startBar } from '../../command/progressBar.ts'
import { readFilter, selectEvents } from '../../command/selectEvents.ts'
import { reportEnd, reportEvent, reportHead } from './report.ts'

interface ExportSelection {
  readonly entity: string | undefined
  readonly since: string | undefined
  readonly until: string | undefined
  readonly output: string
}

const verifiers = ['verify.mjs', 'verify.py']
const names = [
  'report.html',
  'events.ndjson',
  'proofs.ndjson',
  'checkpoint.txt',
  'key.txt',
  'successions.txt',
  ...verifiers,
]

const timesOf = ({ since, until }: ExportSelection) => readFilter({ since, until })

/** The inclusion proof of an event. @throws Error if the tree contradicts it */
const prove = async (tree: LogTree, { size }: HeadAt, event: RecordedEvent) => {
  const leaf = await tree.leafAt(event.position)
  if (leaf === undefined || !leafHash(entryOf(event)).equals(leaf.hash))
    throw new Error(
      `the event at position ${event.position} is not the one that was written. Run: catalog audit verify`,
    )
  const hashes = await tree.inclusion(leaf.index, size)
  return { leafIndex: leaf.index, hashes: hashes.map((each) => each.toString('base64')) }
}

interface Writing {
  readonly tree: LogTree
  readonly head: HeadAt
  readonly events: AsyncIterable<RecordedEvent>
  readonly begin: string
}

const writeEvents = async (folder: string, { tree, head, events, begin }: Writing): Promise<number> => {
  const report = await open(join(folder, 'report.html'), 'w')
  const lines = await open(join(folder, 'events.ndjson'), 'w')
  const proofs = await open(join(folder, 'proofs.ndjson'), 'w')
  let count = 0
  try {
    await report.appendFile(begin)
    for await (const event of events) {
      const proof = await prove(tree, head, event)
      await lines.appendFile(exportLine(event))
      await proofs.appendFile(`${JSON.stringify({ position: String(event.position), ...proof })}\n`)
      await report.appendFile(reportEvent(event, proof.leafIndex))
      count++
    }
    await report.appendFile(reportEnd(count))
  } finally {
    await Promise.all([report, lines, proofs].map((file) => file.close()))
  }
  return count
}

const hashOf = async (file: string): Promise<string> => {
  const sum = createHash('sha256')
  for await (const chunk of createReadStream(file)) sum.update(chunk as Buffer)
  return sum.digest('hex')
}

/** Writes the signed list of all files, which covers the report and the verification scripts. */
const writeManifest = async (folder: string, { signer }: AuditKeys): Promise<void> => {
  let text = `${signer.name} evidence\n`
  for (const name of names) text += `${await hashOf(join(folder, name))}  ${name}\n`
  await writeFile(join(folder, 'manifest.txt'), signNote(text, signer))
}

/** Longest stall of the tree behind the log, in milliseconds. */
const catchUpTimeout = 10_000

/** Waits until the tree has caught up with the log. @throws Error when no service writes it */
const waitForTree = async (log: EventStore, tree: LogTree): Promise<HeadAt> => {
  const newest = await log.head()
  let head = await tree.head()
  for (let since = performance.now(); isBehind(head.position, newest);) {
    if (performance.now() - since > catchUpTimeout)
      throw new Error(
        `the tree ends at position ${head.position ?? 'none'} and the log at ${newest}: start the service, so that ` +
          'the tree catches up, and try again',
      )
    await delay(100)
    const next = await tree.head()
    if (next.position !== head.position) since = performance.now()
    head = next
  }
  return head
}

async function* selected(log: EventStore, selection: ExportSelection, last: bigint): AsyncGenerator<RecordedEvent> {
  const bar = startBar('export', last)
  try {
    yield* selectEvents(log, { entity: selection.entity, upTo: last, ...timesOf(selection) }, bar.reached)
  } finally {
    bar.stop()
  }
}

const fill = (folder: string, config: Config, selection: ExportSelection): Promise<number> =>
  withResource(openLog(config, { readOnly: true, codec: provenExactCodec }), (log) =>
    withResource(openReadModels(config, { readOnly: true }), async (readModels) => {
      const keys = existingAuditKeys(config)
      const tree = makeLogTree(readModels)
      await waitForTree(log, tree)
      const { head, note } = await signHead(tree, keys)
      const begin = reportHead({
        selection: [
          ['Entity', selection.entity],
          ['Not before', selection.since],
          ['Not after', selection.until],
        ],
        origin: keys.signer.name,
        size: head.size,
        root: head.root.toString('base64'),
        key: keys.signer.text,
        made: new Date(),
      })
      const events = selected(log, selection, head.position ?? -1n)
      const count = await writeEvents(folder, { tree, head, events, begin })
      const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)
      await write('checkpoint.txt', note)
      await write('key.txt', `${keys.signer.text}\n`)
      await write('successions.txt', keys.successions.join('\n'))
      for (const name of verifiers) await cp(fileURLToPath(new URL(name, import.meta.url)), join(folder, name))
      await writeManifest(folder, keys)
      return count
    }),
  )

/** Writes the files of the folder as a `.tar.gz`, below a folder `evidence`, atomically. */
const writeArchive = async (output: string, folder: string): Promise<void> => {
  const unfinished = `${output}.part`
  try {
    const archive = create({ cwd: folder, prefix: 'evidence', gzip: true, portable: true }, [...names, 'manifest.txt'])
    await pipeline(archive, createWriteStream(unfinished, { flush: true }))
    await rename(unfinished, output)
  } finally {
    await rm(unfinished, { force: true })
  }
}

const make = async (selection: ExportSelection): Promise<number> => {
  const config = readSettings(process.env, 'stores')
  const output = resolve(selection.output)
  const folder = await mkdtemp(join(dirname(output), '.evidence-'))
  try {
    const count = await fill(folder, config, selection)
    if (count === 0) throw new Error('no event matches: nothing was written')
    await writeArchive(output, folder)
    return count
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Exports evidence for people without access to the catalog or trust in it. */
export const exportEvidence: CliCommand = {
  usage:
    '--output FILE.tar.gz [--entity KIND:FQN|ID] [--since TIME] [--until TIME]\n\n' +
    '  --entity          only events of this entity\n' +
    '  --since, --until  instants or days, such as 2026-01-31T12:00:00Z; both inclusive',
  texts: ['output', 'entity', 'since', 'until'],
  run: async ({ texts: { output, entity, since, until } }) => {
    if (output === undefined) throw new UsageError('--output FILE.tar.gz is required')
    if (entity === undefined && since === undefined && until === undefined)
      throw new UsageError('select what to prove with --entity, --since or --until')
    const selection = { entity, since, until, output }
    timesOf(selection)
    const count = await make(selection)
    const events = count === 1 ? 'event' : 'events'
    return print(`${count} ${events} with their proofs in ${output}. Unpack it and run: node verify.mjs`)
  },
}
