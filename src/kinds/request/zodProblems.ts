import type { z } from 'zod'
import { isObject, type Json, jsonPointer } from '../../shared/json.ts'
import { unknownWord } from '../../shared/nearest.ts'
import type { Problem } from '../defineKind.ts'

type Issue = z.core.$ZodIssue

const expectations: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  date: 'an ISO 8601 day such as 2026-01-31',
  datetime: 'an ISO 8601 instant such as 2026-01-31T12:00:00Z',
}

const sizes: Readonly<Record<string, string>> = { string: 'characters', array: 'items' }

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((inner: unknown, part) => (inner as Record<PropertyKey, unknown> | undefined)?.[part], value)

const messageOf = (issue: Issue, value: unknown): string => {
  switch (issue.code) {
    case 'invalid_type':
      if (valueAt(value, issue.path) === undefined) return 'is required'
      return `must be ${expectations[issue.expected] ?? issue.expected}`
    case 'too_small':
      if (issue.origin in sizes && Number(issue.minimum) === 1) return 'must not be empty'
      return `must ${issue.origin in sizes ? 'have' : 'be'} at least ${issue.minimum}${sizeOf(issue.origin)}`
    case 'too_big':
      return `must ${issue.origin in sizes ? 'have' : 'be'} at most ${issue.maximum}${sizeOf(issue.origin)}`
    case 'invalid_value':
      return unknownWord(valueAt(value, issue.path), issue.values.map(String))
    case 'invalid_format':
      return issue.format in formats ? `must be ${formats[issue.format]}` : issue.message
    case 'invalid_union':
      if ('options' in issue) return unknownWord(valueAt(value, issue.path), issue.options.map(String))
      return `must be ${[...new Set(issue.errors.flat().map(expected))].join(' or ')}`
    default:
      return issue.message
  }
}

const sizeOf = (origin: string): string => (origin in sizes ? ` ${sizes[origin]}` : '')

const expected = (issue: Issue): string =>
  issue.code === 'invalid_type' ? (expectations[issue.expected] ?? issue.expected) : issue.message

/** The place of a value in the body. */
export interface ValuePlace {
  /** JSON Pointer of the value, or of the list that contains its items. */
  readonly path: string
  /** Number of leading parts of zod's paths that are not in the body. */
  readonly skip?: number
  /** Index of its first item in that list. */
  readonly from?: number
}

/** Zod's issues as problems that say what to do. */
export const problemsOf = (error: z.ZodError, value: unknown, { path, skip = 0, from = 0 }: ValuePlace): Problem[] =>
  error.issues.flatMap((issue) => {
    const [first, ...rest] = issue.path.slice(skip)
    const steps = first === undefined ? [] : [typeof first === 'number' ? first + from : first, ...rest]
    const at = `${path}${jsonPointer(...steps)}`
    // It is measured, though it is neither a text nor a list, which another issue says.
    if ('origin' in issue && issue.origin === 'unknown') return []
    if (issue.code !== 'unrecognized_keys') return [{ path: at, message: messageOf(issue, value) }]
    return issue.keys.map((key) => ({ path: `${at}${jsonPointer(key)}`, message: 'unknown member' }))
  })

/** Whether a path is inside a reference: there `null` does not equal absent. */
const isInReference = (issue: Issue): boolean => issue.code === 'custom' && issue.params?.['inReference'] === true

/** The value without members that were refused as null; `undefined` if there are none. */
export const withoutNulls = (value: Json, error: z.ZodError): Json | undefined => {
  const nulls = error.issues.filter(
    (issue) =>
      !isInReference(issue) && valueAt(value, issue.path) === null && isObject(valueAt(value, issue.path.slice(0, -1))),
  )
  if (nulls.length === 0) return undefined
  const bare = structuredClone(value)
  for (const { path } of nulls) {
    const holder = valueAt(bare, path.slice(0, -1))
    if (isObject(holder)) delete holder[String(path.at(-1))]
  }
  return bare
}
