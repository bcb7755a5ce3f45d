import { z } from 'zod'
import { conflict, type DomainError, invalid, invalidAt, notFound } from '../../commands/errors.ts'
import type { KindDefinition, Problem } from '../../kinds/defineKind.ts'
import { possibleIds } from '../../kinds/names.ts'
import { shorten } from '../../shared/bounds.ts'
import { unknownWord } from '../../shared/nearest.ts'
import { limits } from '../../shared/limits.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import { kindRoute, asOfMoment, dryRunParameter } from '../entities/parameters.ts'
import { textsFor } from '../entities/answers/present.ts'
import { readVersion, readListMoment } from '../entities/reads/moment.ts'
import { readFlag, readParameter } from '../http/queryParameters.ts'
import { ok, queryFlag, queryParameter, type Answer } from '../http/route.ts'
import {
  canonicalFqn,
  editableColumns,
  readCell,
  type Cell,
  type Column,
  cellOf,
  cellText,
  editedColumns,
  cellMembers,
} from './cells.ts'
import { changeInBulk, changesResult, findLive, unchangedSince, type EntityChange } from './bulkChange.ts'
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { CsvError, parse, type CastingContext } from 'csv-parse'
import { separatorsOf } from './separators.ts'
import { inSlices } from '../../shared/yieldToEventLoop.ts'
import type { JsonObject } from '../../shared/json.ts'
import { catalogAt } from '../entities/answers/pointInTime.ts'
import { pagesOf } from '../../projections/entities/page.ts'
import { readSelection, selectionParameters } from '../search/listRoute.ts'

/** Texts that spreadsheets take for a formula, after any number of protecting apostrophes. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A cell that spreadsheets do not execute; {@link unescapeFormula} is the inverse. */
const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text)

const unescapeFormula = (cell: string): string => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)

const quoted = (cell: string): string => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A line of a CSV file (RFC 4180). */
export const csvLine = (cells: readonly string[], separator: string): string =>
  `${cells.map((cell) => quoted(escapeFormula(cell))).join(separator)}\r\n`

/** The parser takes some milliseconds for one. */
const piecesOf = (text: string): readonly string[] => text.match(/[^]{1,16384}/gu) ?? []

/** More cells of one row would be made in one piece. */
const cellOfRecord = (cell: string, { index, lines }: CastingContext): string => {
  const most = limits.list.value
  if (index >= most) throw invalidAt('', `has more than ${most} cells in the row at line ${lines}`)
  return unescapeFormula(cell.replaceAll('\r\n', '\n'))
}

/** The records of a CSV file, header first. Line breaks in cells are LF. @throws DomainError `invalid` */
export async function* csvRecords(bytes: Buffer): AsyncGenerator<string[]> {
  if (!isUtf8(bytes)) throw invalidAt('', 'is not UTF-8: save the spreadsheet as CSV UTF-8')
  const text = new TextDecoder().decode(bytes)
  const options = { ...separatorsOf(text), relax_column_count: true, cast: cellOfRecord }
  const parser = Readable.from(inSlices(piecesOf(text))).pipe(parse(options))
  try {
    yield* parser as AsyncIterable<string[]>
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw invalidAt('', `cannot be read as CSV: ${error.message}`)
  }
}

const separators = { comma: ',', semicolon: ';' } as const

const separatorOf = queryParameter('separator', 'Cell separator', z.enum(['comma', 'semicolon']).default('comma'))

/** The header of a spreadsheet. */
const csvColumns = ['name', 'fullyQualifiedName', ...editedColumns, 'version'] as const

