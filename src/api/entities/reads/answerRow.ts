import type { ShownRow } from '../../../projections/entities/entityRow.ts'
import type { Api } from '../../deps.ts'
import type { Answer, ApiRequest } from '../../http/route.ts'
import type { PresentOptions, Shown } from '../present.ts'

/** The kinds whose names answers may show to the caller. */
export const seesFor =
  (api: Pick<Api, 'permits'>, { actor }: Pick<ApiRequest, 'actor'>) =>
  (kind: string): boolean =>
    api.permits(actor, 'view', kind) === 'yes'

/** How an entity is shown to the caller. */
export const presented = (api: Pick<Api, 'permits'>, request: ApiRequest, shown: Shown = 'get'): PresentOptions => ({
  shown,
  baseUrl: request.baseUrl,
  sees: seesFor(api, request),
})

/** An entity as an answer, with its `ETag`. */
export const answerRow = async (
  api: Api,
  request: ApiRequest,
  row: ShownRow,
  options: {
    status?: number
    shown?: Shown
    lists?: readonly string[]
    reached?: bigint
    past?: PresentOptions['past']
    headers?: Record<string, string>
  } = {},
): Promise<Answer> => ({
  status: options.status ?? 200,
  revision: row.revision,
  ...(options.headers && { headers: options.headers }),
  body: await api.presenter.text(row, {
    ...presented(api, request, options.shown),
    ...(options.lists && { lists: options.lists }),
    reached: options.reached,
    past: options.past,
  }),
})
