import type { Logger } from 'pino'
import { checkContract } from '../api/contracts/validationRoutes.ts'
import type { Api } from '../api/deps.ts'
import { DomainError } from '../commands/errors.ts'
import { execute } from '../commands/requests/execute.ts'
import { requestOf } from '../commands/recording.ts'
import { verb } from '../commands/requests/verbRequest.ts'
import type { EventBatch } from '../events/eventStore.ts'
import { type RecordedEvent, parseStreamName, streamName } from '../events/events.ts'
import { verbs } from '../events/verbs.ts'
import { contractedKinds, contractKind } from '../kinds/registry/kinds.ts'
import { entityId } from '../kinds/names.ts'
import type { OdcsRunner } from '../odcs/index.ts'
import { fromRow } from '../projections/entities/entityRow.ts'
import type { EntityRow } from '../projections/entities/row.ts'
import { rest } from '../shared/backOff.ts'
import { isObject } from '../shared/json.ts'
import type { Config } from './settings/config.ts'
import { systemUser } from './settings/fixedNames.ts'

/** Validates the Active contract of each changed asset. */
export interface ContractValidation {
  /** Receives batches of the log in order. */
  saw(batch: EventBatch): void
  close(): Promise<void>
}

interface ContractValidationOptions {
  readonly api: Api
  readonly odcs: OdcsRunner
  readonly config: Pick<Config, 'baseUrl'>
  readonly logger: Pick<Logger, 'warn'>
}

/** Number of contracts validated together, and pause in milliseconds after a store failed. */
const atOnce = 500
const pause = 1000

const isDue = ({ type, metadata }: RecordedEvent): boolean =>
  verbs[type].makesVersion && type !== 'Created' && type !== 'HardDeleted' && contractedKinds.includes(metadata.kind)

type Change = Pick<RecordedEvent, 'id' | 'position' | 'metadata'>

/** The event of an asset's present version. */
const lastChange = async ({ log }: Api, { kind, id }: EntityRow): Promise<Change | undefined> => {
  for await (const event of log.readStream(streamName(kind, id), { backwards: true }))
    if (verbs[event.type].makesVersion) return event
  return undefined
}

const versionsOf = (latest: unknown) =>
  isObject(latest) ? { contract: latest['contractVersion'], asset: latest['assetVersion'] } : undefined

/** Validates an Active contract unless its latest result has the present versions. */
const validate = async (
  { api, odcs, config, logger }: ContractValidationOptions,
  row: EntityRow,
  event: Change,
): Promise<void> => {
  const definition = api.kindNamed(contractKind)
  const turn = { caller: systemUser, signal: new AbortController().signal }
  const cause = {
    ...requestOf(event),
    user: systemUser,
    commandId: `${event.id}:validate`,
    causationId: event.id,
  }
  const wanted = verb(
    {
      definition,
      id: row.id,
      command: async (_known, contract) => {
        const asset = contract.parent === undefined ? undefined : await api.readModels.get(contract.parent)
        if (asset?.status !== 'live' || contract.members['entityStatus'] !== 'Active') return { type: 'Keep' }
        const { version } = fromRow(asset, api.kindNamed(asset.kind))
        const about = versionsOf(contract.members['latestResult'])
        if (about?.asset === version / 10 && about.contract === contract.version / 10) return { type: 'Keep' }
        return {
          type: 'Validate',
          result: await checkContract({ api, odcs, turn, baseUrl: `${config.baseUrl ?? ''}/api` }, contract, asset),
        }
      },
    },
    cause,
  )
  try {
    await execute(api.commands, wanted)
  } catch (error) {
    // Retried at the next change: its rules may be too complex, or it was deleted meanwhile.
    if (!(error instanceof DomainError)) throw error
    logger.warn({ err: error, contract: row.id }, 'a contract cannot be validated')
  }
}

/** Finds Active contracts with a stale result, because no process saw the change. */
const findStale = async (api: Api, found: (asset: EntityRow) => Promise<void>): Promise<void> => {
  const query = { kind: contractKind, include: 'non-deleted', scopes: [], edges: [], entityStatus: 'Active' } as const
  const definition = api.kindNamed(contractKind)
  let after: { fullyQualifiedName: string; id: string } | undefined
  for (let more = true; more;) {
    const { rows, hasAfter } = await api.readModels.list({ ...query, limit: atOnce, after })
    const contracts = [...(await api.readModels.getMany(rows.map(({ id }) => id))).values()]
    const assets = await api.readModels.getMany(contracts.flatMap(({ parent }) => parent ?? []))
    for (const contract of contracts) {
      const about = versionsOf(fromRow(contract, definition).members['latestResult'])
      const asset = assets.get(contract.parent ?? '')
      if (about === undefined || asset?.status !== 'live') continue
      if (about.asset !== fromRow(asset, api.kindNamed(asset.kind)).version / 10) await found(asset)
    }
    after = rows.at(-1)
    more = hasAfter && after !== undefined
  }
}

/** Only the leading process validates: the others see the same events. */
export const startContractValidation = (options: ContractValidationOptions): ContractValidation => {
  const { api, logger } = options
  const stopping = new AbortController()
  const due = new Map<string, Change>()
  let isSearched = false
  let working: Promise<void> | undefined

  const search = async (): Promise<void> => {
    if (isSearched) return
    await findStale(api, async (asset) => {
      const event = await lastChange(api, asset)
      if (event !== undefined && !due.has(asset.id)) due.set(asset.id, event)
    })
    isSearched = true
  }
  const takeSome = async (): Promise<void> => {
    const some = [...due].slice(0, atOnce)
    const last = some.reduce((position, [, event]) => (event.position > position ? event.position : position), 0n)
    await api.commands.waitForPosition(last)
    const contracts = await api.readModels.getMany(some.map(([asset]) => entityId(contractKind, asset)))
    for (const [asset, event] of some) {
      const contract = contracts.get(entityId(contractKind, asset))
      if (contract?.status === 'live' && contract.entityStatus === 'Active') await validate(options, contract, event)
      if (due.get(asset) === event) due.delete(asset)
    }
  }
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted && api.runner.projects() && (due.size > 0 || !isSearched)) {
      try {
        await search()
        if (due.size > 0) await takeSome()
      } catch (error) {
        if (stopping.signal.aborted) return
        logger.warn(
          { err: error },
          'contracts of assets that changed cannot be validated at the moment; it is tried again',
        )
        await rest(pause, stopping.signal, false)
      }
    }
    if (api.runner.projects()) return
    due.clear()
    isSearched = false
  }
  const begin = (): void => void (working ??= work().finally(() => (working = undefined)))
  begin()
  return {
    saw: ({ events }) => {
      for (const event of events) if (isDue(event)) due.set(parseStreamName(event.stream).id, event)
      if (due.size > 0) begin()
    },
    close: async () => {
      stopping.abort()
      await working
    },
  }
}
