import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { avroFields } from './avro.ts'
import { keepWhole, withinBudget, type Budget, SchemaTextError } from './node.ts'
import { jsonSchemaFields } from './jsonSchema.ts'
import { protobufFields } from './protobuf.ts'
import { limits } from '../../shared/limits.ts'
import { makeFairThreads, ThreadFailure } from '../../shared/threads/threads.ts'
import type { WorkRequest } from '../../shared/workQueue.ts'

export interface SchemaText {
  readonly schemaType: string
  readonly schemaText: string
}

/** The text of a schema, if it has a type and is a string. */
export const schemaTextIn = (schema: Json | undefined): SchemaText | undefined => {
  if (!isObject(schema)) return undefined
  const { schemaType, schemaText } = schema
  return typeof schemaType === 'string' && typeof schemaText === 'string' ? { schemaType, schemaText } : undefined
}

export const isSameText = (a: SchemaText | undefined, b: SchemaText): boolean =>
  a?.schemaText === b.schemaText && a.schemaType === b.schemaType

/** The fields, `undefined` if texts of this type are not parsed; or the error. */
export type ParsedSchema = { readonly fields: JsonObject[] | undefined } | { readonly problem: string }

/** Parsers by type: each parses a text, then reads its fields within the budget. */
const readers: Readonly<Record<string, (text: string) => (budget: Budget) => JsonObject[]>> = {
  Avro: avroFields,
  JSON: jsonSchemaFields,
  Protobuf: protobufFields,
}

/** Schema types of messages and API bodies; the first three are parsed. */
export const schemaTypes = [...Object.keys(readers), 'Other', 'None']

/** Whether the fields of a schema follow from its text. */
export const isParsed = ({ schemaType }: SchemaText): boolean => Object.hasOwn(readers, schemaType)

/**
 * The fields of a schema text, without FQNs; `undefined` if texts of this type are not parsed. @throws SchemaTextError
 */
export const fieldsOfSchema = (schemaType: string, text: string): JsonObject[] | undefined => {
  const reader = Object.hasOwn(readers, schemaType) ? readers[schemaType] : undefined
  // Files may begin with a byte order mark.
  const read = reader?.(text.replace(/^\ufeff/, ''))
  return (
    read &&
    withinBudget((budget) => {
      const roots = read(budget)
      // Readers charge what stands below.
      for (const _ of roots) budget.field(0)
      return roots
    })
  )
}

/** Parses a schema text. An error is a result, so that it can come from another thread. */
export const readSchemaText = ({ schemaType, schemaText }: SchemaText): ParsedSchema => {
  try {
    return { fields: fieldsOfSchema(schemaType, schemaText) }
  } catch (error) {
    if (!(error instanceof SchemaTextError)) throw error
    return { problem: error.message }
  }
}

export const schemaOperations = { readSchemaText }

type Operations = typeof schemaOperations

/** Texts from this length on are parsed in a thread: shorter ones take some milliseconds, whatever they are. */
const threshold = 1024

/** Milliseconds after which a thread without work ends. */
const idleTimeout = 10_000

const why = { time: 'takes too long to be read', memory: 'takes too much memory to be read' }

/** Parses schema texts: small ones on this thread, large ones in another, fairly between callers. */
export const createSchemaReader = () => {
  const threads = makeFairThreads<Operations>('schema texts', {
    module: new URL('./worker', import.meta.url),
    count: limits.schemasAtOnce.value,
    timeout: limits.schemaTime.value,
    idleTimeout,
  })
  return {
    /** @throws Throttled when the queue is full; the signal's reason when the caller has left */
    read: async (workRequest: WorkRequest, schema: SchemaText): Promise<ParsedSchema> => {
      if (schema.schemaText.length < threshold) return readSchemaText(schema)
      try {
        return await threads.run(workRequest, 'readSchemaText', [schema])
      } catch (error) {
        if (!(error instanceof ThreadFailure)) throw error
        return { problem: `${why[error.reason]}; ${keepWhole}` }
      }
    },
    close: threads.close,
  }
}

export type SchemaReader = ReturnType<typeof createSchemaReader>
