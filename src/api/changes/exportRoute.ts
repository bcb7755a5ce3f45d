import { Readable } from 'node:stream'
import { z } from 'zod'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { Api } from '../deps.ts'
import { pointInTime } from '../entities/answers/pointInTime.ts'
import { pagesOf } from '../lists/listPages.ts'
import { asOfMoment, kindRoute } from '../entities/parameters.ts'
import { catchUp, presented } from '../entities/reads/callerReads.ts'
import { ofThePast, readPast } from '../entities/reads/moment.ts'
import { badQuery, readFlag } from '../http/queryParameters.ts'
import { queryParameter, type Answer, type ApiRequest, type Route } from '../http/route.ts'
import { cellOf, cellText, editedColumns, membersOfCells } from './cells.ts'
import { csvLine } from './spreadsheet.ts'
import { readSelection, selectionParameters } from './selection.ts'

const separators: Readonly<Record<string, string>> = { comma: ',', semicolon: ';' }

/** The header of a spreadsheet. */
export const heads = ['name', 'fullyQualifiedName', ...editedColumns, 'version'] as const

/** `GET …/export` */
export const exportRoute = (api: Api, definition: KindDefinition): Route => ({
  ...kindRoute(definition, 'view', '/export'),
  method: 'get',
  id: `export_csv_${definition.name}`,
  summary: `A list of kind ${definition.name} as CSV, to be edited in a spreadsheet`,
  description:
    'Lists are separated by `|`. A cell that a spreadsheet would take for a formula has an apostrophe before it, which ' +
    'the import takes away.',
  parameters: [
    ...selectionParameters(definition),
    asOfMoment,
    queryParameter('bom', 'Begins with a byte order mark, by which Excel knows UTF-8', z.boolean().default(false)),
    queryParameter('separator', 'What separates cells', z.enum(['comma', 'semicolon']).default('comma')),
  ],
  lane: ofThePast,
  answers: {
    200: {
      description: heads.join(', '),
      schema: z.string(),
      contentType: 'text/csv',
      headers: ['Content-Disposition'],
    },
  },
  handle: (request) => exportList(api, definition, request),
})

const exportList = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const separator = separators[request.query.get('separator') ?? 'comma']
  if (separator === undefined) throw badQuery('separator', `must be one of ${Object.keys(separators).join(', ')}`)
  const bom = readFlag(request.query, 'bom') ? '\uFEFF' : ''
  await catchUp(api, request)
  const past = await readPast(api, definition, request, undefined)
  const query = await readSelection(api, definition, request, past)
  const options = {
    ...presented(api, request, membersOfCells),
    at: past === undefined ? api.readModels : pointInTime(api, past),
  }
  const lines = async function* (): AsyncGenerator<string> {
    yield bom + csvLine(heads, separator)
    if (query === undefined) return
    for await (const { rows } of pagesOf(options.at, { ...query, withRequested: true }))
      yield (await api.presenter.texts(rows, options)).map((text) => lineOf(text, separator)).join('')
  }
  const name = definition.path.replaceAll('/', '-')
  return {
    status: 200,
    contentType: 'text/csv; charset=utf-8; header=present',
    headers: { 'Content-Disposition': `attachment; filename="${name}.csv"` },
    body: Readable.from(lines()),
  }
}

const lineOf = (text: string, separator: string): string => {
  const entity = JSON.parse(text) as JsonObject
  const cells = editedColumns.map((column) => cellText(cellOf(entity, column)))
  const { name, fullyQualifiedName, version } = entity as Record<string, string | number>
  return csvLine([name, fullyQualifiedName, ...cells, Number(version).toFixed(1)].map(String), separator)
}
