import { isObject, type Json, type JsonObject } from '../../src/shared/json.ts'

/** A parameter of an operation, its schema without references to parameters. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required: boolean
  readonly schema: JsonObject
}

/** One operation of the OpenAPI document. */
export interface Operation {
  readonly id: string
  /** Upper case. */
  readonly method: string
  /** As it stands in the document. */
  readonly template: string
  /** From the root of the server, with its parameters in braces. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** Schema of the body by media type; `undefined` when none is taken. */
  readonly body: Readonly<Record<string, JsonObject>> | undefined
  /** No token is needed. */
  readonly open: boolean
}

/** What the attacker knows of a service: nothing but what it says of itself. */
export interface Document {
  readonly operations: readonly Operation[]
  /** The schema that a reference means, or the schema itself. */
  readonly resolve: (schema: JsonObject) => JsonObject
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

const at = (document: JsonObject, pointer: string): JsonObject => {
  let value: Json | undefined = document
  for (const step of pointer.replace(/^#\//, '').split('/')) {
    value = isObject(value) ? value[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  }
  if (!isObject(value)) throw new Error(`The document refers to ${pointer}, which it does not hold.`)
  return value
}

/** Reads an OpenAPI document. @throws Error when a reference leads nowhere */
export const readDocument = (document: JsonObject): Document => {
  const resolve = (value: JsonObject): JsonObject => {
    const { $ref } = value
    return typeof $ref === 'string' ? resolve(at(document, $ref)) : value
  }
  const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

  const parameterOf = (raw: JsonObject): Parameter => {
    const parameter = resolve(raw)
    return {
      name: String(parameter['name']),
      in: parameter['in'] as Parameter['in'],
      description: String(parameter['description']),
      required: parameter['required'] === true,
      schema: isObject(parameter['schema']) ? parameter['schema'] : {},
    }
  }

  const bodyOf = (operation: JsonObject): Operation['body'] => {
    if (!isObject(operation['requestBody'])) return undefined
    const content = resolve(operation['requestBody'])['content']
    if (!isObject(content)) return undefined
    return Object.fromEntries(
      Object.entries(content).map(([type, media]) => [
        type,
        isObject(media) && isObject(media['schema']) ? media['schema'] : {},
      ]),
    )
  }

  const operationOf = (template: string, item: JsonObject, method: string): Operation => {
    const operation = item[method] as JsonObject
    return {
      id: String(operation['operationId']),
      method: method.toUpperCase(),
      template,
      path: item['servers'] === undefined ? `/api${template}` : template,
      parameters: objects(operation['parameters']).map(parameterOf),
      body: bodyOf(operation),
      open: Array.isArray(operation['security']) && operation['security'].length === 0,
    }
  }

  const operations = Object.entries(at(document, '#/paths')).flatMap(([template, item]) =>
    isObject(item)
      ? methods.filter((method) => isObject(item[method])).map((method) => operationOf(template, item, method))
      : [],
  )
  return { operations, resolve }
}
