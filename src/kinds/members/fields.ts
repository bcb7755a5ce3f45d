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

const shape = (description: string, schema: z.ZodType, options?: Options): Field =>
  fieldWith({ schema })(description, options)

const oneReference = { schema: referenceInput, answer: entityReference }
const manyReferences = { schema: z.array(referenceInput), answer: z.array(entityReference) }

/** Makers of fields, each from the description of the field. */
export const field = {
  /** Any text; descriptions may be Markdown. */
  text: fieldWith({ schema: text }),
  /** A short text that is not empty. */
  word: fieldWith({ schema: word }),
  url: fieldWith({ schema: url }),
  boolean: fieldWith({ schema: z.boolean() }),
  number: fieldWith({ schema: z.number() }),
  /** A whole number from `minimum`. */
  integer: (description: string, minimum: number, options?: Options): Field =>
    shape(description, z.int().min(minimum), options),
  /** A whole number that may exceed the exact range of a double, such as limits of some platforms. */
  largeInteger: (description: string, minimum: number, options?: Options): Field => {
    const whole = z.number().min(minimum).refine(Number.isInteger, { error: 'must be a whole number' })
    return shape(description, whole, options)
  },
  /** One of the known values, or any other. */
  openWord: (description: string, known: readonly string[], options?: Options): Field =>
    shape(description, openWord(known), options),
  /** One of the values, in any case. */
  oneOf: (description: string, values: readonly string[], options?: Options): Field =>
    shape(`${description} Taken in any case.`, oneOf(values), options),
  open: fieldWith({ schema: openObject }),
  shape,
  list: (description: string, item: z.ZodType, options: Options = {}): Field => {
    const isNamed = item instanceof z.ZodObject && 'name' in item.shape
    return shape(description, z.array(item), { itemwise: true, ...(isNamed && { elements: [] }), ...options })
  },
  reference: (description: string, kinds: readonly string[], options?: Options): Field =>
    fieldWith({ ...oneReference, references: { kinds, many: false } })(description, options),
  references: (description: string, kinds: readonly string[], options?: Options): Field =>
    fieldWith({ ...manyReferences, references: { kinds, many: true } })(description, options),
  tags: fieldWith({
    schema: z.array(tagInput),
    answer: z.array(tagLabel),
    references: { kinds: ['tag', 'glossaryTerm'], many: true, as: 'label' },
  }),
}

/** What loaders send that the catalog stores, versions and answers without understanding it. */
export const opaqueFields = (names: readonly string[], options: Options = {}): Readonly<Record<string, Field>> => {
  const opaque = field.shape('Kept as its loader sends it; an empty list is none.', anyValue, {
    shown: 'request',
    ...options,
  })
  return Object.fromEntries(names.map((name) => [name, opaque]))
}

export const domainsField = field.references('The domains that it belongs to.', ['domain'], {
  shown: 'request',
  aliases: ['domain'],
})

export const retentionPeriod = field.word('How long data is kept: an ISO 8601 duration.')

export const reviewers = field.references('Who reviews changes.', ['user', 'team'], { shown: 'request' })
export const experts = field.references('Who knows most about it.', ['user'], { shown: 'request' })

export const style = field.open('How user interfaces show it: colour, icon.')
