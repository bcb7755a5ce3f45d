/** A list that comes page by page. */
export interface Pages {
  readonly hasNextPage: boolean
  readonly isFetching: boolean
  readonly isFetchingNextPage: boolean
  readonly isFetchNextPageError: boolean
  readonly error: unknown
  readonly fetchNextPage: () => unknown
}

/** Whether the next page may be asked for unasked: one that failed is not asked for again by itself. */
export const goesOn = ({ hasNextPage, isFetching, isFetchNextPageError }: Pages): boolean =>
  hasNextPage && !isFetching && !isFetchNextPageError

/** Pages of a list that are asked for again when somebody looks at it again: more of them would take long. */
const fewPages = 5

/** Whether what was answered is not a list, or few pages of one. */
export const isShort = (data: unknown): boolean => {
  const { pages = [] } = (data ?? {}) as { readonly pages?: readonly unknown[] }
  return pages.length <= fewPages
}

/** What is kept of a long list when it is asked for again after a write. */
export const firstPages = ({ pages, pageParams }: Record<'pages' | 'pageParams', unknown[]>) => ({
  pages: pages.slice(0, fewPages),
  pageParams: pageParams.slice(0, fewPages),
})
