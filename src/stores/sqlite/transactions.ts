import type { DatabaseSync } from 'node:sqlite'

/** Runs work in transactions; work that can be redone shares one transaction for a while. */
export interface Transactions {
  /** Rolls back when the work throws. */
  transaction<T>(work: () => T): T
  /**
   * The same for work that can be redone: with `commitEvery` the transaction stays open for a while, so that many
   * commits become one, unless much was changed. Reads of this connection see it at once. A failure rolls back
   * everything uncommitted.
   * @param undone called with the reason, in the same turn, when this is rolled back after it was done
   */
  inSharedTransaction<T>(work: () => T, undone: (reason: unknown) => void): T
  /** Commits the open transaction, so that other connections see it. @throws when that fails: then it is rolled back */
  flush(): void
  /** The same for an owner that cannot do anything about a failure. */
  end(): void
}

/**
 * Most rows changed by a shared transaction before it is committed. A commit writes each changed page once, so that few
 * large ones cost a quarter less than many small ones; this one takes no longer than applying a batch does.
 */
const maxChanges = 8000

/** Interval of commits in milliseconds: a crash loses at most this much redoable work. */
export const commitInterval = 1000

/** Counts the rows that a connection has changed. */
export const countChanges = (database: DatabaseSync): (() => number) => {
  const changed = database.prepare('SELECT total_changes() AS n')
  return () => Number(changed.get()?.['n'])
}

/**
 * @param commitEvery milliseconds for which `inSharedTransaction` may keep its transaction open; 0 commits at once
 * @param mayDefer asked before a transaction is kept open; `false` commits at once
 * @param committed called after each commit
 */
export const makeTransactions = (
  database: DatabaseSync,
  commitEvery: number,
  mayDefer: () => boolean,
  committed: () => void,
): Transactions => {
  const changes = countChanges(database)
  let changesBefore = 0
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commitOpen = database.prepare('COMMIT')
  let timer: NodeJS.Timeout | undefined
  let uncommitted: ((reason: unknown) => void)[] = []
  const undo = (reason: unknown): void => {
    const lost = uncommitted
    uncommitted = []
    for (const undone of lost.toReversed()) undone(reason)
  }
  const commit = (): void => {
    commitOpen.run()
    uncommitted = []
    committed()
  }
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (database.isTransaction) rollBackOnError(database, commit, undo)
  }
  const end = (): void => {
    try {
      flush()
    } catch {
      // Those whose work is undone were told why.
    }
  }
  const transaction: Transactions['transaction'] = (work) => {
    flush()
    begin.run()
    const workAndCommit = () => {
      const result = work()
      commit()
      return result
    }
    return rollBackOnError(database, workAndCommit, undo)
  }
  const inSharedTransaction: Transactions['inSharedTransaction'] = (work, undone) => {
    if (!database.isTransaction) {
      if (!mayDefer()) return transaction(work)
      begin.run()
      changesBefore = changes()
    }
    timer ??= setTimeout(end, commitEvery).unref()
    const result = rollBackOnError(database, work, undo)
    if (changes() - changesBefore >= maxChanges) flush()
    else uncommitted.push(undone)
    return result
  }
  return { transaction, inSharedTransaction: commitEvery > 0 ? inSharedTransaction : transaction, flush, end }
}

/** Runs work in a transaction of its own, which is rolled back when the work throws. */
export const inTransaction = <T>(database: DatabaseSync, work: () => T): T => {
  database.exec('BEGIN IMMEDIATE')
  return rollBackOnError(database, () => {
    const result = work()
    database.exec('COMMIT')
    return result
  })
}

/** Runs work in the open transaction, which is rolled back when the work throws. */
const rollBackOnError = <T>(database: DatabaseSync, work: () => T, undone: (reason: unknown) => void = () => {}): T => {
  try {
    return work()
  } catch (error) {
    rollBack(database)
    undone(error)
    throw error
  }
}

const rollBack = (database: DatabaseSync): void => {
  try {
    if (database.isTransaction) database.exec('ROLLBACK')
  } catch {
    // The error that led to this says more.
  }
}
