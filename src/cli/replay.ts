import { once } from 'node:events'
import type { Config } from '../composition/settings/config.ts'
import { openLog, openReadModels } from '../composition/engines.ts'
import { exactCodec } from '../events/provenCodec.ts'
import { exportLine } from '../events/transfer/exportLine.ts'
import type { EventStore } from '../events/eventStore.ts'
import type { ReadModels } from '../projections/readModels/readModels.ts'
import { makeLeafReader } from '../projections/tree/leafReader.ts'
import type { TreeTiles } from '../projections/tree/treeProjection.ts'
import { withResource, type CommandInput, type CliCommand } from './command/command.ts'
import { readSettings } from './command/settings.ts'
import { withBar } from './command/progressBar.ts'
import type { ActivityIndex } from '../projections/activity/matching.ts'
import { positionOption, readFilter, selectEvents, type Selection } from './command/selectEvents.ts'

/** Whether the value of an option is a position rather than an instant, which has hyphens. */
const isPosition = (text: string | undefined): boolean => text !== undefined && !/^\d{4}-/.test(text)

const selectionOf = ({ entity, after, until, ...texts }: CommandInput['texts']): Selection => {
  const byPosition = isPosition(until)
  return {
    ...readFilter({ ...texts, until: byPosition ? undefined : until }),
    entity,
    after: positionOption('after', after),
    upTo: byPosition ? positionOption('until', until, ', or an instant, such as 2026-01-31T12:00:00Z') : undefined,
  }
}

/** Prints events exactly as stored; works beside a running service. */
export const replayCommand: CliCommand = {
  usage:
    '[--entity KIND:FQN|ID] [--kind KIND,…] [--type TYPE,…] [--user NAME] [--domain FQN,…]\n' +
    '       [--request CORRELATION-ID] [--changed MEMBER,…] [--since INSTANT]\n' +
    '       [--after POSITION] [--until POSITION|INSTANT] [--scan] > FILE\n\n' +
    'Each line is an event, exactly as it is stored; `catalog audit verify --file FILE` checks whole streams.\n' +
    'Read models are used to find events, if there are any; --scan reads the whole log instead.',
  texts: 'entity kind type user domain request changed since after until'.split(' '),
  flags: ['scan'],
  run: async ({ texts, flags: { scan } }) => {
    const selection = selectionOf(texts)
    const config = readSettings(process.env, 'stores')
    await withResource(openLog(config, { readOnly: true, codec: exactCodec }), async (log) => {
      const index = scan ? undefined : await openIndex(config)
      await write(log, selection, index).finally(() => index?.close())
    })
    return 0
  },
}

/** The read models as an index; `undefined` if there are none, which only costs time. */
const openIndex = (config: Config): Promise<ReadModels | undefined> =>
  openReadModels(config, { readOnly: true }).catch(() => undefined)

const noTree: Pick<TreeTiles, 'treeLeaves'> = { treeLeaves: async () => undefined }

/** Resolves when standard output takes more, or is closed. */
const drained = async (): Promise<void> => {
  const waiting = new AbortController()
  const { signal } = waiting
  const taken = [once(process.stdout, 'drain', { signal }), once(process.stdout, 'close', { signal })]
  await Promise.race(taken).catch(() => undefined)
  waiting.abort()
}

const write = async (
  log: EventStore,
  selection: Selection,
  index: (ActivityIndex & TreeTiles) | undefined,
): Promise<void> => {
  const head = (await log.head()) ?? 0n
  const last = selection.upTo !== undefined && selection.upTo < head ? selection.upTo : head
  const first = selection.after ?? 0n
  const leafOf = log.dense || index ? makeLeafReader(log, index ?? noTree) : undefined
  const wanted = { ...selection, upTo: last }
  await withBar('replay', last > first ? last - first : 0n, async ({ reached }) => {
    for await (const event of selectEvents(log, wanted, (at) => reached(at - first), index)) {
      if (process.stdout.errored !== null) return
      if (!process.stdout.write(exportLine(event, await leafOf?.(event.position)))) await drained()
    }
  })
}
