import { once } from 'node:events'
import { readConfig } from '../composition/config.ts'
import { openLog } from '../composition/engines.ts'
import { exactCodec } from '../events/transfer/exactCodec.ts'
import { exportLine } from '../events/transfer/exportLine.ts'
import { eventTypes } from '../events/verbs.ts'
import type { RecordedEvent } from '../events/events.ts'
import type { EventStore } from '../events/eventStore.ts'
import { kinds } from '../kinds/index.ts'
import { buildFqn, isUuid, splitFqn } from '../kinds/names.ts'
import { asText, type CliCommand } from './command.ts'
import { followPositions, progressBar } from './progress.ts'

export interface ReplayOptions {
  readonly entity?: string | undefined
  readonly kind?: string | undefined
  readonly type?: string | undefined
  readonly user?: string | undefined
  /** Exclusive. */
  readonly after?: bigint | undefined
  /** Inclusive. */
  readonly until?: bigint | undefined
}

const oneOf = (what: string, value: string | undefined, known: readonly string[]): void => {
  if (value !== undefined && !known.includes(value))
    throw new Error(`--${what} ${value} is unknown; there are ${known.join(', ')}`)
}

/** Tells the events of an entity: a UUID, or KIND:FQN. @throws Error when it is neither */
export const entityMatch = (entity: string): ((event: RecordedEvent) => boolean) => {
  if (isUuid(entity)) {
    const suffix = `-${entity.toLowerCase()}`
    return (event) => event.stream.endsWith(suffix)
  }
  const colon = entity.indexOf(':')
  const [kind, fqn] = [entity.slice(0, colon), entity.slice(colon + 1)]
  if (colon < 1) throw new Error('--entity takes a UUID, or KIND:FQN such as table:shop.sales.orders')
  oneOf(
    'entity',
    kind,
    kinds.map(({ name }) => name),
  )
  const names = new Set([buildFqn(splitFqn(fqn) ?? [fqn]), buildFqn([fqn])])
  return ({ metadata }) => metadata.kind === kind && names.has(metadata.fullyQualifiedName)
}

/** The events that the options name, in log order. */
export async function* selectEvents(
  log: EventStore,
  options: ReplayOptions,
  looked: (position: bigint) => void,
): AsyncGenerator<RecordedEvent> {
  oneOf(
    'kind',
    options.kind,
    kinds.map(({ name }) => name),
  )
  oneOf('type', options.type, eventTypes)
  const ofEntity = options.entity === undefined ? () => true : entityMatch(options.entity)
  for await (const event of log.readAll({ after: options.after })) {
    if (options.until !== undefined && event.position > options.until) return
    looked(event.position)
    const { kind, user } = event.metadata
    if (options.kind !== undefined && kind !== options.kind) continue
    if (options.type !== undefined && event.type !== options.type) continue
    if (options.user !== undefined && user !== options.user) continue
    if (ofEntity(event)) yield event
  }
}

const position = (name: string, text: unknown): bigint | undefined => {
  if (text === undefined) return undefined
  if (typeof text !== 'string' || !/^\d{1,19}$/.test(text)) throw new Error(`--${name} must be a position, e.g. 1200`)
  return BigInt(text)
}

/** Writes events as they are in the log; works beside a running service. */
export const replay: CliCommand = {
  summary: 'Write the history as NDJSON: of an entity, a kind or everything',
  usage:
    '[--entity KIND:FQN|ID] [--kind KIND] [--type TYPE] [--user NAME]\n' +
    '       [--after POSITION] [--until POSITION] > FILE\n\n' +
    'Each line is one event exactly as the log has it; `catalog audit verify --file FILE` checks whole streams.',
  options: {
    entity: { type: 'string' },
    kind: { type: 'string' },
    type: { type: 'string' },
    user: { type: 'string' },
    after: { type: 'string' },
    until: { type: 'string' },
  },
  run: async ({ entity, kind, type, user, after, until }) => {
    const options: ReplayOptions = {
      entity: asText(entity),
      kind: asText(kind),
      type: asText(type),
      user: asText(user),
      after: position('after', after),
      until: position('until', until),
    }
    const log = await openLog(readConfig(process.env), { readOnly: true, codec: exactCodec })
    try {
      await write(log, options)
    } finally {
      await log.close()
    }
    return 0
  },
}

const write = async (log: EventStore, options: ReplayOptions): Promise<void> => {
  const head = (await log.head()) ?? 0n
  const last = options.until !== undefined && options.until < head ? options.until : head
  const first = options.after ?? 0n
  const total = last > first ? last - first : 0n
  const bar = progressBar(Number(total), 'replay')
  const advance = followPositions(bar, total)
  let closed = false
  process.stdout.once('error', () => {
    closed = true
  })
  try {
    for await (const event of selectEvents(log, { ...options, until: last }, (at) => advance(at - first))) {
      if (closed) return
      if (!process.stdout.write(exportLine(event)))
        await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(() => undefined)
    }
  } finally {
    bar.stop()
  }
}
