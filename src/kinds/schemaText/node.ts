import type { JsonObject } from '../../shared/json.ts'
import { maxTreeDepth } from '../members/fieldTree.ts'

/** A text that is no schema; the message is for whoever wrote it. */
export class SchemaTextError extends Error {
  override readonly name = 'SchemaTextError'
}

/** What a schema says about a value: the members of a field but its name. */
export interface ValueShape {
  readonly dataType: string
  readonly dataTypeDisplay?: string | undefined
  readonly description?: string | undefined
  readonly children?: readonly JsonObject[] | undefined
}

/** Most fields that are read out of one text: named types that use each other many times over would give any number. */
export const maxFields = 5000

/** Counts the fields of one reading and stops it from going ever deeper. */
export interface Budget {
  /** Takes one field out of the budget; false when there is none left, or when it would stand too deep. */
  take(depth: number): boolean
}

export const makeBudget = (): Budget => {
  let left = maxFields
  return { take: (depth) => depth <= maxTreeDepth && left-- > 0 }
}

/** Longest name of a field; longer ones in a schema are cut. */
const maxName = 256

/** A field with this name and shape; members without a value are left out. */
export const fieldOf = (name: string, shape: ValueShape): JsonObject => {
  const { dataType, dataTypeDisplay, description, children } = shape
  return {
    name: name.slice(0, maxName),
    dataType,
    ...(dataTypeDisplay !== undefined &&
      ![name, dataType.toLowerCase()].includes(dataTypeDisplay) && { dataTypeDisplay }),
    ...(description !== undefined && description !== '' && { description }),
    ...(children !== undefined && children.length > 0 && { children: [...children] }),
  }
}

/** Fields with a name each: of several with the same one the first stays. */
export const distinctFields = (fields: readonly JsonObject[]): JsonObject[] =>
  [...new Map(fields.toReversed().map((field) => [field['name'], field])).values()].toReversed()

/** Parses JSON. @throws SchemaTextError with the parser's words */
export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SchemaTextError(`is no JSON: ${(error as Error).message}`)
  }
}
