import { isObject, type Json, type JsonObject } from '../../src/shared/json.ts'
import type { Random } from '../support/random.ts'
import type { Document } from './document.ts'
import { longText, names, numbers, texts, tokens } from './hostile.ts'

const deepest = 5

const examplesOf = (schema: JsonObject): readonly Json[] => {
  if (Array.isArray(schema['enum'])) return schema['enum']
  if ('const' in schema) return [schema['const'] as Json]
  return Array.isArray(schema['examples']) ? schema['examples'] : []
}

/** A value that a schema of the document describes, as far as a schema can say it. */
export const valueOf = (
  document: Document,
  raw: JsonObject,
  random: Random,
  known: (name: string) => string,
  name = '',
  depth = 0,
): Json => {
  const schema = document.resolve(raw)
  const go = (inner: Json | undefined, of: string, deeper = depth + 1): Json =>
    valueOf(document, isObject(inner) ? inner : {}, random, known, of, deeper)
  const choices = (schema['anyOf'] ?? schema['oneOf']) as JsonObject[] | undefined
  if (choices !== undefined) return go(depth >= deepest ? choices.at(-1) : random.pick(choices), name, depth)
  const examples = examplesOf(schema)
  if (examples.length > 0) return random.pick(examples)
  const type = Array.isArray(schema['type']) ? random.pick(schema['type']) : schema['type']
  if (type === 'object') return objectOf(schema, random, depth, go)
  if (type === 'array') {
    const least = Number(schema['minItems'] ?? 0)
    const count = depth >= deepest ? least : random.between(least, Math.max(least, 3))
    return Array.from({ length: count }, () => go(schema['items'], name))
  }
  return scalarOf(schema, type, random, known(name))
}

const objectOf = (
  schema: JsonObject,
  random: Random,
  depth: number,
  go: (inner: Json | undefined, name: string) => Json,
): JsonObject => {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const chance = depth >= deepest ? 0 : random.pick([0.1, 0.4, 0.9])
  const chosen = Object.keys(properties).filter((name) => required.includes(name) || random.chance(chance))
  const made = Object.fromEntries(chosen.map((name) => [name, go(properties[name], name)]))
  return schema['additionalProperties'] === false || depth >= deepest || random.chance(0.7)
    ? made
    : { ...made, [random.pick(names)]: random.pick(texts) }
}

const scalarOf = (schema: JsonObject, type: Json | undefined, random: Random, known: string): Json => {
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'null') return null
  if (type === 'integer' || type === 'number') {
    const low = Number(schema['minimum'] ?? 0)
    return random.between(low, Math.min(Number(schema['maximum'] ?? low + 100), low + 100))
  }
  if (schema['format'] === 'uri') return `https://source.invalid/${random.between(0, 99)}`
  if (schema['format'] === 'date-time') return '2024-01-01T00:00:00Z'
  return known
}

/** Every place in a value, as the way there. */
const placesIn = (value: Json, way: (string | number)[] = []): (string | number)[][] => {
  if (Array.isArray(value))
    return [way, ...value.slice(0, 20).flatMap((item, index) => placesIn(item, [...way, index]))]
  if (isObject(value)) return [way, ...Object.entries(value).flatMap(([name, item]) => placesIn(item, [...way, name]))]
  return [way]
}

const withAt = (
  value: Json,
  way: readonly (string | number)[],
  change: (old: Json) => Json | undefined,
): Json | undefined => {
  const [step, ...rest] = way
  if (step === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const changed = index === step ? withAt(item, rest, change) : item
      return changed === undefined ? [] : [changed]
    })
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const changed = name === step ? withAt(item, rest, change) : item
      return changed === undefined ? [] : [[name, changed]]
    }),
  )
}

