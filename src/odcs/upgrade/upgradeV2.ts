import { words } from '../../shared/wordLists.ts'
import { customItems, addCustom } from '../model/customProperties.ts'
import { logicalTypeOf } from '../model/logicalTypes.ts'
import { mapItems, upgradeMember, upgradeSla } from './upgradeV30.ts'
import {
  EXPORT_VERSION,
  isObject,
  itemsIn,
  objectsIn,
  scalarText,
  textOf,
  type Json,
  type JsonObject,
} from '../model/types.ts'

/** The target of a v2 member: a new name, a conversion, or (`custom`) customProperties. */
type Move = string | 'custom' | ((target: JsonObject, value: Json, member: string) => void)
type Moves = Record<string, Move>

// Where an earlier member has said it already, the value is kept as it was.
const to =
  (name: string, change: (value: Json) => Json): Move =>
  (target, value, member) => {
    if (target[name] === undefined) target[name] = change(value)
    else addCustom(target, member, value)
  }
const toEach = (name: string, step: (item: JsonObject) => JsonObject): Move => to(name, (list) => mapItems(list, step))

// A boolean under its new name; other values are also kept as they were.
const truth =
  (name: string, invert = false): Move =>
  (target, value, member) => {
    const found = target[name] === undefined ? asBoolean(value) : undefined
    if (found !== undefined) target[name] = found !== invert
    if (found === undefined || typeof value !== 'boolean') addCustom(target, member, value)
  }

const channels =
  (of: (value: Json) => Json | undefined): Move =>
  (target, value, member) => {
    const found = of(value)
    if (Array.isArray(found)) target['support'] = [...itemsIn(target['support']), ...found]
    else addCustom(target, member, value)
  }

const channel = (of: (text: string) => JsonObject): Move =>
  channels((value) => (typeof value === 'string' ? [of(value)] : undefined))

const exportVersion: Move = (target) => {
  target['apiVersion'] = EXPORT_VERSION
}

const NO_PLACE = words(`
  sourcePlatform sourceSystem server database project datasetProject datasetName driver driverVersion username
  datasetKind userConsumptionMode type schedulerAppName systemInstance`)

const TOP: Moves = {
  apiVersion: exportVersion,
  standardVersion: exportVersion,
  templateVersion: 'custom',
  kind: (target, value) => {
    target['kind'] = 'DataContract'
    if (value !== 'DataContract') addCustom(target, 'datasetKind', value)
  },
  uuid: 'id',
  quantumName: 'dataProduct',
  datasetDomain: 'domain',
  dataset: (target, value, member) => {
    target['schema'] = tablesOf(value).map((table) => move(table, TABLE))
    const beside = isObject(value)
      ? Object.entries(value).filter(([name, item]) => name !== 'tables' && item !== null)
      : []
    if (beside.length > 0) addCustom(target, member, Object.fromEntries(beside))
  },
  description: to('description', (value) => (typeof value === 'string' ? { purpose: value } : withoutNulls(value))),
  stakeholders: to('team', (value) =>
    Array.isArray(value) ? { members: mapItems(value, (item) => upgradeMember(withoutNull(item))) } : value,
  ),
  roles: toEach('roles', (role) => withoutNull(role)),
  slaDefaultColumn: 'slaDefaultElement',
  slaProperties: toEach('slaProperties', upgradeSla),
  support: channels((value) => value),
  productSlackChannel: channel((text) => ({ channel: text, tool: 'slack' })),
  productDl: channel((text) => ({
    channel: text,
    tool: 'email',
    url: text.startsWith('mailto:') ? text : `mailto:${text}`,
  })),
  productFeedbackUrl: channel((url) => ({ channel: 'feedback', url })),
  ...Object.fromEntries(NO_PLACE.map((member) => [member, 'custom' as const])),
}

const TABLE: Moves = {
  table: 'name',
  description: (target, value, member) => {
    const lines = Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('\n') : undefined
    if (lines !== undefined) addCustom(target, member, value)
    target['description'] = lines ?? value
  },
  dataGranularity: 'dataGranularityDescription',
  priorTableName: 'custom',
  columns: toEach('properties', (column) => move(column, COLUMN)),
  quality: toEach('quality', (rule) => upgradeRule(rule)),
}

