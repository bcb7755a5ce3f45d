import type { Entity } from '../api/types.ts'

/** Ids of what is selected in a list, or everything that the list has. */
export type Selected = 'all' | ReadonlySet<string>

export const nothingSelected: Selected = new Set()

export const isSelected = (selected: Selected, id: string): boolean => selected === 'all' || selected.has(id)

/** With one more or less; of everything, the others that are loaded stay. */
export const toggled = (selected: Selected, id: string, rows: readonly Entity[]): Selected => {
  const ids = new Set(selected === 'all' ? rows.map((row) => row.id) : selected)
  if (!ids.delete(id)) ids.add(id)
  return ids
}
