import type { Logger } from 'pino'
import { DomainError, isPermanent } from '../commands/errors.ts'
import type { Entity } from '../commands/evolve.ts'
import type { Ports } from '../commands/ports.ts'
import { originOf } from '../commands/recording.ts'
import { execute } from '../commands/requests/execute.ts'
import { verbRequest } from '../commands/requests/verbRequest.ts'
import { StoreFailed, StoreUnavailable } from '../events/eventStore.ts'
import {
  type Members,
  type RecordedEvent,
  entityOf,
  incarnationOf,
  parseStreamName,
  streamName,
} from '../events/events.ts'
import { verbs } from '../events/verbs.ts'
import { nodesOf } from '../kinds/members/fieldTree.ts'
import { entityId } from '../kinds/names.ts'
import { contractKind, contractedKinds, kindNamed } from '../kinds/registry/kinds.ts'
import { fromRow } from '../projections/entities/entityRow.ts'
import { pagesOf } from '../projections/entities/page.ts'
import { isStatusEvent } from '../projections/entities/pending.ts'
import type { EntityLists, EntityReads } from '../projections/entities/port.ts'
import type { EntityRow } from '../projections/entities/row.ts'
import { type Json, type JsonObject, isObject, sameJson } from '../shared/json.ts'
import { systemUser } from '../shared/entityName.ts'

export interface ContractValidationOptions {
  readonly readModels: EntityReads & Pick<EntityLists, 'list' | 'relatedTo'>
  /** Checks every promise of a contract against its present asset. @returns the `latestResult` */
  readonly check: (contract: Entity, asset: EntityRow) => Promise<JsonObject>
  readonly logger: Pick<Logger, 'warn' | 'error'>
  /** Called between contracts; throws when this process may not go on. */
  readonly progress: () => void
}

type Validating = ContractValidationOptions & { readonly commands: Ports }

/** Number of changes whose contracts are validated together. */
const batchSize = 500

/** Whether the event is the newest run of a test, which may change the result of its asset's contract. */
const isRun = ({ type, data }: RecordedEvent): boolean => type === 'Validated' && 'run' in data && data.run === 'newest'

const isTestKind = (kind: string): boolean => kindNamed(kind).traits.results === true

/** Position of an event, and the kind of its entity. */
interface Change {
  readonly position: bigint
  readonly kind: string
}

/** Whether a result is unchanged. An external result stays until the contract or its asset changes. */
const isSameResult = (before: Json | undefined, result: JsonObject): boolean => {
  if (!isObject(before)) return false
  const compared = ['contractVersion', 'assetVersion', ...('promises' in before ? ['status', 'promises'] : [])]
  return compared.every((name) => sameJson(before[name], result[name]))
}

/** Runs work on one contract. Fails only for reasons that concern all contracts; others are logged. */
const attempt = async (contract: string, { logger }: Validating, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    const isOfStoredData = error instanceof StoreFailed && !(error instanceof StoreUnavailable)
    if (!isPermanent(error) && !isOfStoredData) throw error
    // Tried again at the next change: its rules may be too complex, or it was deleted meanwhile.
    const isExpected = error instanceof DomainError
    logger[isExpected ? 'warn' : 'error']({ err: error, contract }, 'a contract cannot be validated')
  }
}

/** Whether a contract was made after this position. */
const isMadeAfter = async (position: bigint, { kind, id, born }: Entity, { log }: Ports): Promise<boolean> => {
  for await (const created of log.readStream(streamName(kind, id), { from: born })) return created.position > position
  return false
}

/** Validates an Active contract unless its latest result says the same, or the change was before there was the contract. */
const validate = async (
  { commands, readModels, check }: Validating,
  { id }: EntityRow,
  { position, kind }: Change,
): Promise<void> => {
  const event = await commands.log.eventAt(position)
  if (event === undefined) return
  const cause = { ...originOf(event), user: systemUser, commandId: `${event.id}:validate`, causationId: event.id }
  const wanted = verbRequest(
    {
      definition: kindNamed(contractKind),
      id,
      command: async (_, contract) => {
        const asset = contract.parent === undefined ? undefined : await readModels.get(contract.parent)
        if (asset?.status !== 'live' || contract.members['entityStatus'] !== 'Active') return { type: 'NoOp' }
        const latest = contract.members['latestResult']
        if (latest === undefined && (await isMadeAfter(position, contract, commands))) return { type: 'NoOp' }
        const result = await check(contract, asset)
        const missed = isObject(latest) && latest['assetVersion'] !== result['assetVersion']
        if (isSameResult(latest, result) || (kind === contractKind && !missed)) return { type: 'NoOp' }
        return { type: 'Record', event: { type: 'Validated', data: { result } } }
      },
    },
    cause,
  )
  await execute(commands, wanted)
}

/** The newest change by id of the entity. */
type Changes = Map<string, Change>

const hasRules = (members: Members): boolean => nodesOf(members['semantics']).length > 0

/** Adds the asset of an Active contract with rules if it refers to one of these entities, or one is a product. */
const addReferring = (due: Changes, contract: EntityRow, asset: EntityRow, statusChanges: Changes): void => {
  const product = statusChanges.values().find(({ kind }) => kindNamed(kind).traits.assets)
  const referred = asset.edges.values().map(({ target }) => statusChanges.get(entityOf(target)))
  const change = product ?? referred.find((each) => each !== undefined)
  if (change === undefined || due.has(asset.id)) return
  if (hasRules(fromRow(contract, kindNamed(contractKind)).members)) due.set(asset.id, change)
}

