import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { logDestination, makeLogger } from '../composition/logger.ts'
import { openEngines } from '../composition/engines.ts'
import { files } from '../composition/settings/fixedNames.ts'
import { claimForLog } from '../composition/logIdentity.ts'
import { kindNamed } from '../kinds/registry/kinds.ts'
import { rebuildReadModels } from '../projections/readModels/rebuildReadModels.ts'
import { NoSuchStore } from '../stores/sqlite/openReadOnly.ts'
import { closing, say, type CliCommand } from './command/command.ts'
import { readSettings } from './command/settings.ts'
import { withProgress } from './command/progressBar.ts'

export const rebuild: CliCommand = {
  run: async () => {
    const config = readSettings(process.env, 'stores')
    const path = join(config.dataDir, files.log)
    if (config.eventStoreUrl === undefined && !existsSync(path)) throw new NoSuchStore(path)
    const logger = makeLogger(config.logLevel, logDestination(config.logFormat))
    return closing(openEngines(config, logger), async (engines) => {
      await claimForLog(config, engines)
      const begun = performance.now()
      const count = await withProgress((await engines.log.head()) ?? 0n, 'rebuild', (progress) =>
        rebuildReadModels({ ...engines, kindNamed, progress }),
      )
      const seconds = (performance.now() - begun) / 1000
      return say(`Rebuilt from ${count} events in ${seconds.toFixed(1)} s (${Math.round(count / seconds)} events/s).`)
    })
  },
}
