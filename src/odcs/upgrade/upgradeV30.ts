import { words } from '../../shared/wordLists.ts'
import { addCustom, renamed, withOwnCustom } from '../model/customProperties.ts'
import { isObject, textOf, type Json, type JsonObject } from '../model/types.ts'

type Step = (element: JsonObject) => JsonObject

/** Changes the objects of a list. */
export const mapItems = (list: Json, step: Step): Json =>
  Array.isArray(list) ? list.map((item) => (isObject(item) ? step(item) : item)) : list

/** Changes the objects in lists that are members of an element. */
const withItems = (element: JsonObject, steps: Readonly<Record<string, Step>>): JsonObject => {
  const lists = Object.entries(steps).filter(([member]) => element[member] !== undefined)
  const changed = lists.map(([member, step]) => [member, mapItems(element[member] ?? null, step)] as const)
  return changed.length === 0 ? element : { ...element, ...Object.fromEntries(changed) }
}

/** Rewrites what differs between v3.0.x and v3.1.0; the rest and the order stay. */
export const upgradeV30 = (document: JsonObject): JsonObject =>
  withItems(document, {
    schema: upgradeElement,
    servers: (server) => renamed(server, 'staging_dir', 'stagingDir'),
    team: upgradeMember,
    slaProperties: upgradeSla,
  })

const upgradeElement = (element: JsonObject): JsonObject => {
  const { items, logicalTypeOptions: options } = element
  const upgraded = {
    ...withItems(element, { quality: upgradeRule, properties: upgradeElement }),
    ...(isObject(items) && { items: upgradeElement(items) }),
  }
  return isObject(options) ? upgradeOptions(upgraded, options) : upgraded
}

// `exclusiveMinimum: true` with `minimum: 5` becomes `exclusiveMinimum: 5`; the flag becomes a custom property.
const upgradeOptions = (element: JsonObject, old: JsonObject): JsonObject => {
  const flags = ['Minimum', 'Maximum'].filter((end) => typeof old[`exclusive${end}`] === 'boolean')
  if (flags.length === 0) return element
  let options = old
  const upgraded = withOwnCustom(element)
  for (const end of flags) {
    const flag = old[`exclusive${end}`] ?? null
    const bound = end.toLowerCase()
    options = Object.fromEntries(Object.entries(options).filter(([member]) => member !== `exclusive${end}`))
    if (flag === true) options = renamed(options, bound, `exclusive${end}`)
    addCustom(upgraded, `logicalTypeOptions.exclusive${end}`, flag)
  }
  return { ...upgraded, logicalTypeOptions: options }
}

/** The comment of a team member becomes its description. */
export const upgradeMember: Step = (member) => renamed(member, 'comment', 'description')

/** An SLA property names an element instead of a column. */
export const upgradeSla: Step = (property) => renamed(property, 'column', 'element')

const METRICS = ['nullValues', 'missingValues', 'invalidValues', 'duplicateValues', 'rowCount']

const COMMON = new Set(
  words(`
  id name description type dimension method severity businessImpact unit schedule scheduler tags
  authoritativeDefinitions customProperties`),
)

const METRIC_OF_RULE = new Map([
  ['duplicateCount', 'duplicateValues'],
  ['nullCheck', 'nullValues'],
  ['nullCount', 'nullValues'],
])

/** Demotes a rule to prose: everything that a text rule may not have becomes a custom property. */
export const demoteRule = (rule: JsonObject): JsonObject => {
  const text: JsonObject = {}
  const kept: [string, Json][] = []
  for (const [member, value] of Object.entries(rule)) {
    if (member === 'type' && value !== 'text' && value !== null) kept.push([member, value])
    if (member === 'type') text['type'] = 'text'
    else if (COMMON.has(member))
      text[member] = member === 'customProperties' && Array.isArray(value) ? [...value] : value
    else if (value !== null) kept.push([member, value])
  }
  text['type'] = 'text'
  for (const [member, value] of kept) addCustom(text, member, value)
  return text
}

/** A rule of the library gets a metric in addition to its old name; one without a metric or one operator is prose. */
const upgradeRule: Step = (rule) => {
  if (rule['metric'] !== undefined || (rule['type'] ?? 'library') !== 'library' || rule['rule'] === undefined)
    return rule
  const name = textOf(rule['rule']) ?? ''
  const metric = METRIC_OF_RULE.get(name) ?? (METRICS.includes(name) ? name : undefined)
  const operators = Object.entries(rule).filter(([member, value]) => member.startsWith('must') && value !== null)
  if (metric === undefined || operators.length !== 1) return demoteRule(rule)
  const members = Object.entries(rule).map(([member, value]) => [
    ...(member === 'rule' ? [['metric', metric] as const] : []),
    [member, value] as const,
  ])
  return Object.fromEntries(members.flat())
}
