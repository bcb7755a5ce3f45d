import type { Logger } from 'pino'
import { checkContract } from '../api/contracts/checkContract.ts'
import type { Api } from '../api/deps.ts'
import { DomainError } from '../commands/errors.ts'
import { referencesIn } from '../commands/evolve.ts'
import { execute } from '../commands/requests/execute.ts'
import { requestOf } from '../commands/recording.ts'
import { verb } from '../commands/requests/verbRequest.ts'
import type { EventBatch } from '../events/eventStore.ts'
import { type RecordedEvent, parseStreamName, streamName } from '../events/events.ts'
import { verbs } from '../events/verbs.ts'
import { contractedKinds, contractKind, kindNamed } from '../kinds/registry/kinds.ts'
import { entityId } from '../kinds/names.ts'
import { fromRow } from '../projections/entities/entityRow.ts'
import { pagesOf } from '../projections/entities/page.ts'
import { headOf, type EntityRow, type HeadRow } from '../projections/entities/row.ts'
import { sleep } from '../shared/backOff.ts'
import { isObject, sameJson, type Json, type JsonObject } from '../shared/json.ts'
import type { Config } from './settings/config.ts'
import { systemUser } from './settings/fixedNames.ts'

interface ContractValidationOptions {
  readonly api: Api
  readonly config: Pick<Config, 'baseUrl'>
  readonly logger: Pick<Logger, 'warn'>
}

/** Number of contracts validated together, and pause in milliseconds after a store failed. */
const atOnce = 500
const pause = 1000

const isDue = ({ type, metadata }: RecordedEvent): boolean =>
  verbs[type].makesVersion && type !== 'Created' && type !== 'HardDeleted' && contractedKinds.includes(metadata.kind)

/** Whether the event is the newest run of a test, which may change the result of its asset's contract. */
const isRun = ({ type, data }: RecordedEvent): boolean => type === 'Validated' && 'run' in data && data.run === 'newest'

type Change = Pick<RecordedEvent, 'id' | 'position' | 'metadata'>

/** The event that made the present version of an asset, or the newest run of a test. */
const lastChange = async ({ log }: Api, { kind, id }: HeadRow): Promise<Change | undefined> => {
  for await (const event of log.readStream(streamName(kind, id), { backwards: true }))
    if (verbs[event.type].makesVersion || isRun(event)) return event
  return undefined
}

/** Whether a result is unchanged. An external result stays until the contract or its asset changes. */
const saysSame = (before: Json | undefined, result: JsonObject): boolean => {
  if (!isObject(before)) return false
  const told = ['contractVersion', 'assetVersion', ...('promises' in before ? ['status', 'promises'] : [])]
  return told.every((name) => sameJson(before[name], result[name]))
}

/** Validates an Active contract unless its latest result says the same. */
const validate = async (
  { api, config, logger }: ContractValidationOptions,
  row: EntityRow,
  event: Change,
): Promise<void> => {
  const definition = kindNamed(contractKind)
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
        const context = { api, turn, baseUrl: `${config.baseUrl ?? ''}/api` }
        const result = await checkContract(context, contract, asset)
        return saysSame(contract.members['latestResult'], result) ? { type: 'Keep' } : { type: 'Validate', result }
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

/** Finds Active contracts with a stale result, because no process saw the change of the asset or the run of a test. */
const findStale = async (api: Api, found: (changed: HeadRow) => Promise<void>): Promise<void> => {
  const all = { kind: contractKind, include: 'non-deleted', scopes: [], edges: [], limit: Infinity } as const
  const definition = kindNamed(contractKind)
  for await (const { rows } of pagesOf(api.readModels, { ...all, entityStatus: 'Active' })) {
    const contracts = [...(await api.readModels.getMany(rows.map(({ id }) => id))).values()]
    const assets = await api.readModels.getMany(contracts.flatMap(({ parent }) => parent ?? []))
    for (const contract of contracts) {
      const { members } = fromRow(contract, definition)
      const latest = members['latestResult']
      const asset = assets.get(contract.parent ?? '')
      if (!isObject(latest) || asset?.status !== 'live') continue
      const tests = await api.readModels.getHeads(referencesIn(members, 'qualityExpectations').map(({ id }) => id))
      for (const test of tests.values()) if (test.position > contract.position) await found(test)
      if (latest['assetVersion'] !== fromRow(asset, kindNamed(asset.kind)).version / 10) await found(headOf(asset))
    }
  }
}

/** By ids of assets that changed, and of tests that ran. */
type Due = Map<string, Change>

const validateSome = async (options: ContractValidationOptions, due: Due): Promise<void> => {
  const { api } = options
  const some = [...due].slice(0, atOnce)
  const last = some.reduce((position, [, event]) => (event.position > position ? event.position : position), 0n)
  await api.commands.waitForPosition(last)
  const isTest = ({ metadata }: Change): boolean => kindNamed(metadata.kind).traits.results === true
  const tests = await api.readModels.getHeads(some.flatMap(([id, event]) => (isTest(event) ? id : [])))
  const contractOf = (id: string): string => entityId(contractKind, tests.get(id)?.parent ?? id)
  const contracts = await api.readModels.getMany(some.map(([id]) => contractOf(id)))
  for (const [id, event] of some) {
    const contract = contracts.get(contractOf(id))
    if (contract?.status === 'live' && contract.entityStatus === 'Active') await validate(options, contract, event)
    if (due.get(id) === event) due.delete(id)
  }
}

/**
 * Validates the Active contract of each changed or tested asset. Only the leading process does: the others see the same
 * events.
 */
export const startContractValidation = (options: ContractValidationOptions) => {
  const { api, logger } = options
  const stopping = new AbortController()
  const due: Due = new Map()
  let isSearched = false
  let working: Promise<void> | undefined

  const search = async (): Promise<void> => {
    if (isSearched) return
    await findStale(api, async (changed) => {
      const event = await lastChange(api, changed)
      if (event !== undefined && !due.has(changed.id)) due.set(changed.id, event)
    })
    isSearched = true
  }
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted && api.runner.projects() && (due.size > 0 || !isSearched)) {
      try {
        await search()
        if (due.size > 0) await validateSome(options, due)
      } catch (error) {
        if (stopping.signal.aborted) return
        logger.warn(
          { err: error },
          'contracts of assets that changed cannot be validated at the moment; it is tried again',
        )
        await sleep(pause, stopping.signal, false)
      }
    }
    if (api.runner.projects()) return
    due.clear()
    isSearched = false
  }
  const begin = (): void => void (working ??= work().finally(() => (working = undefined)))
  begin()
  return {
    /** Receives batches of the log in order. */
    saw: ({ events }: EventBatch): void => {
      for (const event of events) if (isDue(event) || isRun(event)) due.set(parseStreamName(event.stream).id, event)
      if (due.size > 0) begin()
    },
    close: async (): Promise<void> => {
      stopping.abort()
      await working
    },
  }
}

export type ContractValidation = ReturnType<typeof startContractValidation>
