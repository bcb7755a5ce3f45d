import { defaultMethods, LogicEngine } from 'json-logic-engine'
import { isList, isObject, textOf, type Json, type JsonObject } from './model/types.ts'

/** Results of the `semantics` rules of a contract for an asset. */
export type SemanticsResult = {
  readonly passed: number
  readonly failed: number
  readonly total: number
  readonly failedRules: RuleOutcome[]
  /** Rules that cannot be evaluated: disabled, empty, or in prose. They do not count. */
  readonly skippedRules: RuleOutcome[]
}

type RuleOutcome = {
  readonly ruleName: string
  readonly reason: string
}

/** Operators that iterate over items; they must not nest. */
const overItems = ['some', 'all', 'none', 'filter']

const plain = [
  'var',
  'val',
  'exists',
  'missing',
  'missing_some',
  'if',
  '?:',
  'and',
  'or',
  '!',
  '!!',
  '??',
  'in',
  'length',
]
const comparing = ['==', '===', '!=', '!==', '<', '<=', '>', '>=', 'min', 'max', '+', '-', '*', '/', '%', 'substr']

/** Allowed operators of JSON Logic: none builds growing texts or lists. */
const ruleOperators: readonly string[] = [...plain, ...comparing, ...overItems].filter((name) => name in defaultMethods)

/** Largest number of nodes in one rule. */
export const maxRuleNodes = 200

const engine = new LogicEngine(
  Object.fromEntries(ruleOperators.map((name) => [name, (defaultMethods as Record<string, unknown>)[name]])),
  { disableInterpretedOptimization: true },
)

/**
 * Evaluates the rules of a contract (JSON Logic as text) on an asset.
 * @param assetText the asset as clients see it, as JSON
 */
export const checkSemantics = (semantics: Json | undefined, assetText: string): SemanticsResult => {
  const asset = JSON.parse(assetText) as JsonObject
  const failedRules: RuleOutcome[] = []
  const skippedRules: RuleOutcome[] = []
  const rules = isList(semantics) ? semantics.filter(isObject) : []
  for (const rule of rules) {
    const ruleName = textOf(rule['name']) ?? ''
    const outcome = evaluate(rule, asset)
    if ('skipped' in outcome) skippedRules.push({ ruleName, reason: outcome.skipped })
    else if ('failed' in outcome) failedRules.push({ ruleName, reason: outcome.failed })
  }
  const total = rules.length - skippedRules.length
  return { passed: total - failedRules.length, failed: failedRules.length, total, failedRules, skippedRules }
}

type Outcome = { readonly skipped: string } | { readonly failed: string } | { readonly holds: true }

const evaluate = (semantic: JsonObject, asset: JsonObject): Outcome => {
  if (semantic['enabled'] === false) return { skipped: 'it is not enabled' }
  const logic = parseRule(textOf(semantic['rule']) ?? '')
  if (logic === undefined) return { skipped: 'it has no rule in JSON Logic' }
  const problem = ruleProblem(logic)
  if (problem !== undefined) return { failed: problem }
  try {
    return engine.truthy(engine.run(logic, asset)) ? { holds: true } : { failed: 'it does not hold' }
  } catch (error) {
    return { failed: `it cannot be evaluated: ${error instanceof Error ? error.message : 'its values do not fit'}` }
  }
}

const parseRule = (text: string): Json | undefined => {
  try {
    const logic = JSON.parse(text) as Json
    return isObject(logic) ? logic : undefined
  } catch {
    return undefined
  }
}

/** Why a rule cannot be evaluated: too large, an unknown operator, nested loops. */
const ruleProblem = (logic: Json): string | undefined => {
  let nodes = 0
  const visit = (value: Json, inItems: boolean): string | undefined => {
    nodes += 1
    if (nodes > maxRuleNodes) return `it has more than ${maxRuleNodes} parts`
    if (isList(value)) {
      let found: string | undefined
      return value.some((item) => (found = visit(item, inItems)) !== undefined) ? found : undefined
    }
    if (!isObject(value)) return undefined
    const [operator, ...others] = Object.keys(value)
    if (operator === undefined || others.length > 0 || !ruleOperators.includes(operator))
      return `${JSON.stringify(operator ?? '{}')} is no operator here; there are ${ruleOperators.join(', ')}`
    const loops = overItems.includes(operator)
    if (loops && inItems) return `${operator} may not stand inside ${overItems.join(', ')}`
    return visit(value[operator] as Json, inItems || loops)
  }
  return visit(logic, false)
}
