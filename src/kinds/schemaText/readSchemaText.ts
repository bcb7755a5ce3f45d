import type { JsonObject } from '../../shared/json.ts'
import { avroFields } from './avro.ts'
import { withinBudget, type Budget, SchemaTextError } from './node.ts'
import { jsonSchemaFields } from './jsonSchema.ts'
import { protobufFields } from './protobuf.ts'

export interface SchemaText {
  readonly schemaType: string
  readonly schemaText: string
}

/** The fields, `undefined` if texts of this type are not parsed; or the error. */
export type SchemaReading = { readonly fields: JsonObject[] | undefined } | { readonly problem: string }

/** Parsers by type: each parses a text, then reads its fields within the budget. */
const readers: Readonly<Record<string, (text: string) => (budget: Budget) => JsonObject[]>> = {
  Avro: avroFields,
  JSON: jsonSchemaFields,
  Protobuf: protobufFields,
}

/** Schema types of messages and API bodies; the first three are parsed. */
export const schemaTypes = [...Object.keys(readers), 'Other', 'None']

/**
 * The fields of a schema text, without FQNs; `undefined` if texts of this type are not parsed. @throws SchemaTextError
 */
export const fieldsOfSchema = (schemaType: string, text: string): JsonObject[] | undefined => {
  const reader = Object.hasOwn(readers, schemaType) ? readers[schemaType] : undefined
  return reader && withinBudget(reader(text))
}

/** Parses a schema text. An error is a result, so that it can come from another thread. */
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
