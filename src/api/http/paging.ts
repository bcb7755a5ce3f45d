import { badQuery, type SentQuery } from './queryParameters.ts'
import { hash } from 'node:crypto'
import type { EntityRow } from '../../projections/entities/row.ts'
import type { ListKey, ListPage } from '../../projections/entities/port.ts'

export interface PageRequest {
  readonly limit: number
  readonly after: ListKey | undefined
  readonly before: ListKey | undefined
  /** The position stored in its cursor. */
  readonly position: bigint | undefined
}

/**
 * Reads `limit`, `after` and `before`. Cursors must belong to this `scope` (a list with its filters). @throws
 * DomainError `invalid`
 */
export const readPage = (query: SentQuery, scope: string): PageRequest => {
  const after = query.get('after')
  const before = query.get('before')
  if (after !== undefined && before !== undefined) throw badQuery('before', 'give either before or after, not both')
  const found = {
    after: after === undefined ? undefined : readCursor(after, scope, 'after'),
    before: before === undefined ? undefined : readCursor(before, scope, 'before'),
  }
  const limit = Number(query.get('limit') ?? 10)
  return { limit, ...found, position: (found.after ?? found.before)?.position }
}

const checksum = (scope: string, payload: string): string =>
  hash('sha256', `${scope}\n${payload}`, 'base64url').slice(0, 12)

/** The key in a cursor, and the position of a list of the past. */
type CursorKey = ListKey & { readonly position?: bigint | undefined }

/** Makes an opaque cursor that is valid only for its own list. */
export const makeCursor = ({ fullyQualifiedName, id, position }: CursorKey, scope: string): string => {
  const parts = [fullyQualifiedName, id, ...(position === undefined ? [] : [String(position)])]
  const payload = Buffer.from(JSON.stringify(parts)).toString('base64url')
  return `${payload}.${checksum(scope, payload)}`
}

const readCursor = (cursor: string, scope: string, name: string): CursorKey => {
  const [payload = '', sum, ...rest] = cursor.split('.')
  if (rest.length > 0 || sum !== checksum(scope, payload)) {
    throw badQuery(name, 'is no cursor of this list: use the cursors of its answers as they are, with the same filters')
  }
  const text = Buffer.from(payload, 'base64url').toString()
  const [fullyQualifiedName, id, position] = JSON.parse(text) as [string, string, string?]
  return { fullyQualifiedName, id, position: position === undefined ? undefined : BigInt(position) }
}

/** The `paging` object of an answer. @param position stored in the cursors of a list of one moment */
export const pagingOf = (
  page: Pick<ListPage, 'total' | 'hasAfter' | 'hasBefore'> & {
    rows: readonly Pick<EntityRow, 'fullyQualifiedName' | 'id'>[]
  },
  scope: string,
  position?: bigint,
): { total: number; before?: string; after?: string; asOf?: string } => {
  const cursorAt = ({ fullyQualifiedName, id }: ListKey): CursorKey => ({ fullyQualifiedName, id, position })
  const first = page.rows[0]
  const last = page.rows.at(-1)
  return {
    total: page.total,
    ...(page.hasBefore && first && { before: makeCursor(cursorAt(first), scope) }),
    ...(page.hasAfter && last && { after: makeCursor(cursorAt(last), scope) }),
    ...(position !== undefined && position >= 0n && { asOf: `@${position}` }),
  }
}
