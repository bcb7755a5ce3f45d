import { objectsOf, type Json } from '../../shared/json.ts'
import { memoizeByKey } from '../../shared/memoize.ts'
import type { Members } from '../../events/events.ts'
import type { Draft, Fact, Facts, Field, Problem } from '../defineKind.ts'
import { factsAbove } from './factsAbove.ts'

type Fields = Readonly<Record<string, Field>>

/** The tags of a member, each with the JSON Pointer of its list. */
const placedTags = (name: string, value: Json, { references, nested }: Field): [list: string, id: string][] => {
  if (references?.as === 'label') return objectsOf(value).map(({ id }) => [`/${name}`, id as string])
  const found: [string, string][] = []
  nested?.(value, ({ id }, path) => void found.push([`/${name}${path.slice(0, path.lastIndexOf('/'))}`, id as string]))
  return found
}

/** Ids of tags by the JSON Pointer of their list. */
const tagLists = (fields: Fields, members: Members): ReadonlyMap<string, readonly string[]> => {
  const placed = Object.entries(members).flatMap(([name, value]) => {
    const field = fields[name]
    return field === undefined || value === undefined ? [] : placedTags(name, value, field)
  })
  const lists = Map.groupBy(placed, ([list]) => list)
  return new Map([...lists].map(([list, tags]) => [list, tags.map(([, id]) => id)]))
}

/** Changed lists with several tags: a single one has nothing that excludes it. */
const changedLists = (fields: Fields, { members, before }: Draft): [string, readonly string[]][] => {
  const lists = [...tagLists(fields, members)].filter(([, ids]) => ids.length > 1)
  if (lists.length === 0 || before === undefined) return lists
  const old = tagLists(fields, before)
  return lists.filter(([path, ids]) => old.get(path)?.join() !== ids.join())
}

/** Members by which a tag or term refers to its ancestors. */
const upwards = ['classification', 'glossary', 'parent']

/** Ids that {@link checkExclusiveTags} needs and that are not loaded yet. */
export const neededForExclusiveTags = (fields: Fields, draft: Draft, facts: Facts): string[] => {
  const needed = changedLists(fields, draft).flatMap(([, ids]) =>
    ids.flatMap((id) => {
      const tag = facts.get(id)
      return tag === undefined ? [id] : factsAbove(tag.members, upwards, facts).needed
    }),
  )
  return [...new Set(needed)]
}

/** The mutually exclusive ancestors of a tag, nearest first. */
const exclusiveAbove = (id: string, facts: Facts): Fact[] =>
  factsAbove(facts.get(id)?.members ?? {}, upwards, facts).above.filter(
    ({ members }) => members['mutuallyExclusive'] === true,
  )

/**
 * Two tags of one list must not have the same mutually exclusive ancestor (classification, glossary, tag or term).
 * Problems name their places only, as the caller may not be allowed to see the names.
 */
export const checkExclusiveTags = (fields: Fields, draft: Draft, facts: Facts): Problem[] => {
  const above = memoizeByKey((id: string) => exclusiveAbove(id, facts))
  return changedLists(fields, draft).flatMap(([path, ids]) => {
    const firstBelow = new Map<string, string>()
    const problems: Problem[] = []
    for (const [index, id] of ids.entries()) {
      if (facts.get(id) === undefined) continue
      const clash = above(id).find((higher) => !claims(firstBelow, higher, id))
      if (clash === undefined) continue
      const other = ids.indexOf(firstBelow.get(clash.reference.id) as string)
      const message = `cannot stand beside ${path}/${other}: both are below one mutually exclusive ${clash.reference.type}`
      problems.push({ path: `${path}/${index}`, message })
    }
    return problems
  })
}

/** Claims an exclusive ancestor for a tag, unless another tag has it. */
const claims = (firstBelow: Map<string, string>, higher: Fact, id: string): boolean => {
  const first = firstBelow.get(higher.reference.id)
  if (first === undefined) firstBelow.set(higher.reference.id, id)
  return first === undefined || first === id
}
