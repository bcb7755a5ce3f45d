import { DomainError } from '../commands/errors.ts'
import type { Entity } from '../commands/evolve.ts'
import type { Ports } from '../commands/ports.ts'
import { originOf } from '../commands/recording.ts'
import { execute } from '../commands/requests/execute.ts'
import { verbRequest } from '../commands/requests/verbRequest.ts'
import { StoreUnavailable, type EventBatch, type EventStore } from '../events/eventStore.ts'
import { type Members, type RecordedEvent, entityOf, isBehind, parseStreamName, streamName } from '../events/events.ts'
import { makeNotifier } from '../events/logTail.ts'
import { verbs } from '../events/verbs.ts'
import { testIds } from '../kinds/definitions/contracts.ts'
import { nodesOf } from '../kinds/members/fieldTree.ts'
import { entityId } from '../kinds/names.ts'
import { contractKind, contractedKinds, kindNamed } from '../kinds/registry/kinds.ts'
import { fromRow } from '../projections/entities/entityRow.ts'
import { pagesOf } from '../projections/entities/page.ts'
import { isStatusEvent } from '../projections/entities/pending.ts'
import type { EntityLists, EntityReads } from '../projections/entities/port.ts'
import { ProjectionBehind } from '../projections/errors.ts'
import { type EntityRow, type HeadRow, headOf } from '../projections/entities/row.ts'
import { type Json, type JsonObject, isObject, sameJson } from '../shared/json.ts'
import { systemUser } from '../shared/entityName.ts'
import { Throttled } from '../shared/workQueue.ts'
import { type TaskOptions, runWhileLeader } from './periodicTask.ts'

interface ContractValidationOptions extends TaskOptions {
  readonly commands: Ports
  readonly log: Pick<EventStore, 'head' | 'readStream'>
  readonly readModels: EntityReads & Pick<EntityLists, 'list'>
  /** Checks every promise of a contract against its present asset. @returns the `latestResult` */
  readonly check: (contract: Entity, asset: EntityRow) => Promise<JsonObject>
}

/** Number of contracts validated together. */
const batchSize = 500

/** Number of deletions and restores beyond which all contracts are checked instead. */
const maxStatusChanges = 10_000

/** Whether the event is the newest run of a test, which may change the result of its asset's contract. */
const isRun = ({ type, data }: RecordedEvent): boolean => type === 'Validated' && 'run' in data && data.run === 'newest'

const isTestKind = (kind: string): boolean => kindNamed(kind).traits.results === true

type Change = Pick<RecordedEvent, 'id' | 'position' | 'metadata'>

/** The event that made the present version of an asset or test, or the newest run of a test. */
const lastChange = async (
  { log }: Pick<ContractValidationOptions, 'log'>,
  { kind, id }: HeadRow,
): Promise<Change | undefined> => {
  for await (const event of log.readStream(streamName(kind, id), { backwards: true }))
    if (verbs[event.type].makesVersion || isRun(event)) return event
  return undefined
}

/** Whether a result is unchanged. An external result stays until the contract or its asset changes. */
const isSameResult = (before: Json | undefined, result: JsonObject): boolean => {
  if (!isObject(before)) return false
  const compared = ['contractVersion', 'assetVersion', ...('promises' in before ? ['status', 'promises'] : [])]
  return compared.every((name) => sameJson(before[name], result[name]))
}

/** Runs work on one contract. Fails only for reasons that concern all contracts; others are logged. */
const attempt = async (contract: string, { logger }: TaskOptions, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof StoreUnavailable || error instanceof ProjectionBehind || error instanceof Throttled)
      throw error
    // Tried again at the next change: its rules may be too complex, or it was deleted meanwhile.
    const isExpected = error instanceof DomainError
    logger[isExpected ? 'warn' : 'error']({ err: error, contract }, 'a contract cannot be validated')
  }
}

