import type { JsonObject } from '../../shared/json.ts'
import { fieldsOfSchema, SchemaTextError } from './index.ts'

export interface SchemaText {
  readonly schemaType: string
  readonly schemaText: string
}

/** Its fields, `undefined` where texts of its type are not read; or what is wrong with it. */
export type SchemaReading = { readonly fields: JsonObject[] | undefined } | { readonly problem: string }

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
