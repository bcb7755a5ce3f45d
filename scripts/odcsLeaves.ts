import { isObject, pointer, type Json, type JsonObject, type Path } from '../src/odcs/model/types.ts'

/** A scalar of a document: what it says, where, and which schema element it stands in. */
interface Leaf {
  path: string
  member: string
  scope: string
  value: string
}

const ELEMENTS = new Set(['schema', 'dataset', 'tables', 'columns', 'properties'])
const VERSION = new Set(['/apiVersion', '/standardVersion', '/kind'])
const INVERTED = new Set(['isNullable', 'nullable'])

/**
 * What an imported document says and an exported one does not. A value counts as kept when it stands anywhere in the
 * same schema element (table and column) as often as before; null means absent, a password must be gone.
 */
export const lostLeaves = (imported: JsonObject, exported: JsonObject): { leaves: number; lost: string[] } => {
  const found = new Map<string, number>()
  for (const leaf of leavesOf(exported, [], '')) bump(found, keyOf(leaf), 1)
  const lost: string[] = []
  let leaves = 0
  for (const leaf of leavesOf(imported, [], '')) {
    if (VERSION.has(leaf.path) && isRewritten(leaf, exported)) continue
    if (leaf.path === '/password') continue
    leaves += 1
    const key = keyOf(leaf)
    if ((found.get(key) ?? 0) > 0) bump(found, key, -1)
    else lost.push(leaf.path)
  }
  return { leaves, lost }
}

const bump = (counts: Map<string, number>, key: string, by: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

// A v2 truth that says the opposite under its new name.
const keyOf = ({ scope, value, member }: Leaf): string => {
  const said = INVERTED.has(member) && (value === 'true' || value === 'false') ? String(value === 'false') : value
  return `${scope}\n${said}`
}

const isRewritten = (leaf: Leaf, exported: JsonObject): boolean =>
  leaf.path !== '/kind' && exported['apiVersion'] === 'v3.1.0'

function* leavesOf(value: Json, path: Path, scope: string): Generator<Leaf> {
  if (value === null) return
  if (Array.isArray(value)) {
    const named = ELEMENTS.has(String(path.at(-1)))
    for (const [index, item] of value.entries())
      yield* leavesOf(item, [...path, index], named && isObject(item) ? `${scope}/${nameOf(item, index)}` : scope)
  } else if (isObject(value)) {
    const kept = path.at(-2) === 'customProperties' ? String(value['property']).split('.').at(-1) : undefined
    for (const [member, item] of Object.entries(value)) {
      yield* leavesOf(item, [...path, member === 'value' && kept !== undefined ? kept : member], scope)
    }
  } else
    yield {
      path: pointer(path),
      member: String(path.at(-1)),
      scope,
      value: typeof value === 'string' ? JSON.stringify(value) : String(value),
    }
}

const nameOf = (item: JsonObject, index: number): string =>
  String(item['table'] ?? item['column'] ?? item['name'] ?? index)
