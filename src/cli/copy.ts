import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig, type Config } from '../composition/settings/config.ts'
import { openLog, openVault, vaultLocation } from '../composition/engines.ts'
import { files } from '../composition/settings/fixedNames.ts'
import { copyLog, digestOfLog } from '../events/transfer/copyLog.ts'
import { createDataFolder, holdDataFolder } from '../stores/sqlite/dataFolder.ts'
import type { EventStore } from '../events/eventStore.ts'
import { exactCodec } from '../events/provenCodec.ts'
import { withResource, print, UsageError, type CliCommand } from './command/command.ts'
import { positionsBar } from './command/progressBar.ts'

/** Where a log is: an EventStoreDB, or a data folder. */
type LogLocation = { readonly url: string } | { readonly folder: string }

const placeOf = (name: string, text: string | undefined): LogLocation => {
  if (!text) throw new UsageError(`--${name} must be a data folder or the address of an EventStoreDB`)
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { folder: resolve(text) }
  const { eventStoreUrl } = readConfig({ CATALOG_EVENTSTORE_URL: text })
  return { url: eventStoreUrl as string }
}

/** The settings of an EventStoreDB's other stores are those of the environment; a data folder has its own. */
const configOf = (place: LogLocation): Config => {
  const config = readConfig(process.env)
  return 'url' in place
    ? { ...config, eventStoreUrl: place.url }
    : { ...config, eventStoreUrl: undefined, mongodbUrl: undefined, dataDir: place.folder }
}

/** An EventStoreDB does not say where its keys of personal values are. @throws UsageError if the settings do not, either */
const mustKnowKeys = (places: readonly LogLocation[]): void => {
  const { CATALOG_MONGODB_URL, CATALOG_DATA_DIR } = process.env
  if (CATALOG_MONGODB_URL || CATALOG_DATA_DIR || !places.some((place) => 'url' in place)) return
  throw new UsageError(
    'Set CATALOG_MONGODB_URL as the service on the EventStoreDB has it, or CATALOG_DATA_DIR if that runs without ' +
      'MongoDB: the keys of personal values are there, and without them names and e-mail addresses cannot be read.',
  )
}

const openSource = async (place: LogLocation): Promise<EventStore> => {
  if ('folder' in place && !existsSync(join(place.folder, files.log)))
    throw new Error(`there is no ${files.log} in ${place.folder}`)
  return openLog(configOf(place), { readOnly: true, codec: exactCodec })
}

/** Opens the target and locks it like a running service. */
const openTarget = async (place: LogLocation): Promise<{ log: EventStore; close(): Promise<void> }> => {
  const held = 'folder' in place ? holdDataFolder(createDataFolder(place.folder)) : undefined
  try {
    const log = await openLog(configOf(place), { readOnly: false, codec: exactCodec })
    const close = async (): Promise<void> => {
      await log.close()
      held?.release()
    }
    return { log, close }
  } catch (error) {
    held?.release()
    throw error
  }
}

const withBar = async <T>(
  what: string,
  head: bigint | undefined,
  work: (reached: (position: bigint) => void) => Promise<T>,
): Promise<T> => {
  const bar = positionsBar(head, what)
  return work(bar.reached).finally(bar.stop)
}

const copyAndVerify = async (source: EventStore, target: EventStore): Promise<number> => {
  await Promise.all([source.ping(), target.ping()])
  const head = await source.head()
  const begun = performance.now()
  const { found, copied } = await withBar('copy', head, (reached) => copyLog(source, target, head, reached))
  const seconds = (performance.now() - begun) / 1000
  const original = await withBar('verify', head, (reached) => digestOfLog(source, head, reached))
  const written = await digestOfLog(target, await target.head())
  print(`${copied} events copied in ${seconds.toFixed(1)} s${found > 0 ? `, ${found} were already there` : ''}.`)
  print(`source: ${original.events} events, digest ${original.digest}`)
  print(`target: ${written.events} events, digest ${written.digest}`)
  if (original.digest !== written.digest) return print('The target DIFFERS from the source.', 1)
  print('The target is identical to the source.')
  if ((await source.head()) !== head)
    print('The source has new events: stop the service that writes to it, and run this again.')
  return 0
}

const copyPersonalKeys = (from: LogLocation, to: LogLocation): Promise<string> =>
  withResource(openVault(configOf(from), { readOnly: true }), (source) =>
    withResource(openVault(configOf(to), { readOnly: false }), async (target) => {
      const keys = await Array.fromAsync(source.all())
      if (keys.length > 0) await target.add(keys)
      const [there, here] = [from, to].map((place) => vaultLocation(configOf(place)))
      return `${keys.length} keys of personal values copied from ${there} to ${here}.\n`
    }),
  )

const advice = (from: LogLocation, to: LogLocation): string => {
  const key =
    'folder' in from
      ? '  - Its secrets are encrypted: set CATALOG_SECRET_KEY to the same value as for the source, or to the content of ' +
        `${join(from.folder, files.sealingKey)}.`
      : '  - Its secrets are encrypted: set the same CATALOG_SECRET_KEY.'
  const serve =
    'url' in to ? 'CATALOG_EVENTSTORE_URL to the target' : `CATALOG_DATA_DIR=${to.folder} and no CATALOG_EVENTSTORE_URL`
  return (
    `To run the service on it:\n  - Set ${serve}.\n${key}\n  - The positions differ, so do not use the read models of ` +
    `the source: start without any, or run catalog rebuild first.\n  - Webhooks, notifications and read marks are not ` +
    'in the log: set them up again.\n'
  )
}

export const copy: CliCommand = {
  usage:
    '--from FOLDER|URL --to FOLDER|URL\n\n' +
    '  FOLDER   a data folder with an embedded log\n' +
    '  URL      an EventStoreDB, e.g. esdb://host:2113?tls=false; use the parameter streamPrefix if it has several ' +
    'logs\n\n' +
    'The target must be empty or have the first events of the source: an interrupted run keeps what it has copied, ' +
    'and the next one continues.',
  texts: ['from', 'to'],
  run: async ({ texts }) => {
    const [from, to] = [placeOf('from', texts['from']), placeOf('to', texts['to'])]
    if (JSON.stringify(from) === JSON.stringify(to)) throw new Error('the target is the source')
    mustKnowKeys([from, to])
    return withResource(openSource(from), (source) =>
      withResource(openTarget(to), async (target) => {
        const code = await copyAndVerify(source, target.log)
        if (code === 0) process.stdout.write(`${await copyPersonalKeys(from, to)}${advice(from, to)}`)
        return code
      }),
    )
  },
}
