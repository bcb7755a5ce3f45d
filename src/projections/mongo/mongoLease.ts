import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Collection, Db } from 'mongodb'
import { isDuplicate, withRetry } from '../../stores/mongo/connection.ts'
import { version } from '../../shared/version.ts'
import type { Lease, ProcessState } from '../lease.ts'
import { pointerId } from './generations.ts'
import type { Kept } from './mongoProjection.ts'
import { numberText } from './texts.ts'

/** The lease of one version's projections, stored in the collection of processes. */
interface LeaseDocument {
  _id: string
  /** Id of the holder; empty if free. */
  holder: string
  /** Incremented when the holder changes. */
  term: number
  /** Incremented with every renewal. */
  beat: number
}

interface ProcessDocument extends Omit<ProcessState, 'id' | 'position' | 'projects'> {
  _id: string
  position: string | null
  /** Id of its lease. */
  lease: string
}

/** Milliseconds without a report after which a process counts as gone. */
const forgotten = 30_000

/** The last seen renewal, with its time by this process's clock. */
interface Sign {
  readonly term: number
  readonly beat: number
  readonly at: number
}

/** One lease per set of projection versions, so that different versions project concurrently. */
const leaseOf = (all: readonly Kept[]): string =>
  ['lease', ...all.map(({ projection }) => pointerId(projection))].join(' ')

/**
 * The lease in MongoDB. Expiry is judged by this process's clock. @param silence milliseconds until it counts as free
 */
const makeLease = (leases: Collection<LeaseDocument>, leaseId: string, holder: string, silence: number) => {
  let seen: Sign | undefined

  const begin = async (): Promise<boolean> => {
    try {
      await leases.insertOne({ _id: leaseId, holder, term: 1, beat: 0 })
      return true
    } catch (error) {
      if (isDuplicate(error)) return false
      throw error
    }
  }
  const isSilent = ({ term, beat }: LeaseDocument): boolean => {
    if (seen?.term !== term || seen.beat !== beat) seen = { term, beat, at: performance.now() }
    return performance.now() - seen.at >= silence
  }
  const takeFrom = async ({ term, beat }: LeaseDocument): Promise<boolean> =>
    (await leases.updateOne({ _id: leaseId, term, beat }, { $set: { holder }, $inc: { term: 1 } })).matchedCount === 1
  const renew = async ({ term }: LeaseDocument): Promise<boolean> =>
    (await leases.updateOne({ _id: leaseId, holder, term }, { $inc: { beat: 1 } })).matchedCount === 1

  return {
    hold: async (): Promise<boolean> => {
      const found = await leases.findOne({ _id: leaseId })
      if (found === null) return begin()
      if (found.holder === holder) return renew(found)
      return (isSilent(found) || found.holder === '') && (await takeFrom(found))
    },
    release: async (): Promise<void> => {
      await leases.updateOne({ _id: leaseId, holder }, { $set: { holder: '' }, $inc: { term: 1 } })
    },
  }
}

/** The leases tell who leads, since a sleeping process cannot report that it no longer does. */
const statesOf = (documents: readonly ProcessDocument[], leases: readonly LeaseDocument[]): ProcessState[] => {
  const holders = new Map(leases.map(({ _id, holder }) => [_id, holder]))
  return documents.map(({ _id, position, lease, ...state }) => ({
    id: _id,
    ...state,
    projects: holders.get(lease) === _id,
    position: position === null ? undefined : BigInt(position),
  }))
}

export const openLease = (db: Db, all: readonly Kept[], silence = 2100): Lease => {
  const id = randomUUID()
  const startedAt = new Date()
  const processes = db.collection<ProcessDocument>('processes')
  const leases = db.collection<LeaseDocument>('processes')
  const leaseId = leaseOf(all)
  const lease = makeLease(leases, leaseId, id, silence)
  return {
    id,
    hold: () => withRetry(lease.hold),
    release: () => withRetry(lease.release),
    report: (position) =>
      withRetry(async () => {
        const seenAt = new Date()
        const state = { host: hostname(), pid: process.pid, version, startedAt, seenAt, lease: leaseId }
        const document = { ...state, position: position === undefined ? null : numberText(position) }
        await processes.replaceOne({ _id: id }, document, { upsert: true })
      }),
    leave: () =>
      withRetry(async () => {
        await processes.deleteMany({ seenAt: { $lt: new Date(Date.now() - 10 * forgotten) } })
        await processes.deleteOne({ _id: id })
      }),
    processes: () =>
      withRetry(async () => {
        const since = new Date(Date.now() - forgotten)
        const found = await processes
          .find({ seenAt: { $gte: since } })
          .sort({ startedAt: 1, _id: 1 })
          .toArray()
        return statesOf(found, await leases.find({ holder: { $exists: true } }).toArray())
      }),
  }
}
