import { createRequire } from 'node:module'
import type protobuf from 'protobufjs'
import type { JsonObject } from '../../shared/json.ts'
import { distinctFields, fieldOf, makeBudget, SchemaTextError, type Budget, type ValueShape } from './node.ts'

const scalars: Readonly<Record<string, string>> = {
  double: 'DOUBLE',
  float: 'FLOAT',
  bool: 'BOOLEAN',
  string: 'STRING',
  bytes: 'BYTES',
  int32: 'INT',
  uint32: 'INT',
  sint32: 'INT',
  fixed32: 'INT',
  sfixed32: 'INT',
  int64: 'LONG',
  uint64: 'LONG',
  sint64: 'LONG',
  fixed64: 'LONG',
  sfixed64: 'LONG',
}

const wellKnown: Readonly<Record<string, string>> = {
  Timestamp: 'TIMESTAMP',
  Duration: 'STRING',
  Struct: 'MAP',
  ListValue: 'ARRAY',
  NullValue: 'NULL',
  Empty: 'RECORD',
  FieldMask: 'STRING',
  DoubleValue: 'DOUBLE',
  FloatValue: 'FLOAT',
  Int64Value: 'LONG',
  UInt64Value: 'LONG',
  Int32Value: 'INT',
  UInt32Value: 'INT',
  BoolValue: 'BOOLEAN',
  StringValue: 'STRING',
  BytesValue: 'BYTES',
}

const wellKnownPackage = 'google.protobuf.'

/** The parser: loaded with the first schema, since it is large and most catalogs hold none. */
const load = createRequire(import.meta.url)
const parser = (): typeof protobuf => load('protobufjs') as typeof protobuf

/** What reading one schema keeps in mind. */
interface Reading {
  /** Messages that are being expanded: one inside itself is not expanded again. */
  readonly open: Set<protobuf.Type>
  readonly budget: Budget
}

/**
 * The fields of a Protobuf schema: one root for each message at the top, with its fields as children. Types of imported
 * files are UNKNOWN, but for the well-known ones.
 * @throws SchemaTextError with the parser's words, the line among them
 */
export const protobufFields = (text: string): JsonObject[] => {
  const reading: Reading = { open: new Set(), budget: makeBudget() }
  return distinctFields(
    messagesIn(parse(text)).map((message) => fieldOf(message.name, messageShape(message, reading, 1))),
  )
}

const parse = (text: string): protobuf.Root => {
  try {
    return parser().parse(text, { keepCase: true, alternateCommentMode: true }).root
  } catch (error) {
    throw new SchemaTextError(`is no Protobuf schema: ${(error as Error).message}`)
  }
}

/** The messages of all packages, not those inside of messages. */
const messagesIn = (namespace: protobuf.NamespaceBase): protobuf.Type[] =>
  namespace.nestedArray.flatMap((nested) => {
    if (nested instanceof parser().Type) return [nested]
    return nested instanceof parser().Namespace ? messagesIn(nested) : []
  })

const messageShape = (message: protobuf.Type, reading: Reading, depth: number): ValueShape => {
  const shape: ValueShape = { dataType: 'RECORD', ...describedBy(message) }
  if (reading.open.has(message)) return { ...shape, dataTypeDisplay: message.name }
  reading.open.add(message)
  const children = Object.values(message.fields).flatMap((field) =>
    reading.budget.take(depth + 1) ? [fieldOf(field.name, fieldShape(field, message, reading, depth + 1))] : [],
  )
  reading.open.delete(message)
  return { ...shape, children: distinctFields(children) }
}

const describedBy = ({ comment }: protobuf.ReflectionObject): { description?: string } =>
  typeof comment === 'string' && comment !== '' ? { description: comment } : {}

const fieldShape = (field: protobuf.Field, message: protobuf.Type, reading: Reading, depth: number): ValueShape => {
  const value = typeShape(field.type, message, reading, depth)
  const described = describedBy(field)
  const display = value.dataTypeDisplay ?? field.type
  if (field instanceof parser().MapField) {
    return {
      dataType: 'MAP',
      dataTypeDisplay: `map<${field.keyType}, ${display}>`,
      children: value.children,
      ...described,
    }
  }
  if (field.repeated)
    return { dataType: 'ARRAY', dataTypeDisplay: `array<${display}>`, children: value.children, ...described }
  return { ...value, dataTypeDisplay: display, ...described }
}

const typeShape = (
  type: string,
  message: protobuf.Type,
  reading: Reading,
  depth: number,
): Omit<ValueShape, 'description'> => {
  if (Object.hasOwn(scalars, type)) return { dataType: scalars[type] as string }
  const found = message.lookup(type, [parser().Type, parser().Enum])
  if (found instanceof parser().Enum) return { dataType: 'ENUM', dataTypeDisplay: found.name }
  if (found instanceof parser().Type) {
    const { description: _, ...shape } = messageShape(found, reading, depth)
    return { ...shape, dataTypeDisplay: found.name }
  }
  const bare = type.startsWith('.') ? type.slice(1) : type
  const name = bare.startsWith(wellKnownPackage) ? bare.slice(wellKnownPackage.length) : ''
  return { dataType: Object.hasOwn(wellKnown, name) ? (wellKnown[name] as string) : 'UNKNOWN', dataTypeDisplay: bare }
}
