import { z } from 'zod'
import type { Field } from '../defineKind.ts'
import {
  anyValue,
  openObject,
  oneOf,
  openWord,
  referenceInput,
  entityReference,
  tagInput,
  tagLabel,
  text,
  url,
  word,
} from './shapes.ts'

export type Options = Omit<Field, 'schema' | 'answer' | 'references' | 'nested'>

/** Makes a field factory for a schema. */
const fieldWith =
  (shape: Field) =>
  (description: string, options: Options = {}): Field => ({ ...shape, description, ...options })

/** Any text; descriptions may be Markdown. */
export const textField = fieldWith({ schema: text })

/** A short text that is not empty. */
export const wordField = fieldWith({ schema: word })

export const urlField = fieldWith({ schema: url })

export const booleanField = fieldWith({ schema: z.boolean() })

export const numberField = fieldWith({ schema: z.number() })

export const openField = fieldWith({ schema: openObject })

/** What loaders send that the catalog stores, versions and answers without understanding it. */
export const opaqueFields = (names: readonly string[], options: Options = {}): Readonly<Record<string, Field>> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      { schema: anyValue, description: 'Kept as its loader sends it.', shown: 'request', ...options },
    ]),
  )

export const tagsField = fieldWith({
  schema: z.array(tagInput),
  answer: z.array(tagLabel),
  references: { kinds: ['tag', 'glossaryTerm'], many: true, as: 'label' },
})

export const shapeField = (description: string, schema: z.ZodType, options: Options = {}): Field =>
  fieldWith({ schema })(description, options)

/** One of the known values, or any other. */
export const openWordField = (description: string, known: readonly string[], options?: Options): Field =>
  shapeField(description, openWord(known), options)

/** One of the values, in any case. */
export const oneOfField = (description: string, values: readonly string[], options?: Options): Field =>
  shapeField(description, oneOf(values), options)

/** A whole number from `minimum`. */
export const integerField = (description: string, minimum: number, options?: Options): Field =>
  shapeField(description, z.int().min(minimum), options)

/** A whole number that may exceed the exact range of a double, such as limits of some platforms. */
export const largeIntegerField = (description: string, minimum: number, options?: Options): Field => {
  const whole = z.number().min(minimum).refine(Number.isInteger, { error: 'must be a whole number' })
  return shapeField(description, whole, options)
}

export const listField = (description: string, item: z.ZodType, options: Options = {}): Field => {
  const isNamed = item instanceof z.ZodObject && 'name' in item.shape
  return shapeField(description, z.array(item), { itemwise: true, ...(isNamed && { elements: [] }), ...options })
}

export const referenceField = (description: string, kinds: readonly string[], options?: Options): Field =>
  fieldWith({ schema: referenceInput, answer: entityReference, references: { kinds, many: false } })(
    description,
    options,
  )

const referenceList = z.array(referenceInput)
const entityReferences = z.array(entityReference)

export const referencesField = (description: string, kinds: readonly string[], options?: Options): Field =>
  fieldWith({ schema: referenceList, answer: entityReferences, references: { kinds, many: true } })(
    description,
    options,
  )

export const domainsField = referencesField('The domains that it belongs to.', ['domain'], {
  shown: 'request',
  aliases: ['domain'],
})

export const retentionPeriod = wordField('How long data is kept: an ISO 8601 duration.')

export const reviewers = referencesField('Who reviews changes.', ['user', 'team'], { shown: 'request' })
export const experts = referencesField('Who knows most about it.', ['user'], { shown: 'request' })

export const style = openField('How user interfaces show it: colour, icon.')
