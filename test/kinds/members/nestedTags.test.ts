import { expect, it } from 'vitest'
import type { Json } from '../../../src/shared/json.ts'
import { visitTreeTags } from '../../../src/kinds/members/fieldTree.ts'

it('visits references alone: what was stored before tags of features were checked stays as it is', () => {
  const reference = { id: '1', type: 'tag', fullyQualifiedName: 'PII.None' }
  const features: Json = [
    { name: 'age', tags: ['PII.None', { tagFQN: 'PII.None' }, reference, null] },
    { name: 'sex', featureSources: [{ name: 'person', tags: [reference] }] },
  ]
  const visited: string[] = []
  const result = visitTreeTags(features, (_, path) => {
    visited.push(path)
    return undefined
  })
  expect(visited).toEqual(['/0/tags/2', '/1/featureSources/0/tags/0'])
  expect(result).toEqual([
    { name: 'age', tags: ['PII.None', { tagFQN: 'PII.None' }, null] },
    { name: 'sex', featureSources: [{ name: 'person' }] },
  ])
})
