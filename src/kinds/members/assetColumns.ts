import type { JsonObject } from '../../shared/json.ts'
import type { Members } from '../../events/events.ts'
import { buildFqn, childFqn } from '../names.ts'
import { nodesOf, valueAt } from './fieldTree.ts'

export interface AssetColumn {
  readonly name: string
  readonly dataType?: string
  /** `PRIMARY_KEY`, `UNIQUE`, `NOT_NULL`, `NULL`: its own, and those that a table gives it. */
  readonly constraints?: readonly string[]
  readonly children?: readonly AssetColumn[]
}

/** Members that hold columns or fields as they are. */
const direct = [['columns'], ['dataModel', 'columns'], ['fields'], ['mlFeatures']]

/** Members that hold the roots of a schema: what counts are the fields of a record at the top. */
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

/** Constraints of a table by the columns that have them. */
const tableConstraints = (members: Members): ReadonlyMap<string, readonly string[]> => {
  const byColumn = new Map<string, string[]>()
  for (const { constraintType, columns } of nodesOf(members['tableConstraints'])) {
    const names = (columns ?? []) as string[]
    if (constraintType !== 'PRIMARY_KEY' && (constraintType !== 'UNIQUE' || names.length > 1)) continue
    for (const name of names) byColumn.set(name, [...(byColumn.get(name) ?? []), constraintType])
  }
  return byColumn
}

/** The columns or fields of an asset on the first level; none for assets that have no such thing. */
export const columnsIn = (members: Members): readonly AssetColumn[] => {
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

/** Names by which a contract may mean a column or field of an asset. */
export const columnNames = (members: Members): ReadonlySet<string> => {
  const roots = rooted.flatMap((at) => nodesOf(valueAt(members, at)))
  return new Set([...columnsIn(members).map((column) => column.name), ...roots.map((root) => root['name'] as string)])
}

/** A column that readers of an asset would miss, or find with another type. */
export interface ColumnChange {
  /** Names that lead to it, as an FQN. */
  readonly column: string
  readonly from: string | undefined
  /** `undefined`: it is gone. */
  readonly to: string | undefined
  readonly change: 'removed' | 'typeChanged'
}

/** The columns that a change breaks, the outermost of those that go. */
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
