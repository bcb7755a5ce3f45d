import type { Json, JsonObject } from '../../shared/json.ts'
import { pascal, spoken, titled } from '../columnNames.ts'
import { enumsText, recordsText } from '../vocabulary/streams.ts'

/** One field of a message. `type`: a scalar's name, or that of a record or enumeration. */
interface MessageField {
  readonly name: string
  readonly type: string
  readonly optional: boolean
  readonly list: boolean
}

/** A message with its fields, from which a schema of any language is written. */
export interface Message {
  /** In Pascal case. */
  readonly name: string
  readonly namespace: string
  readonly description: string
  readonly fields: readonly MessageField[]
}

/** Reads `name:type name:type? name:type[]`. */
export const readFields = (text: string): MessageField[] =>
  text.split(' ').map((field) => {
    const [name = '', type = ''] = field.split(':')
    return { name, type: type.replace(/[?[\]]/g, ''), optional: type.endsWith('?'), list: type.endsWith('[]') }
  })

const fieldsOf = (record: string): MessageField[] => readFields(recordsText[record] as string)
const symbolsOf = (name: string): string[] => (enumsText[name] as string).split(' ')
const isRecord = (type: string): boolean => type in recordsText
const isEnum = (type: string): boolean => type in enumsText

const avroScalars: Readonly<Record<string, Json>> = {
  string: 'string',
  long: 'long',
  int: 'int',
  double: 'double',
  decimal: { type: 'bytes', logicalType: 'decimal', precision: 14, scale: 2 },
  time: { type: 'long', logicalType: 'timestamp-millis' },
  date: { type: 'int', logicalType: 'date' },
  uuid: { type: 'string', logicalType: 'uuid' },
  map: { type: 'map', values: 'string' },
}

/** Avro defines a name once; later uses name it. */
const avroType = (type: string, defined: Set<string>): Json => {
  const scalar = avroScalars[type]
  if (scalar !== undefined) return scalar
  if (defined.has(type)) return type
  defined.add(type)
  if (isEnum(type)) return { type: 'enum', name: type, doc: `Known values of ${type}.`, symbols: symbolsOf(type) }
  return {
    type: 'record',
    name: type,
    doc: `${titled(type)}.`,
    fields: fieldsOf(type).map((field) => avroField(field, defined)),
  }
}

const avroField = ({ name, type, optional, list }: MessageField, defined: Set<string>): JsonObject => {
  const inner = avroType(type, defined)
  const doc = `${titled(name)}.`
  if (list) return { name, type: { type: 'array', items: inner }, doc }
  return optional ? { name, type: ['null', inner], default: null, doc } : { name, type: inner, doc }
}

export const avroText = ({ name, namespace, description, fields }: Message): string => {
  const defined = new Set<string>()
  return JSON.stringify(
    { type: 'record', name, namespace, doc: description, fields: fields.map((field) => avroField(field, defined)) },
    undefined,
    2,
  )
}

const jsonScalars: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  long: { type: 'integer' },
  int: { type: 'integer' },
  double: { type: 'number' },
  decimal: { type: 'number' },
  time: { type: 'string', format: 'date-time' },
  date: { type: 'string', format: 'date' },
  uuid: { type: 'string', format: 'uuid' },
  map: { type: 'object', additionalProperties: { type: 'string' } },
}

const jsonType = (type: string): JsonObject => {
  if (isEnum(type)) return { type: 'string', enum: symbolsOf(type) }
  return jsonScalars[type] ?? jsonObject(fieldsOf(type))
}

const jsonObject = (fields: readonly MessageField[]): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(
    fields.map(({ name, type, list }) => [
      name,
      { description: `${titled(name)}.`, ...(list ? { type: 'array', items: jsonType(type) } : jsonType(type)) },
    ]),
  ),
  required: fields.filter(({ optional }) => !optional).map(({ name }) => name),
})

export const jsonSchemaText = ({ name, description, fields }: Message): string =>
  JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: name,
      description,
      ...jsonObject(fields),
    },
    undefined,
    2,
  )

const protobufScalars: Readonly<Record<string, string>> = {
  string: 'string',
  long: 'int64',
  int: 'int32',
  double: 'double',
  decimal: 'string',
  time: 'int64',
  date: 'string',
  uuid: 'string',
  map: 'map<string, string>',
}

const protobufField = ({ name, type, optional, list }: MessageField, index: number): string =>
  `  // ${titled(name)}.\n  ${list ? 'repeated ' : optional ? 'optional ' : ''}${protobufScalars[type] ?? type} ` +
  `${name} = ${index + 1};`

const protobufMessage = (name: string, fields: readonly MessageField[]): string =>
  `message ${name} {\n${fields.map(protobufField).join('\n')}\n}\n`

const protobufEnum = (name: string): string =>
  `enum ${name} {\n  ${name.toUpperCase()}_UNKNOWN = 0;\n${symbolsOf(name)
    .map((symbol, index) => `  ${name.toUpperCase()}_${symbol} = ${index + 1};`)
    .join('\n')}\n}\n`

/** Records and enumerations that the fields need, each once. */
const needed = (fields: readonly MessageField[], found: Set<string> = new Set()): Set<string> => {
  for (const { type } of fields) {
    if (found.has(type) || !(isRecord(type) || isEnum(type))) continue
    found.add(type)
    if (isRecord(type)) needed(fieldsOf(type), found)
  }
  return found
}

export const protobufText = ({ name, namespace, description, fields }: Message): string =>
  [
    'syntax = "proto3";\n',
    `package ${namespace};\n`,
    `// ${description}`,
    protobufMessage(name, fields),
    ...[...needed(fields)].map((type) => (isEnum(type) ? protobufEnum(type) : protobufMessage(type, fieldsOf(type)))),
  ].join('\n')

/** `order` and `placed` → the message of that event. */
export const messageOf = (area: string, noun: string, event: string, fields: string): Message => ({
  name: pascal(`${noun}_${event}`),
  namespace: `juniper.${area}`,
  description: `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${spoken(noun)} was ${spoken(event)}.`,
  fields: [...readFields('event_id:uuid'), ...readFields(fields)],
})
