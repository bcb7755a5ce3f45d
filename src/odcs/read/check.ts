import { Ajv2019, type ErrorObject, type ValidateFunction } from 'ajv/dist/2019.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import v300 from '../schemas/odcs-json-schema-v3.0.0.json' with { type: 'json' }
import v301 from '../schemas/odcs-json-schema-v3.0.1.json' with { type: 'json' }
import v302 from '../schemas/odcs-json-schema-v3.0.2.json' with { type: 'json' }
import v310 from '../schemas/odcs-json-schema-v3.1.0.json' with { type: 'json' }
import v320 from '../schemas/odcs-json-schema-v3.2.0.json' with { type: 'json' }
import { memoizeByKey } from '../../shared/memoize.ts'
import { documentValueAt, EXPORT_VERSION, isObject, toPlainJson, type Json } from '../model/types.ts'

/** Versions with a bundled official schema; v2 is recognised by its shape. */
export type SchemaVersion = 'v3.0.0' | 'v3.0.1' | 'v3.0.2' | 'v3.1.0' | 'v3.2.0'

const SCHEMAS: Record<SchemaVersion, object> = {
  'v3.0.0': v300,
  'v3.0.1': v301,
  'v3.0.2': v302,
  'v3.1.0': v310,
  'v3.2.0': v320,
}

/** Formats asserted on export. `uri` is not: the standard's own examples have templates there. */
const exportFormats = { date: fullFormats.date, 'date-time': fullFormats['date-time'], uri: true } as const

// The schemas are known to be valid, and optimising the generated code takes longer than it saves.
const compile = (version: SchemaVersion, validateFormats: boolean): ValidateFunction =>
  new Ajv2019({
    strict: false,
    validateFormats,
    formats: exportFormats,
    validateSchema: false,
    meta: false,
    allErrors: true,
    code: { optimize: false },
  }).compile(SCHEMAS[version])

const validatorOf = memoizeByKey((version: SchemaVersion) => compile(version, false))
const exportValidatorOf = memoizeByKey((version: SchemaVersion) => compile(version, true))

/** Whether the document passes the official schema of a version. `format` is not asserted. */
export const isValidDocument = (version: SchemaVersion, document: Json): boolean =>
  validatorOf(version)(toPlainJson(document)) === true

/** @returns all errors of the official schema of a version */
export const schemaErrors = (version: SchemaVersion, document: Json): ErrorObject[] =>
  errorsOf(validatorOf(version), document)

/** @returns errors that prevent an export: of the official schema, and of date formats */
export const exportErrors = (document: Json): ErrorObject[] => errorsOf(exportValidatorOf(EXPORT_VERSION), document)

const errorsOf = (check: ValidateFunction, document: Json): ErrorObject[] =>
  check(toPlainJson(document)) === true ? [] : (check.errors ?? [])

const COMPOSITE = new Set(['if', 'oneOf', 'anyOf', 'allOf', 'not', '$ref'])
const UNKNOWN = new Set(['additionalProperties', 'unevaluatedProperties'])

export const isComposite = (error: ErrorObject): boolean => COMPOSITE.has(error.keyword)
export const isUnknownMember = (error: ErrorObject): boolean => UNKNOWN.has(error.keyword)

export const unknownMember = (error: ErrorObject): string => {
  const { additionalProperty, unevaluatedProperty } = error.params as Record<string, unknown>
  return String(additionalProperty ?? unevaluatedProperty)
}

/**
 * The informative errors: a composite one only if no error at or below its place explains it, an unknown member that
 * exists elsewhere only if its object has no other error, and if each check of the object misses it.
 */
export const relevantErrors = (document: Json, errors: readonly ErrorObject[]): ErrorObject[] => {
  const real = placesOf(errors.filter((error) => !isComposite(error) && !isUnknownMember(error)))
  const anything = placesOf(errors.filter((error) => !isUnknownMember(error)))
  const deeper = placesOf(errors, true)
  const isMissed = membersMissed(errors)
  const seen = new Set<string>()
  return errors.filter((error) => {
    if (isTeamChoice(document, error)) return false
    if (isComposite(error) && (real.has(error.instancePath) || deeper.has(error.instancePath))) return false
    const isElsewhere = error.keyword === 'unevaluatedProperties' && KNOWN_SOMEWHERE.has(unknownMember(error))
    if (isElsewhere && (anything.has(error.instancePath) || deeper.has(error.instancePath) || !isMissed(error)))
      return false
    const identity = `${error.instancePath} ${error.keyword} ${JSON.stringify(error.params)}`
    return !seen.has(identity) && seen.add(identity)
  })
}

/** Tells whether all checks of an object report a member as unknown: one that fails for another member reports all. */
const membersMissed = (errors: readonly ErrorObject[]): ((error: ErrorObject) => boolean) => {
  const [counts, most] = [new Map<string, number>(), new Map<string, number>()]
  const keyOf = (error: ErrorObject): string => `${error.instancePath}/${unknownMember(error)}`
  for (const error of errors.filter(isUnknownMember)) {
    const count = (counts.get(keyOf(error)) ?? 0) + 1
    counts.set(keyOf(error), count)
    most.set(error.instancePath, Math.max(count, most.get(error.instancePath) ?? 0))
  }
  return (error) => counts.get(keyOf(error)) === most.get(error.instancePath)
}

// `team` may be a mapping or a list: errors of the other form are irrelevant.
const isTeamChoice = (document: Json, error: ErrorObject): boolean => {
  if (error.instancePath !== '/team' || !(error.keyword === 'type' || isComposite(error))) return false
  const team = documentValueAt(document, ['team'])
  return isObject(team) || Array.isArray(team)
}

const membersIn = (schema: unknown, found: Set<string>): Set<string> => {
  if (typeof schema !== 'object' || schema === null) return found
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties' && typeof value === 'object' && value !== null)
      for (const member of Object.keys(value)) found.add(member)
    membersIn(value, found)
  }
  return found
}

const KNOWN_SOMEWHERE = membersIn(v320, membersIn(v310, new Set<string>()))

// Places with an error at or below them; `strictly`: only below.
const placesOf = (errors: readonly ErrorObject[], strictly = false): Set<string> => {
  const places = new Set<string>()
  for (const { instancePath } of errors) {
    let at = strictly ? instancePath.slice(0, instancePath.lastIndexOf('/')) : instancePath
    if (strictly && instancePath === '') continue
    while (!places.has(at)) {
      places.add(at)
      if (at === '') break
      at = at.slice(0, at.lastIndexOf('/'))
    }
  }
  return places
}