/** Validates an Active contract unless its latest result says the same. */
const validate = async (
  { commands, readModels, check }: ContractValidationOptions,
  { id }: EntityRow,
  event: Change,
): Promise<void> => {
  const cause = { ...originOf(event), user: systemUser, commandId: `${event.id}:validate`, causationId: event.id }
  const wanted = verbRequest(
    {
      definition: kindNamed(contractKind),
      id,
      command: async (_, contract) => {
        const asset = contract.parent === undefined ? undefined : await readModels.get(contract.parent)
        if (asset?.status !== 'live' || contract.members['entityStatus'] !== 'Active') return { type: 'NoOp' }
        const result = await check(contract, asset)
        if (isSameResult(contract.members['latestResult'], result)) return { type: 'NoOp' }
        return { type: 'Record', event: { type: 'Validated', data: { result } } }
      },
    },
    cause,
  )
  await execute(commands, wanted)
}

/** By ids of assets and tests that changed, of assets that a product gained or lost, and of tests that ran. */
type Due = Map<string, Change>

/** By ids of entities that were deleted or restored. Rules may read them in answers about assets. */
type StatusChanges = Map<string, Change>

const hasRules = (members: Members): boolean => nodesOf(members['semantics']).length > 0

/** Adds the asset of an Active contract with rules if it refers to one of these entities, or one is a product. */
const addReferring = (due: Due, contract: EntityRow, asset: EntityRow, statusChanges: StatusChanges): void => {
  const product = statusChanges.values().find(({ metadata }) => kindNamed(metadata.kind).traits.assets)
  const referred = asset.edges.values().map(({ target }) => statusChanges.get(entityOf(target)))
  const event = product ?? referred.find((change) => change !== undefined)
  if (event === undefined || due.has(asset.id)) return
  if (hasRules(fromRow(contract, kindNamed(contractKind)).members)) due.set(asset.id, event)
}

/**
 * Adds the asset, or tests, of an Active contract that changed after its latest result while no process was leading. Rules
 * may also read other entities that changed then, so the assets of all contracts with rules are added.
 */
const addStale = async (
  { log, readModels }: ContractValidationOptions,
  due: Due,
  contract: EntityRow,
  asset: EntityRow,
): Promise<void> => {
  const { members } = fromRow(contract, kindNamed(contractKind))
  const latest = members['latestResult']
  const version = fromRow(asset, kindNamed(asset.kind)).version / 10
  const isStale = isObject(latest) && (latest['assetVersion'] !== version || hasRules(members))
  const tests = await readModels.getHeads(testIds(members, asset.fullyQualifiedName))
  for (const head of [...tests.values(), headOf(asset)]) {
    const isOutdated = isStale && head.id === asset.id
    if (!isOutdated && head.position <= contract.position) continue
    const event = await lastChange({ log }, head)
    if (event === undefined || due.has(head.id)) continue
    if (isOutdated || event.position > contract.position) due.set(head.id, event)
  }
}

/** Adds assets of all Active contracts. @param statusChanges absent: those that changed before this process led */
const addAll = async (options: ContractValidationOptions, due: Due, statusChanges?: StatusChanges): Promise<void> => {
  const { readModels } = options
  const all = { kind: contractKind, include: 'non-deleted', scopes: [], edges: [], limit: Infinity } as const
  for await (const { rows } of pagesOf(readModels, { ...all, entityStatus: 'Active' })) {
    const contracts = [...(await readModels.getMany(rows.map(({ id }) => id))).values()]
    const assets = await readModels.getMany(contracts.flatMap(({ parent }) => parent ?? []))
    for (const contract of contracts)
      await attempt(contract.id, options, async () => {
        const asset = assets.get(contract.parent ?? '')
        if (asset?.status !== 'live') return
        if (statusChanges === undefined) await addStale(options, due, contract, asset)
        else addReferring(due, contract, asset, statusChanges)
      })
  }
}

const lastOf = (changes: Iterable<readonly [string, Change]>): bigint =>
  [...changes].reduce((last, [, { position }]) => (position > last ? position : last), 0n)

