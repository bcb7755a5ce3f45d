import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { invalid } from '../../commands/errors.ts'

/** What spreadsheets take for a formula, behind any number of the apostrophes that keep them from it. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A cell that no spreadsheet executes; {@link unescaped} gives back the text. */
const escaped = (text: string): string => (formula.test(text) ? `'${text}` : text)

const unescaped = (cell: string): string => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)

const quoted = (cell: string): string => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A line of a CSV file (RFC 4180). */
export const csvLine = (cells: readonly string[], separator: string): string =>
  `${cells.map((cell) => quoted(escaped(cell))).join(separator)}\r\n`

const textOf = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid([{ path: '', message: 'is not UTF-8: save the spreadsheet as CSV UTF-8' }])
  }
}

const pieceLength = 64 * 1024

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += pieceLength) yield text.slice(at, at + pieceLength)
}

/**
 * The records of a CSV file, header first. Line breaks within cells are LF. The first comma, semicolon or tab, which
 * stands in the header, is what separates cells. @throws DomainError `invalid`
 */
export async function* csvRecords(bytes: Buffer): AsyncGenerator<string[]> {
  const text = textOf(bytes)
  const delimiter = /[,;\t]/.exec(text)?.[0] ?? ','
  const parser = Readable.from(piecesOf(text)).pipe(parse({ delimiter, relax_column_count: true }))
  try {
    for await (const record of parser as AsyncIterable<string[]>)
      yield record.map((cell) => unescaped(cell.replaceAll('\r\n', '\n')))
  } catch (error) {
    if (error instanceof CsvError) throw invalid([{ path: '', message: `cannot be read as CSV: ${error.message}` }])
    throw error
  }
}
