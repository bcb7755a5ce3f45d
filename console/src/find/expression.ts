/** What the address of a search says. */
export interface FindSearch {
  readonly q?: string | undefined
  readonly kind?: string | undefined
  readonly owner?: string | undefined
  readonly tag?: string | undefined
  readonly service?: string | undefined
  readonly status?: string | undefined
  readonly sort?: string | undefined
  readonly deleted?: string | undefined
}

/** Filters that are parts of the query, and the field that each asks. */
const fields: readonly (readonly [keyof FindSearch, string])[] = [
  ['owner', 'owner'],
  ['tag', 'tag'],
  ['service', 'service'],
  ['status', 'entityStatus'],
]

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, ' ')}"`

/** The query of a search with its filters, in the query language. */
export const expressionOf = (search: FindSearch): string => {
  const words = search.q?.trim() ?? ''
  const filters = fields.flatMap(([name, field]) => {
    const value = search[name]
    return value === undefined ? [] : [`${field}:${quoted(value)}`]
  })
  if (filters.length === 0) return words === '' ? '*' : words
  return words === '' || words === '*' ? filters.join(' AND ') : [`(${words})`, ...filters].join(' AND ')
}
