import type { ErrorObject } from 'ajv'
import { readInstant } from '../../shared/instant.ts'
import { isComposite, exportErrors, isUnknownMember, relevantErrors, unknownMember } from '../read/check.ts'
import { customNameOf, carrierOf, addCustom } from '../model/customProperties.ts'
import { logicalTypeOf } from '../model/logicalTypes.ts'
import { asBoolean } from './upgradeV2.ts'
import { demoteRule } from './upgradeV30.ts'
import {
  detach,
  replace,
  documentValueAt,
  EXPORT_VERSION,
  isObject,
  pathOf,
  pointer,
  scalarText,
  type Json,
  type JsonObject,
  type Problem,
  type Warning,
} from '../model/types.ts'

/** A document that passes the official v3.1.0 schema, and the values added for that. */
export interface RepairResult {
  document: JsonObject
  warnings: Warning[]
  /** Why the document cannot be kept: it would only pass without its objects, or be too deep to be read again. */
  unfit?: Problem
}

const MAX_ROUNDS = 200

/**
 * Makes a document pass the official v3.1.0 schema. What does not fit is kept in customProperties of the nearest
 * element that may have them; meaningless nulls are dropped. A valid document is returned unchanged.
 */
export const fitToSchema = (document: JsonObject): RepairResult => {
  let errors = exportErrors(document)
  if (errors.length === 0) return { document, warnings: [] }
  const work: RepairResult = { document: structuredClone(document), warnings: [] }
  for (let round = 0; errors.length > 0 && work.unfit === undefined; round += 1) {
    if (round === MAX_ROUNDS) refuse(work, pathOf(errors[0]?.instancePath ?? ''))
    for (const step of stepsFor(work.document, errors)) applyStep(work, step)
    errors = exportErrors(work.document)
  }
  return work
}

const refuse = (work: RepairResult, path: readonly string[]): void => {
  work.unfit ??= { path: pointer(path), message: `cannot be kept: no custom property of ${EXPORT_VERSION} can hold it` }
}

interface Step {
  path: string[]
  error: ErrorObject
}

// Last place first, so that removing a list item does not shift the others.
const stepsFor = (document: JsonObject, errors: readonly ErrorObject[]): Step[] => {
  const steps = new Map<string, Step>()
  for (const error of relevantErrors(document, errors)) {
    const at = pathOf(error.instancePath)
    const path = movedWith(document, isUnknownMember(error) ? [...at, unknownMember(error)] : at)
    const key = pointer(path)
    if (!steps.has(key) || error.keyword === 'required') steps.set(key, { path, error })
  }
  return [...steps].sort(([one], [other]) => order.compare(other, one)).map(([, step]) => step)
}

/** What moves with a place: all of a relationship, unless the place is only empty. */
const movedWith = (document: JsonObject, path: string[]): string[] => {
  const relation = path.lastIndexOf('relationships')
  return relation === -1 || documentValueAt(document, path) === null ? path : path.slice(0, relation + 2)
}

const order = new Intl.Collator('en', { numeric: true })

const applyStep = (work: RepairResult, { path, error }: Step): void => {
  const value = documentValueAt(work.document, path)
  if (error.keyword === 'required' && isObject(value)) return complete(work, path, value, error)
  if (value === undefined) return
  if (value === null && !isComposite(error)) return detach(work.document, path)
  if (path.includes('relationships')) return moveToCustom(work, path)
  const rule = ruleOf(work.document, path)
  const inRule =
    path.length === rule?.path.length ||
    ['type', 'metric', 'query', 'engine', 'implementation'].includes(path.at(-1) ?? '')
  if (rule && inRule) return demote(work, rule)
  if (path[0] === 'servers' && path.length === 3 && path[2] === 'type' && error.keyword === 'enum')
    return customServer(work, path.slice(0, 2))
  const fitting = coerced(path, value, error)
  moveToCustom(work, path, fitting)
}

const moveToCustom = (work: RepairResult, path: readonly string[], instead?: Json): void => {
  const value = documentValueAt(work.document, path)
  if (value === undefined) return
  const place = carrierOf(work.document, path.slice(0, -1))
  const element = documentValueAt(work.document, place)
  // A contract without the objects of its document would promise nothing.
  const isTooMuch = path.length === 0 || (path[0] === 'schema' && path.length < 3)
  if (!isObject(element) || isTooMuch) return refuse(work, path)
  if (instead === undefined) detach(work.document, path)
  else replace(work.document, path, instead)
  const name = customNameOf(path.slice(place.length))
  if (value !== null) addCustom(element, name, value)
}

const DEFAULTS: Record<string, Json> = {
  version: '0.0.1',
  apiVersion: EXPORT_VERSION,
  kind: 'DataContract',
  id: 'unnamed',
  status: 'draft',
}

