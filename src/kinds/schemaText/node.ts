import { shorten } from '../../shared/bounds.ts'
import { nameFromText, storableText } from '../../shared/entityName.ts'
import type { JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'

/** What to do with a text that cannot be read. */
export const keepWhole = 'with the schemaType Other the text is kept without its fields'

/** The text is not a schema; the message is for its author. */
export class SchemaTextError extends Error {
  override readonly name = 'SchemaTextError'
}

class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent'
}

/** The budget of reading one schema, charged before anything is expanded: all throw {@link BudgetSpent}. */
const makeBudget = (deepest: number) => {
  let fields = limits.schemaFields.value
  let steps = limits.schemaSteps.value
  let characters = limits.schemaFieldsText.value
  const check = (left: number): void => {
    if (left < 0) throw new BudgetSpent('The schema costs too much to read.')
  }
  return {
    /** Call this for each use of a type and each list member. */
    spend: (count: number): void => check((steps -= count)),
    /** Charges one field. @returns false if it is nested too deeply */
    field: (depth: number): boolean => {
      if (depth > deepest) return false
      check((fields -= 1))
      return true
    },
    /** Charges the characters of a text in a field. */
    text: (count: number): void => check((characters -= count)),
  }
}

export type Budget = ReturnType<typeof makeBudget>

/** Depths tried one after the other: types that use each other grow exponentially with depth. */
const depths = [limits.treeDepth.value, 6, 2]

/** Reads as many complete levels as the budget allows. @throws SchemaTextError when the first level exceeds it */
export const withinBudget = <T>(read: (budget: Budget) => T): T => {
  for (const depth of depths) {
    try {
      return read(makeBudget(depth))
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error
    }
  }
  const { schemaFields, schemaSteps } = limits
  throw new SchemaTextError(
    `is too large to be read: it makes more than ${schemaFields.value} fields, or reading it takes more than ` +
      `${schemaSteps.value} steps; ${keepWhole}`,
  )
}

/** The members of a field except its name. */
export interface ValueShape {
  readonly dataType: string
  readonly dataTypeDisplay?: string | undefined
  readonly description?: string | undefined
  readonly children?: readonly JsonObject[] | undefined
}

/** The displayed type; long ones are cut. */
export const displayed = (text: string): string => storableText(shorten(text, limits.schemaWord.value))

/** A field with this name and shape as they can be stored, without empty members. */
export const fieldOf = (text: string, shape: ValueShape, budget: Budget): JsonObject => {
  const { dataType, children } = shape
  const name = nameFromText(text || 'value')
  const description = shape.description && storableText(shape.description)
  const dataTypeDisplay = shape.dataTypeDisplay === undefined ? undefined : displayed(shape.dataTypeDisplay)
  budget.text(name.length + (dataTypeDisplay?.length ?? 0) + (description?.length ?? 0))
  return {
    name,
    dataType,
    ...(dataTypeDisplay !== undefined &&
      ![name, dataType.toLowerCase()].includes(dataTypeDisplay) && { dataTypeDisplay }),
    ...(description !== undefined && description !== '' && { description }),
    ...(children !== undefined && children.length > 0 && { children: [...children] }),
  }
}

/** Fields with distinct names; the first of duplicates stays. */
export const distinctFields = (fields: readonly JsonObject[]): JsonObject[] =>
  [...new Map(fields.toReversed().map((field) => [field['name'], field])).values()].toReversed()

/** Parses JSON. @throws SchemaTextError with the parser's words */
export const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SchemaTextError(`is not JSON: ${(error as Error).message}`)
  }
}
