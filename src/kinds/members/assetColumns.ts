import { promisable, type AssetColumn } from '../../shared/columnTypes.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { Members } from '../../events/events.ts'
import { buildFqn, childFqn } from '../names.ts'
import { isParsed, isSameText, schemaTextIn } from '../schemaText/readSchemaText.ts'
import { nodesByName, nodesOf, pathsIn, rootsAsNow, valueAt, type Tree } from './fieldTree.ts'

/** Members that hold columns or fields directly. */
const direct = [['columns'], ['dataModel', 'columns'], ['fields'], ['mlFeatures']]

/** Members whose types are not those of columns. */
const untyped: ReadonlySet<string | undefined> = new Set(['fields', 'mlFeatures'])

/** Members that hold the roots of a schema. */
const rooted = [
  ['messageSchema', 'schemaFields'],
  ['requestSchema', 'schemaFields'],
  ['responseSchema', 'schemaFields'],
]

const assetTrees: readonly Tree[] = [...direct, ...rooted].map((at) => ({ at }))

const texts = ['dataType', 'dataTypeDisplay', 'arrayDataType'] as const

const shown = (column: JsonObject, isTyped = true): AssetColumn => {
  const { name, constraint, children } = column
  const given = isTyped ? texts.filter((member) => typeof column[member] === 'string') : []
  return {
    name: name as string,
    ...Object.fromEntries(given.map((member) => [member, column[member]])),
    ...(typeof constraint === 'string' && { constraints: [constraint] }),
    ...(children !== undefined && { children: nodesOf(children).map((node) => shown(node, isTyped)) }),
  }
}

const shownRoot = (root: JsonObject): AssetColumn => {
  const column = shown(root)
  return column.dataType === 'RECORD' && column.children !== undefined ? { ...column, isRoot: true } : column
}

const tableConstraints = (members: Members): ReadonlyMap<string, ReadonlySet<string>> => {
  const byColumn = new Map<string, Set<string>>()
  for (const { constraintType, columns } of nodesOf(members['tableConstraints'])) {
    const names = (columns ?? []) as string[]
    if (constraintType !== 'PRIMARY_KEY' && (constraintType !== 'UNIQUE' || names.length > 1)) continue
    for (const name of names) byColumn.set(name, (byColumn.get(name) ?? new Set()).add(constraintType))
  }
  return byColumn
}

/** The top-level columns or fields of an asset, those of schemas in their roots; empty if it has none. */
export const assetColumns = (members: Members): readonly AssetColumn[] => {
  const given = tableConstraints(members)
  const constrained = (column: AssetColumn): AssetColumn => {
    const more = given.get(column.name)
    return more === undefined ? column : { ...column, constraints: [...(column.constraints ?? []), ...more] }
  }
  return [
    ...direct.flatMap((at) =>
      nodesOf(valueAt(members, at)).map((node) => constrained(shown(node, !untyped.has(at[0])))),
    ),
    ...rooted.flatMap((at) => nodesOf(valueAt(members, at)).map(shownRoot)),
  ]
}

/** All columns or fields of an asset, nested ones too: each by its names between dots, and by its path as an FQN. */
export const columnPaths = (members: Members): { readonly name: string; readonly path: string }[] =>
  pathsIn(promisable(assetColumns(members)).filter(({ isRoot }) => !isRoot)).map(({ path }) => ({
    name: path.join('.'),
    path: buildFqn(path),
  }))

/** A removed column, or one with another type. */
interface ColumnChange {
  /** Its path, as an FQN. */
  readonly column: string
  readonly from: Json | undefined
  /** The new type; `undefined` if it was removed. */
  readonly to: Json | undefined
  readonly change: 'removed' | 'typeChanged'
}

const composed: ReadonlySet<Json | undefined> = new Set(['ARRAY', 'MAP', 'UNION'])

/** The type of a column, with that of its items; of fields of a schema their text says it, unless these have fields. */
const typeOf = (node: JsonObject, isInSchema: boolean): Json | undefined => {
  const { dataType, arrayDataType, dataTypeDisplay = dataType, children } = node
  if (arrayDataType !== undefined) return `${String(dataType)}<${String(arrayDataType)}>`
  return isInSchema && composed.has(dataType) && nodesOf(children).length === 0 ? dataTypeDisplay : dataType
}

const isTypeKept = (before: JsonObject, after: JsonObject, isInSchema: boolean): boolean => {
  const type = typeOf(before, isInSchema)
  return after['dataType'] === before['dataType'] && [before['dataType'], typeOf(after, isInSchema)].includes(type)
}

/** @param isRooted whether fields of a top-level record are named without it */
const brokenNodes = (
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  isInSchema: boolean,
  isRooted = isInSchema,
  above?: string,
): ColumnChange[] => {
  if (before === after) return []
  const now = nodesByName(after)
  return (isRooted ? rootsAsNow(before, after) : before).flatMap((node): ColumnChange[] => {
    const name = node['name'] as string
    const column = above === undefined ? buildFqn([name]) : childFqn(above, name)
    const children = nodesOf(node['children'])
    const isRecord = isRooted && node['dataType'] === 'RECORD' && children.length > 0
    const [other, from] = [now.get(name), typeOf(node, isInSchema)]
    if (other === undefined && !isRecord) return [{ column, from, to: undefined, change: 'removed' }]
    const isKept = other === undefined || isTypeKept(node, other, isInSchema)
    return [
      ...(isKept ? [] : [{ column, from, to: typeOf(other, isInSchema), change: 'typeChanged' } as const]),
      ...brokenNodes(children, nodesOf(other?.['children']), isInSchema, false, isRecord ? undefined : column),
    ]
  })
}

/** The columns and fields that a change of members breaks; of removed nested ones the outermost only. */
export const brokenColumns = (before: Members, after: Members, trees: readonly Tree[] = assetTrees): ColumnChange[] =>
  trees.flatMap(({ at }) => {
    const [old, text] = [before, after].map((members) => schemaTextIn(valueAt(members, at.slice(0, -1))))
    // What an earlier version of the catalog read otherwise from the same text breaks nobody.
    if (text !== undefined && isParsed(text) && isSameText(old, text)) return []
    return brokenNodes(nodesOf(valueAt(before, at)), nodesOf(valueAt(after, at)), at.at(-1) === 'schemaFields')
  })
