import type { Measured } from './load.ts'

/** One line of the table. Numbers that make no sense for it are left out. */
export interface Line {
  readonly operation: string
  readonly measured?: Measured
  /** What stands in place of requests per second, e.g. `21,000 entities/s`. */
  readonly value?: string
  /** Ours divided by the bare side. */
  readonly ratio?: number
  /** Processor microseconds of one request, ours and the bare side's. */
  readonly cpu?: { readonly ours: number; readonly bare: number }
  readonly note?: string
}

const columns = ['operation', 'requests/s', 'p50 ms', 'p99 ms', 'of bare', 'CPU µs', 'bare µs', 'note'] as const

/** 12345.6 → 12,346. */
export const whole = (value: number): string => Math.round(value).toLocaleString('en')

const cells = ({ operation, measured, value, ratio, cpu, note }: Line): string[] => [
  operation,
  measured === undefined || Number.isNaN(measured.perSecond) ? (value ?? '') : whole(measured.perSecond),
  measured?.p50.toFixed(2) ?? '',
  measured?.p99.toFixed(2) ?? '',
  ratio?.toFixed(2) ?? '',
  cpu?.ours.toFixed(0) ?? '',
  cpu === undefined || Number.isNaN(cpu.bare) ? '' : cpu.bare.toFixed(0),
  note ?? '',
]

/** The lines as a Markdown table, its columns in line. */
export const table = (lines: readonly Line[]): string => drawn([[...columns], ...lines.map(cells)])

/** What is told of each size beside the others: everything but the bare side and the notes. */
const compared = columns.slice(1, 6)

/** The lines of several sizes in one table, those of the same operation beside each other. */
export const tableOfSizes = (sizes: ReadonlyMap<number, readonly Line[]>): string => {
  const operations = new Set([...sizes.values()].flatMap((lines) => lines.map(({ operation }) => operation)))
  const head = [
    columns[0],
    ...[...sizes.keys()].flatMap((size) => compared.map((column) => `${column} at ${whole(size)}`)),
  ]
  const row = (operation: string): string[] => [
    operation,
    ...[...sizes.values()].flatMap((lines) => {
      const line = lines.find((each) => each.operation === operation)
      return line === undefined ? compared.map(() => '') : cells(line).slice(1, 6)
    }),
  ]
  return drawn([head, ...[...operations].map(row)])
}

const drawn = (rows: readonly (readonly string[])[]): string => {
  const [head = []] = rows
  const last = head.at(-1) === 'note' ? head.length - 1 : head.length
  const widths = head.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const text = (row: readonly string[]): string => {
    const padded = row.map((cell, index) =>
      index === 0 || index === last ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
    )
    return `| ${padded.join(' | ')} |`
  }
  const rule = widths.map((width, index) =>
    index === 0 || index === last ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  return [text(rows[0] as string[]), `| ${rule.join(' | ')} |`, ...rows.slice(1).map(text)].join('\n')
}