/** `GET …/export` */
export const exportRoute = (definition: KindDefinition): KindRoute =>
  kindRoute(definition, 'view', 'get /export', `export_csv_${definition.name}`, {
    summary: `A list of kind ${definition.name} as CSV, for editing in a spreadsheet`,
    description:
      'Lists are separated by `|`. Where a user and a team of the same name are owners, each has its type before the ' +
      'name: `user:sales|team:sales`; so has one whose name begins like this. A cell that a spreadsheet would take for a formula has an apostrophe before it, which ' +
      'the import takes away.',
    parameters: [
      ...selectionParameters(definition),
      asOfMoment,
      queryFlag('bom', 'Start with a byte order mark, so that Excel recognises UTF-8'),
      separatorOf,
    ],
    bulkhead: 'list',
    answers: {
      200: {
        description: csvColumns.join(', '),
        schema: z.string(),
        contentType: 'text/csv',
        headers: ['Content-Disposition'],
      },
    },
    handle: exportList,
  })

/** A file whose header comes with the first rows: what cannot be read is an error, and not a file without rows. */
export async function* csvFile(header: string, pages: AsyncIterable<string>): AsyncGenerator<string> {
  let before = header
  for await (const lines of pages) {
    yield before + lines
    before = ''
  }
  if (before !== '') yield before
}

const exportList = async (request: KindRequest): Promise<Answer> => {
  const separator = separators[readParameter(request.query, separatorOf)]
  const bom = readFlag(request.query, 'bom') ? '\uFEFF' : ''
  const past = await readListMoment(request)
  const query = await readSelection(request, past)
  const options = { shown: cellMembers, at: catalogAt(request.api, past) }
  const pages = async function* (): AsyncGenerator<string> {
    if (query === undefined) return
    for await (const { rows } of pagesOf(options.at, { ...query, withRequested: true }))
      yield (await textsFor(request, rows, options)).map((text) => lineOf(text, separator)).join('')
  }
  const name = request.definition.path.replaceAll('/', '-')
  return {
    status: 200,
    contentType: 'text/csv; charset=utf-8; header=present',
    headers: { 'Content-Disposition': `attachment; filename="${name}.csv"` },
    parts: csvFile(bom + csvLine(csvColumns, separator), pages()),
  }
}

type CsvEntity = JsonObject & { readonly name: string; readonly fullyQualifiedName: string; readonly version: number }

const lineOf = (text: string, separator: string): string => {
  const entity = JSON.parse(text) as CsvEntity
  const { name, fullyQualifiedName, version } = entity
  const cells = editedColumns.map((column) => cellText(cellOf(entity, column)))
  return csvLine([name, cellText([fullyQualifiedName]), ...cells, version.toFixed(1)], separator)
}

/** `PUT …/import` */
export const importRoute = (definition: KindDefinition): KindRoute =>
  kindRoute(definition, 'edit', 'put /import', `import_csv_${definition.name}`, {
    summary: `Change many entities of kind ${definition.name} with an edited CSV`,
    description:
      'Each row is a PATCH of the entity that `fullyQualifiedName` names; what its cells do not change stays as it is, an ' +
      'empty cell clears, and columns may be left out. A row whose `version` is not that of today is a conflict. ' +
      'Commas, semicolons and tabs separate cells.',
    bulkhead: 'large',
    parameters: [dryRunParameter, unchangedSince],
    body: {
      contentTypes: ['text/csv'],
      limit: limits.bulkBody.value,
      schema: z.string().meta({ description: `Columns: ${csvColumns.join(', ')}` }),
      required: true,
    },
    answers: ok('What became of each row', changesResult, ['Catalog-Position']),
    handle: importList,
  })

const importList = (request: KindRequest): Promise<Answer> => changeInBulk(request, () => changesIn(request))

