import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { logDestination, makeLogger } from '../composition/logger.ts'
import { openEngines } from '../composition/engines.ts'
import { files } from '../composition/settings/fixedNames.ts'
import { claimForLog } from '../composition/logIdentity.ts'
import { kindNamed } from '../kinds/registry/kinds.ts'
import { rebuildReadModels } from '../projections/rebuildReadModels.ts'
import { NoSuchStore } from '../stores/sqlite/openReadOnly.ts'
import type { CliCommand } from './command.ts'
import { readSettings } from './settings.ts'
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
