import type { Json } from '../../shared/json.ts'
import { memoize, memoizeByKey } from '../../shared/memoize.ts'
import type { Members, Reference } from '../../events/events.ts'
import type { Behaviour, Draft, Facts, KindDefinition } from '../defineKind.ts'
import { placedReferences } from '../edges.ts'
import { factsAbove } from './factsAbove.ts'

type Tagged = Pick<KindDefinition, 'fields'>

/** The tags of an entity and of its columns and fields. */
const placedTags = (definition: Tagged, members: Members) =>
  Object.entries(members).flatMap(([name, value]) => {
    if (definition.fields[name]?.references?.as !== 'label') return placedReferences(definition, name, value)
    return ((value ?? []) as Reference[]).map((reference, index) => ({
      path: name,
      pointer: `/${name}/${index}`,
      reference,
    }))
  })

const keyOf = ({ path, reference }: ReturnType<typeof placedTags>[number]): string => `${path} ${reference.id}`

/** Lists that have got a tag, and have others: a single one has nothing that excludes it. */
const changedListsOf = (definition: Tagged, { members, before = {} }: Draft) => {
  const all = Map.groupBy(placedTags(definition, members), ({ path }) => path)
  const lists = [...all.values()].filter(({ length }) => length > 1)
  const known = new Set((lists.length === 0 ? [] : placedTags(definition, before)).map(keyOf))
  return lists.filter((tags) => tags.some((tag) => !known.has(keyOf(tag))))
}

/** Members by which a tag or term refers to its ancestors. */
const upwards = ['classification', 'glossary', 'parent']

/** The mutually exclusive ancestors of a tag, nearest first. */
const exclusiveAbove = (id: string, facts: Facts): Reference[] =>
  factsAbove(facts.get(id)?.members ?? {}, upwards, facts)
    .above.filter(({ members }) => members['mutuallyExclusive'] === true)
    .map(({ reference }) => reference)

/**
 * The rule that two tags of one list must not have the same mutually exclusive ancestor (classification, glossary, tag or
 * term). Problems name their places only, as the caller may not be allowed to see the names.
 */
export const exclusiveTags = (definition: Tagged): Required<Pick<Behaviour, 'needs' | 'check'>> => {
  // A draft is asked what it needs once for each level above its tags.
  const changedLists = memoize((draft: Draft) => changedListsOf(definition, draft))
  const tagsIn = memoize((draft: Draft): Reference[] => [
    ...new Map(
      changedLists(draft)
        .flat()
        .map(({ reference }) => [reference.id, reference]),
    ).values(),
  ])
  return {
    needs: (draft, facts) => {
      const tags = tagsIn(draft)
      return tags.length === 0 ? [] : factsAbove({ parent: tags as Json }, upwards, facts).needed
    },
    check: (draft, facts) => {
      const above = memoizeByKey((id: string) => exclusiveAbove(id, facts))
      return changedLists(draft).flatMap((tags) => {
        const firstBelow = new Map<string, string>()
        return tags.flatMap(({ pointer, reference }) => {
          const higher = above(reference.id)
          const clash = higher.find(({ id }) => firstBelow.has(id))
          for (const { id } of higher) if (!firstBelow.has(id)) firstBelow.set(id, pointer)
          if (clash === undefined) return []
          const beside = `cannot stand beside ${firstBelow.get(clash.id)}`
          return [{ path: pointer, message: `${beside}: both are below one mutually exclusive ${clash.type}` }]
        })
      })
    },
  }
}
