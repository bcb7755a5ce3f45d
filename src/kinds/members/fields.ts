import { z } from 'zod'
import type { Field } from '../defineKind.ts'
import {
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

/** Any text; what people read may be Markdown. */
export const textField = (description: string, options: Options = {}): Field => ({
  schema: text,
  description,
  ...options,
})

/** A short text that is not empty. */
export const wordField = (description: string, options: Options = {}): Field => ({
  schema: word,
  description,
  ...options,
})

export const urlField = (description: string, options: Options = {}): Field => ({
  schema: url,
  description,
  ...options,
})

/** One of the known values, or another. */
export const openWordField = (description: string, known: readonly string[], options: Options = {}): Field => ({
  schema: openWord(known),
  description,
  ...options,
})

/** One of the values, in any case. */
export const oneOfField = (description: string, values: readonly string[], options: Options = {}): Field => ({
  schema: oneOf(values),
  description,
  ...options,
})

export const booleanField = (description: string, options: Options = {}): Field => ({
  schema: z.boolean(),
  description,
  ...options,
})

/** A whole number from `minimum`. */
export const integerField = (description: string, minimum: number, options: Options = {}): Field => ({
  schema: z.int().min(minimum),
  description,
  ...options,
})

/** A whole number that may be larger than a double counts exactly, as the limits of some platforms are. */
export const largeIntegerField = (description: string, minimum: number, options: Options = {}): Field => ({
  schema: z
    .number()
    .min(minimum)
    .refine((value) => Number.isInteger(value), { error: 'must be a whole number' }),
  description,
  ...options,
})

export const numberField = (description: string, options: Options = {}): Field => ({
  schema: z.number(),
  description,
  ...options,
})

/** An object whose members nobody here knows. */
export const openField = (description: string, options: Options = {}): Field => ({
  schema: openObject,
  description,
  ...options,
})

export const listField = (description: string, item: z.ZodType, options: Options = {}): Field => ({
  schema: z.array(item),
  itemwise: true,
  ...(item instanceof z.ZodObject && 'name' in item.shape && { elements: [] }),
  description,
  ...options,
})

export const shapeField = (description: string, schema: z.ZodType, options: Options = {}): Field => ({
  schema,
  description,
  ...options,
})

export const referenceField = (description: string, kinds: readonly string[], options: Options = {}): Field => ({
  schema: referenceInput,
  answer: entityReference,
  references: { kinds, many: false },
  description,
  ...options,
})

const referenceList = z.array(referenceInput)
const entityReferences = z.array(entityReference)

export const referencesField = (description: string, kinds: readonly string[], options: Options = {}): Field => ({
  schema: referenceList,
  answer: entityReferences,
  references: { kinds, many: true },
  description,
  ...options,
})

/** Tags and glossary terms, shown as labels. */
export const tagsField = (description: string, options: Options = {}): Field => ({
  schema: z.array(tagInput),
  answer: z.array(tagLabel),
  references: { kinds: ['tag', 'glossaryTerm'], many: true, as: 'label' },
  description,
  ...options,
})

export const domainsField = referencesField('The domains that it belongs to.', ['domain'], {
  shown: 'request',
  aliases: ['domain'],
})

/** The parent: required, and the same for the entity's whole life. */
export const parentField = (kinds: readonly string[], options: Options = {}): Field =>
  referenceField('What the entity belongs to.', kinds, { required: true, fixed: true, ...options })

export const sourceUrl = urlField('Where the asset is found in its source system.')

export const retentionPeriod = wordField('How long data is kept: an ISO 8601 duration.')

/** People who are named beside the owners. */
export const reviewers = referencesField('Who reviews changes.', ['user', 'team'], { shown: 'request' })
export const experts = referencesField('Who knows most about it.', ['user'], { shown: 'request' })

export const style = openField('How user interfaces show it: colour, icon.')
