import { expect, test } from 'vitest'
import { measures, measuresOf } from '../../src/kinds/edges.ts'
import { assetKinds, kindNamed } from '../../src/kinds/registry/kinds.ts'

test('a measure of children applies to the assets that such children can stand below, and to no others', () => {
  for (const { name, child } of measures)
    if (child !== undefined) {
      const above = kindNamed(child).parents.flatMap(({ kinds }) => kinds)
      const applies = assetKinds.filter((kind) => measuresOf(kindNamed(kind)).some((measure) => measure.name === name))
      expect([name, applies]).toEqual([name, assetKinds.filter((kind) => above.includes(kind))])
    }
})
