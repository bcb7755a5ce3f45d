import { CsvError, parse } from 'csv-parse/sync'
import { separatorsOf } from '../../api/changes/separators.ts'
import { splitFqn } from '../../kinds/names.ts'
import { readText, SourceError, type SourceContent } from './content.ts'
import { tableSteps, type SourceColumn, type SourceTable } from './tables.ts'

const headers = 'database schema table column type description tags'.split(' ')
const required = headers.slice(0, 3)

type Line = Readonly<Partial<Record<string, string>>>

/** A line with its number in the file. */
interface NumberedLine {
  readonly line: Line
  readonly number: number
}

/** What is wrong with the headings, if anything; a column without a heading is not read. */
const headingProblem = (given: readonly string[]): string | undefined => {
  const missing = required.filter((name) => !given.includes(name))
  if (missing.length > 0) return `lacks ${missing.join(', ')}`
  const unknown = given.filter((name) => name !== '' && !headers.includes(name))
  if (unknown.length > 0) return `has columns that are not known: ${unknown.join(', ')}`
  const repeated = headers.find((name) => given.indexOf(name) !== given.lastIndexOf(name))
  return repeated === undefined ? undefined : `has several columns ${repeated}`
}

const linesOf = (text: string, path: string): NumberedLine[] => {
  let given: string[] = []
  try {
    const lines = parse<NumberedLine, Line>(text, {
      columns: (names: string[]) => (given = names.map((name) => name.trim().toLowerCase())),
      ...separatorsOf(text),
      skip_empty_lines: true,
      trim: true,
      on_record: (line, { lines: number }) => ({ line, number }),
    })
    const problem = headingProblem(given)
    if (problem !== undefined)
      throw new SourceError(`${path} ${problem}. Its first line names its columns: ${headers.join(', ')}.`)
    if (lines.length === 0) throw new SourceError(`${path} has only headings.`)
    return lines
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new SourceError(`${path}: ${error.message}.`, { cause: error })
  }
}

const listOf = (text: string | undefined): string[] => (text ?? '').split('|').flatMap((each) => each.trim() || [])

/**
 * Reads documented columns: a line for each, with the names of {@link headers} in the first; a line without a column
 * describes its table. Several tags are parted by `|`.
 */
export const readCsv = async (path: string, service: string | undefined): Promise<SourceContent> => {
  if (service === undefined) throw new SourceError('Name the service of the tables with --service NAME.')
  const lines = linesOf(await readText(path), path)
  const tables = new Map<string, SourceTable & { columns: SourceColumn[]; hasMoreColumns: boolean }>()
  for (const { line, number } of lines) {
    const { database = '', schema = '', table: name = '', column, type, description } = line
    const empty = required.find((header) => line[header] === '')
    if (empty !== undefined) throw new SourceError(`${path}, line ${number}: ${empty} is empty.`)
    const tags = listOf(line['tags'])
    const wrong = tags.find((tag) => splitFqn(tag) === undefined)
    if (wrong !== undefined)
      throw new SourceError(`${path}, line ${number}: ${wrong} is not a tag, such as PII.Sensitive.`)
    const key = JSON.stringify([database, schema, name])
    const found = tables.get(key) ?? { database, schema, name, columns: [], hasMoreColumns: true, members: {} }
    tables.set(key, found)
    found.hasMoreColumns &&= !column
    if (column)
      found.columns.push({ name: column, type: type || undefined, description, ...(tags.length > 0 && { tags }) })
    else Object.assign(found.members, description && { description }, tags.length > 0 && { tags })
  }
  const steps = tableSteps({ name: service, type: 'CustomDatabase', yields: true }, [...tables.values()])
  return { source: 'csv', steps, lineage: [], scopes: [] }
}
