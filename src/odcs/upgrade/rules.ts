import { keepCustom } from '../model/customProperties.ts'
import { isList, isObject, type Json, type JsonObject } from '../model/types.ts'

export const OPERATORS = [
  'mustBe',
  'mustNotBe',
  'mustBeGreaterThan',
  'mustBeGreaterOrEqualTo',
  'mustBeLessThan',
  'mustBeLessOrEqualTo',
  'mustBeBetween',
  'mustNotBeBetween',
] as const

export const METRICS = ['nullValues', 'missingValues', 'invalidValues', 'duplicateValues', 'rowCount']

const COMMON = new Set(
  'id name description type dimension method severity businessImpact unit schedule scheduler tags authoritativeDefinitions customProperties'.split(
    ' ',
  ),
)

const METRIC_OF_RULE: Record<string, string> = {
  duplicateCount: 'duplicateValues',
  validValues: 'invalidValues',
  nullCheck: 'nullValues',
  nullCount: 'nullValues',
}

const operatorsOf = (rule: JsonObject): string[] =>
  OPERATORS.filter((name) => rule[name] !== undefined && rule[name] !== null)

/** A rule that is words only: everything that a text rule may not carry becomes a custom property of it. */
export const demoteRule = (rule: JsonObject): JsonObject => {
  const text: JsonObject = {}
  const kept: [string, Json][] = []
  for (const [member, value] of Object.entries(rule)) {
    if (member === 'type' && value !== 'text' && value !== null) kept.push([member, value])
    if (member === 'type') text['type'] = 'text'
    else if (COMMON.has(member)) text[member] = member === 'customProperties' && isList(value) ? [...value] : value
    else if (value !== null) kept.push([member, value])
  }
  text['type'] = 'text'
  for (const [member, value] of kept) keepCustom(text, member, value)
  return text
}

/** A v3.0 rule as v3.1.0 knows it: a metric beside the old rule name, exactly one operator, none on custom rules. */
export const upgradeRule = (rule: JsonObject): JsonObject => {
  const type = rule['type'] ?? (rule['metric'] !== undefined || rule['rule'] !== undefined ? 'library' : undefined)
  const operators = operatorsOf(rule)
  if (type === 'library') return operators.length === 1 ? libraryRule(rule) : demoteRule(rule)
  if (type === 'sql') return operators.length === 1 ? rule : demoteRule(rule)
  if (type === 'custom' && operators.length > 0) return without(rule, operators)
  if ((type === 'text' || type === undefined) && operators.length > 0) return demoteRule(rule)
  return rule
}

const libraryRule = (rule: JsonObject): JsonObject => {
  if (rule['metric'] !== undefined) return rule
  const name = String(rule['rule'])
  const metric = METRIC_OF_RULE[name] ?? (METRICS.includes(name) ? name : undefined)
  if (metric === undefined) return demoteRule(rule)
  const upgraded: JsonObject = {}
  for (const [member, value] of Object.entries(rule)) {
    if (member === 'rule') upgraded['metric'] = metric
    if (member === 'validValues' && isList(value))
      upgraded['arguments'] = { ...(isObject(rule['arguments']) ? rule['arguments'] : {}), validValues: value }
    else if (member !== 'arguments' || upgraded['arguments'] === undefined) upgraded[member] = value
  }
  return upgraded
}

const without = (rule: JsonObject, members: readonly string[]): JsonObject => {
  const rest = Object.fromEntries(Object.entries(rule).filter(([member]) => !members.includes(member)))
  if (isList(rest['customProperties'])) rest['customProperties'] = [...rest['customProperties']]
  for (const member of members) keepCustom(rest, member, rule[member] ?? null)
  return rest
}
