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
