import { kinds } from '../../src/kinds/registry/kinds.ts'
import type { Parameter } from './document.ts'
import { longText, numbers, texts } from './hostile.ts'
import { headers as hostileHeaders, queries } from './hostileParts.ts'
import { collectionOf, type Making } from './making.ts'
import { valueOf } from './values.ts'

const hostilePart = ({ random, sizes }: Making): string =>
  random.chance(0.9) ? random.pick(texts) : longText(random, random.chance(0.1) ? Math.min(sizes.large, 50_000) : 3000)

/** Encoded as a client does, or, when it cannot be, byte by byte. */
const encoded = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('')

/** Path and query of a request. */
export const targetOf = (making: Making): string => {
  const { operation, random } = making
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = random.chance(0.9) ? pathValue(making, name) : hostilePart(making)
    // Without it the path would be that of another operation.
    const filled = value === '' ? '-' : value
    return random.chance(0.99) ? encoded(filled) : filled
  })
  const query = operation.parameters
    .filter((each) => each.in === 'query' && (each.required || random.chance(0.25)))
    .map((each) => queryPart(making, each))
  if (random.chance(0.03)) query.push(`${encoded(random.pick(texts))}=${encoded(hostilePart(making))}`)
  if (random.chance(0.02) && query.length > 0) query.push(...query)
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

const pathValue = ({ world, operation, random }: Making, name: string): string => {
  const own = random.pick(world.at(collectionOf(operation)))
  if (name === 'id') return random.chance(0.9) ? own.id : random.pick(world.entities).id
  if (name === 'fqn') return random.chance(0.9) ? own.fqn : random.pick(world.entities).fqn
  if (name === 'userId') return random.pick(world.at('users')).id
  if (name === 'version') return random.pick(['0.1', '0.2', '1.1', '1', '0.3'])
  if (name === 'type') return random.pick(['Created', 'Updated', 'Nothing'])
  return random.pick(['openapi-explorer.min.js', 'index.html', 'nothing'])
}

const queryPart = (making: Making, parameter: Parameter): string => {
  const { random } = making
  const value = random.chance(0.8) ? queryValue(making, parameter) : hostilePart(making)
  return `${encoded(parameter.name)}=${random.chance(0.99) ? encoded(value) : value}`
}

const moments = ['0.1', '0.2', '1', '5', '@3', '2024-01-01T00:00:00Z', '2100-01-01', '1.1', '99999']

const queryValue = (making: Making, { name, schema }: Parameter): string => {
  const { random, world, document } = making
  const type = document.resolve(schema)['type']
  if (name === 'wait') return random.pick(['0', '0', '0', '1'])
  if (type === 'integer')
    return String(random.chance(0.7) ? random.between(0, 50) : random.pick([...numbers, 1000, 10_000, 1_000_000]))
  if (type === 'boolean' || schema['enum'] !== undefined) return String(valueOf(document, schema, random, () => 'x'))
  if (name === 'q') return random.pick(queries)
  if (name === 'fields')
    return random.pick([
      '*',
      'owners',
      'owners,tags,domains',
      'columns',
      'extension,followers,votes',
      'nothing',
      'owners,,tags',
    ])
  if (name === 'after' || name === 'before')
    return random.chance(0.6) && world.cursors.length > 0 ? random.pick(world.cursors) : String(random.between(0, 400))
  if (name === 'asOf' || name === 'from' || name === 'to' || name === 'since' || name === 'until')
    return random.pick(moments)
  if (name === 'kind' || name === 'entityType') return random.pick(kinds).name
  if (name === 'type') return random.pick(['Created', 'Updated,SoftDeleted', 'Nothing'])
  if (name === 'index') return random.pick(['all', 'dataAsset', 'table_search_index', 'nothing'])
  if (name.endsWith('Id') || name === 'id') return random.pick(world.entities).id
  return random.pick(world.entities).fqn
}

/** Headers that the operation knows, and some that it does not. */
export const headersOf = ({ random, operation }: Making): [string, string][] => {
  const declared = operation.parameters
    .filter((each) => each.in === 'header' && random.chance(0.15))
    .map((each) => each.name)
  const drawn = random.chance(0.15) ? random.sample(hostileHeaders, 2).map(([name]) => name) : []
  return [...new Set([...declared, ...drawn])].flatMap((name): [string, string][] => {
    const values = hostileHeaders.find(([each]) => each === name)?.[1]
    return values === undefined ? [] : [[name, random.pick(values)]]
  })
}
