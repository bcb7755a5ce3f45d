import { defaultMethods, LogicEngine } from 'json-logic-engine'
import { isObject, objectsIn, textOf, type Json, type JsonObject } from './model/types.ts'
import { limits } from '../shared/limits.ts'
import { words } from '../shared/wordLists.ts'

/** The outcome of a rule. `notChecked`: it is disabled, empty, in prose, or too large. */
export type RuleOutcome = {
  readonly ruleName: string
  readonly outcome: 'passed' | 'failed' | 'notChecked'
  /** Why it failed, or was not checked. */
  readonly reason?: string
}

/** Operators that iterate over items; they must not nest. */
const overItems = ['some', 'all', 'none', 'filter']

const others = words(
  'var val exists missing missing_some if ?: and or ! !! ?? in length == === != !== < <= > >= min max + - * / % substr',
)

/** Allowed operators of JSON Logic: none builds growing texts or lists. */
const ruleOperators: readonly string[] = [...others, ...overItems].filter((name) => name in defaultMethods)

const maxRuleNodes = limits.ruleParts.value
const tooLarge = `it has more than ${maxRuleNodes} parts`

const engine = new LogicEngine(
  Object.fromEntries(ruleOperators.map((name) => [name, (defaultMethods as Record<string, unknown>)[name]])),
  { disableInterpretedOptimization: true },
)

/**
 * Evaluates the rules of a contract (JSON Logic as text) on an asset.
 * @param assetText the asset as clients see it, as JSON
 * @returns the outcomes, in the order of the rules
 */
export const checkSemantics = (semantics: Json | undefined, assetText: string): RuleOutcome[] => {
  const asset = JSON.parse(assetText) as JsonObject
  return objectsIn(semantics).map((rule) => ({ ruleName: textOf(rule['name']) ?? '', ...evaluate(rule, asset) }))
}

const evaluate = (semantic: JsonObject, asset: JsonObject): Omit<RuleOutcome, 'ruleName'> => {
  const notChecked = (reason: string) => ({ outcome: 'notChecked', reason }) as const
  const failed = (reason: string) => ({ outcome: 'failed', reason }) as const
  if (semantic['enabled'] === false) return notChecked('it is not enabled')
  const logic = parseRule(textOf(semantic['rule']) ?? '')
  if (logic === undefined) return notChecked('it has no rule in JSON Logic')
  const problem = ruleProblem(logic)
  if (problem === tooLarge) return notChecked(problem)
  if (problem !== undefined) return failed(problem)
  try {
    return engine.truthy(engine.run(logic, asset)) ? { outcome: 'passed' } : failed('it does not hold')
  } catch (error) {
    return failed(`it cannot be evaluated: ${error instanceof Error ? error.message : 'its values do not fit'}`)
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
    if (nodes > maxRuleNodes) return tooLarge
    if (Array.isArray(value)) {
      let found: string | undefined
      return value.some((item) => (found = visit(item, inItems)) !== undefined) ? found : undefined
    }
    if (!isObject(value)) return undefined
    const [operator, ...others] = Object.keys(value)
    if (operator === undefined || others.length > 0 || !ruleOperators.includes(operator))
      return `${JSON.stringify(operator ?? '{}')} is not an operator here; there are ${ruleOperators.join(', ')}`
    const loops = overItems.includes(operator)
    if (loops && inItems) return `${operator} may not stand inside ${overItems.join(', ')}`
    return visit(value[operator] as Json, inItems || loops)
  }
  return visit(logic, false)
}
