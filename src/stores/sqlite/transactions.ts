import type { DatabaseSync } from 'node:sqlite'
import { makeUndoing } from './undoing.ts'

/** Runs pieces of work in transactions, and what may be lost for a while together in one. */
export interface Transactions {
  /** Undoes the work when it throws; a bulk file cannot, and must not be used any more after that. */
  transaction<T>(work: () => T): T
  /**
   * The same for what can be made again: with `commitEvery` the transaction stays open for a while, so that many
   * commits become one, unless much was changed. Reads of this file see it at once. When it fails, all that is not
   * committed is undone; and when that happens in between, the next call says so instead of doing its work.
   */
  inSharedTransaction<T>(work: () => T): T
  /** Commits what is open, so that other connections see it; throws when that failed, now or before. */
  flush(): void
  end(): void
}

/** Rows that a shared transaction changes at most before it is committed: more would hold up others for too long. */
const mostChanges = 500

/**
 * @param commitEvery milliseconds for which `inSharedTransaction` may keep its transaction open; 0: it commits at once
 * @param mayWait is asked before a transaction is kept open; when it says no, that work commits at once
 * @param committed is told after each commit
 */
export const makeTransactions = (
  database: DatabaseSync,
  commitEvery: number,
  mayWait: () => boolean,
  committed: () => void = () => {},
): Transactions => {
  const changed = database.prepare('SELECT total_changes() AS n')
  const changes = (): number => Number(changed.get()?.['n'])
  let begun = 0
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commitOpen = database.prepare('COMMIT')
  let timer: NodeJS.Timeout | undefined
  let lost: unknown
  const undoing = makeUndoing(database)
  const commit = (): void => {
    commitOpen.run()
    committed()
  }
  const end = (): void => {
    clearTimeout(timer)
    timer = undefined
    try {
      if (database.isTransaction) undoing(commit)
    } catch (error) {
      lost = error
    }
  }
  const transaction: Transactions['transaction'] = (work) => {
    end()
    begin.run()
    return undoing(() => {
      const result = work()
      commit()
      return result
    })
  }
  const inSharedTransaction: Transactions['inSharedTransaction'] = (work) => {
    if (lost !== undefined) {
      const error = lost
      lost = undefined
      throw error
    }
    if (!database.isTransaction) {
      if (!mayWait()) return transaction(work)
      begin.run()
      begun = changes()
    }
    timer ??= setTimeout(end, commitEvery).unref()
    const result = undoing(work)
    if (changes() - begun >= mostChanges) end()
    return result
  }
  const flush = (): void => {
    end()
    if (lost !== undefined) throw lost
  }
  return { transaction, inSharedTransaction: commitEvery > 0 ? inSharedTransaction : transaction, flush, end }
}

/** Runs all pieces of work in one transaction that never ends: for a bulk file. */
export const makeEndlessTransaction = (database: DatabaseSync): Transactions => {
  let failure: unknown
  const transaction: Transactions['transaction'] = (work) => {
    if (failure !== undefined) throw failure
    if (!database.isTransaction) database.exec('BEGIN IMMEDIATE')
    try {
      return work()
    } catch (error) {
      failure = error
      throw error
    }
  }
  return { transaction, inSharedTransaction: transaction, flush: () => {}, end: () => {} }
}