const changesIn = async (request: KindRequest): Promise<EntityChange[]> => {
  const { definition } = request
  const rows = await readRows(definition, request.body as Buffer)
  const ids = rows.map(({ fullyQualifiedName }) => possibleIds(definition, fullyQualifiedName))
  const live = await findLive(request, ids.flat())
  const seen = new Map<string, number>()
  return rows.map((row, at): EntityChange => {
    const [entity, ...namesakes] = (ids[at] as string[]).flatMap((id) => live.get(id) ?? [])
    const before = seen.get(row.fullyQualifiedName)
    seen.set(row.fullyQualifiedName, before ?? row.row)
    const problem = (): DomainError | undefined => {
      const { name: kind } = definition
      if (before !== undefined) return invalidAt('/fullyQualifiedName', `row ${before} already changes this entity`)
      if (entity === undefined) return notFound(`There is no ${kind} ${row.fullyQualifiedName}.`)
      if (namesakes.length === 0) return undefined
      const message = `Several entities of ${kind} are named ${row.fullyQualifiedName}: change them by id.`
      return conflict(message)
    }
    return { ...row, entity, error: row.error ?? problem() }
  })
}

type Row = EntityChange & { readonly row: number }

const readHeader = (definition: KindDefinition, record: readonly string[]): (typeof csvColumns)[number][] => {
  const most = limits.problems.value
  if (record.length > most)
    throw invalidAt('', `The first row must name at most ${most} columns and has ${record.length} cells.`)
  const settable: readonly string[] = editableColumns(definition)
  const known = csvColumns.filter((head) => settable.includes(head) || !isColumn(head))
  const header = record.map((cell) => known.find((head) => head.toLowerCase() === cell.trim().toLowerCase()))
  const problems = record.flatMap((cell, at): Problem[] => {
    if (header[at] === undefined) return [{ path: '', message: `The column ${cell} ${unknownWord(cell, known)}` }]
    return header.indexOf(header[at]) < at ? [{ path: '', message: `The column ${cell} comes twice.` }] : []
  })
  if (!header.includes('fullyQualifiedName'))
    problems.push({ path: '', message: 'The first row must name the column fullyQualifiedName.' })
  if (problems.length > 0) throw invalid(problems)
  return header as (typeof csvColumns)[number][]
}

const isColumn = (head: string): boolean => !['name', 'fullyQualifiedName', 'version'].includes(head)

const readRows = async (definition: KindDefinition, bytes: Buffer): Promise<Row[]> => {
  let header: (typeof csvColumns)[number][] | undefined
  const rows: Row[] = []
  let number = 0
  for await (const record of csvRecords(bytes)) {
    number += 1
    if (header === undefined) header = readHeader(definition, record)
    else if (record.some((cell) => cell !== '')) rows.push(readRow(header, record, number))
    if (rows.length > limits.bulkItems.value)
      throw invalidAt('', `must have at most ${limits.bulkItems.value} rows: send the rest separately`)
  }
  if (header === undefined) throw invalidAt('', 'is empty: the first row must name the columns')
  return rows
}

const readRow = (header: readonly (typeof csvColumns)[number][], record: readonly string[], row: number): Row => {
  const [most, length] = [limits.body.value, record.reduce((sum, cell) => sum + Buffer.byteLength(cell), 0)]
  const texts = length > most ? record.map((cell) => shorten(cell, limits.fqn.value)) : record
  const given = new Map(header.map((head, at) => [head, texts[at] ?? '']))
  const version = given.get('version')?.trim() ?? ''
  const tenths = version === '' ? undefined : readVersion(version.replace(',', '.'))
  const problems: Problem[] = []
  if (length > most)
    problems.push({ path: '', message: `may have at most ${most} bytes and has ${length}: change it with PATCH` })
  if (record.length !== header.length)
    problems.push({ path: '', message: `has ${record.length} cells, and the first row has ${header.length}` })
  if (version !== '' && tenths === undefined)
    problems.push({ path: '/version', message: 'must be a version such as 0.3' })
  const cells = new Map<Column, Cell>()
  for (const [head, text] of given) if (isColumn(head)) cells.set(head as Column, readCell(text, head as Column))
  return {
    row,
    fullyQualifiedName: canonicalFqn(given.get('fullyQualifiedName')?.trim() ?? ''),
    name: given.get('name'),
    version: tenths,
    cells: () => cells,
    ...(problems.length > 0 && { error: invalid(problems) }),
  }
}
