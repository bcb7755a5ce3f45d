import type { Kind } from '../api/kinds.ts'
import type { Column, Entity } from '../api/types.ts'

/** The value at a dotted path. */
export const memberAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((found, name) => (found as Record<string, unknown> | undefined)?.[name], value)

/** The columns or fields that an entity has, each list with the path at which it stands. */
export const columnsOf = (entity: Entity, kind: Kind): (readonly [path: string, columns: readonly Column[]])[] =>
  (kind.trees ?? []).flatMap((path) => {
    const found = memberAt(entity, path)
    return Array.isArray(found) && found.length > 0 ? [[path, found as readonly Column[]] as const] : []
  })

/** How many there are, nested ones too. */
export const countColumns = (columns: readonly Column[]): number =>
  columns.reduce((sum, { children = [] }) => sum + 1 + countColumns(children), 0)