const complete = (work: RepairResult, path: string[], value: JsonObject, error: ErrorObject): void => {
  const member = String((error.params as Record<string, unknown>)['missingProperty'])
  const rule = ruleOf(work.document, path)
  if (rule?.path.length === path.length) return demote(work, rule)
  const kind = path.at(-2)
  if (path.length === 0) fill(work, path, value, member, DEFAULTS[member] ?? '')
  else if (kind === 'servers' && member === 'server') fill(work, path, value, member, value['type'] ?? 'server')
  else if (kind === 'servers') customServer(work, path)
  else if ((kind === 'slaProperties' || kind === 'customProperties') && member === 'value') value[member] = null
  else moveToCustom(work, path)
}

const fill = (work: RepairResult, path: string[], element: JsonObject, member: string, value: Json): void => {
  element[member] = value
  work.warnings.push({
    path: pointer([...path, member]),
    message: `was missing and is set to ${JSON.stringify(value)}`,
  })
}

const customServer = (work: RepairResult, path: string[]): void => {
  const server = documentValueAt(work.document, path)
  if (!isObject(server)) return
  const type = server['type']
  if (type === 'custom' || type === undefined) server['type'] = 'custom'
  else moveToCustom(work, [...path, 'type'], 'custom')
}

const ruleOf = (document: JsonObject, path: readonly string[]): { path: string[]; rule: JsonObject } | undefined => {
  const at = path.lastIndexOf('quality')
  if (at === -1 || path.length < at + 2 || path[0] !== 'schema') return undefined
  const found = documentValueAt(document, path.slice(0, at + 2))
  return isObject(found) ? { path: path.slice(0, at + 2), rule: found } : undefined
}

const demote = (work: RepairResult, { path, rule }: { path: string[]; rule: JsonObject }): void => {
  replace(work.document, path, demoteRule(rule))
}

const DIMENSIONS = new Map([
  ['ac', 'accuracy'],
  ['cp', 'completeness'],
  ['cf', 'conformity'],
  ['cs', 'consistency'],
  ['cv', 'coverage'],
  ['tm', 'timeliness'],
  ['uq', 'uniqueness'],
])

/** @returns an equivalent value that the schema accepts, or undefined */
const coerced = (path: readonly string[], value: Json, error: ErrorObject): Json | undefined => {
  const member = path.at(-1)
  if (error.keyword === 'enum' && typeof value === 'string') {
    if (member === 'dimension') return fromEnum(error, DIMENSIONS.get(value.toLowerCase()) ?? value.toLowerCase())
    if (member === 'logicalType' && path.length > 3) return logicalTypeOf(value)
    return path.length === 1 ? fromEnum(error, undefined) : fromEnum(error, value.toLowerCase())
  }
  if (error.keyword === 'format' && typeof value === 'string')
    return asRfc3339(value, (error.params as Record<string, unknown>)['format'])
  if (error.keyword !== 'type') return undefined
  const wanted = [(error.params as Record<string, unknown>)['type']].flat().map(String)
  for (const type of wanted) {
    const made = asType(type, value)
    if (made !== undefined) return made
  }
  return undefined
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[Tt ]+(\d\d:\d\d)(:\d\d(?:\.\d+)?)?)? *(?:([+-]\d\d):?(\d\d)|[Zz]|UTC|GMT)?$/

// A time without a zone is UTC, as the standard says of its timestamps.
const asRfc3339 = (text: string, format: unknown): string | undefined => {
  const [matches, day, time = '00:00', seconds = ':00', hours, minutes] = MOMENT.exec(text.trim()) ?? []
  if (matches === undefined || day === undefined) return undefined
  const made = format === 'date' ? day : `${day}T${time}${seconds}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`
  return Number.isNaN(readInstant(made)) ? undefined : made
}

const fromEnum = (error: ErrorObject, value: string | undefined): string | undefined => {
  const allowed = (error.params as Record<string, unknown>)['allowedValues']
  if (!Array.isArray(allowed)) return undefined
  if (value === undefined) return String(allowed[0])
  return allowed.includes(value) ? value : undefined
}

const asType = (type: string, value: Json): Json | undefined => {
  const text = typeof value === 'string' ? value.trim() : undefined
  switch (type) {
    case 'string':
      if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value.join(', ') : undefined
      return scalarText(value)
    case 'number':
      return text !== undefined && text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
    case 'integer':
      return text !== undefined && /^[-+]?\d+$/.test(text) && Number.isSafeInteger(Number(text))
        ? Number(text)
        : undefined
    case 'boolean':
      return asBoolean(value)
    case 'array':
      return text === undefined ? undefined : [text]
    default:
      return undefined
  }
}
