/** What is selected in a list: these ids, or everything that the list has but these. */
export interface Selected {
  readonly all: boolean
  readonly ids: ReadonlySet<string>
}

export const nothingSelected: Selected = { all: false, ids: new Set() }

export const everything: Selected = { all: true, ids: new Set() }

export const isSelected = ({ all, ids }: Selected, id: string): boolean => all !== ids.has(id)

/** How many, of so many that the list has. */
export const countOf = ({ all, ids }: Selected, total: number): number => (all ? total - ids.size : ids.size)

/** With one more or less. */
export const toggled = ({ all, ids }: Selected, id: string): Selected => ({
  all,
  ids: ids.has(id) ? new Set([...ids].filter((each) => each !== id)) : new Set([...ids, id]),
})
