import { expect, test } from 'vitest'
import { placedReferences } from '../../src/kinds/edges.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'

const tag = (name: string) => ({ id: `id of ${name}`, type: 'tag', fullyQualifiedName: name })

test('references inside a member are told with the names on the way to their list', () => {
  const columns = [
    { name: 'iban', tags: [tag('a'), tag('b')] },
    { name: 'address', children: [{ name: 'zip.code', tags: [tag('a')] }, { name: 'city' }] },
  ]
  expect(placedReferences(kindNamed('table'), 'columns', columns)).toEqual([
    { path: 'columns.iban.tags', pointer: '/columns/0/tags/0', reference: tag('a') },
    { path: 'columns.iban.tags', pointer: '/columns/0/tags/1', reference: tag('b') },
    {
      path: 'columns.address."zip.code".tags',
      pointer: '/columns/1/children/0/tags/0',
      reference: tag('a'),
    },
  ])
  const messageSchema = { schemaFields: [{ name: 'key', tags: [tag('c')] }] }
  expect(placedReferences(kindNamed('topic'), 'messageSchema', messageSchema)).toEqual([
    {
      path: 'messageSchema.schemaFields.key.tags',
      pointer: '/messageSchema/schemaFields/0/tags/0',
      reference: tag('c'),
    },
  ])
  expect(placedReferences(kindNamed('table'), 'tags', [tag('a')])).toEqual([])
})
