import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { kinds } from '../../src/kinds/registry/kinds.ts'
import type { Random } from '../support/random.ts'
import type { Json, JsonObject } from '../../src/shared/json.ts'
import { sampleKinds } from '../kinds/samples.ts'
import { MINIMAL, V2, V30, V31 } from '../odcs/documents.ts'
import { texts } from './hostile.ts'
import { collectionOf, type Making } from './making.ts'
import { hostileText, hostileValue, mutated, valueOf, type Sizes } from './values.ts'

/** A body, with the headers that speak of it. */
export interface Body {
  readonly body: Buffer | undefined
  readonly headers: [string, string][]
}

const odcsTexts = [
  V31,
  V30,
  V2,
  MINIMAL,
  `a: &a [${'x,'.repeat(50)}]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]`,
  '['.repeat(5000),
  '!!js/function "x"',
  'a: 1\na: 2',
  '%YAML 9.9\n---\n{',
  '? {a: b}\n: c',
  '\t- a',
  '&a [*a]',
]

/** The body of a request: right, changed, or none at all. */
export const bodyOf = (making: Making): Body => {
  const { operation, random, sizes } = making
  if (operation.body === undefined) return { body: undefined, headers: [] }
  const [mediaType, schema] = random.pick(Object.entries(operation.body))
  const odcs = operation.template.includes('/odcs')
  const right = odcs ? '' : JSON.stringify(rightBody(making, mediaType, schema))
  const plain = odcs ? Buffer.from(random.pick(odcsTexts)) : Buffer.from(right)
  const fate = random.next()
  const body =
    fate < 0.35
      ? plain
      : fate < 0.75 && !odcs
        ? Buffer.from(JSON.stringify(mutated(JSON.parse(right) as Json, random, sizes)))
        : fate < 0.95
          ? hostileText(plain.toString(), random)
          : Buffer.from(JSON.stringify(hostileValue(random, sizes)))
  return packed(body, random.chance(0.97) ? mediaType : random.pick(otherTypes), random, sizes)
}

const otherTypes = ['text/html', 'application/json; charset=utf-16', 'multipart/form-data', '', 'x'.repeat(300)]

const packed = (body: Buffer, type: string, random: Random, { large }: Sizes): Body => {
  const headers: [string, string][] = type === '' ? [] : [['Content-Type', type]]
  if (random.chance(0.9)) return { body, headers }
  const [encoding, bytes] = random.pick<() => [string, Buffer]>([
    () => ['gzip', gzipSync(body)],
    () => ['deflate', deflateSync(body)],
    () => ['br', brotliCompressSync(body)],
    () => ['gzip', body],
    () => ['gzip', gzipSync(Buffer.alloc(large * 20, 0x20))],
    () => ['br', brotliCompressSync(body).subarray(0, -1)],
    () => ['gzip, gzip', gzipSync(gzipSync(body))],
    () => ['zstd', body],
  ])()
  return { body: bytes, headers: [...headers, ['Content-Encoding', encoding]] }
}

/** A body that has a good chance to be taken: of the kinds' samples, else of the schema. */
const rightBody = (making: Making, mediaType: string, schema: JsonObject): Json => {
  const { operation, random, world, document, number } = making
  const [, verb, kind] = /^(create|upsert|bulk|patch|restore)_([A-Za-z]+)/.exec(operation.id) ?? []
  const known = (name: string): string => knownText(making, name)
  if (kind === undefined || !sampleKinds.includes(kind) || random.chance(0.2))
    return valueOf(document, schema, random, known)
  const sample = (n = 0): JsonObject => world.sample(kind, `attack_${number % 500}_${n}`, random)
  if (verb === 'restore') return { id: random.pick(world.at(collectionOf(operation))).id }
  if (verb === 'bulk') return Array.from({ length: random.pick([0, 1, 2, 5, 40]) }, (_, n) => sample(n))
  if (verb !== 'patch') return sample()
  const changes = Object.fromEntries(random.sample(Object.entries(sample()), 3).filter(([name]) => name !== 'name'))
  if (mediaType === 'application/merge-patch+json') return changes
  const ops = ['add', 'replace', 'remove', 'test', 'copy', 'move']
  return [
    ...Object.entries(changes).map(([name, value]) => ({
      op: random.chance(0.8) ? 'add' : random.pick(ops),
      path: `/${name}`,
      value,
      from: '/description',
    })),
    { op: random.pick(ops), path: random.pick(pointers), value: random.pick(texts), from: random.pick(pointers) },
  ].slice(0, random.chance(0.3) ? undefined : -1)
}

const pointers = [
  '',
  '/',
  '/toString',
  '/columns',
  '/columns/-',
  '/columns/99',
  '/tags/0',
  '/id',
  '/__proto__/x',
  '/a/b',
]

const knownText = ({ random, world }: Making, name: string): string => {
  if (name === 'id' || name.endsWith('Id')) return random.pick(world.entities).id
  if (name === 'endpoint') return 'https://hook.invalid/'
  if (name === 'type' || name === 'entityType') return random.pick(kinds).name
  if (name === 'path' || name === 'from') return random.pick(['/description', '/columns/0', '/tags', '/'])
  if (random.chance(0.3)) return random.pick(world.entities).fqn
  return random.pick(texts) || 'word'
}
