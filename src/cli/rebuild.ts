import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { logDestination, makeLogger } from '../composition/logger.ts'
import { files, openEngines, openLog, openReadModels } from '../composition/engines.ts'
import { claimForLog } from '../composition/logIdentity.ts'
import { kindNamed } from '../kinds/index.ts'
import type { ReadModels } from '../projections/readModels.ts'
import type { EventStore } from '../events/eventStore.ts'
import { checkpointOf } from '../projections/projection.ts'
import { rebuildReadModels, replay } from '../projections/rebuildReadModels.ts'
import { openScratchReadModels } from '../projections/sqlite/readModels.ts'
import { NoSuchStore } from '../stores/sqlite/openReadOnly.ts'
import type { CliCommand } from './command.ts'
import { commonPlace, compared, digestsOf } from './digests.ts'
import { readSettings } from './settings.ts'
import { verifyWholeLog } from './audit/verifyLog.ts'
import { progressBar } from './progressLine.ts'

export const rebuild: CliCommand = {
  usage: '',
  options: {},
  run: async () => {
    const config = readSettings(process.env, 'stores')
    const path = join(config.dataDir, files.log)
    if (config.eventStoreUrl === undefined && !existsSync(path)) throw new NoSuchStore(path)
    const engines = await openEngines(config, makeLogger(config.logLevel, logDestination(config.logFormat)))
    try {
      await claimForLog(config, engines)
      const bar = progressBar(Number((await engines.log.head()) ?? 0n), 'rebuild')
      const begun = performance.now()
      const count = await rebuildReadModels({ ...engines, kindNamed, progress: bar.add }).finally(bar.stop)
      const seconds = (performance.now() - begun) / 1000
      process.stdout.write(
        `Rebuilt from ${count} events in ${seconds.toFixed(1)} s (${Math.round(count / seconds)} events/s).\n`,
      )
      return 0
    } finally {
      await engines.close()
    }
  },
}

const say = (line: string, code: 0 | 1): 0 | 1 => {
  process.stdout.write(`${line}\n`)
  return code
}

/** How often it is looked again where the service has written since. */
const looks = 5

/** What a replay gives, and what is there, at one checkpoint. @throws Error when the service writes all the time */
const compare = async (log: EventStore, live: ReadModels, replayed: ReadModels) => {
  for (let look = 1; look <= looks; look++) {
    const checkpoint = await checkpointOf(live)
    const bar = progressBar(Number(checkpoint ?? 0n), 'replay')
    await replay({ log, readModels: replayed, kindNamed, progress: bar.add }, checkpoint)
    bar.stop()
    const place = await commonPlace(live, replayed)
    const [expected, found] = [await digestsOf(replayed, place), await digestsOf(live, place)]
    const differing = compared.filter((name) => expected[name] !== found[name])
    const moved = checkpoint !== (await checkpointOf(live))
    if (differing.length === 0 || !moved) return { checkpoint, expected, found, differing }
  }
  throw new Error('The service wrote meanwhile: run it again at a quieter moment.')
}

/** Compares the read models with a rebuild; works beside a running service. */
export const verify: CliCommand = {
  usage: '',
  options: {},
  run: async () => {
    const config = readSettings(process.env, 'stores')
    const log = await openLog(config, { readOnly: true })
    const live = await openReadModels(config, { readOnly: true })
    const scratch = await openScratchReadModels()
    try {
      const { checkpoint, expected, found, differing } = await compare(log, live, scratch.readModels)
      process.stdout.write(
        `log at ${checkpoint ?? 'its beginning'}: ${expected.rows} rows, digest ${expected.entities}\n`,
      )
      if (differing.length === 0) return say('The read models agree with the log.', 0)
      const { findings } = await verifyWholeLog(config, {}, ({ what, message }) => say(`${what}: ${message}`, 1))
      say(`The read models differ (${differing.join(', ')}): ${found.rows} rows, digest ${found.entities}.`, 1)
      return say(
        findings === 0
          ? 'The log proves itself, so they are what is wrong. Run: catalog rebuild'
          : 'The log does not prove itself: keep both, and look into it before anything is built again ' +
              '(docs/auditing.md).',
        1,
      )
    } finally {
      await scratch.dispose()
      await live.close()
      await log.close()
    }
  },
}
