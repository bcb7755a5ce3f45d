import { chooseObject } from './objects.ts'
import { readJson, type Reading } from './readJson.ts'
import { readYaml } from './readYaml.ts'
import { decodeText, placeOf } from '../text.ts'
import { isList, isObject, pathOf, pointer, type ContentType, type JsonObject, type Problem } from '../types.ts'
import { upgrade, type ObjectChoice } from '../upgrade/upgrade.ts'

/** Adds line and column to problems that name a place of the text: that place, or the nearest one around it. */
export const withPlaces = (source: string, contentType: ContentType, problems: readonly Problem[]): Problem[] =>
  placed(readingOf(source, contentType), source, problems)

const readingOf = (source: string, contentType: ContentType): Reading =>
  contentType === 'json' ? readJson(source) : readYaml(source)

const placed = (reading: Reading, source: string, problems: readonly Problem[]): Problem[] =>
  problems.map((problem) => ({ ...placeOf(source, reading.locate(problem.path)), ...problem }))

/** Problems of a contract, where they stand in its document; a path that does not begin with `/` stays. */
export const placeProblems = (
  input: Uint8Array | string,
  contentType: ContentType,
  choice: ObjectChoice,
  problems: readonly Problem[],
): Problem[] => {
  const decoded = decodeText(input)
  if ('problem' in decoded) return [...problems]
  const reading = readingOf(decoded.text, contentType)
  const document = isObject(reading.value) ? reading.value : {}
  const columnsAt = columnsOf(document, choice)
  return problems.flatMap((problem) =>
    problem.path.startsWith('/')
      ? placed(reading, decoded.text, [{ ...problem, path: pointer(documentPath(problem.path, columnsAt)) }])
      : [problem],
  )
}

/** Where the columns of the chosen object stand, and what the list of nested ones is called. */
interface ColumnsAt {
  readonly path: readonly string[]
  readonly nested: string
}

const columnsOf = (document: JsonObject, choice: ObjectChoice): ColumnsAt => {
  const chosen = chooseObject(upgrade(document, choice).document, choice)
  const index = String(chosen.ok ? (chosen.index ?? 0) : 0)
  const { dataset } = document
  if (dataset === undefined) return { path: ['schema', index, 'properties'], nested: 'properties' }
  return { path: [...(isList(dataset) ? ['dataset'] : ['dataset', 'tables']), index, 'columns'], nested: 'columns' }
}

/** Members of a contract and of its columns by what they are made of; every other one is a custom property. */
const sources: Readonly<Record<string, string>> = {
  displayName: 'name',
  name: 'name',
  description: 'description',
  entityStatus: 'status',
  sla: 'slaProperties',
  security: 'roles',
  owners: 'team',
}

const columnSources: Readonly<Record<string, string>> = {
  name: 'name',
  displayName: 'businessName',
  description: 'description',
  dataType: 'logicalType',
  dataTypeDisplay: 'physicalType',
}

const documentPath = (path: string, { path: columns, nested }: ColumnsAt): string[] => {
  const [member = '', ...rest] = pathOf(path)
  if (member !== 'schema') return [sources[member] ?? 'customProperties', ...rest]
  const steps = rest.map((step) => (step === 'children' ? nested : (columnSources[step] ?? step)))
  return [...columns, ...steps]
}
