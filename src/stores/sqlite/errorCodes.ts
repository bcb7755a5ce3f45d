/** The primary result code of an SQLite error; `undefined` for other errors. */
export const codeOf = (error: unknown): number | undefined => {
  if (!(error instanceof Error)) return undefined
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : undefined
}

const damaged: ReadonlySet<number> = new Set([11, 26])

export const isDamage = (error: unknown): boolean => damaged.has(codeOf(error) ?? 0)
