import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { existsSync } from 'node:fs'
import { openLog, openReadModels, openScratch, openEngines, vaultLocation } from '../composition/engines.ts'
import { files } from '../composition/settings/fixedNames.ts'
import type { Config } from '../composition/settings/config.ts'
import type { EventStore } from '../events/eventStore.ts'
import { OtherLog } from '../events/events.ts'
import { kindNamed } from '../kinds/registry/kinds.ts'
import { assertSameLog, positionsOf } from '../projections/projection.ts'
import type { ReadModels } from '../projections/readModels/readModels.ts'
import { replayTo, rebuildReadModels } from '../projections/readModels/rebuildReadModels.ts'
import { differencesOf, type Difference } from '../projections/stored/differences.ts'
import { verifyWholeLog } from './audit/verifyLog.ts'
import { withResource, print, type CliCommand } from './command/command.ts'
import { withBar } from './command/progressBar.ts'
import { readSettings } from './command/settings.ts'
import { logDestination, makeLogger } from '../composition/logger.ts'
import { assertOwnLog, claimForLog } from '../composition/logIdentity.ts'
import { MissingStore } from '../stores/sqlite/openReadOnly.ts'
import { makePersonalAudit } from '../events/personal/sealing.ts'

/** Number and interval of attempts, if the engine has no snapshots. */
const maxAttempts = 5
const pause = 3000

type Positions = ReadonlyMap<string, bigint | undefined>

const placeOf = (positions: Positions): string =>
  [...positions].map(([name, position]) => `${name} at ${position ?? 'its beginning'}`).join(', ')

/** Differences from a replay up to the same position. @throws Error when the service never pauses, or lags */
const compare = async (log: EventStore, live: ReadModels, fresh: ReadModels) => {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const stored = await live.stored()
    const positions = await positionsOf(live)
    const furthest = [...positions.values()].reduce<bigint>((most, each = 0n) => (each > most ? each : most), 0n)
    await withBar('replay', furthest, ({ add: progress }) =>
      replayTo({ log, readModels: fresh, kindNamed, progress }, positions),
    )
    const expected = await fresh.stored(stored.unsettled)
    const differences = await differencesOf(stored.tables, expected.tables)
    const moved = placeOf(positions) !== placeOf(await positionsOf(live))
    const areLevel = new Set(positions.values()).size === 1
    const isSettled = stored.isMoment || (areLevel && !moved)
    if (differences.length === 0 || isSettled) return { positions, tables: stored.tables.length, differences }
    await delay(pause)
  }
  throw new Error('The service wrote meanwhile, or lags behind the log: run this again beside one that has caught up.')
}

/** Number of keys reported per table. */
const mostNamed = 5

const printDifferences = (differences: readonly Difference[]): void => {
  for (const [name, some] of Map.groupBy(differences, ({ projection, table }) => `${projection}: ${table}`)) {
    const keys = some.slice(0, mostNamed).map(({ key }) => key)
    print(`differs: ${name}: ${keys.join(', ')}${some.length > keys.length ? ' …' : ''}`)
  }
}

const advise = async (config: Config, differences: readonly Difference[]): Promise<1> => {
  printDifferences(differences)
  const { findings } = await verifyWholeLog(config, {})
  const projections = [...new Set(differences.map(({ projection }) => projection))]
  print(`The read models differ (${projections.join(', ')}).`)
  return print(
    findings === 0
      ? 'The log is intact, so the read models are wrong. Run: catalog rebuild'
      : 'The log is not intact: keep both, and find out what happened before you rebuild anything ' +
          '(dist/docs/auditing.html).',
    1,
  )
}

/** Compares everything in the read models with a rebuild; works beside a running service. */
export const verifyReadModels: CliCommand = {
  run: () => {
    const config = readSettings(process.env, 'stores')
    const personal = makePersonalAudit()
    return withResource(openLog(config, { readOnly: true, observer: personal.observer }), (log) =>
      withResource(openReadModels(config, { readOnly: true }), async (live) => {
        await assertOwnLog(config, { log, readModels: live })
        const strange = await assertSameLog(await live.checkpoints(), log).catch((error: unknown) => error)
        if (strange instanceof OtherLog)
          return advise(config, [{ projection: 'checkpoints', table: 'projections', key: strange.message }])
        if (strange !== undefined) throw strange
        return withResource(openScratch(config, live), async (scratch) => {
          const { positions, tables, differences } = await compare(log, live, scratch)
          const unreadable = personal.all()
          for (const finding of unreadable) print(`personal values: ${finding}`)
          if (unreadable.length > 0)
            return print(`Restore the right keys of personal values (${vaultLocation(config)}).`, 1)
          if (differences.length > 0) return await advise(config, differences)
          return print([`${placeOf(positions)}: ${tables} tables.`, 'The read models agree with the log.'])
        })
      }),
    )
  },
}

export const rebuild: CliCommand = {
  run: async () => {
    const config = readSettings(process.env, 'stores')
    const path = join(config.dataDir, files.log)
    if (config.eventStoreUrl === undefined && !existsSync(path)) throw new MissingStore(path)
    const logger = makeLogger(config.logLevel, logDestination(config.logFormat))
    return withResource(openEngines(config, logger), async (engines) => {
      await claimForLog(config, engines)
      const begun = performance.now()
      const count = await withBar('rebuild', await engines.log.head(), ({ add: progress }) =>
        rebuildReadModels({ ...engines, kindNamed, progress }),
      )
      const seconds = (performance.now() - begun) / 1000
      return print(`Rebuilt from ${count} events in ${seconds.toFixed(1)} s (${Math.round(count / seconds)} events/s).`)
    })
  },
}
