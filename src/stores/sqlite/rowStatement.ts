import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

type Values = SQLInputValue[] | [Readonly<Record<string, SQLInputValue>>]

export interface RowStatement {
  get(...values: Values): object | undefined
  all(...values: Values): object[]
  iterate(...values: Values): Iterable<object>
  run: StatementSync['run']
}

/** @param wide read integers as bigint */
export const prepareRows = (database: DatabaseSync, sql: string, wide = false): RowStatement => {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  statement.setReadBigInts(wide)
  return statement
}
