import type { JsonObject } from '../../shared/json.ts'
import type { Members } from '../../events/events.ts'
import { buildFqn, childFqn } from '../names.ts'
import { nodesOf, valueAt } from './fieldTree.ts'

export interface AssetColumn {
  readonly name: string
  readonly dataType?: string
  /** `PRIMARY_KEY`, `UNIQUE`, `NOT_NULL`, `NULL`: its own and those of the table. */
  readonly constraints?: readonly string[]
  readonly children?: readonly AssetColumn[]
}

/** Members that hold columns or fields directly. */
const direct = [['columns'], ['dataModel', 'columns'], ['fields'], ['mlFeatures']]

/** Members that hold the roots of a schema: the fields of a top-level record count. */
const rooted = [
  ['messageSchema', 'schemaFields'],
  ['requestSchema', 'schemaFields'],
  ['responseSchema', 'schemaFields'],
]

const below = (root: JsonObject): readonly JsonObject[] =>
  root['dataType'] === 'RECORD' && root['children'] !== undefined ? nodesOf(root['children']) : [root]

const shown = ({ name, dataType, constraint, children }: JsonObject): AssetColumn => ({
  name: name as string,
  ...(typeof dataType === 'string' && { dataType }),
  ...(typeof constraint === 'string' && { constraints: [constraint] }),
  ...(children !== undefined && { children: nodesOf(children).map((node) => shown(node)) }),
})

/** Table constraints by column. */
const tableConstraints = (members: Members): ReadonlyMap<string, readonly string[]> => {
  const byColumn = new Map<string, string[]>()
  for (const { constraintType, columns } of nodesOf(members['tableConstraints'])) {
    const names = (columns ?? []) as string[]
    if (constraintType !== 'PRIMARY_KEY' && (constraintType !== 'UNIQUE' || names.length > 1)) continue
    for (const name of names) byColumn.set(name, [...(byColumn.get(name) ?? []), constraintType])
  }
  return byColumn
}

/** The top-level columns or fields of an asset; empty if it has none. */
export const assetColumns = (members: Members): readonly AssetColumn[] => {
  const given = tableConstraints(members)
  const constrained = (column: AssetColumn): AssetColumn => {
    const more = given.get(column.name)
    return more === undefined ? column : { ...column, constraints: [...(column.constraints ?? []), ...more] }
  }
  return [
    ...direct.flatMap((at) => nodesOf(valueAt(members, at)).map((node) => constrained(shown(node)))),
    ...rooted.flatMap((at) => nodesOf(valueAt(members, at)).flatMap(below).map(shown)),
  ]
}

/** Names by which a contract may refer to columns or fields of an asset. */
export const columnNames = (members: Members): ReadonlySet<string> => {
  const roots = rooted.flatMap((at) => nodesOf(valueAt(members, at)))
  return new Set([
    ...assetColumns(members).map((column) => column.name),
    ...roots.map((root) => root['name'] as string),
  ])
}

/** A removed column, or one with another type. */
interface ColumnChange {
  /** Its path, as an FQN. */
  readonly column: string
  readonly from: string | undefined
  /** The new type; `undefined` if it was removed. */
  readonly to: string | undefined
  readonly change: 'removed' | 'typeChanged'
}

/** The columns that a change breaks; of removed nested ones the outermost only. */
export const brokenColumns = (before: Columns, after: Columns, above?: string): ColumnChange[] => {
  const now = new Map(after.map((column) => [column.name, column]))
  return before.flatMap(({ name, dataType, children = [] }): ColumnChange[] => {
    const column = above === undefined ? buildFqn([name]) : childFqn(above, name)
    const other = now.get(name)
    if (other === undefined) return [{ column, from: dataType, to: undefined, change: 'removed' }]
    const own =
      other.dataType === dataType
        ? []
        : [{ column, from: dataType, to: other.dataType, change: 'typeChanged' } as const]
    return [...own, ...brokenColumns(children, other.children ?? [], column)]
  })
}

type Columns = readonly AssetColumn[]
