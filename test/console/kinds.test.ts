import { describe, expect, it } from 'vitest'
import { eventTypes as offered } from '../../console/src/activity/eventTypes.ts'
import { contracted, kinds, social, unreferenced } from '../../console/src/api/kinds.ts'
import { eventTypes } from '../../src/events/verbs.ts'
import { contractedKinds, kinds as definitions } from '../../src/kinds/registry/kinds.ts'
import { referrersOf } from '../../src/kinds/registry/referrers.ts'

describe('the kinds that the console knows', () => {
  it('are those of the service, each where the service has it', () => {
    const known = kinds.map(({ name, path }) => [name, path]).toSorted()
    expect(known).toEqual(definitions.map(({ name, path }) => [name, path]).toSorted())
    expect([...contracted].toSorted()).toEqual([...contractedKinds].toSorted())
    const followed = definitions.filter(({ traits }) => traits.followers === true).map(({ name }) => name)
    expect([...social].toSorted()).toEqual(followed.toSorted())
    const alone = definitions.filter(({ name }) => referrersOf(name).length === 0).map(({ name }) => name)
    expect([...unreferenced].toSorted()).toEqual(alone.toSorted())
  })

  it('are listed below each other by filters that the lists have', () => {
    const parents = new Map(definitions.map((kind) => [kind.name, kind]))
    for (const { name, below = [] } of kinds) {
      for (const [child, filter] of below) {
        const definition = parents.get(child)
        const asParent = definition?.parents.some(
          (parent) => parent.field === filter && (parent.optional === true || parent.kinds.includes(name)),
        )
        const asDomain = filter === 'domain' && definition?.fields['domains'] !== undefined
        expect([name, child, asParent || asDomain]).toEqual([name, child, true])
      }
    }
  })
})

it('activity is narrowed by every type of event that the service has', () => {
  expect(offered).toEqual(eventTypes)
})
