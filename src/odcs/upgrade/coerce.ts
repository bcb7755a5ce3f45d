import type { ErrorObject } from 'ajv'
import { isList, type Json } from '../model/types.ts'

const DIMENSIONS: Record<string, string> = {
  ac: 'accuracy',
  cp: 'completeness',
  cf: 'conformity',
  cs: 'consistency',
  cv: 'coverage',
  tm: 'timeliness',
  uq: 'uniqueness',
}

const LOGICAL_TYPES: readonly [RegExp, string][] = [
  [/^(numeric|number|decimal|double|float|real|money)/, 'number'],
  [/^(int|integer|bigint|smallint|tinyint|long|short)/, 'integer'],
  [/^(datetime|timestamp)/, 'timestamp'],
  [/^date$/, 'date'],
  [/^time$/, 'time'],
  [/^bool/, 'boolean'],
  [/^(array|list|set|vector)$/, 'array'],
  [/^(object|struct|record|map|json)/, 'object'],
]

/** @returns the v3.1.0 logical type of a free type name */
export const logicalTypeOf = (text: string): string => {
  const name = text.trim().toLowerCase()
  return LOGICAL_TYPES.find(([pattern]) => pattern.test(name))?.[1] ?? 'string'
}

/** @returns an equivalent value that the schema accepts, or undefined */
export const coerced = (path: readonly string[], value: Json, error: ErrorObject): Json | undefined => {
  const member = path.at(-1)
  if (error.keyword === 'enum' && typeof value === 'string') {
    if (member === 'dimension') return fromEnum(error, DIMENSIONS[value.toLowerCase()] ?? value.toLowerCase())
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
  return Number.isNaN(Date.parse(made)) ? undefined : made
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
      if (isList(value)) return value.every((item) => typeof item === 'string') ? value.join(', ') : undefined
      return typeof value === 'object' ? undefined : String(value)
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

/** @returns the boolean of a value: true, "true", "yes", "Y", 1 and their opposites */
export const asBoolean = (value: Json | undefined): boolean | undefined => {
  if (typeof value === 'boolean') return value
  const word = String(value).trim().toLowerCase()
  if (['true', 'yes', 'y', '1'].includes(word)) return true
  return ['false', 'no', 'n', '0'].includes(word) ? false : undefined
}
