import { limits } from '../../shared/limits.ts'
import { SchemaTextError } from './schemaTextError.ts'

/** What one reading of a schema may cost. It is counted before anything is expanded. */
export interface Budget {
  /** To be called for each use of a type and each member of a list. @throws BudgetSpent */
  spend(steps: number): void
  /** Takes one field. @returns false where it would stand too deep @throws BudgetSpent */
  field(depth: number): boolean
  /** Takes the characters of a text that becomes part of a field. @throws BudgetSpent */
  text(characters: number): void
}

class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent'
}

const makeBudget = (deepest: number): Budget => {
  let fields = limits.schemaFields.value
  let steps = limits.schemaSteps.value
  let characters = limits.schemaFieldsText.value
  const check = (left: number): void => {
    if (left < 0) throw new BudgetSpent('The schema costs too much to read.')
  }
  return {
    spend: (count) => check((steps -= count)),
    field: (depth) => {
      if (depth > deepest) return false
      check((fields -= 1))
      return true
    },
    text: (count) => check((characters -= count)),
  }
}

/** Levels that are tried one after the other: types that use each other many times over grow with each level. */
const depths = [limits.treeDepth.value, 6, 2]

/** Reads as many whole levels as the limits allow. @throws SchemaTextError when the first level is too much */
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
      `${schemaSteps.value} steps; with the schemaType Other the text is kept without its fields`,
  )
}