const validateSome = async (options: ContractValidationOptions, due: Due): Promise<void> => {
  const { commands, readModels } = options
  const some = due.entries().take(batchSize).toArray()
  await commands.waitForPosition(lastOf(some))
  const isTest = ({ metadata }: Change): boolean => isTestKind(metadata.kind)
  const tests = await readModels.getHeads(some.flatMap(([id, event]) => (isTest(event) ? id : [])))
  const contractOf = (id: string): string => entityId(contractKind, tests.get(id)?.parent ?? id)
  const contracts = await readModels.getMany(some.map(([id]) => contractOf(id)))
  for (const [id, event] of some) {
    const contract = contracts.get(contractOf(id))
    if (contract?.status === 'live' && contract.entityStatus === 'Active')
      await attempt(contract.id, options, () => validate(options, contract, event))
    if (due.get(id) === event) due.delete(id)
  }
}

/** Adds the assets that refer to deleted or restored entities, then removes these. */
const addAffected = async (options: ContractValidationOptions, due: Due, changes: StatusChanges): Promise<void> => {
  const some = new Map(changes)
  await options.commands.waitForPosition(lastOf(some))
  await addAll(options, due, some)
  for (const [id, event] of some) if (changes.get(id) === event) changes.delete(id)
}

/** Adds the entities whose contracts an event may affect. */
const track = (event: RecordedEvent, due: Due, statusChanges: StatusChanges): void => {
  const { id, position, stream, metadata, type, data } = event
  const [entity, change] = [parseStreamName(stream).id, { id, position, metadata }]
  const isChange = verbs[type].makesVersion && type !== 'Created'
  const isOfContract = isTestKind(metadata.kind) || contractedKinds.includes(metadata.kind)
  if ((isChange && isOfContract) || isRun(event)) due.set(entity, change)
  if (isStatusEvent(event)) statusChanges.set(entity, change)
  if (type === 'AssetsAdded' || type === 'AssetsRemoved') for (const asset of data.assets) due.set(asset.id, change)
}

/** Validates the Active contract of each asset that changed, was tested, or refers to a deleted or restored entity. */
export const startContractValidation = (options: ContractValidationOptions) => {
  const { commands, log, runner } = options
  const due: Due = new Map()
  const statusChanges: StatusChanges = new Map()
  const changed = makeNotifier()
  /** Position of the newest handled event: a repeated batch is ignored. */
  let newest: bigint | undefined
  /** Head of the log when this process began to lead, or last searched. A search for stale results covers what is before. */
  let ledSince: bigint | undefined
  /** Numbers of the searches for stale results: wanted, and done. */
  const searches = { wanted: 1, done: 0 }
  const beginTerm = async (): Promise<bigint> => {
    const head = (await log.head()) ?? 0n
    if (isBehind(newest, head)) newest = head
    for (const changes of [due, statusChanges])
      for (const [id, { position }] of changes) if (position <= head) changes.delete(id)
    return head
  }
  const work = async (): Promise<void> => {
    ledSince ??= await beginTerm()
    if (due.size > 0) await validateSome(options, due)
    const { wanted } = searches
    if (searches.done !== wanted) {
      await commands.waitForPosition(ledSince)
      await addAll(options, due)
      searches.done = wanted
    }
    if (statusChanges.size > 0) await addAffected(options, due, statusChanges)
  }
  const { close } = runWhileLeader(options, {
    work,
    failureMessage: 'contracts of assets that changed cannot be validated at the moment; it is tried again',
    pause: async (signal) => {
      if (!runner.projects()) {
        due.clear()
        statusChanges.clear()
        ledSince = undefined
        searches.wanted++
      }
      if (due.size === 0) await changed.wait(signal, 1000)
    },
  })
  return {
    close,
    /** Receives batches of the log in order. Repeated batches do nothing. */
    observe: ({ events }: EventBatch): void => {
      for (const event of events) {
        if (!isBehind(newest, event.position)) continue
        newest = event.position
        track(event, due, statusChanges)
      }
      if (statusChanges.size > maxStatusChanges) {
        statusChanges.clear()
        if (ledSince !== undefined) ledSince = newest
        searches.wanted++
      }
      if (due.size > 0) changed.notify()
    },
  }
}

export type ContractValidation = ReturnType<typeof startContractValidation>
