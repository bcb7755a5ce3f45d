import { candidateIds } from '../../commands/context.ts'
import type { Entity } from '../../commands/evolve.ts'
import { invalid, notFound } from '../../commands/errors.ts'
import { z } from 'zod'
import { isObject, type JsonObject } from '../../shared/json.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { contractKind } from '../../kinds/index.ts'
import { entitySchema } from '../../kinds/request/requestSchema.ts'
import type { OdcsRunner } from '../../odcs/index.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import type { Api } from '../deps.ts'
import { limits } from '../../shared/limits.ts'
import * as parameters from '../entities/parameters.ts'
import { mustBeAllowed, mustOwn } from '../entities/reads/owners.ts'
import { mustFindRow } from '../entities/reads/findRow.ts'
import { presented } from '../entities/reads/answerRow.ts'
import { run } from '../entities/traitRoutes.ts'
import { parseBody } from '../http/body/parseBody.ts'
import { turnOf, type Answer, type ApiRequest, type Route } from '../http/route.ts'
import { badgeOf, contractState } from './badge.ts'
import { checkContract } from './checkContract.ts'
import { contradictions, reportedResult, testCasesIn, type ValidationReport } from './validation.ts'

/** A contract compared with its asset, here or by somebody else: the outcome becomes its `latestResult`. */
export const validationRoutes = (api: Api, odcs: OdcsRunner): Route[] => {
  const definition = api.kindNamed(contractKind)
  const common = {
    tag: definition.path,
    permission: { operation: 'edit', kind: definition.name },
    parameters: [parameters.id, parameters.ifMatch],
    answers: {
      200: {
        description: 'The contract; latestResult says how it went',
        schema: entitySchema(definition),
        headers: parameters.written,
      },
    },
  } as const
  return [
    ...badgeRoutes(api, definition),
    {
      ...common,
      method: 'post',
      path: `/v1/${definition.path}/{id}/validate`,
      id: 'validate_contract',
      summary: 'Look at every promise of a contract: passed, failed, or not checked and why',
      handle: (request) =>
        recordResult(api, definition, request, (contract) => validated({ api, odcs }, request, contract)),
    },
    {
      ...common,
      method: 'put',
      path: `/v1/${definition.path}/{id}/results`,
      id: 'report_contract_result',
      summary: 'Report how an outside validation of a contract went',
      body: { contentTypes: ['application/json'], limit: limits.body.value, schema: reportedResult, required: true },
      handle: (request) => {
        const result = parseBody(reportedResult, request.body)
        return recordResult(api, definition, request, (contract) => reported(api, result, contract))
      },
    },
  ]
}

/** The state of a contract as a picture, for a page that links to it. */
const badgeRoutes = (api: Api, definition: KindDefinition): Route[] =>
  parameters.addresses.map(({ at, suffix, parameter }) => ({
    method: 'get',
    path: `/v1/${definition.path}/${at}/badge`,
    id: `contract_badge${suffix}`,
    tag: definition.path,
    summary: 'A badge (SVG) that says whether a contract is kept',
    permission: { operation: 'view', kind: definition.name },
    parameters: [parameter, parameters.ifNoneMatch],
    answers: {
      200: { description: 'The badge', schema: z.string(), headers: ['ETag'], contentType: 'image/svg+xml' },
      304: { description: 'Not modified', headers: ['ETag'] },
    },
    handle: async (request) => {
      const row = await mustFindRow(api, definition, request, 'non-deleted')
      const shown = JSON.parse(await api.presenter.text(row, presented(api, request))) as JsonObject
      const { latestResult, latestResultStale } = shown
      const status = isObject(latestResult) ? String(latestResult['status']) : undefined
      const body = badgeOf(contractState(status, latestResultStale === true))
      return { status: 200, revision: row.revision, body, contentType: 'image/svg+xml' }
    },
  }))

const recordResult = (
  api: Api,
  definition: KindDefinition,
  request: ApiRequest,
  makeResult: (contract: Entity) => Promise<JsonObject>,
): Promise<Answer> =>
  run(api, definition, request, (_, to) => ({
    ...to,
    command: async (_known, contract) => ({ type: 'Validate', result: await makeResult(contract) }),
  }))

const validated = async (
  { api, odcs }: { readonly api: Api; readonly odcs: OdcsRunner },
  request: ApiRequest,
  contract: Entity,
): Promise<JsonObject> => {
  const row = contract.parent === undefined ? undefined : await api.readModels.get(contract.parent)
  if (row === undefined || row.status !== 'live') throw notFound(`The asset of ${contract.fullyQualifiedName} is gone.`)
  await mustOwn(api, request, row, mustBeAllowed(api, request, 'view', api.kindNamed(row.kind)))
  return checkContract({ api, odcs, turn: turnOf(request), baseUrl: request.baseUrl }, contract, row)
}

/** What somebody else reports, with the versions that it is about. @throws DomainError `invalid` */
const reported = async (api: Api, result: ValidationReport, contract: Entity): Promise<JsonObject> => {
  const named = testCasesIn(result)
  const kinds = api.kindNamed(contractKind).fields['qualityExpectations']?.references?.kinds ?? []
  const ids = named.map(([, name]) => candidateIds({ fullyQualifiedName: name }, kinds, api.commands))
  const found = await api.readModels.getReferences(ids.flat())
  const missing = named.flatMap(([path, name], index) =>
    ids[index]?.some((id) => (found.get(id)?.status ?? 'gone') !== 'gone')
      ? []
      : [{ path, message: `there is no test case ${name}` }],
  )
  const problems = [...contradictions(result), ...missing]
  if (problems.length > 0) throw invalid(problems)
  const row = contract.parent === undefined ? undefined : await api.readModels.get(contract.parent)
  const asset = row && fromRow(row, api.kindNamed(row.kind))
  return {
    ...(result as JsonObject),
    contractVersion: contract.version / 10,
    ...(asset !== undefined && { assetVersion: asset.version / 10 }),
  }
}
