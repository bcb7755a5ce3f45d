import { referencesIn, type Entity } from '../../commands/evolve.ts'
import { invalid, notFound } from '../../commands/errors.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { assetColumns, contractKind } from '../../kinds/index.ts'
import { entitySchema } from '../../kinds/request/requestSchema.ts'
import type { OdcsRunner, SemanticsResult } from '../../odcs/index.ts'
import { DocumentTooComplex } from '../../odcs/odcsThreads.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import type { Api } from '../deps.ts'
import { limits } from '../../shared/limits.ts'
import * as parameters from '../entities/parameters.ts'
import { mustBeAllowed, mustOwn } from '../entities/reads/owners.ts'
import { presented } from '../entities/reads/answerRow.ts'
import { everything } from '../entities/answers/seen.ts'
import { run } from '../entities/traitRoutes.ts'
import { parseBody } from '../http/body/parseBody.ts'
import { turnOf, type Answer, type ApiRequest, type Route } from '../http/route.ts'
import { reportedResult, validateContract } from './validation.ts'

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
    {
      ...common,
      method: 'post',
      path: `/v1/${definition.path}/{id}/validate`,
      id: 'validate_contract',
      summary: 'Compare the schema, the required test cases and the semantics of a contract with its asset',
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
        const result = parseBody(reportedResult, request.body) as JsonObject
        return recordResult(api, definition, request, async () => result)
      },
    },
  ]
}

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

/** Of a contract without rules nothing must be evaluated. */
const noRules: SemanticsResult = { passed: 0, failed: 0, total: 0, failedRules: [], skippedRules: [] }

const tooMuch = { path: '/semantics', message: 'its rules take too long, or too much memory, to be evaluated together' }

const validated = async (
  { api, odcs }: { readonly api: Api; readonly odcs: OdcsRunner },
  request: ApiRequest,
  contract: Entity,
): Promise<JsonObject> => {
  const row = contract.parent === undefined ? undefined : await api.readModels.get(contract.parent)
  if (row === undefined || row.status !== 'live') throw notFound(`The asset of ${contract.fullyQualifiedName} is gone.`)
  await mustOwn(api, request, row, mustBeAllowed(api, request, 'view', api.kindNamed(row.kind)))
  const asset = fromRow(row, api.kindNamed(row.kind))
  const rules = contract.members['semantics']
  const evaluated = async (): Promise<SemanticsResult> => {
    if (rules === undefined) return noRules
    const shown = await api.presenter.text(row, { ...presented(api, request), sees: everything })
    return odcs.run(turnOf(request), 'checkSemantics', rules, shown).catch((error: unknown) => {
      throw error instanceof DocumentTooComplex ? invalid([tooMuch]) : error
    })
  }
  return validateContract({
    contract: contract.members,
    tests: referencesIn(contract.members, 'qualityExpectations').map((test) => test.fullyQualifiedName),
    semantics: await evaluated(),
    assetColumns: assetColumns(asset.kind, asset.members),
  })
}
