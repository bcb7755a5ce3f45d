import { z } from 'zod'
import type { JsonObject } from '../json.ts'
import type { Field } from './defineKind.ts'
import { columnConstraints, columnDataTypes, schemaFieldTypes, searchFieldTypes } from './dataTypes.ts'
import type { Options } from './fields.ts'
import { visitTreeTags } from './fieldTree.ts'
import { name, oneOf, openObject, tagInput, tagLabel, text } from './shapes.ts'

const count = z.int().min(0)

/** Members of a column, in requests and answers alike, beside those that nest or refer. */
const columnShape = {
  name,
  dataType: oneOf(columnDataTypes),
  displayName: text.optional(),
  description: text.optional(),
  arrayDataType: oneOf(columnDataTypes).optional(),
  dataLength: count.optional(),
  precision: count.optional(),
  scale: z.int().optional(),
  dataTypeDisplay: text.optional(),
  constraint: oneOf(columnConstraints).optional(),
  ordinalPosition: count.optional(),
  jsonSchema: text.optional(),
  extension: openObject.optional(),
}

/** Tags as a request names them, and a name that an answer gave: it is made anew. */
const requestShape = { tags: z.array(tagInput).optional(), fullyQualifiedName: text.optional() }

const answerShape = { tags: z.array(tagLabel).optional(), fullyQualifiedName: z.string() }

type Tree = z.ZodType<JsonObject>

const columnInput: Tree = z
  .strictObject({ ...columnShape, ...requestShape, get children(): z.ZodOptional<z.ZodArray<Tree>> { return z.array(columnInput).optional() } })
  .meta({ id: 'ColumnInput' }) as unknown as Tree

const column: Tree = z
  .object({ ...columnShape, ...answerShape, get children(): z.ZodOptional<z.ZodArray<Tree>> { return z.array(column).optional() } })
  .meta({ id: 'Column' }) as unknown as Tree

export const columnInputs = z.array(columnInput)
export const columnAnswers = z.array(column)

/** The columns of a table or of a container. */
export const columnsField = (description: string, options: Options = {}): Field => ({
  schema: columnInputs,
  answer: columnAnswers,
  nested: visitTreeTags,
  description,
  ...options,
})

const truths = { required: z.boolean().optional(), unique: z.boolean().optional(), primaryKey: z.boolean().optional() }

/** A column as a contract promises it: more than one constraint may hold. */
export const contractColumn: Tree = z
  .strictObject({
    ...columnShape,
    ...requestShape,
    ...truths,
    get children(): z.ZodOptional<z.ZodArray<Tree>> { return z.array(contractColumn).optional() },
  })
  .meta({ id: 'ContractColumn' }) as unknown as Tree

const treeOf = (id: string, types: readonly string[]): { input: Tree; answer: Tree } => {
  const shape = {
    name,
    dataType: oneOf(types),
    displayName: text.optional(),
    description: text.optional(),
    dataTypeDisplay: text.optional(),
  }
  const input: Tree = z
    .strictObject({ ...shape, ...requestShape, get children(): z.ZodOptional<z.ZodArray<Tree>> { return z.array(input).optional() } })
    .meta({ id: `${id}Input` }) as unknown as Tree
  const answer: Tree = z
    .object({ ...shape, ...answerShape, get children(): z.ZodOptional<z.ZodArray<Tree>> { return z.array(answer).optional() } })
    .meta({ id }) as unknown as Tree
  return { input, answer }
}

/** Fields of messages and of API requests and responses. */
export const schemaField = treeOf('SchemaField', schemaFieldTypes)

const searchField = treeOf('SearchIndexField', searchFieldTypes)

/** The fields of a search index. */
export const searchFieldsField = (description: string, options: Options = {}): Field => ({
  schema: z.array(searchField.input),
  answer: z.array(searchField.answer),
  nested: visitTreeTags,
  description,
  ...options,
})
