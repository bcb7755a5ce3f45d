import { useInfiniteQuery } from '@tanstack/react-query'
import { call, type CallOptions } from '../api/client.ts'
import { isKind, kindNamed } from '../api/kinds.ts'
import { listQuery, whatWas } from '../api/queries.ts'
import { addressOf, listFilters, listNarrowing, listPageSize, type ListSearch } from '../api/reads.ts'
import type { Selected } from './selected.ts'

/** A list as its page shows it; until it has arrived, the rows that the page had before it was narrowed or sorted. */
export const useListed = (kind: string, search: ListSearch) => {
  const list = useInfiniteQuery({
    ...listQuery(kind, listFilters(search), listPageSize),
    enabled: isKind(kind),
    placeholderData: whatWas('list', kind),
  })
  const rows = list.data?.pages.flatMap((page) => page.data) ?? []
  const arrived = !list.isPlaceholderData
  return { list, rows, arrived, total: arrived ? list.data?.pages[0]?.paging.total : undefined }
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
  /** A preview shows what was there at this position of the log. */
  readonly position: string | undefined
}

/** Sends what is previewed, or done unless somebody has changed the same entity since the preview. */
const sendMany = async (
  method: string,
  path: string,
  options: CallOptions,
  previewed: ChangesResult | undefined,
): Promise<ChangesResult> => {
  const query = { ...options.query, dryRun: previewed === undefined, unchangedSince: previewed?.position }
  const { data, position } = await call<ChangesResult>(method, path, { ...options, query })
  return { ...data, position }
}

/** Sends many changes. @param previewed what would become of each entity; left out, that alone is asked */
export type SendChanges = (previewed?: ChangesResult) => Promise<ChangesResult>

export const sendCsv =
  (kind: string, text: string): SendChanges =>
  (previewed) =>
    sendMany('PUT', `/v1/${kindNamed(kind).path}/import`, { body: text, contentType: 'text/csv' }, previewed)

/** Lists of names by column, and texts. */
export type ChangesBody = Readonly<
  Record<'set' | 'add' | 'remove', Readonly<Record<string, string | readonly string[]>>>
>

/** A preview of everything that the address finds, but what is not selected. */
const without = (previewed: ChangesResult, left: ReadonlySet<string>): ChangesResult => {
  const data = previewed.data.filter(({ id = '' }) => !left.has(id))
  const changed = data.filter(({ outcome }) => outcome === 'changed').length
  const unchanged = Math.max(0, previewed.unchanged - (left.size - (previewed.data.length - data.length)))
  return { ...previewed, data, changed, unchanged, failed: data.length - changed }
}

/**
 * Changes what the preview names, and nothing that is found since.
 * @param selected what is previewed, of what the address finds
 */
export const sendChanges =
  (kind: string, body: ChangesBody, { all, ids }: Selected, search: ListSearch): SendChanges =>
  async (previewed) => {
    const chosen = previewed?.data.flatMap(({ id }) => id ?? []) ?? (all ? undefined : [...ids])
    const narrowing = listNarrowing(search)
    const isWhole = Object.values(narrowing).every((value) => value === undefined)
    const query = chosen === undefined ? { ...narrowing, ...(isWhole && { q: '*' }) } : {}
    const sent = { body: { ...body, ...(chosen && { ids: chosen }) }, query }
    const result = await sendMany('POST', `/v1/${kindNamed(kind).path}/changes`, sent, previewed)
    return chosen === undefined ? without(result, ids) : result
  }
