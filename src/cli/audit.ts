import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { readConfig } from '../composition/config.ts'
import { openLog, placeOfLog } from '../composition/engines.ts'
import { makeAudit, type Audit, type AuditOptions, type Finding } from '../events/transfer/audit.ts'
import { exactCodec } from '../events/transfer/exactCodec.ts'
import { readExportLine } from '../events/transfer/exportLine.ts'
import { readable, type Damage } from '../events/transfer/readable.ts'
import type { RecordedEvent } from '../events/events.ts'
import { howToMend, MissingEvents } from '../events/eventStore.ts'
import type { CliCommand } from './command.ts'
import { followPositions, progressBar } from './progress.ts'

/** Events, and lines of a file that are none. */
type Source = AsyncIterable<RecordedEvent | Finding>

async function* eventsIn(file: string): AsyncGenerator<RecordedEvent | Finding> {
  const input = file === '-' ? process.stdin : createReadStream(file)
  let number = 0
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number++
    if (line.trim() === '') continue
    yield readExportLine(line) ?? { what: 'changed', message: `Line ${number} is no event.` }
  }
}

/** Checks everything that the source gives. @returns the number of findings, each of which was told */
export const verifyChain = async (
  source: Source,
  options: AuditOptions,
  tell: (finding: Finding) => void,
): Promise<{ findings: number } & ReturnType<Audit['counts']>> => {
  const audit = makeAudit(options)
  let findings = 0
  const note = (finding: Finding): void => {
    findings++
    tell(finding)
  }
  for await (const item of source) {
    if ('what' in item) note(item)
    else audit.look(item).forEach(note)
  }
  audit.end().forEach(note)
  return { findings, ...audit.counts() }
}

async function* paged(events: AsyncIterable<RecordedEvent>): AsyncGenerator<readonly RecordedEvent[]> {
  for await (const event of events) yield [event]
}

const lost = ({ from, to, error }: Damage): Finding => {
  const positions = `position ${from}${from === to ? '' : ` to ${to}`} of the log`
  if (error instanceof MissingEvents) return { what: 'removed', message: `Nothing stands at ${positions}.` }
  return { what: 'unreadable', message: `${positions}: ${error.message}` }
}

async function* liveEvents(): AsyncGenerator<RecordedEvent | Finding> {
  const log = await openLog(readConfig(process.env), { readOnly: true, codec: exactCodec })
  try {
    const head = (await log.head()) ?? 0n
    const bar = progressBar(Number(head), 'audit')
    const advance = followPositions(bar, head)
    try {
      for await (const found of readable(log, (position) => paged(log.readAll({ after: position })))) {
        if ('error' in found) yield lost(found)
        else
          for (const event of found) {
            if (event.position > head) return
            advance(event.position)
            yield event
          }
      }
    } finally {
      bar.stop()
    }
  } finally {
    await log.close()
  }
}

/** Follows the hash chain of every stream; works beside a running service, and on a file without any. */
export const audit: CliCommand = {
  summary: 'Check that no event was changed, removed, reordered or given the id of another: audit verify [--file FILE]',
  usage:
    'verify [--file FILE] [--partial] [--complete] [--until POSITION]\n\n' +
    '  --file FILE   a file that `catalog replay` wrote (- for stdin), instead of the log;\n' +
    '                needs no service and no settings\n' +
    '  --partial     the file begins at a later position: streams may lack their first events\n' +
    '  --complete    the file is the whole log of the embedded engine: positions have no holes\n' +
    '  --until       a position that was told before: the log must still go that far',
  options: {
    file: { type: 'string' },
    partial: { type: 'boolean' },
    complete: { type: 'boolean' },
    until: { type: 'string' },
  },
  run: async ({ file, partial, complete, until }, [verb]) => {
    if (verb !== 'verify') throw new Error('say what to do: catalog audit verify')
    if (until !== undefined && !/^\d{1,19}$/.test(String(until))) throw new Error('--until must be a position')
    const source = typeof file === 'string' ? eventsIn(file) : liveEvents()
    const tell = ({ what, message }: Finding): void => void process.stdout.write(`${what}: ${message}\n`)
    const options = {
      partial: partial === true,
      dense: complete === true,
      until: until === undefined ? undefined : BigInt(String(until)),
    }
    const { findings, events, streams, last } = await verifyChain(source, options, tell)
    const verdict =
      findings === 0
        ? 'Everything is as it was written.'
        : `${findings} ${findings === 1 ? 'thing is' : 'things are'} not as written.`
    process.stdout.write(
      `${events} events in ${streams} streams${last === undefined ? '' : `, the last at position ${last}`}: ${verdict}\n`,
    )
    if (findings > 0 && file === undefined) process.stdout.write(`${howToMend(placeOfLog(readConfig(process.env)))}\n`)
    return findings === 0 ? 0 : 1
  },
}
