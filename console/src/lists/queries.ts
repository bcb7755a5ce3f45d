import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { isKind, kindNamed } from '../api/kinds.ts'
import { listQuery } from '../api/queries.ts'
import { addressOf, listFilters, listNarrowing, listPageSize, type ListSearch } from '../api/reads.ts'
import type { Entity } from '../api/types.ts'

/** A list as its page shows it. */
export interface Listed {
  readonly rows: readonly Entity[]
  /** `undefined` until it is known. */
  readonly total: number | undefined
  readonly error: unknown
  readonly isPending: boolean
  readonly hasNextPage: boolean
  readonly isFetching: boolean
  readonly fetchNextPage: () => unknown
  readonly refetch: () => unknown
}

export const useListed = (kind: string, search: ListSearch): Listed => {
  const list = useInfiniteQuery({
    ...listQuery(kind, listFilters(search), listPageSize),
    enabled: isKind(kind),
    placeholderData: keepPreviousData,
  })
  const { data, error, isPending, hasNextPage, isFetching, fetchNextPage, refetch } = list
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  const total = data?.pages[0]?.paging.total
  return { rows, total, error, isPending, hasNextPage, isFetching, fetchNextPage, refetch }
}

const writesComma = (1.5).toLocaleString().includes(',')

/** The address of a list as CSV, as the reader's spreadsheet takes it. */
export const exportAddress = (kind: string, search: ListSearch): string =>
  addressOf(`/v1/${kindNamed(kind).path}/export`, {
    ...listNarrowing(search),
    asOf: search.asOf,
    bom: true,
    separator: writesComma ? 'semicolon' : undefined,
  })

/** What became, or would become, of one entity. */
export interface Became {
  readonly row?: number
  readonly id?: string
  readonly fullyQualifiedName: string
  readonly outcome: 'changed' | 'conflict' | 'refused'
  readonly changes: readonly { readonly column: string; readonly before: string; readonly after: string }[]
  readonly errors: readonly { readonly column?: string; readonly message: string }[]
}

export interface ChangesResult {
  readonly correlationId: string
  readonly processed: number
  readonly changed: number
  readonly unchanged: number
  readonly failed: number
  readonly data: readonly Became[]
}

/** Sends many changes. @param dryRun only asks what would become of each entity */
export type SendChanges = (dryRun: boolean) => Promise<ChangesResult>

export const sendCsv =
  (kind: string, text: string): SendChanges =>
  async (dryRun) => {
    const path = `/v1/${kindNamed(kind).path}/import`
    return (await call<ChangesResult>('PUT', path, { body: text, contentType: 'text/csv', query: { dryRun } })).data
  }

/** Lists of names by column, and texts. */
export type ChangesBody = Readonly<
  Record<'set' | 'add' | 'remove', Readonly<Record<string, string | readonly string[]>>>
>

/** @param ids what is changed; left out, everything that the address finds */
export const sendChanges =
  (kind: string, body: ChangesBody, ids: readonly string[] | undefined, search: ListSearch): SendChanges =>
  async (dryRun) => {
    const path = `/v1/${kindNamed(kind).path}/changes`
    const query = { ...(ids === undefined && listNarrowing(search)), dryRun }
    return (await call<ChangesResult>('POST', path, { body: { ...body, ...(ids && { ids }) }, query })).data
  }
