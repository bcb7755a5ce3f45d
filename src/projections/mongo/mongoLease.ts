import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Collection, Db, UpdateFilter } from 'mongodb'
import { isDuplicate, withRetry } from '../../stores/mongo/connection.ts'
import { version } from '../../shared/version.ts'
import type { Lease, ProcessState } from '../lease.ts'
import { dropVersion, numberText, pointerId } from './generations.ts'
import type { Collections } from './mongoProjection.ts'

/** The lease of one partition, by the versions of its projections, stored in the collection of processes. */
interface LeaseDocument {
  _id: string
  /** Id of the holder; empty if free. */
  holder: string
  wanted?: string
  term: number
  beat: number
  /** The last renewal that was noticed, and when, for leases of other versions. */
  seen?: { readonly term: number; readonly beat: number; readonly at: Date }
}

interface ProcessDocument extends Omit<ProcessState, 'id' | 'position' | 'projects'> {
  _id: string
  position: string | null
}

/** Milliseconds without a report after which a process counts as gone. */
const reportTimeout = 30_000

/** The last seen renewal, with its time by this process's clock. */
interface SeenRenewal {
  readonly term: number
  readonly beat: number
  readonly at: number
}

/** One lease per partition and set of projection versions, so that different versions project concurrently. */
const leaseOf = (partition: readonly Collections[]): string =>
  ['lease', ...partition.map(({ projection }) => pointerId(projection))].join(' ')

/** Ids of the projection versions, see {@link pointerId}. */
const versionsIn = ({ _id }: LeaseDocument): string[] => _id.split(' ').slice(1)

const namesIn = (lease: LeaseDocument): string[] => versionsIn(lease).map((id) => id.replace(/-\d+$/, ''))

/** Milliseconds for which read models of another version are kept after the last renewal of its leases. */
const unusedRetention = 24 * 3_600_000

/** Notices renewals of a lease. @returns whether there was none for a day */
const isUnused = async (leases: Collection<LeaseDocument>, { _id, term, beat, seen }: LeaseDocument) => {
  if (seen?.term === term && seen.beat === beat) return Date.now() - seen.at.getTime() > unusedRetention
  await leases.updateOne({ _id }, { $set: { seen: { term, beat, at: new Date() } } })
  return false
}

/**
 * Drops read models of other versions when no process has renewed their leases for a day. A process of such a version
 * that starts later builds them again.
 * @param own ids of the versions of this process
 * @returns names of the dropped collections
 */
export const dropUnusedVersions = async (db: Db, own: readonly string[]): Promise<string[]> => {
  const leases = db.collection<LeaseDocument>('processes')
  const used = new Set(own)
  const unused: LeaseDocument[] = []
  for (const lease of await leases.find({ holder: { $exists: true } }).toArray()) {
    if (await isUnused(leases, lease)) unused.push(lease)
    else for (const id of versionsIn(lease)) used.add(id)
  }
  const dropped: string[] = []
  for (const lease of unused) {
    for (const id of versionsIn(lease)) if (!used.has(id)) dropped.push(...(await dropVersion(db, id)))
    await leases.deleteOne({ _id: lease._id, term: lease.term, beat: lease.beat })
  }
  return dropped
}