const lastOf = (changes: Iterable<readonly [string, Change]>): bigint =>
  [...changes].reduce((last, [, { position }]) => (position > last ? position : last), 0n)

/** More than the contracts that expect one test. */
const maxExpecting = 1_000_000

/**
 * The contracts that changes are about, each with its newest one, which is one of the contract itself only if there is no
 * other: those of changed assets, of the assets of changed tests, and those that expect these tests.
 */
const contractsOf = async (
  { readModels }: Validating,
  some: readonly (readonly [string, Change])[],
): Promise<Changes> => {
  const tests = await readModels.getHeads(some.flatMap(([id, { kind }]) => (isTestKind(kind) ? id : [])))
  const lives = [...tests.values()].map(incarnationOf)
  const expecting = await readModels.relatedTo(lives, 'qualityExpectations', maxExpecting)
  const byTest = Map.groupBy(expecting, ({ of }) => entityOf(of))
  const rank = ({ kind, position }: Change): number => (kind === contractKind ? -1 : Number(position))
  const contracts: Changes = new Map()
  for (const [id, change] of some.toSorted(([, one], [, other]) => rank(one) - rank(other))) {
    const own = change.kind === contractKind ? id : entityId(contractKind, tests.get(id)?.parent ?? id)
    for (const contract of [own, ...(byTest.get(id) ?? []).map(({ row }) => row.id)]) contracts.set(contract, change)
  }
  return contracts
}

const validateSome = async (options: Validating, due: Changes): Promise<void> => {
  const { commands, readModels, progress } = options
  const some = due.entries().take(batchSize).toArray()
  await commands.waitForPosition(lastOf(some))
  const changes = await contractsOf(options, some)
  const contracts = await readModels.getMany([...changes.keys()])
  for (const [id, change] of changes) {
    progress()
    const contract = contracts.get(id)
    if (contract?.status === 'live' && contract.entityStatus === 'Active')
      await attempt(id, options, () => validate(options, contract, change))
  }
  for (const [id, change] of some) if (due.get(id) === change) due.delete(id)
}

/** Adds the assets of all Active contracts that refer to deleted or restored entities, then removes these. */
const addAffected = async (options: Validating, due: Changes, changes: Changes): Promise<void> => {
  const { commands, readModels, progress } = options
  const some = new Map(changes)
  await commands.waitForPosition(lastOf(some))
  const all = { kind: contractKind, include: 'non-deleted', scopes: [], edges: [], limit: Infinity } as const
  for await (const { rows } of pagesOf(readModels, { ...all, entityStatus: 'Active' })) {
    progress()
    const contracts = [...(await readModels.getMany(rows.map(({ id }) => id))).values()]
    const assets = await readModels.getMany(contracts.flatMap(({ parent }) => parent ?? []))
    for (const contract of contracts)
      await attempt(contract.id, options, async () => {
        const asset = assets.get(contract.parent ?? '')
        if (asset?.status === 'live') addReferring(due, contract, asset, some)
      })
  }
  for (const [id, change] of some) if (changes.get(id) === change) changes.delete(id)
}

/** Whether a contract may have missed changes of its asset until this event. */
const isBegun = (event: RecordedEvent): boolean =>
  event.type === 'Restored' || (event.type === 'Updated' && event.data.set['entityStatus'] === 'Active')

/** Adds an event that may be older than what is known. */
const add = (changes: Changes, id: string, change: Change): void => {
  if (change.position > (changes.get(id)?.position ?? -1n)) changes.set(id, change)
}

/**
 * Validates the Active contracts of each asset that changed, was tested, or refers to a deleted or restored entity, and those
 * that expect the tests. An event may be tracked again: a result that says the same is not recorded.
 */
export const makeContractValidation = (options: ContractValidationOptions) => {
  const due: Changes = new Map()
  /** Entities that were deleted or restored. Rules may read them in answers about assets. */
  const statusChanges: Changes = new Map()
  return {
    track: (event: RecordedEvent): void => {
      const { position, stream, type, data } = event
      const { kind, id } = parseStreamName(stream)
      const change = { position, kind }
      const isOfContract = isTestKind(kind) || (type !== 'Created' && contractedKinds.includes(kind))
      if ((verbs[type].makesVersion && isOfContract) || isRun(event) || (kind === contractKind && isBegun(event)))
        add(due, id, change)
      if (isStatusEvent(event)) add(statusChanges, id, change)
      if (type === 'AssetsAdded' || type === 'AssetsRemoved')
        for (const asset of data.assets) add(due, asset.id, change)
    },
    /** Positions of the events whose contracts are not validated yet. */
    open: (): bigint[] => [...due.values(), ...statusChanges.values()].map(({ position }) => position),
    work: async (commands: Ports): Promise<void> => {
      const validating = { ...options, commands }
      while (due.size > 0) await validateSome(validating, due)
      if (statusChanges.size > 0) await addAffected(validating, due, statusChanges)
    },
    clear: (): void => {
      due.clear()
      statusChanges.clear()
    },
  }
}

export type ContractValidation = ReturnType<typeof makeContractValidation>
