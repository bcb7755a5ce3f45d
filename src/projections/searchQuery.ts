/** Where the words of an entity stand; see `SearchText`. */
export type SearchPart = 'name' | 'fields' | 'labels' | 'description'

/** A parsed search query. */
export type SearchExpression =
  /** These words one after the other within one part, all of them normalised. */
  | {
      readonly type: 'text'
      readonly words: readonly string[]
      /** The last word is only the beginning of one. */
      readonly prefix: boolean
      /** The words may also be written as one. */
      readonly joined: boolean
      /** Where they must stand; anywhere when left out. */
      readonly parts?: readonly SearchPart[]
    }
  /** Lower case. */
  | { readonly type: 'kind' | 'entityStatus'; readonly value: string }
  | { readonly type: 'all' }
  /** An empty `and` matches everything, an empty `or` nothing. */
  | { readonly type: 'and' | 'or'; readonly of: readonly SearchExpression[] }
  | { readonly type: 'not'; readonly of: SearchExpression }
