import type { ShownRow } from '../../../projections/entities/entityRow.ts'
import type { Api } from '../../deps.ts'
import type { Answer, ApiRequest } from '../../http/route.ts'
import type { PresentOptions } from '../answers/present.ts'
import type { Visibility } from '../answers/seen.ts'
import type { Shown } from '../answers/shape.ts'

/** The kinds whose names answers may show to the caller. */
export const seesFor = (api: Pick<Api, 'permits' | 'commands'>, { actor }: Pick<ApiRequest, 'actor'>): Visibility =>
  Object.assign((kind: string) => api.permits(actor, 'view', kind) === 'yes', {
    hideId: api.commands.sealer.hideId,
  })

/** How entities are shown to the caller, as they are now. */
export const presented = (
  api: Pick<Api, 'permits' | 'commands' | 'readModels'>,
  request: ApiRequest,
  shown: Shown = 'get',
): PresentOptions => ({ shown, baseUrl: request.baseUrl, sees: seesFor(api, request), at: api.readModels })

interface AnswerOptions extends Partial<Pick<PresentOptions, 'shown' | 'lists' | 'at'>> {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** An entity as an answer. */
export const answerRow = async (
  api: Api,
  request: ApiRequest,
  row: ShownRow,
  { status = 200, headers = {}, shown, ...options }: AnswerOptions = {},
): Promise<Answer> => ({
  status,
  revision: row.revision,
  headers,
  body: await api.presenter.text(row, { ...presented(api, request, shown), ...options }),
})
