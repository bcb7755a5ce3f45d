import { splitFqn } from '../names.ts'

export interface EntityLink {
  /** FQN of the table. */
  readonly table: string
  /** Names that lead to the column; none for the table as a whole. */
  readonly column: readonly string[]
}

const linkPattern = /^<#E::([^:]+)::(.+?)(?:::columns::(.+))?>$/s

/**
 * Reads `<#E::table::FQN>` or `<#E::table::FQN::columns::COLUMN>`, dotted for nested columns.
 * @returns what it names, or what is wrong with it
 */
export const readEntityLink = (link: string): EntityLink | string => {
  const match = linkPattern.exec(link)
  if (match === null) return 'must be <#E::table::TABLE_FQN> or <#E::table::TABLE_FQN::columns::COLUMN>'
  const [, kind, table = '', column] = match
  if (kind !== 'table') return `names a ${kind}: tests are on tables and their columns`
  if (`${table}${column ?? ''}`.includes('::'))
    return 'must name a table, and may name ::columns:: and one column after it'
  return { table, column: column === undefined ? [] : (splitFqn(column) ?? [column]) }
}
