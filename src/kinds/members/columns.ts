import { z } from 'zod'
import { columnDataTypes } from '../../shared/columnTypes.ts'
import type { Field } from '../defineKind.ts'
import type { Options } from './fields.ts'
import { visitTreeTags } from './fieldTree.ts'
import { anyValue, name, oneOf, openObject, openWord, tagInput, tagLabel, text, url, word } from './shapes.ts'
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

/** Lists of elements, in requests and in answers. */
interface Lists {
  readonly inputs: z.ZodType
  readonly answers: z.ZodType
}

type Shape = Readonly<Record<string, z.ZodType>>

/** @param id name in the OpenAPI document @param shape members beyond those that every tree has */
const treeOf = (id: string, shape: Shape): Lists => {
  const own = { name, displayName: text.optional(), description: text.optional(), ...shape }
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
  return { inputs: z.array(input), answers: z.array(answer) }
}

/** Elements without children. @param shape their members beside name and tags @param inside a list of further elements in each */
const elementsOf = (id: string, shape: Shape, inside: Readonly<Record<string, Lists>> = {}): Lists => {
  const listsFor = (part: keyof Lists): Shape =>
    Object.fromEntries(Object.entries(inside).map(([member, lists]) => [member, lists[part].optional()]))
  const input = z.strictObject({ name, ...shape, tags: z.array(tagInput).optional(), ...listsFor('inputs') })
  const answer = z.object({ name, ...shape, tags: z.array(tagLabel).optional(), ...listsFor('answers') })
  return { inputs: z.array(input.meta({ id: `${id}Input` })), answers: z.array(answer.meta({ id })) }
}

const count = z.int().min(0).optional()

const dataType = oneOf(columnDataTypes, 'ColumnDataType')

const columnShape = {
  dataType,
  arrayDataType: dataType.optional(),
  constraint: oneOf(words('NULL NOT_NULL UNIQUE PRIMARY_KEY')).optional(),
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

/** Columns of tables and containers. */
export const columns = treeOf('Column', columnShape)

/** Fields of messages and of API requests and responses. */
export const schemaFields = treeOf('SchemaField', {
  dataType: oneOf(schemaFieldTypes),
  dataTypeDisplay: text.optional(),
})

const truth = z.boolean().optional()

const elementsField =
  ({ inputs, answers }: Lists) =>
  (description: string, options: Options = {}): Field => ({
    schema: inputs,
    answer: answers,
    nested: visitTreeTags,
    elements: [],
    itemwise: true,
    description,
    ...options,
  })

export const columnsField = elementsField(columns)

/** Columns of a contract, which may have several constraints at once. */
export const contractColumnsField = elementsField(
  treeOf('ContractColumn', { ...columnShape, required: truth, unique: truth, primaryKey: truth }),
)

export const searchFieldsField = elementsField(
  treeOf('SearchIndexField', {
    dataType: oneOf(searchFieldTypes, 'SearchFieldType'),
    dataTypeDisplay: text.optional(),
  }),
)

const featureSources = elementsOf('FeatureSource', {
  dataType: openWord(['integer', 'date', 'timestamp']).optional(),
  description: text.optional(),
  fullyQualifiedName: text.optional(),
  dataSource: anyValue.optional(),
})

/** Features of ML models. */
export const featuresField = elementsField(
  elementsOf(
    'MlFeature',
    {
      dataType: oneOf(['numerical', 'categorical']).optional(),
      description: text.optional(),
      featureAlgorithm: text.optional(),
      fullyQualifiedName: text.optional(),
    },
    { featureSources },
  ),
)

/** Steps of pipelines. */
export const tasksField = elementsField(
  elementsOf('PipelineTask', {
    fullyQualifiedName: anyValue.optional(),
    displayName: text.optional(),
    description: text.optional(),
    taskType: word.optional(),
    taskSQL: text.optional(),
    startDate: word.optional(),
    endDate: word.optional(),
    downstreamTasks: z.array(name).optional(),
    sourceUrl: url.optional(),
    owners: anyValue.meta({ description: 'Kept as its loader sends it.' }).optional(),
  }),
)
