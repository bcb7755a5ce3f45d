import { untyped } from '../api/typedJson.ts'
import type { Column, Entity, Reference } from '../api/types.ts'
import { wordsOf } from '../ui/format.ts'
import { memberAt } from './columns.ts'

/** A change that somebody makes on the page: what it touches, and how the API is asked for it. */
export interface Edit {
  /** What is changed, in words. */
  readonly label: string
  /** The new value; `null` clears. */
  readonly value: unknown
  /** The new value as people read it, where that is another. */
  readonly shown?: unknown
  /** The value that it replaces, in this or a later state of the entity. */
  readonly read: (entity: Entity) => unknown
  /** @throws Error when what it changes is not there any more */
  readonly request: (entity: Entity) => { readonly body: unknown; readonly contentType: string }
}

/** Replaces a member as a whole. */
export const setMember = (name: string, value: unknown): Edit => ({
  label: wordsOf(name),
  value: untyped(value),
  read: (entity) => entity[name],
  request: () => ({ body: { [name]: value }, contentType: 'application/merge-patch+json' }),
})

/** The new value of an edit as people read it. */
export const shownIn = ({ value, shown = value ?? undefined }: Edit): unknown => shown

/** Replaces a list of references. */
export const setReferences = (name: string, chosen: readonly Reference[]): Edit => ({
  ...setMember(
    name,
    chosen.map(({ id, type }) => ({ id, type })),
  ),
  shown: chosen,
})

/** Puts another value in the place of what is there: what an object had is gone, and `null` clears. */
export const replacing = (path: string, value: unknown) => ({ op: 'add', path, value })

const replacingOne = (path: string, value: unknown) => ({
  body: [replacing(path, value)],
  contentType: 'application/json-patch+json',
})

/** Puts another value in the place of a member, or the first one. */
export const replaceMember = (name: string, value: unknown): Edit => ({
  ...setMember(name, value),
  request: () => replacingOne(`/${name}`, value),
})

/** JSON Pointer to a column by the names that lead to it; `undefined`: there is none. */
const pointerTo = (columns: readonly Column[], names: readonly string[], pointer: string): string | undefined => {
  const [name, ...rest] = names
  const at = columns.findIndex((column) => column.name === name)
  if (at === -1) return undefined
  const here = `${pointer}/${at}`
  return rest.length === 0 ? here : pointerTo(columns[at]?.children ?? [], rest, `${here}/children`)
}

const columnAt = (columns: readonly Column[], names: readonly string[]): Column | undefined => {
  const [name, ...rest] = names
  const column = columns.find((each) => each.name === name)
  return rest.length === 0 ? column : columnAt(column?.children ?? [], rest)
}

/**
 * Replaces a member of one column, wherever that column stands when the change is made.
 * @param tree path of the list of columns, such as `columns` or `messageSchema.schemaFields`
 * @param names of the column and those above it, the outermost first
 */
export const setColumn = (tree: string, names: readonly string[], member: keyof Column, value: unknown): Edit => {
  const columnsIn = (entity: Entity): readonly Column[] =>
    (memberAt(entity, tree) as readonly Column[] | undefined) ?? []
  return {
    label: `${wordsOf(member)} of ${names.join('.')}`,
    value,
    read: (entity) => columnAt(columnsIn(entity), names)?.[member],
    request: (entity) => {
      const pointer = pointerTo(columnsIn(entity), names, `/${tree.replaceAll('.', '/')}`)
      if (pointer === undefined) throw new Error(`There is no column ${names.join('.')} any more.`)
      return replacingOne(`${pointer}/${member}`, value)
    },
  }
}
