import { z } from 'zod'
import { columnDataTypes } from '../../shared/columnDataTypes.ts'
import { nameProblem } from '../../shared/entityName.ts'
import { isObject } from '../../shared/json.ts'
import type { Field } from '../defineKind.ts'
import type { Options } from './fields.ts'
import { visitTreeTags } from './fieldTree.ts'
import { unknownWord } from '../../shared/nearest.ts'
import { anyValue, openObject, tagInput, tagLabel, text, vocabulary, type Vocabulary } from './shapes.ts'
import { words } from '../../shared/wordLists.ts'

const schemaFieldTypes = words(`
  RECORD NULL BOOLEAN INT LONG BYTES FLOAT DOUBLE TIMESTAMP TIMESTAMPZ TIME DATE STRING ARRAY MAP ENUM UNION FIXED
  ERROR UNKNOWN`)

/** Data types of search index fields: those of search engines and those of columns. */
const searchFieldTypes = [
  ...new Set([
    ...words(`
  TEXT KEYWORD CONSTANT_KEYWORD WILDCARD BYTE SHORT INTEGER LONG UNSIGNED_LONG HALF_FLOAT SCALED_FLOAT FLOAT DOUBLE
  BOOLEAN DATE DATE_NANOS ALIAS OBJECT FLATTENED NESTED JOIN RANGE INTEGER_RANGE FLOAT_RANGE LONG_RANGE DOUBLE_RANGE
  DATE_RANGE IP IP_RANGE VERSION HISTOGRAM AGGREGATE_METRIC_DOUBLE TOKEN_COUNT COMPLETION SEARCH_AS_YOU_TYPE
  DENSE_VECTOR SPARSE_VECTOR KNN_VECTOR RANK_FEATURE RANK_FEATURES SEMANTIC_TEXT MATCH_ONLY_TEXT ANNOTATED_TEXT
  GEO_POINT GEO_SHAPE POINT SHAPE PERCOLATOR`),
    ...columnDataTypes,
  ]),
]

const columnConstraints = words('NULL NOT_NULL UNIQUE PRIMARY_KEY')

type Shape = Readonly<Record<string, z.ZodType>>

interface TreeSort {
  /** Name in the OpenAPI document. */
  readonly id: string
  /** Members beyond name, dataType, displayName, description, tags and children. */
  readonly shape: Shape
  /** Vocabularies by member. */
  readonly words: Readonly<Record<string, Vocabulary>>
}

/** Checks vocabularies and names in one pass after the rest: separate zod checks would cost several times as much. */
const checkNodes = (
  nodes: unknown,
  words: readonly [string, Vocabulary][],
  path: PropertyKey[],
  context: z.core.$RefinementCtx,
): void => {
  if (!Array.isArray(nodes)) return
  for (const [index, node] of nodes.entries()) {
    if (!isObject(node)) continue
    const report = (member: string, message: string) => {
      context.issues.push({ code: 'custom', input: node[member], message, path: [...path, index, member] })
    }
    const { name } = node
    const problem = typeof name === 'string' ? nameProblem(name) : undefined
    if (problem !== undefined) report('name', problem)
    for (const [member, { spelled, values }] of words) {
      const given = node[member]
      if (typeof given !== 'string') continue
      const word = spelled(given)
      if (word === undefined) report(member, unknownWord(given, values))
      else if (word !== given) node[member] = word
    }
    if (node['children'] !== undefined) checkNodes(node['children'], words, [...path, index, 'children'], context)
  }
}

const documented = (words: TreeSort['words']): Shape =>
  Object.fromEntries(
    Object.entries(words).map(([member, { schema }]) => [member, member === 'dataType' ? schema : schema.optional()]),
  )

const treeOf = ({ id, shape, words }: TreeSort): { inputs: z.ZodType; answers: z.ZodType } => {
  const own = {
    name: z.string().meta({ minLength: 1, maxLength: 256 }),
    displayName: text.optional(),
    description: text.optional(),
    ...documented(words),
    ...shape,
  }
  const input: z.ZodType = z
    .strictObject({
      ...own,
      tags: z.array(tagInput).optional(),
      fullyQualifiedName: text
        .meta({ description: 'It follows from the names: leave it out. A change of it is refused.' })
        .optional(),
      get children() {
        return z.array(input).optional()
      },
    })
    .meta({ id: `${id}Input` })
  const answer: z.ZodType = z
    .object({
      ...own,
      tags: z.array(tagLabel).optional(),
      fullyQualifiedName: z.string().optional(),
      get children() {
        return z.array(answer).optional()
      },
    })
    .meta({ id })
  const entries = Object.entries(words)
  const check = (nodes: unknown, context: z.core.$RefinementCtx): void => checkNodes(nodes, entries, [], context)
  const inputs = z.array(input).superRefine(check, { when: () => true })
  return { inputs, answers: z.array(answer) }
}

const count = z.int().min(0).optional()

const columnShape = {
  dataLength: count,
  precision: count,
  scale: z.int().optional(),
  dataTypeDisplay: text.optional(),
  ordinalPosition: count,
  jsonSchema: text.optional(),
  extension: openObject.optional(),
  profile: anyValue.optional(),
  customMetrics: anyValue.optional(),
}

const dataTypes = vocabulary(columnDataTypes, 'ColumnDataType')
const columnWords = { dataType: dataTypes, arrayDataType: dataTypes, constraint: vocabulary(columnConstraints) }

/** Columns of tables and containers. */
export const columns = treeOf({ id: 'Column', shape: columnShape, words: columnWords })

const truth = z.boolean().optional()

/** Columns of a contract, which may have several constraints at once. */
const contractColumns = treeOf({
  id: 'ContractColumn',
  shape: { ...columnShape, required: truth, unique: truth, primaryKey: truth },
  words: columnWords,
})

/** Fields of messages and of API requests and responses. */
export const schemaFields = treeOf({
  id: 'SchemaField',
  shape: { dataTypeDisplay: text.optional() },
  words: { dataType: vocabulary(schemaFieldTypes) },
})

const searchFields = treeOf({
  id: 'SearchIndexField',
  shape: { dataTypeDisplay: text.optional() },
  words: { dataType: vocabulary(searchFieldTypes, 'SearchFieldType') },
})

const treeField =
  ({ inputs, answers }: { inputs: z.ZodType; answers: z.ZodType }) =>
  (description: string, options: Options = {}): Field => ({
    schema: inputs,
    answer: answers,
    nested: visitTreeTags,
    elements: [],
    itemwise: true,
    description,
    ...options,
  })

export const columnsField = treeField(columns)
export const contractColumnsField = treeField(contractColumns)
export const searchFieldsField = treeField(searchFields)
