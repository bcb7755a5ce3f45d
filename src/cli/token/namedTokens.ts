import { isObject } from '../../shared/json.ts'
import type { ApiClient } from '../client/apiClient.ts'

const columns = ['name', 'roles', 'expiresAt', 'createdAt', 'createdBy'] as const
const heads = ['NAME', 'ROLES', 'EXPIRES', 'MADE', 'BY']

/** The tokens of programs that hold, as a table. */
export const listNamed = async (client: ApiClient): Promise<string> => {
  const { data } = await client.get('tokens')
  const rows = (Array.isArray(data) ? data.filter(isObject) : []).map((token) =>
    columns.map((column) => String(token[column]).replace(/:\d\d\.\d{3}Z$/, 'Z')),
  )
  if (rows.length === 0) return 'No program has a token. `token --name NAME --role ROLE` makes one.'
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [heads, ...rows].map(line).join('\n')
}
