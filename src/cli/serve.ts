import { once } from 'node:events'
import { logDestination, makeLogger } from '../composition/logger.ts'
import { readConfig, unknownVariables } from '../composition/config.ts'
import { startService, type Service } from '../composition/service.ts'
import { calledAs, started } from './calledAs.ts'
import type { CliCommand } from './command.ts'
import { keepSettings } from './settings.ts'

const greeting = ({ url, signInUrl }: Service): string => {
  const how = started()
  const dataDir = how.env['CATALOG_DATA_DIR']
  const folder = dataDir === undefined || how.container !== undefined ? '' : `CATALOG_DATA_DIR=${dataDir} `
  return `
The catalog listens on ${url}

  Open it:       ${signInUrl ?? url}
  Get a token:   export TOKEN=$(${folder}${calledAs(how)} token --user me --role Admin)
  Ask it:        curl -s -H "Authorization: Bearer $TOKEN" '${url}/api/v1/dataQuality/testDefinitions?limit=3'
  Read about it: ${url}/docs, and its API: ${url}/api/docs

`
}

/** Starts the service and runs until SIGTERM or SIGINT. */
export const serve: CliCommand = {
  usage: '',
  options: {},
  run: async () => {
    const config = readConfig(process.env)
    const logger = makeLogger(config.logLevel, logDestination(config.logFormat))
    for (const name of unknownVariables(process.env))
      logger.warn({ name }, 'this variable means nothing to the catalog')
    const stop = new AbortController()
    let asked: NodeJS.Signals | undefined
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        asked = signal
        stop.abort()
      })
    }
    const service = await startService(config, logger, stop).catch((error: unknown) => {
      if (asked === undefined) throw error
    })
    if (service === undefined) return 0
    const forget = keepSettings(process.env, config, service.url)
    process.stdout.write(greeting(service))
    const asksToStop = stop.signal.aborted ? undefined : once(stop.signal, 'abort').then(() => undefined)
    const failure = await Promise.race([asksToStop, service.failed])
    if (failure === undefined) logger.info({ signal: asked }, 'stopping: running requests are finished first')
    await service.close()
    forget()
    if (failure !== undefined) throw failure
    return 0
  },
}