const insertLease = async (leases: Collection<LeaseDocument>, _id: string, holder: string): Promise<boolean> => {
  try {
    await leases.insertOne({ _id, holder, term: 1, beat: 0 })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

const handOver = (next: string): UpdateFilter<LeaseDocument> => ({
  $set: { holder: next },
  $inc: { term: 1 },
  $unset: { wanted: '' },
})

/**
 * The leases in MongoDB. Expiry is judged by this process's clock.
 * @param ids of the leases, by partition
 * @param silence milliseconds until one counts as free
 */
const makeLeases = (leases: Collection<LeaseDocument>, ids: readonly string[], me: string, silence: number) => {
  const seen = new Map<string, SeenRenewal>()
  /** Changes a lease unless it has changed since it was read. @returns whether it did */
  const change = async ({ _id, term }: LeaseDocument, condition: object, update: UpdateFilter<LeaseDocument>) =>
    (await leases.updateOne({ _id, term, ...condition }, update)).matchedCount === 1

  const isSilent = ({ _id, term, beat }: LeaseDocument): boolean => {
    const known = seen.get(_id)
    const sign = known?.term === term && known.beat === beat ? known : { term, beat, at: performance.now() }
    seen.set(_id, sign)
    return performance.now() - sign.at >= silence
  }
  const hold = async (lease: LeaseDocument, isLast: boolean): Promise<boolean> => {
    const isFree = isSilent(lease) || lease.holder === ''
    if (lease.holder !== me) return isFree && change(lease, { beat: lease.beat }, handOver(me))
    const { wanted = me } = lease
    if (!isLast || wanted === me) return change(lease, { holder: me }, { $inc: { beat: 1 } })
    await change(lease, { holder: me }, handOver(wanted))
    return false
  }
  /** Number of partitions of a process. The first, for which writes wait, counts twice: its holder has other work too. */
  const loadOf = (held: readonly LeaseDocument[]): number =>
    held.length + (held.some(({ _id }) => _id === ids[0]) ? 1 : 0)
  /** Asks a process for its last partition, if it would still have at least as much as this one. */
  const askFor = async (found: readonly LeaseDocument[], mine: readonly LeaseDocument[]): Promise<void> => {
    const last = [...Map.groupBy(found, ({ holder }) => holder)]
      .find(([holder, of]) => holder !== '' && of.length > 1 && loadOf(of) >= loadOf(mine) + 2)?.[1]
      .at(-1)
    if (last !== undefined) await change(last, {}, { $set: { wanted: me } })
  }
  return {
    hold: async (): Promise<number[]> => {
      const all = new Map((await leases.find({ _id: { $in: [...ids] } }).toArray()).map((each) => [each._id, each]))
      const found = ids.flatMap((id) => all.get(id) ?? [])
      const mine = found.filter(({ holder }) => holder === me)
      const answers = await Promise.all(
        ids.map((id) => {
          const lease = all.get(id)
          if (lease === undefined) return insertLease(leases, id, me)
          return hold(lease, mine.length > 1 && lease === mine.at(-1))
        }),
      )
      const held = [...ids.keys()].filter((partition) => answers[partition])
      if (held.length === mine.length) await askFor(found, mine)
      return held
    },
    release: () => leases.updateMany({ _id: { $in: [...ids] }, holder: me }, handOver('')),
  }
}

/** Whether a process leads is read from the leases: a sleeping process cannot report that it no longer does. */
const statesOf = (documents: readonly ProcessDocument[], leases: readonly LeaseDocument[]) =>
  documents.map(({ _id, position, ...state }): ProcessState => ({
    id: _id,
    ...state,
    projects: leases.filter(({ holder }) => holder === _id).flatMap(namesIn),
    position: position === null ? undefined : BigInt(position),
  }))

export const openLease = (db: Db, partitions: readonly (readonly Collections[])[], silence = 2100): Lease => {
  const id = randomUUID()
  const startedAt = new Date()
  const processes = db.collection<ProcessDocument>('processes')
  const leases = db.collection<LeaseDocument>('processes')
  const ids = partitions.map(leaseOf)
  const lease = makeLeases(leases, ids, id, silence)
  return {
    id,
    partitions: partitions.map((partition) => partition.map(({ projection }) => projection.name)),
    hold: () => withRetry(lease.hold),
    release: () => withRetry(async () => void (await lease.release())),
    report: (position) =>
      withRetry(async () => {
        const seenAt = new Date()
        const state = { host: hostname(), pid: process.pid, version, startedAt, seenAt }
        const document = { ...state, position: position === undefined ? null : numberText(position) }
        await processes.replaceOne({ _id: id }, document, { upsert: true })
      }),
    leave: () =>
      withRetry(async () => {
        await lease.release()
        await processes.deleteMany({ seenAt: { $lt: new Date(Date.now() - 10 * reportTimeout) } })
        await processes.deleteOne({ _id: id })
      }),
    processes: () =>
      withRetry(async () => {
        const since = new Date(Date.now() - reportTimeout)
        const found = await processes
          .find({ seenAt: { $gte: since } })
          .sort({ startedAt: 1, _id: 1 })
          .toArray()
        return statesOf(found, await leases.find({ holder: { $exists: true } }).toArray())
      }),
  }
}
