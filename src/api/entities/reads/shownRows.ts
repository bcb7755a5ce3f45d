import type { ListRow } from '../../../projections/entities/row.ts'
import type { ViewRow } from '../../../projections/entities/entityRow.ts'
import type { JsonObject } from '../../../shared/json.ts'
import type { CatalogRequest } from '../../deps.ts'
import type { Answer } from '../../http/route.ts'
import { entityTexts, type PresenterOptions } from '../answers/present.ts'

type ShownOptions = { readonly [Name in 'shown' | 'lists' | 'at']?: PresenterOptions[Name] | undefined }

/** The JSON texts of entities as the caller sees them, by default present ones, as a get of one shows them. */
export const textsFor = (
  request: CatalogRequest,
  rows: readonly ListRow[],
  { shown = 'get', at = request.api.readModels, lists = [] }: ShownOptions = {},
): Promise<string[]> => entityTexts(rows, { shown, at, lists, baseUrl: request.baseUrl, sees: request.access.sees })

/** One such entity. */
export const entityFor = async (request: CatalogRequest, row: ListRow, options?: ShownOptions): Promise<JsonObject> =>
  JSON.parse((await textsFor(request, [row], options))[0] as string) as JsonObject

/** An entity as an answer. */
export const answerRow = async (
  request: CatalogRequest,
  row: ViewRow,
  { status = 200, headers = {}, ...options }: ShownOptions & Partial<Pick<Answer, 'status' | 'headers'>> = {},
): Promise<Answer & { body: string }> => ({
  status,
  revision: row.revision,
  headers,
  body: (await textsFor(request, [row], options))[0] as string,
})
