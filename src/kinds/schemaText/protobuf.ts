import { createRequire } from 'node:module'
import type protobuf from 'protobufjs'
import type { JsonObject } from '../../shared/json.ts'
import { namesByWord } from '../../shared/wordLists.ts'
import { memoizeByKey } from '../../shared/memoize.ts'
import { type Budget, keepWhole, SchemaTextError, displayed, distinctFields, fieldOf, type ValueShape } from './node.ts'

const scalars = namesByWord({
  DOUBLE: 'double',
  FLOAT: 'float',
  BOOLEAN: 'bool',
  STRING: 'string',
  BYTES: 'bytes',
  INT: 'int32 uint32 sint32 fixed32 sfixed32',
  LONG: 'int64 uint64 sint64 fixed64 sfixed64',
})

/** In lower case; wrappers, such as `Int64Value`, are named after their scalars. */
const wellKnown: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(scalars).map(([name, dataType]) => [`${name}value`, dataType])),
  timestamp: 'TIMESTAMP',
  duration: 'STRING',
  struct: 'MAP',
  listvalue: 'ARRAY',
  nullvalue: 'NULL',
  empty: 'RECORD',
  fieldmask: 'STRING',
}

const wellKnownPackage = 'google.protobuf.'

/** Loads the parser with the first schema: it is large, and most catalogs have none. */
const load = createRequire(import.meta.url)
const parser = (): typeof protobuf => load('protobufjs') as typeof protobuf

type Named = protobuf.Type | protobuf.Enum

interface Expansion {
  /** The message or enum that a field's type refers to, if any. */
  readonly typeOf: (field: protobuf.Field) => Named | undefined
  /** Messages under expansion: recursive ones are not expanded again. */
  readonly expanding: Set<protobuf.Type>
  readonly budget: Budget
}

/**
 * The fields of a Protobuf schema, with a root for each top-level message. Imported types are UNKNOWN, except the
 * well-known ones. @throws SchemaTextError
 */
export const protobufFields = (text: string): ((budget: Budget) => JsonObject[]) => {
  const root = parse(text)
  const names = new Map<string, Named>()
  const messages = collect(root, '', names)
  const typeOf = makeTypeOf(names)
  return (budget) => {
    const expansion: Expansion = { typeOf, expanding: new Set(), budget }
    return distinctFields(messages.map((message) => fieldOf(message.name, messageShape(message, expansion, 1), budget)))
  }
}

const parse = (text: string): protobuf.Root => {
  try {
    return parser().parse(text, { keepCase: true, alternateCommentMode: true }).root
  } catch (error) {
    // The parser refuses some texts that are valid, such as those with a group in a oneof.
    throw new SchemaTextError(`is not a Protobuf schema: ${(error as Error).message}; ${keepWhole}`)
  }
}

/** Collects messages and enums by full name. @returns the top-level messages of all packages */
const collect = (namespace: protobuf.NamespaceBase, scope: string, names: Map<string, Named>): protobuf.Type[] =>
  namespace.nestedArray.flatMap((nested) => {
    const name = `${scope}.${nested.name}`
    if (nested instanceof parser().Enum) names.set(name, nested)
    if (!(nested instanceof parser().Namespace)) return []
    const inside = collect(nested, name, names)
    if (!(nested instanceof parser().Type)) return inside
    names.set(name, nested)
    return [nested]
  })

/** Resolves a type from the innermost scope outwards. The parser's own lookup takes quadratic time. */
const makeTypeOf = (names: ReadonlyMap<string, Named>): Expansion['typeOf'] =>
  memoizeByKey(({ type, parent }: protobuf.Field) => {
    if (type.startsWith('.')) return names.get(type)
    for (let scope = parent; scope !== null; scope = scope.parent) {
      const found = names.get(`${scope.fullName}.${type}`.replace(/^\.?/, '.'))
      if (found !== undefined) return found
    }
    return undefined
  })

const messageShape = (message: protobuf.Type, expansion: Expansion, depth: number): ValueShape => {
  const shape: ValueShape = { dataType: 'RECORD', ...describedBy(message) }
  expansion.budget.spend(1)
  if (expansion.expanding.has(message)) return { ...shape, dataTypeDisplay: message.name }
  expansion.expanding.add(message)
  const children = Object.values(message.fields).flatMap((each) => {
    if (!expansion.budget.field(depth + 1)) return []
    // The parser gives a message a copy of the field that extends it, under its full name.
    const shape = fieldShape(each.declaringField ?? each, expansion, depth + 1)
    return [fieldOf(each.name.replace(/^\./, ''), shape, expansion.budget)]
  })
  expansion.expanding.delete(message)
  return { ...shape, children: distinctFields(children) }
}

const describedBy = ({ comment }: protobuf.ReflectionObject): { description?: string } =>
  typeof comment === 'string' && comment !== '' ? { description: comment } : {}

const fieldShape = (field: protobuf.Field, expansion: Expansion, depth: number): ValueShape => {
  const value = typeShape(field, expansion, depth)
  const described = describedBy(field)
  const display = displayed(value.dataTypeDisplay ?? field.type)
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

const typeShape = (field: protobuf.Field, expansion: Expansion, depth: number): Omit<ValueShape, 'description'> => {
  const { type } = field
  if (Object.hasOwn(scalars, type)) return { dataType: scalars[type] as string }
  const found = expansion.typeOf(field)
  if (found instanceof parser().Enum) return { dataType: 'ENUM', dataTypeDisplay: found.name }
  if (found instanceof parser().Type) {
    const { description: _, ...shape } = messageShape(found, expansion, depth)
    return { ...shape, dataTypeDisplay: found.name }
  }
  const bare = type.startsWith('.') ? type.slice(1) : type
  const name = bare.startsWith(wellKnownPackage) ? bare.slice(wellKnownPackage.length).toLowerCase() : ''
  return { dataType: Object.hasOwn(wellKnown, name) ? (wellKnown[name] as string) : 'UNKNOWN', dataTypeDisplay: bare }
}
