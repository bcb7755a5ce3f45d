import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { isatty } from 'node:tty'
import type { Logger } from 'pino'
import { exportTraces } from '../composition/exportTraces.ts'
import { isPretty, logDestination, makeLogger } from '../composition/logger.ts'
import { readConfig, unknownVariables } from '../composition/settings/config.ts'
import { startService, type Service } from '../composition/service.ts'
import { closeAll } from '../stores/closing.ts'
import { print, printError, type CliCommand } from './command/command.ts'
import { storeSettings } from './command/settings.ts'
import { hostname } from 'node:os'
import { basename, relative } from 'node:path'

/** A word of a command for a shell. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

const greeting = ({ url, signInUrl }: Service): string[] => {
  const { env, argv } = process
  const { CATALOG_DATA_DIR: dataDir, container } = env
  const folder = dataDir === undefined || container !== undefined ? '' : `CATALOG_DATA_DIR=${quoted(dataDir)} `
  const called = cliInvocation({ env, script: argv[1] ?? '', folder: process.cwd(), host: hostname() })
  return [
    '',
    `The catalog listens on ${url}`,
    '',
    `  Console:       ${signInUrl ?? url}`,
    `  Get a token:   export TOKEN=$(${folder}${called} token --user me --role Admin)`,
    `  Try the API:   curl -s -H "Authorization: Bearer $TOKEN" '${url}/api/v1/dataQuality/testDefinitions?limit=3'`,
    `  Documentation: ${url}/docs, and of the API: ${url}/api/docs`,
    '',
  ]
}

/**
 * Calls `end` with the first signal that ends the service, and ignores later ones, since npm repeats a signal that its
 * process group received already. A closed terminal ends the service too; without a terminal, as under nohup, SIGHUP is
 * ignored. Node does not keep nohup's setting at its start.
 */
const onEnd = (logger: Logger, end: (signal: NodeJS.Signals) => void): void => {
  // Checked at the start, since a closed terminal is no longer one.
  const hasTerminal = [0, 1, 2].some((fd) => isatty(fd))
  for (const signal of ['SIGTERM', 'SIGINT', ...(hasTerminal ? (['SIGHUP'] as const) : [])] as const)
    process.on(signal, () => end(signal))
  if (!hasTerminal)
    process.on('SIGHUP', () => logger.info('a hangup signal was ignored, since the service has no terminal'))
}

/**
 * Logs how the process ends, and writes a report to the data folder when an error or the lack of memory ends it. Of what
 * ends it without a word, such as SIGKILL, the next start tells. @returns leaves it to others to tell of the exit
 */
const logExit = (logger: Logger, directory: string): (() => void) => {
  const reports = { reportOnFatalError: true, reportOnUncaughtException: true, compact: true, excludeEnv: true }
  Object.assign(process.report, { directory, ...reports })
  process.on('uncaughtExceptionMonitor', (err, origin) =>
    logger.fatal({ err, origin }, 'an error that nothing handled ends the service'),
  )
  const tell = (code: number) => logger[code === 0 ? 'info' : 'fatal']({ code }, 'the service has ended')
  process.on('exit', tell)
  return () => void process.off('exit', tell)
}

/** Milliseconds that closing may take. */
const closeTime = 40_000

/** Closes all, and logs what cannot be closed: that must not hide why the service ends. @returns whether all is closed */
const closeInTime = async (closes: readonly (() => unknown)[], logger: Logger): Promise<boolean> => {
  const late = delay(closeTime, undefined, { ref: false }).then(() => {
    throw new Error(`It was not closed within ${closeTime} milliseconds.`)
  })
  try {
    await Promise.race([closeAll(closes), late])
    return true
  } catch (err) {
    logger.error({ err }, 'a part of the service could not be closed')
    return false
  }
}

/** Starts the service and runs until SIGTERM or SIGINT, or until its terminal is closed. */
export const serveCommand: CliCommand = {
  usage: '[--take-over]',
  flags: ['take-over'],
  run: async ({ flags: { 'take-over': takeOver = false } }) => {
    const config = { ...readConfig(process.env), takeOver }
    const { logLevel, logFormat } = config
    const logger = makeLogger(logLevel, logDestination(logFormat))
    for (const name of unknownVariables(process.env)) logger.warn({ name }, 'unknown variable: it has no effect')
    const endTraces = await exportTraces(process.env, logger)
    const stop = new AbortController()
    let stopSignal: NodeJS.Signals | undefined
    onEnd(logger, (signal) => {
      if (stopSignal !== undefined)
        return logger.info({ signal }, 'already stopping: running requests are finished first')
      stopSignal = signal
      stop.abort()
    })
    const leaveToOthers = logExit(makeLogger(logLevel, logDestination(logFormat, true)), config.dataDir)
    const service = await startService(config, logger, stop).catch((error: unknown) => {
      if (stopSignal !== undefined) return
      leaveToOthers()
      throw error
    })
    if (service === undefined) return 0
    let forget = (): void => undefined
    try {
      forget = storeSettings(process.env, config, service.url)
      // Standard output has nothing but JSON where it has any.
      ;(isPretty(logFormat) ? print : printError)(greeting(service))
      const asksToStop = stop.signal.aborted ? undefined : once(stop.signal, 'abort').then(() => undefined)
      const failure = await Promise.race([asksToStop, service.failed])
      if (failure !== undefined) throw failure
      logger.info({ signal: stopSignal }, 'stopping: running requests are finished first')
    } catch (error) {
      logger.fatal({ err: error }, 'the service cannot go on: it is closed, and ends')
      await closeInTime([service.close, endTraces, forget], logger)
      throw error
    }
    let cut = 0
    const isClosed = await closeInTime([async () => (cut = await service.close()), endTraces, forget], logger)
    return isClosed && cut === 0 ? 0 : 1
  },
}

interface Started {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Path of the program as given. */
  readonly script: string
  readonly folder: string
  readonly host: string
}

/** How to call the command line after starting the service like this; append a command. */
export const cliInvocation = ({ env, script, folder, host }: Started): string => {
  const { container, KUBERNETES_SERVICE_HOST: pods } = env
  if (env['npm_command'] === 'exec') return 'npx catalog'
  if (env['npm_lifecycle_event'] !== undefined && env['npm_package_name'] === 'metadata-catalog')
    return 'npm run --silent catalog --'
  if (basename(script) !== 'catalog') return `node ${quoted(relative(folder, script))}`
  // The image says that it is one, by the variable that systemd and Podman set.
  if (container === undefined) return 'catalog'
  return pods === undefined ? `docker exec ${host} catalog` : `kubectl exec ${host} -- catalog`
}