const nested = (depth: number, item: Json): Json => {
  let value = item
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Bounds on how large a hostile value gets; large ones are rare. */
export interface Sizes {
  /** Characters of a long text, and roughly bytes of a wide value. */
  readonly large: number
}

/** A value that nobody asked for. */
export const hostileValue = (random: Random, { large }: Sizes): Json => {
  const size = random.chance(0.05) ? large : 2000
  const makers: (() => Json)[] = [
    () => random.pick(texts),
    () => random.pick(texts),
    () => random.pick(numbers),
    () => null,
    () => random.chance(0.5),
    () => [],
    () => ({}),
    () => longText(random, size),
    () => nested(random.pick([5, 60, 99, 101]), random.pick(texts)),
    () => Array.from({ length: random.between(1, Math.ceil(size / 20)) }, (_, index) => `unknown ${index}`),
    () =>
      Array.from({ length: random.between(1, Math.ceil(size / 40)) }, (_, index) => ({
        name: `n${index}`,
        dataType: 'INT',
      })),
    () =>
      Object.fromEntries(
        Array.from({ length: random.between(1, Math.ceil(size / 20)) }, (_, index) => [`k${index}`, index]),
      ),
    () => ({ [random.pick(names)]: random.pick(texts) }),
    () => [null],
    () => ({ [random.pick(['id', 'length', 'source', 'tagFQN'])]: { toString: 1 } }),
    () => ({
      id: '00000000-0000-4000-8000-000000000000',
      type: random.pick(['table', 'user', 'nothing', '__proto__']),
    }),
  ]
  return random.pick(makers)()
}

/** The value with one to three things changed that its schema hardly foresees. */
export const mutated = (value: Json, random: Random, sizes: Sizes): Json => {
  let result = value
  for (let left = random.between(1, 3); left > 0; left -= 1) {
    const way = random.pick(placesIn(result))
    result =
      withAt(result, way, (old) => {
        if (random.chance(0.15) && way.length > 0) return undefined
        if (Array.isArray(old) && old.length > 0 && random.chance(0.5)) return [...old, ...old]
        if (isObject(old) && random.chance(0.5)) return { ...old, [random.pick(names)]: hostileValue(random, sizes) }
        return hostileValue(random, sizes)
      }) ?? null
  }
  return result
}

/** A JSON text that no serialiser writes: a token changed, a member doubled, bytes cut, flipped or added. */
export const hostileText = (text: string, random: Random): Buffer => {
  const bytes = Buffer.from(text)
  const place = random.between(0, Math.max(0, bytes.length - 1))
  const spliced = (inserted: string | Buffer): Buffer =>
    Buffer.concat([bytes.subarray(0, place), Buffer.from(inserted), bytes.subarray(place)])
  const makers: (() => Buffer)[] = [
    () => Buffer.from(text.replace(/:("[^"\\]*"|-?\d+|true|false|null)/, () => `:${random.pick(tokens)}`)),
    () =>
      Buffer.from(
        text.replace(
          /\{"([^"\\]*)":/,
          (all, name: string) => `{"${name}":${random.pick(tokens) || 'null'},${all.slice(1)}`,
        ),
      ),
    () =>
      Buffer.from(
        text.replace(
          '{',
          () => `{"${random.pick(['__proto__', 'constructor', '\\u005f_proto__', 'a\\ud800'])}":{"x":1},`,
        ),
      ),
    () => Buffer.from(random.pick(tokens)),
    () => bytes.subarray(0, place),
    () => spliced(random.pick(['\u0000', ',', '}', ']', '"', '\\', '\ufeff', ' '.repeat(500), '\r\n'])),
    () => spliced(Buffer.from([0xff, 0xfe, 0xc0, 0x80])),
    () => Buffer.from(`\ufeff${text}`),
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.from('['.repeat(random.pick([50, 101, 5000]))),
    () => Buffer.from(`${text}${text}`),
    () => Buffer.from(Array.from({ length: 64 }, () => random.between(0, 255))),
  ]
  return random.pick(makers)()
}
