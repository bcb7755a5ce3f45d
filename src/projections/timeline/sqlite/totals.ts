import type { SqliteFile } from '../../sqlite/file.ts'

/**
 * A total that changes often is one row for many changes: the total `n` from `position` on, and after it a step of four
 * bytes for each change by one: its distance from that position times two, one more where it went down.
 */
const stepLength = 4

/** Distances that a step has room for. */
const longest = 2 ** 31 - 1

/** Changes that one row tells at most: a reader looks through them. */
const mostChanges = 512

interface Change {
  readonly position: bigint
  readonly n: number
}

export type TotalsRow = [n: bigint, position: bigint, steps: Uint8Array | null]

/** The totals that a row tells, oldest first. */
export function* changesIn([first, position, steps]: TotalsRow): Generator<Change> {
  let n = Number(first)
  yield { position, n }
  if (steps === null) return
  const bytes = Buffer.from(steps.buffer, steps.byteOffset, steps.byteLength)
  for (let from = 0; from + stepLength <= bytes.length; from += stepLength) {
    const step = bytes.readUInt32BE(from)
    n += step % 2 === 0 ? 1 : -1
    yield { position: position + BigInt(step >>> 1), n }
  }
}

/** The total of a row as it was at a position, or at its end. */
const totalOf = (row: TotalsRow, at: bigint | undefined): number => {
  let total = Number(row[0])
  for (const { position, n } of changesIn(row)) {
    if (at !== undefined && position > at) break
    total = n
  }
  return total
}

const columns = 'n, position, steps'

/** How many were in a list at a position, or after everything. */
export const readTotal = (file: SqliteFile, list: number, at?: bigint): number => {
  const condition = at === undefined ? '' : 'AND position <= ?'
  const row = file
    .wide(`SELECT ${columns} FROM timeline_totals WHERE list = ? ${condition} ORDER BY position DESC LIMIT 1`)
    .get(list, ...(at === undefined ? [] : [at]))
  return row === undefined ? 0 : totalOf(row as TotalsRow, at)
}

const writeRow = (file: SqliteFile, list: number, changes: readonly Change[]): void => {
  const [{ position, n }, ...rest] = changes as [Change, ...Change[]]
  const steps = Buffer.alloc(rest.length * stepLength)
  let before = n
  for (const [at, change] of rest.entries()) {
    steps.writeUInt32BE(Number(change.position - position) * 2 + (change.n < before ? 1 : 0), at * stepLength)
    before = change.n
  }
  file
    .statement('INSERT OR REPLACE INTO timeline_totals (list, position, n, steps) VALUES (?, ?, ?, ?)')
    .run(list, position, n, rest.length === 0 ? null : steps)
}

const fits = (changes: readonly Change[], { position, n }: Change): boolean => {
  const [first, last] = [changes[0], changes.at(-1)]
  if (first === undefined || last === undefined) return true
  return changes.length < mostChanges && position - first.position <= longest && Math.abs(n - last.n) === 1
}

const writeRows = (file: SqliteFile, list: number, changes: readonly Change[]): void => {
  let row: Change[] = []
  for (const change of changes) {
    if (!fits(row, change)) {
      writeRow(file, list, row)
      row = []
    }
    row.push(change)
  }
  if (row.length > 0) writeRow(file, list, row)
}

/** Changes a total from a position on, however much of what came after it is stored. */
const changeFrom = (file: SqliteFile, list: number, at: bigint, by: number): void => {
  file.statement('UPDATE timeline_totals SET n = n + ? WHERE list = ? AND position > ?').run(by, list, at)
  const row = file
    .wide(`SELECT ${columns} FROM timeline_totals WHERE list = ? AND position <= ? ORDER BY position DESC LIMIT 1`)
    .get(list, at) as TotalsRow | undefined
  const stored = row === undefined ? [] : [...changesIn(row)]
  const until = stored.filter(({ position }) => position <= at)
  const later = stored.slice(until.length).map(({ position, n }) => ({ position, n: n + by }))
  const before = until.filter(({ position }) => position < at)
  writeRows(file, list, [...before, { position: at, n: (until.at(-1)?.n ?? 0) + by }])
  writeRows(file, list, later)
}

/** The totals that a batch changes, until they are written. */
export interface TotalsOfBatch {
  /** Notes the newest total; positions come in the order of the log. */
  note(list: number, position: bigint, n: number): void
  /** Notes a change that counts from an earlier position on; the newest totals do not have it until it is written. */
  noteEarlier(list: number, position: bigint, by: number): void
  newest(list: number): number | undefined
  /** @returns the lists whose newest totals are others than were noted */
  write(): Iterable<number>
}

export const makeTotals = (file: SqliteFile): TotalsOfBatch => {
  const noted = new Map<number, Change[]>()
  const earlier = new Map<number, Map<bigint, number>>()
  return {
    note: (list, position, n) => {
      const changes = noted.get(list) ?? []
      noted.set(list, changes)
      const last = changes.at(-1)
      if (last?.position === position) changes.pop()
      else if (last?.n === n) return
      changes.push({ position, n })
    },
    noteEarlier: (list, position, by) => {
      const changes = earlier.get(list) ?? new Map<bigint, number>()
      earlier.set(list, changes.set(position, (changes.get(position) ?? 0) + by))
    },
    newest: (list) => noted.get(list)?.at(-1)?.n,
    write: () => {
      for (const [list, changes] of noted) writeRows(file, list, changes)
      for (const [list, changes] of earlier)
        for (const [position, by] of changes) if (by !== 0) changeFrom(file, list, position, by)
      return earlier.keys()
    },
  }
}
