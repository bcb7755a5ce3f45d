import { Readable } from 'node:stream'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { listSchema } from '../../kinds/request/openApiSchemas.ts'
import type { ListQuery } from '../../projections/entities/port.ts'
import type { ListedRow } from '../../projections/entities/row.ts'
import type { Api, KindRequest, KindRoute } from '../deps.ts'
import { pointInTime } from '../entities/answers/pointInTime.ts'
import type { PresentOptions } from '../entities/answers/present.ts'
import { readFields, shapeOf } from '../entities/answers/shape.ts'
import { listScope, readListQuery } from '../entities/listQuery.ts'
import * as parameters from '../entities/parameters.ts'
import { presented } from '../entities/reads/callerReads.ts'
import { readPast } from '../entities/reads/moment.ts'
import { withDependencies } from '../entities/reads/recordedReads.ts'
import { badQuery, pagingOf, readPage } from '../http/queryParameters.ts'
import { ok, type Answer } from '../http/route.ts'
import { pagesOf, streamPage } from '../../projections/entities/page.ts'
import { finding, findPage, isFound } from './foundList.ts'

/** The largest limit of a list that is put together at once, beside others. */
const shortPage = 100

interface LongList {
  readonly options: PresentOptions
  /** The scope of its cursors and their point in time. */
  readonly scope: string
  readonly position: bigint | undefined
}

/** The JSON text of a list answer, in parts. */
async function* streamList(
  presenter: Api['presenter'],
  query: ListQuery,
  { options, scope, position }: LongList,
): AsyncGenerator<string> {
  const ends: ListedRow[] = []
  let whole = { total: 0, hasBefore: false, hasAfter: false }
  let separator = '{"data":['
  let begun = false
  for await (const { rows, total, hasBefore, hasAfter } of pagesOf(options.at, query)) {
    whole = { total, hasAfter, hasBefore: begun ? whole.hasBefore : hasBefore }
    begun = true
    const [first, last] = [rows[0], rows.at(-1)]
    if (first === undefined || last === undefined) continue
    ends.splice(0, 2, ends[0] ?? first, last)
    yield separator + (await presenter.texts(rows, options)).join(',')
    separator = ','
  }
  if (ends.length === 0) yield separator
  yield `],"paging":${JSON.stringify(pagingOf({ ...whole, rows: ends }, scope, position))}}`
}

/** The list route of a kind. */
export const listRoute = (definition: KindDefinition): KindRoute =>
  parameters.kindRoute(definition, 'view', 'get /', `list_${definition.name}`, {
    summary: `List the entities of kind ${definition.name}`,
    parameters: [...parameters.list(definition), ...finding],
    lane: ({ query }) => (Number(query.get('limit')) > shortPage ? 'list' : undefined),
    answers: ok('One page', listSchema(definition)),
    handle: (request) => withDependencies(request, list),
  })

const list = async (request: KindRequest): Promise<Answer> => {
  const { api, definition } = request
  const shown = readFields(request.query, definition, 'list')
  const scope = listScope(definition, request.query)
  const asked = readPage(request.query, scope)
  const past = await readPast(request, asked.position)
  const narrowed = await readListQuery(request, { ...asked, past })
  const position = past?.position
  if (narrowed === undefined) return { status: 200, body: listText([], pagingOf(noPage, scope, position)) }
  const query = { ...narrowed, withRequested: shapeOf(definition, shown).onRequest !== 'nothing' }
  const at = past === undefined ? api.readModels : pointInTime(api, past)
  const options = { ...presented(request, shown), at }
  if (isFound(request)) {
    if (past !== undefined) throw badQuery('asOf', 'does not go with q and sort, which know the present alone')
    const found = await findPage(request, query)
    return { status: 200, body: listText(await api.presenter.texts(found.rows, options), pagingOf(found.ends, scope)) }
  }
  if (query.limit > streamPage)
    return { status: 200, body: Readable.from(streamList(api.presenter, query, { options, scope, position })) }
  const page = await at.list(query)
  const texts = await api.presenter.texts(page.rows, options)
  return { status: 200, body: listText(texts, pagingOf(page, scope, position)) }
}

const noPage = { rows: [], total: 0, hasBefore: false, hasAfter: false }

const listText = (texts: readonly string[], paging: object): string =>
  `{"data":[${texts.join(',')}],"paging":${JSON.stringify(paging)}}`
