import type { JsonObject } from '../../shared/json.ts'
import { avroFields } from './avro.ts'
import { withinBudget, type Budget, SchemaTextError } from './node.ts'
import { jsonSchemaFields } from './jsonSchema.ts'
import { protobufFields } from './protobuf.ts'

export interface SchemaText {
  readonly schemaType: string
  readonly schemaText: string
}

/** Its fields, `undefined` where texts of its type are not read; or what is wrong with it. */
export type SchemaReading = { readonly fields: JsonObject[] | undefined } | { readonly problem: string }

/** Each parses a text, and then reads the fields as far as the budget goes. */
const readers: Readonly<Record<string, (text: string) => (budget: Budget) => JsonObject[]>> = {
  Avro: avroFields,
  JSON: jsonSchemaFields,
  Protobuf: protobufFields,
}

/** Kinds of schemas that messages and API bodies have; the first three are read. */
export const schemaTypes = [...Object.keys(readers), 'Other', 'None']

/**
 * The fields of a schema text, without FQNs; `undefined` when texts of this type are not read. @throws SchemaTextError
 */
export const fieldsOfSchema = (schemaType: string, text: string): JsonObject[] | undefined => {
  const reader = Object.hasOwn(readers, schemaType) ? readers[schemaType] : undefined
  return reader && withinBudget(reader(text))
}

/** Reads a schema text. What is wrong with it is an answer: it may come from another thread. */
export const readSchemaText = ({ schemaType, schemaText }: SchemaText): SchemaReading => {
  try {
    return { fields: fieldsOfSchema(schemaType, schemaText) }
  } catch (error) {
    if (!(error instanceof SchemaTextError)) throw error
    return { problem: error.message }
  }
}

export const operations = { readSchemaText }

export type Operations = typeof operations
