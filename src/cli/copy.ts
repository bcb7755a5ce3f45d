import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig, type Config } from '../composition/settings/config.ts'
import { assertApart, assertBelongs, copyBesideLog } from '../composition/copyBesideLog.ts'
import { holdFolder, openLog } from '../composition/engines.ts'
import { files } from '../composition/settings/fixedNames.ts'
import { copyLog, digestOfLog } from '../events/transfer/copyLog.ts'
import type { EventStore } from '../events/eventStore.ts'
import { exactCodec } from '../events/provenCodec.ts'
import { withResource, print, UsageError, type CliCommand } from './command/command.ts'
import { withBar } from './command/progressBar.ts'

/** Settings of a data folder, which has all stores, or of an EventStoreDB, whose other stores the environment names. */
const configOf = (name: string, text: string | undefined): Config => {
  if (!text) throw new UsageError(`--${name} must be a data folder or the address of an EventStoreDB`)
  const config = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
    ? readConfig({ ...process.env, CATALOG_EVENTSTORE_URL: text })
    : { ...readConfig(process.env), eventStoreUrl: undefined, mongodbUrl: undefined, dataDir: text }
  // By the name that it has without links, which is the same for each of its names.
  return { ...config, dataDir: existsSync(config.dataDir) ? realpathSync(config.dataDir) : resolve(config.dataDir) }
}

/** An EventStoreDB does not say where its keys of personal values are. @throws UsageError if the settings do not, either */
const mustKnowKeys = (configs: readonly Config[]): void => {
  const { CATALOG_MONGODB_URL, CATALOG_DATA_DIR } = process.env
  if (CATALOG_MONGODB_URL || CATALOG_DATA_DIR || configs.every((config) => config.eventStoreUrl === undefined)) return
  throw new UsageError(
    'Set CATALOG_MONGODB_URL as the service on the EventStoreDB has it, or CATALOG_DATA_DIR if that runs without ' +
      'MongoDB: webhooks, read marks and the keys of personal values are there, and without these keys names and ' +
      'e-mail addresses cannot be read.',
  )
}

const openSource = async (config: Config): Promise<EventStore> => {
  if (config.eventStoreUrl === undefined && !existsSync(join(config.dataDir, files.log)))
    throw new Error(`there is no ${files.log} in ${config.dataDir}`)
  return openLog(config, { readOnly: true, codec: exactCodec })
}

const copyAndVerify = async (source: EventStore, target: EventStore): Promise<number> => {
  await Promise.all([source.ping(), target.ping()])
  const head = await source.head()
  const begun = performance.now()
  const { found, copied } = await withBar('copy', head, (bar) => copyLog(source, target, head, bar.reached))
  const seconds = (performance.now() - begun) / 1000
  const original = await withBar('verify', head, (bar) => digestOfLog(source, head, bar.reached))
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

export const copy: CliCommand = {
  usage:
    '--from FOLDER|URL --to FOLDER|URL\n\n' +
    '  FOLDER   a data folder with an embedded log\n' +
    '  URL      an EventStoreDB, e.g. esdb://host:2113?tls=false; use the parameter streamPrefix if it has several ' +
    'logs\n\n' +
    'What is beside the log comes along: keys of personal values, webhooks with their progress and dead letters, ' +
    'notifications, and read marks. The target must be empty or have the first events of the source: an interrupted ' +
    'run keeps what it has copied, and the next one continues.',
  texts: ['from', 'to'],
  run: async ({ texts }) => {
    const [from, to] = [configOf('from', texts['from']), configOf('to', texts['to'])]
    if (from.eventStoreUrl === to.eventStoreUrl && from.dataDir === to.dataDir)
      throw new Error('the target is the source')
    mustKnowKeys([from, to])
    assertApart(from, to)
    return withResource(openSource(from), (source) =>
      withResource(holdFolder(to), async () => {
        for (const config of [from, to]) await assertBelongs(config, source)
        return withResource(openLog(to, { readOnly: false, codec: exactCodec }), async (target) => {
          const code = await copyAndVerify(source, target)
          if (code !== 0) return code
          for await (const line of copyBesideLog({ from, to, source, target })) print(line)
          return print('Before a service runs on it, read dist/docs/distributed.html#moving-a-catalog.')
        })
      }),
    )
  },
}
