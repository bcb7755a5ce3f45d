import { jsonPointer, pointerSteps } from '../../shared/json.ts'

/** A value of a document. Integers beyond ±(2^53 − 1) are `bigint`, so that no digit is lost. */
export type Json = string | number | bigint | boolean | null | Json[] | JsonObject
export interface JsonObject {
  [member: string]: Json
}

export type ContentType = 'json' | 'yaml'

/** Versions that can be read; documents are written as {@link EXPORT_VERSION}. */
export const SUPPORTED_VERSIONS = [
  'v3.2.0',
  'v3.1.0',
  'v3.0.2',
  'v3.0.1',
  'v3.0.0',
  'v2.2.2',
  'v2.2.1',
  'v2.2.0',
] as const
export type OdcsVersion = (typeof SUPPORTED_VERSIONS)[number]
export const EXPORT_VERSION = 'v3.1.0'

/** Parts that an export may be restricted to. */
export const EXPORT_FIELDS = ['owners', 'reviewers', 'extension', 'schema', 'sla', 'security'] as const
export type ExportField = (typeof EXPORT_FIELDS)[number]

/** A reason to refuse a document. `path` is a JSON Pointer; `line` and `column` count from 1. */
export type Problem = {
  path: string
  line?: number
  column?: number
  message: string
}

/** The first problems of a document, and the number of further ones. */
export type ProblemList = { problems: Problem[]; unlisted?: number | undefined }

/** A value that was changed, kept as a custom property, or has no member in the contract. */
export type Warning = {
  path: string
  message: string
}

export type Path = readonly (string | number)[]

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The items of a list; empty if it is not a list. */
export const itemsIn = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** The objects in a list; empty if it is not a list. */
export const objectsIn = (value: Json | undefined): JsonObject[] => itemsIn(value).filter(isObject)

/** The members that have a value. */
export const withoutUndefined = <T extends object>(members: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T

export const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/** A text, number or boolean as text. */
export const scalarText = (value: Json | undefined): string | undefined =>
  value === undefined || value === null || typeof value === 'object' ? undefined : String(value)

/** @returns the JSON Pointer (RFC 6901) of a path. */
export const pointer = (path: Path): string => jsonPointer(...path)

export const pathOf = (text: string): string[] => pointerSteps(text)

/** Sets a member even when its name is `__proto__`. */
export const put = (target: JsonObject, member: string, value: Json): void => {
  if (member === '__proto__')
    Object.defineProperty(target, member, { value, enumerable: true, writable: true, configurable: true })
  else target[member] = value
}

/** Structural equality, including the order of members. */
export const sameText = (one: Json, other: Json): boolean => toJson(one) === toJson(other)

declare global {
  interface JSON {
    rawJSON(text: string): unknown
  }
}

const exactly = (_member: string, value: unknown): unknown =>
  typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value

/** Serialises a document as JSON; large integers keep all digits. */
export const toJson = (document: unknown, indent?: number): string => JSON.stringify(document, exactly, indent)

/** A copy with large integers as plain numbers, for schema checks and for other modules. */
export const toPlainJson = (value: Json): Json => {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(toPlainJson)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, toPlainJson(inner)]))
}

/** How many objects and lists stand in each other. */
export const depthOf = (value: Json): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce<number>((most, inner) => Math.max(most, depthOf(inner)), 0)
    : 0

export const documentValueAt = (value: Json, path: Path): Json | undefined => {
  let here: Json | undefined = value
  for (const step of path) {
    if (Array.isArray(here)) here = here[Number(step)]
    else here = isObject(here) && Object.hasOwn(here, step) ? here[step] : undefined
  }
  return here
}

/** Removes a member or list item from its place. */
export const detach = (document: JsonObject, path: Path): void => {
  const holder = documentValueAt(document, path.slice(0, -1))
  const last = path.at(-1) ?? ''
  if (Array.isArray(holder)) holder.splice(Number(last), 1)
  else if (isObject(holder)) delete holder[last]
}

export const replace = (document: JsonObject, path: Path, value: Json): void => {
  const holder = documentValueAt(document, path.slice(0, -1))
  const last = path.at(-1) ?? ''
  if (Array.isArray(holder)) holder[Number(last)] = value
  else if (isObject(holder)) holder[last] = value
}
