import { referencesIn, type Entity } from '../../commands/evolve.ts'
import { invalid } from '../../commands/errors.ts'
import { assetColumns } from '../../kinds/index.ts'
import { childFqn } from '../../kinds/names.ts'
import type { OdcsRunner, PlacedRule, SemanticsResult } from '../../odcs/index.ts'
import { DocumentTooComplex } from '../../odcs/odcsThreads.ts'
import { checkPromises } from '../../odcs/promises.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { Turn } from '../../shared/turns.ts'
import type { Api } from '../deps.ts'
import { everything } from '../entities/answers/seen.ts'
import { testResultsIn } from './validation.ts'

/** Of a contract without rules nothing must be evaluated. */
const noRules: SemanticsResult = { passed: 0, failed: 0, total: 0, failedRules: [], skippedRules: [] }

const tooMuch = { path: '/semantics', message: 'its rules take too long, or too much memory, to be evaluated together' }

export interface ValidationContext {
  readonly api: Pick<Api, 'kindNamed' | 'presenter' | 'readModels'>
  readonly odcs: OdcsRunner
  readonly turn: Turn
  /** Absolute URL of `/api`: rules may look at `href`. */
  readonly baseUrl: string
}

/** The test case that a named rule means: the one of that name on the asset, or on the column. */
export const testNames = ({ rule, column }: PlacedRule, asset: Entity): string[] => {
  const { name } = rule
  if (typeof name !== 'string' || name === '') return []
  const on = column === undefined ? asset.fullyQualifiedName : childFqn(asset.fullyQualifiedName, column)
  return [childFqn(on, name)]
}

/** Looks at every promise of a contract, with its asset as it is. @returns what becomes its `latestResult` */
export const checkContract = async (
  { api, odcs, turn, baseUrl }: ValidationContext,
  contract: Entity,
  row: EntityRow,
): Promise<JsonObject> => {
  const asset = fromRow(row, api.kindNamed(row.kind))
  const rules = contract.members['semantics']
  const evaluated = async (): Promise<SemanticsResult> => {
    if (rules === undefined) return noRules
    const shown = await api.presenter.text(row, { shown: 'get', baseUrl, sees: everything, at: api.readModels })
    return odcs.run(turn, 'checkSemantics', rules, shown).catch((error: unknown) => {
      throw error instanceof DocumentTooComplex ? invalid([tooMuch]) : error
    })
  }
  const tests = referencesIn(contract.members, 'qualityExpectations').map((test) => test.fullyQualifiedName)
  const tested = new Set(tests)
  return checkPromises({
    contract: contract.members,
    contractVersion: contract.version / 10,
    assetVersion: asset.version / 10,
    tests,
    isTested: (rule) => testNames(rule, asset).some((name) => tested.has(name)),
    testResults: testResultsIn(contract.members['latestResult']),
    semantics: await evaluated(),
    assetColumns: assetColumns(asset.kind, asset.members),
  })
}
