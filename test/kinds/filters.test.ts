import { expect, test } from 'vitest'
import { keptRelations } from '../../src/kinds/filters.ts'
import { kinds } from '../../src/kinds/index.ts'

const keeping = (rel: string): string[] =>
  kinds.filter((kind) => keptRelations(kind, kinds).has(rel)).map(({ name }) => name)

test('a relation that answers are computed from is kept of the kinds alone that have such a reference', () => {
  expect(keeping('assets')).toEqual(['dataProduct'])
  expect(keeping('teams')).toEqual(['user'])
  expect(keeping('parents')).toEqual(['team'])
  expect(keeping('testSuite')).toEqual(['testCase'])
})
