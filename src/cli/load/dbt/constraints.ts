import { childFqn } from '../../../kinds/names.ts'
import type { ProjectNode } from './artifacts.ts'
import { nameAmong, type ProjectTable } from './tables.ts'

/** Constraints of the table and of its columns, if dbt enforces its contract. */
const constraintsOf = ({ config, constraints, columns }: ProjectNode) => {
  if (config?.contract?.enforced !== true) return undefined
  const ofColumns = Object.values(columns).flatMap((column) =>
    (column.constraints ?? []).map((each) => ({ ...each, columns: [column.name] })),
  )
  return [...(constraints ?? []), ...ofColumns]
}

/** The strictest stands first. */
const columnConstraints: readonly string[] = ['primary_key', 'unique', 'not_null']

const tableConstraints: readonly string[] = ['primary_key', 'unique', 'foreign_key']

/** A table with the constraints of its contract. @param tables those that foreign keys may refer to */
export const withConstraints = (table: ProjectTable, tables: readonly ProjectTable[]): ProjectTable => {
  const { node, columns, members } = table
  const constraints = constraintsOf(node)
  if (constraints === undefined) return table
  const names = columns.map(({ name }) => name)
  const known = constraints
    .map((each) => ({ ...each, columns: (each.columns ?? []).map((name) => nameAmong(names, name)) }))
    .filter((each) => each.columns.every((name) => names.includes(name)))
  const constraintOf = (name: string): string => {
    const own = known.filter((each) => each.columns.length === 1 && each.columns[0] === name)
    return columnConstraints.find((type) => own.some((each) => each.type === type))?.toUpperCase() ?? 'NULL'
  }
  /** @param to such as `"shop"."main"."orders"`, or without the database */
  const referred = (to: string, of: readonly string[]): string[] => {
    const path = `.${to.replaceAll(/["`[\]]/g, '').toLowerCase()}`
    const target = tables.find(({ database, schema, name }) =>
      `.${database}.${schema}.${name}`.toLowerCase().endsWith(path),
    )
    const targetNames = target?.columns.map(({ name }) => name) ?? []
    return target ? of.map((name) => childFqn(target.fullyQualifiedName, nameAmong(targetNames, name))) : []
  }
  const listed = known.flatMap(({ type, columns: own, to, to_columns: of }) => {
    if (!tableConstraints.includes(type)) return []
    const referredColumns = referred(to ?? '', of ?? [])
    const constraint = { constraintType: type.toUpperCase(), columns: own }
    return [{ ...constraint, ...(referredColumns.length > 0 && { referredColumns }) }]
  })
  return {
    ...table,
    columns: columns.map((column) => ({ ...column, constraint: constraintOf(column.name) })),
    members: { ...members, tableConstraints: listed },
  }
}
