import { customItems, addCustom } from '../model/customProperties.ts'
import { logicalTypeOf } from '../model/logicalTypes.ts'
import { mapItems, upgradeMember, upgradeRole, upgradeSla } from './upgradeV30.ts'
import {
  EXPORT_VERSION,
  isList,
  isObject,
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

const support =
  (channel: (text: string) => JsonObject): Move =>
  (target, value, member) => {
    const text = textOf(value)
    const { support: channels = [] } = target
    if (text === undefined || !isList(channels)) return addCustom(target, member, value)
    target['support'] = [...channels, channel(text)]
  }

const exportVersion: Move = (target) => {
  target['apiVersion'] = EXPORT_VERSION
}

const NO_PLACE =
  'sourcePlatform sourceSystem server database project datasetProject datasetName driver driverVersion username datasetKind userConsumptionMode type schedulerAppName systemInstance'.split(
    ' ',
  )

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
    isList(value) ? { members: mapItems(value, (item) => upgradeMember(withoutNull(item))) } : value,
  ),
  roles: toEach('roles', (role) => upgradeRole(withoutNull(role))),
  slaDefaultColumn: 'slaDefaultElement',
  slaProperties: toEach('slaProperties', upgradeSla),
  productSlackChannel: support((channel) => ({ channel, tool: 'slack' })),
  productDl: support((channel) => ({
    channel,
    tool: 'email',
    url: channel.startsWith('mailto:') ? channel : `mailto:${channel}`,
  })),
  productFeedbackUrl: support((url) => ({ channel: 'feedback', url })),
  ...Object.fromEntries(NO_PLACE.map((member) => [member, 'custom' as const])),
}

const TABLE: Moves = {
  table: 'name',
  name: 'name',
  description: (target, value, member) => {
    const lines = isList(value) && value.every((line) => typeof line === 'string') ? value.join('\n') : undefined
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
  name: 'name',
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
  name: 'name',
  type: 'method',
  scheduleCronExpression: (target, value, member) => {
    if (target['schedule'] !== undefined || target['scheduler'] !== undefined) return addCustom(target, member, value)
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

const move = (element: JsonObject, moves: Moves): JsonObject => {
  const target: JsonObject = {}
  const own = element['customProperties']
  for (const [member, value] of Object.entries(element)) {
    if (value === null || member === 'customProperties') continue
    const way = Object.hasOwn(moves, member) ? moves[member] : undefined
    if (typeof way === 'function') way(target, value, member)
    else if (way === 'custom' || (way !== undefined && target[way] !== undefined)) addCustom(target, member, value)
    else if (way === undefined) place(target, member, value)
    else target[way] = withoutNulls(value)
  }
  if (own === undefined || own === null) return target
  return { ...target, customProperties: [...customItems({ customProperties: own }), ...customItems(target)] }
}

// Members that keep their name; if an earlier member already took it, the later one becomes a custom property.
const place = (target: JsonObject, member: string, value: Json): void => {
  if (!Object.hasOwn(target, member) || member === 'customProperties') target[member] = withoutNulls(value)
  else addCustom(target, member, value)
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
