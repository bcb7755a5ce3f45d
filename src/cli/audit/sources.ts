import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Config } from '../../composition/settings/config.ts'
import { openLog } from '../../composition/engines.ts'
import type { RecordedEvent } from '../../events/events.ts'
import type { Finding } from '../../events/transfer/logAudit.ts'
import { exactCodec } from '../../events/provenCodec.ts'
import { readExportLine } from '../../events/transfer/exportLine.ts'
import { readable, type Damage } from '../../events/transfer/readable.ts'
import { MissingEvents } from '../../events/eventStore.ts'
import { positionsBar } from '../command/progressBar.ts'
import { readEntity } from '../command/selecting.ts'

/** Events, and what is found where there should be some. */
export type Source = AsyncIterable<RecordedEvent | Finding>

/** The events that a file holds, one in each line. All lines that are none are told of at once. */
export async function* eventsIn(file: string): AsyncGenerator<RecordedEvent | Finding> {
  const input = file === '-' ? process.stdin : createReadStream(file)
  let number = 0
  let strange = 0
  let first = 0
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number++
    if (line.trim() === '') continue
    const event = readExportLine(line)
    if (event !== undefined) yield event
    else if (strange++ === 0) first = number
  }
  if (strange === 1) yield { what: 'changed', message: `Line ${first} is no event.` }
  if (strange > 1)
    yield { what: 'changed', message: `${strange} lines are no events, the first of them line ${first}.` }
}

const lost = ({ from, to, error }: Damage): Finding => {
  const positions = `position ${from}${from === to ? '' : ` to ${to}`} of the log`
  if (error instanceof MissingEvents) return { what: 'removed', message: `Nothing stands at ${positions}.` }
  return { what: 'unreadable', message: `${positions}: ${error.message}` }
}

/** The events of the log as it is now, or those of one entity, and what of it cannot be read. */
export async function* liveEvents(config: Config, entity?: string): AsyncGenerator<RecordedEvent | Finding> {
  const isWanted = entity === undefined ? () => true : readEntity(entity).match
  const log = await openLog(config, { readOnly: true, codec: exactCodec })
  const head = await log.head()
  const bar = positionsBar(head, 'audit')
  try {
    for await (const found of readable(log, (after) => log.readAll({ after }))) {
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
