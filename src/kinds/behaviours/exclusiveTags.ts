import { isObject, type Json } from '../../shared/json.ts'
import type { Members } from '../../events/events.ts'
import type { Draft, Fact, Facts, Field, Problem } from '../defineKind.ts'

/** Ids of tags by the JSON Pointer of their list. */
type TagLists = ReadonlyMap<string, readonly string[]>

type Fields = Readonly<Record<string, Field>>

const idsIn = (list: Json | undefined): string[] =>
  (Array.isArray(list) ? list : []).flatMap((item) =>
    isObject(item) && typeof item['id'] === 'string' ? [item['id']] : [],
  )

const tagListsInside = (value: Json, nested: NonNullable<Field['nested']>): TagLists => {
  const lists = new Map<string, string[]>()
  nested(value, (reference, path) => {
    const at = path.slice(0, path.lastIndexOf('/'))
    const list = lists.get(at)
    if (list === undefined) lists.set(at, [reference['id'] as string])
    else list.push(reference['id'] as string)
    return undefined
  })
  return lists
}

const tagLists = (fields: Fields, members: Members): TagLists => {
  const lists = new Map<string, readonly string[]>()
  for (const [name, value] of Object.entries(members)) {
    const field = fields[name]
    if (field?.references?.as === 'label') lists.set(`/${name}`, idsIn(value))
    if (field?.nested === undefined) continue
    for (const [at, list] of tagListsInside(value, field.nested)) lists.set(`/${name}${at}`, list)
  }
  return lists
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

const aboveIds = (members: Members): string[] => upwards.flatMap((name) => idsIn([members[name] ?? null]))

/** Ids that {@link checkExclusiveTags} needs and that are not loaded yet. */
export const neededForExclusiveTags = (fields: Fields, draft: Draft, facts: Facts): string[] => {
  const seen = new Set<string>()
  const wanted: string[] = []
  const visit = (id: string): void => {
    if (seen.has(id)) return
    seen.add(id)
    const fact = facts.get(id)
    if (fact === undefined) wanted.push(id)
    else aboveIds(fact.members).forEach(visit)
  }
  for (const [, ids] of changedLists(fields, draft)) ids.forEach(visit)
  return wanted
}

/** The mutually exclusive ancestors of a tag, nearest first; computed once per tag. */
const makeExclusiveAncestors = (facts: Facts): ((id: string) => readonly Fact[]) => {
  const known = new Map<string, readonly Fact[]>()
  const above = (id: string): readonly Fact[] => {
    const before = known.get(id)
    if (before !== undefined) return before
    known.set(id, [])
    const fact = facts.get(id)
    const found = new Map<string, Fact>()
    for (const higher of fact === undefined ? [] : aboveIds(fact.members)) {
      const one = facts.get(higher)
      for (const each of [...(one?.members['mutuallyExclusive'] === true ? [one] : []), ...above(higher)])
        if (!found.has(each.reference.id)) found.set(each.reference.id, each)
    }
    const exclusive = [...found.values()]
    known.set(id, exclusive)
    return exclusive
  }
  return above
}

/**
 * Two tags of one list must not have the same mutually exclusive ancestor (classification, glossary, tag or term).
 * Problems name their places only, as the caller may not be allowed to see the names.
 */
export const checkExclusiveTags = (fields: Fields, draft: Draft, facts: Facts): Problem[] => {
  const above = makeExclusiveAncestors(facts)
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
