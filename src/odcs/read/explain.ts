import type { ErrorObject } from 'ajv'
import { isUnknownMember, schemaErrors, relevantErrors, unknownMember, type SchemaVersion } from './check.ts'
import {
  documentValueAt,
  isObject,
  pathOf,
  pointer,
  SUPPORTED_VERSIONS,
  toJson,
  type Json,
  type Problem,
} from '../model/types.ts'

/** @returns why a document does not pass the official schema of a version, in words */
export const schemaProblems = (version: SchemaVersion, document: Json): Problem[] => {
  const reported = new Map<string, Problem>()
  const errors = schemaErrors(version, document)
  for (const error of relevantErrors(document, errors)) {
    const path = isUnknownMember(error)
      ? pointer([...pathOf(error.instancePath), unknownMember(error)])
      : error.instancePath
    const message = explain(version, error, documentValueAt(document, pathOf(path)))
    reported.set(`${path} ${message}`, { path, message })
  }
  if (reported.size === 0 && errors[0])
    return [{ path: errors[0].instancePath, message: errors[0].message ?? 'does not fit the schema' }]
  return [...reported.values()]
}

const explain = (version: SchemaVersion, error: ErrorObject, value: Json | undefined): string => {
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `the member "${unknownMember(error)}" is not known in ${version}; keep own data in customProperties`
    case 'required': {
      // Of the operators of a rule each is missing, and one of them is needed.
      const missing = String(params['missingProperty'])
      return missing.startsWith('must')
        ? 'needs exactly one operator such as "mustBe" or "mustBeLessThan", of the right form'
        : `needs the member "${missing}"`
    }
    case 'enum': {
      // The schema of a version names the versions that were there then.
      const allowed = error.instancePath === '/apiVersion' ? SUPPORTED_VERSIONS : (params['allowedValues'] as string[])
      return `must be one of ${allowed.join(', ')}; found ${shown(value)}`
    }
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}; found ${shown(value)}`
    case 'type':
      return mustBe([params['type']].flat().map(String), value)
    default:
      return `${error.message ?? 'does not fit the schema'}; found ${shown(value)}`
  }
}

const TYPES: Record<string, string> = {
  string: 'a text',
  object: 'a mapping',
  array: 'a list',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
}

const mustBe = (types: string[], value: Json | undefined): string => {
  const wanted = types.map((type) => TYPES[type] ?? type).join(' or ')
  const scalar = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
  const hint = types.includes('string') && scalar ? '; put it in quotes' : ''
  return `must be ${wanted}; found ${shown(value)}${hint}`
}

const shown = (value: Json | undefined): string => {
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'a mapping'
  if (value === undefined) return 'nothing'
  const text = toJson(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
