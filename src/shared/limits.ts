/** A bound on what a caller may send or ask. */
export interface Limit {
  readonly value: number
  /** What `value` counts. */
  readonly unit: string
  /** What is bounded: a phrase that stands alone in a table. */
  readonly of: string
  /** What becomes of more than that. */
  readonly beyond: string
}

const refused = '400, naming what is too much'
const tooLarge = '413'

/** Every bound on what callers send or ask; the code takes its numbers from here alone. */
export const limits = {
  body: {
    value: 1024 * 1024,
    unit: 'bytes',
    of: 'The body of a request, and one item of a bulk request',
    beyond: '413; an item fails alone',
  },
  bulkBody: {
    value: 32 * 1024 * 1024,
    unit: 'bytes',
    of: 'The body of a bulk request',
    beyond: tooLarge,
  },
  bulkItems: {
    value: 10_000,
    unit: 'items',
    of: 'Items of a bulk request',
    beyond: refused,
  },
  entity: {
    value: 4 * 1024 * 1024,
    unit: 'characters',
    of: 'An entity as JSON, with everything that the catalog adds',
    beyond: '413; an item of a bulk request fails alone',
  },
  list: {
    value: 10_000,
    unit: 'items',
    of: 'Items of any list, and members of any object, in a body',
    beyond: refused,
  },
  values: {
    value: 100_000,
    unit: 'values',
    of: 'Texts, numbers, lists and objects in the body of one entity',
    beyond: refused,
  },
  columns: {
    value: 10_000,
    unit: 'columns',
    of: 'Columns or fields of one entity, nested ones too',
    beyond: refused,
  },
  references: {
    value: 1000,
    unit: 'entities',
    of: 'Other entities that one entity or one request refers to, each counted once',
    beyond: refused,
  },
  problems: {
    value: 100,
    unit: 'problems',
    of: 'Problems that one answer names',
    beyond: 'the rest is counted',
  },
  schemaFields: {
    value: 10_000,
    unit: 'fields',
    of: 'Fields that are read out of one schema text',
    beyond: 'what nests deeper is left out; 400 where even the first level has more',
  },
  schemaSteps: {
    value: 50_000,
    unit: 'steps',
    of: 'Steps of reading one schema text, each a type that is used or a member that is merged',
    beyond: 'what nests deeper is left out; 400 where that is not enough',
  },
  schemaFieldsText: {
    value: 2 * 1024 * 1024,
    unit: 'characters',
    of: 'Names and descriptions of the fields that are read out of one schema text',
    beyond: 'what nests deeper is left out; 400 where that is not enough',
  },
  schemaWord: {
    value: 1024,
    unit: 'characters',
    of: 'The full name of a type in an Avro schema, and what is shown of any type',
    beyond: '400 for a name; what is shown is cut',
  },
  patchOperations: {
    value: 10_000,
    unit: 'operations',
    of: 'Operations of one JSON Patch',
    beyond: refused,
  },
  patchCopies: {
    value: 4 * 1024 * 1024,
    unit: 'characters',
    of: 'What the copy operations of one JSON Patch make',
    beyond: tooLarge,
  },
  patchShifts: {
    value: 50_000_000,
    unit: 'items',
    of: 'Items of lists that one JSON Patch moves aside by adding before them or removing them',
    beyond: tooLarge,
  },
  treeDepth: {
    value: 32,
    unit: 'levels',
    of: 'Nesting of columns and schema fields',
    beyond: refused,
  },
} as const satisfies Record<string, Limit>