const COLUMN: Moves = {
  column: 'name',
  isPrimaryKey: truth('primaryKey'),
  isPrimary: truth('primaryKey'),
  primary: truth('primaryKey'),
  isNullable: truth('required', true),
  nullable: truth('required', true),
  isUnique: truth('unique'),
  partitionStatus: truth('partitioned'),
  criticalDataElementStatus: truth('criticalDataElement'),
  clusterStatus: 'custom',
  clusterKeyPosition: 'custom',
  encryptedColumnName: 'encryptedName',
  transformSourceTables: 'transformSourceObjects',
  sampleValues: 'examples',
  logicalType: (target, value, member) => {
    const logical = logicalTypeOf(scalarText(value) ?? '')
    if (logical !== value) addCustom(target, member, value)
    target['logicalType'] = logical
  },
  quality: toEach('quality', (rule) => upgradeRule(rule)),
}

const RULE: Moves = {
  code: 'name',
  type: 'method',
  scheduleCronExpression: (target, value) => {
    target['schedule'] = value
    target['scheduler'] = 'cron'
  },
  toolName: 'custom',
  toolRuleName: 'custom',
  templateName: 'custom',
  column: 'custom',
  columns: 'custom',
}

/** @returns the boolean of a value: true, "true", "yes", "Y", 1 and their opposites */
export const asBoolean = (value: Json | undefined): boolean | undefined => {
  if (typeof value === 'boolean') return value
  const word = scalarText(value)?.trim().toLowerCase() ?? ''
  if (['true', 'yes', 'y', '1'].includes(word)) return true
  return ['false', 'no', 'n', '0'].includes(word) ? false : undefined
}

/** Upgrades a v2.2.x document to v3.1.0; values without a place become custom properties, nulls are dropped. */
export const upgradeV2 = (document: JsonObject): JsonObject => {
  const upgraded = move(document, TOP)
  if (upgraded['apiVersion'] === undefined) upgraded['apiVersion'] = EXPORT_VERSION
  if (upgraded['kind'] === undefined) upgraded['kind'] = 'DataContract'
  if (upgraded['id'] === undefined) upgraded['id'] = document['quantumName'] ?? document['datasetName'] ?? 'unnamed'
  const server = bigQueryServer(document)
  if (server && upgraded['servers'] === undefined) upgraded['servers'] = [server]
  return upgraded
}

/** Moves the members of an element. Those of v2 come first, so that others of the same meaning are kept beside them. */
const move = (element: JsonObject, moves: Moves): JsonObject => {
  const target: JsonObject = {}
  const places = new Map<string, number>()
  const own = element['customProperties']
  const entries = Object.entries(element).map(([member, value], at) => ({ member, value, at }))
  const said = entries.filter(({ member, value }) => value !== null && member !== 'customProperties')
  const isOwn = ({ member }: { member: string }): boolean => Object.hasOwn(moves, member)
  for (const { member, value, at } of said.filter(isOwn)) {
    const way = moves[member] as Move
    if (typeof way === 'function') way(target, value, member)
    else if (way === 'custom' || target[way] !== undefined) addCustom(target, member, value)
    else target[way] = withoutNulls(value)
    for (const name of Object.keys(target)) if (!places.has(name)) places.set(name, at)
  }
  for (const { member, value, at } of said.filter((entry) => !isOwn(entry))) {
    if (Object.hasOwn(target, member)) addCustom(target, member, value)
    else target[member] = withoutNulls(value)
    if (!places.has(member)) places.set(member, at)
  }
  const place = ([name]: readonly [string, Json]): number => places.get(name) ?? entries.length
  const moved = Object.fromEntries(Object.entries(target).sort((one, other) => place(one) - place(other)))
  if (own === undefined || own === null) return moved
  return { ...moved, customProperties: [...customItems({ customProperties: own }), ...customItems(target)] }
}

const tablesOf = (dataset: Json): JsonObject[] => objectsIn(isObject(dataset) ? dataset['tables'] : dataset)

const upgradeRule = (rule: JsonObject): JsonObject => {
  const upgraded = move(rule, RULE)
  const engine = textOf(rule['toolName'])
  const implementation = textOf(rule['toolRuleName']) ?? textOf(rule['templateName'])
  const isTaken = upgraded['engine'] !== undefined || upgraded['implementation'] !== undefined
  if (isTaken || engine === undefined || implementation === undefined) return { ...upgraded, type: 'text' }
  return { ...upgraded, type: 'custom', engine, implementation }
}

const bigQueryServer = (document: JsonObject): JsonObject | undefined => {
  const { datasetProject, project = datasetProject, datasetName } = document
  if (textOf(document['sourceSystem'])?.toLowerCase() !== 'bigquery') return undefined
  if (typeof project !== 'string' || typeof datasetName !== 'string') return undefined
  return { server: 'bigquery', type: 'bigquery', project, dataset: datasetName }
}

const withoutNull = (element: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(element).filter(([, value]) => value !== null))

const withoutNulls = (value: Json): Json => (isObject(value) ? withoutNull(value) : value)
