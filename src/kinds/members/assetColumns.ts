import type { JsonObject } from '../../shared/json.ts'
import type { Members } from '../../events/events.ts'
import { nodesOf, valueAt } from './fieldTree.ts'

export interface AssetColumn {
  readonly name: string
  readonly dataType?: string
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

const shown = ({ name, dataType, children }: JsonObject): AssetColumn => ({
  name: name as string,
  ...(typeof dataType === 'string' && { dataType }),
  ...(children !== undefined && { children: nodesOf(children).map(shown) }),
})

/** The columns or fields of an asset on the first level; none for assets that have no such thing. */
export const columnsIn = (members: Members): readonly AssetColumn[] => [
  ...direct.flatMap((at) => nodesOf(valueAt(members, at)).map(shown)),
  ...rooted.flatMap((at) => nodesOf(valueAt(members, at)).flatMap(below).map(shown)),
]

/** Names by which a contract may mean a column or field of an asset. */
export const columnNames = (members: Members): ReadonlySet<string> => {
  const roots = rooted.flatMap((at) => nodesOf(valueAt(members, at)))
  return new Set([...columnsIn(members).map((column) => column.name), ...roots.map((root) => root['name'] as string)])
}
