import { shorten } from '../../shared/bounds.ts'
import type { JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { Budget } from './budget.ts'
import { SchemaTextError } from './schemaTextError.ts'

/** What a schema says about a value: the members of a field but its name. */
export interface ValueShape {
  readonly dataType: string
  readonly dataTypeDisplay?: string | undefined
  readonly description?: string | undefined
  readonly children?: readonly JsonObject[] | undefined
}

/** Longest name of a field; longer ones in a schema are cut. */
const maxName = 256

/** What is shown of a type: long ones are cut. */
export const displayed = (text: string): string => shorten(text, limits.schemaWord.value)

/** A field with this name and shape; members without a value are left out. */
export const fieldOf = (name: string, shape: ValueShape, budget: Budget): JsonObject => {
  const { dataType, description, children } = shape
  const dataTypeDisplay = shape.dataTypeDisplay === undefined ? undefined : displayed(shape.dataTypeDisplay)
  budget.text(Math.min(name.length, maxName) + (dataTypeDisplay?.length ?? 0) + (description?.length ?? 0))
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

export const remembered = <Key, Value>(work: (key: Key) => Value): ((key: Key) => Value) => {
  const known = new Map<Key, Value>()
  return (key) => {
    const value = known.get(key)
    if (value !== undefined || known.has(key)) return value as Value
    const made = work(key)
    known.set(key, made)
    return made
  }
}
