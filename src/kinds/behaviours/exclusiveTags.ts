import { memoizeByKey } from '../../shared/memoize.ts'
import type { Members, Reference } from '../../events/events.ts'
import type { Draft, Facts, KindDefinition, Problem } from '../defineKind.ts'
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
const changedLists = (definition: Tagged, { members, before = {} }: Draft) => {
  const all = Map.groupBy(placedTags(definition, members), ({ path }) => path)
  const lists = [...all.values()].filter(({ length }) => length > 1)
  const known = new Set((lists.length === 0 ? [] : placedTags(definition, before)).map(keyOf))
  return lists.filter((tags) => tags.some((tag) => !known.has(keyOf(tag))))
}

/** Members by which a tag or term refers to its ancestors. */
const upwards = ['classification', 'glossary', 'parent']

/** Ids that {@link checkExclusiveTags} needs and that are not loaded yet. */
export const neededForExclusiveTags = (definition: Tagged, draft: Draft, facts: Facts): string[] => {
  const ids = changedLists(definition, draft).flatMap((tags) => tags.map(({ reference }) => reference.id))
  const needed = ids.flatMap((id) => {
    const tag = facts.get(id)
    return tag === undefined ? [id] : factsAbove(tag.members, upwards, facts).needed
  })
  return [...new Set(needed)]
}

/** The mutually exclusive ancestors of a tag, nearest first. */
const exclusiveAbove = (id: string, facts: Facts): Reference[] =>
  factsAbove(facts.get(id)?.members ?? {}, upwards, facts)
    .above.filter(({ members }) => members['mutuallyExclusive'] === true)
    .map(({ reference }) => reference)

/**
 * Two tags of one list must not have the same mutually exclusive ancestor (classification, glossary, tag or term).
 * Problems name their places only, as the caller may not be allowed to see the names.
 */
export const checkExclusiveTags = (definition: Tagged, draft: Draft, facts: Facts): Problem[] => {
  const above = memoizeByKey((id: string) => exclusiveAbove(id, facts))
  return changedLists(definition, draft).flatMap((tags) => {
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
}
