import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import type { Members } from '../../events/events.ts'
import type { Draft, Fact, Facts, Field, Problem } from '../defineKind.ts'

/** Ids of the tags that stand together: by the JSON Pointer of their list. */
type TagLists = ReadonlyMap<string, readonly string[]>

type Fields = Readonly<Record<string, Field>>

const idsIn = (list: Json | undefined): string[] =>
  (Array.isArray(list) ? list : []).flatMap((item) =>
    isObject(item) && typeof item['id'] === 'string' ? [item['id']] : [],
  )

const tagLists = (fields: Fields, members: Members): TagLists => {
  const lists = new Map<string, string[]>()
  for (const [name, value] of Object.entries(members)) {
    const field = fields[name]
    if (field?.references?.as === 'label') lists.set(`/${name}`, idsIn(value))
    field?.nested?.(value, (reference, path) => {
      const at = `/${name}${path.slice(0, path.lastIndexOf('/'))}`
      const list = lists.get(at) ?? []
      list.push(reference['id'] as string)
      lists.set(at, list)
      return undefined
    })
  }
  return lists
}

/** The lists that the draft changes and in which tags could exclude each other. */
const changedLists = (fields: Fields, { members, before }: Draft): [string, readonly string[]][] => {
  const lists = [...tagLists(fields, members)].filter(([, ids]) => ids.length > 1)
  if (lists.length === 0 || before === undefined) return lists
  const old = tagLists(fields, before)
  return lists.filter(([path, ids]) => old.get(path)?.join() !== ids.join())
}

/** Members by which a tag or a term names what is above it. */
const upwards = ['classification', 'glossary', 'parent']

const aboveIds = (members: Members): string[] => upwards.flatMap((name) => idsIn([members[name] ?? null]))

/** Ids that {@link checkExclusiveTags} needs and that are not looked up yet. */
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

const above = (tag: Fact, facts: Facts): Fact[] => {
  const found = new Map<string, Fact>()
  const visit = (id: string): void => {
    const fact = facts.get(id)
    if (fact === undefined || found.has(id)) return
    found.set(id, fact)
    aboveIds(fact.members).forEach(visit)
  }
  aboveIds(tag.members).forEach(visit)
  return [...found.values()]
}

/** Two tags of one list must not stand under the same mutually exclusive classification, glossary, tag or term. */
export const checkExclusiveTags = (fields: Fields, draft: Draft, facts: Facts): Problem[] =>
  changedLists(fields, draft).flatMap(([path, ids]) => {
    const firstBelow = new Map<string, Fact>()
    const problems: Problem[] = []
    for (const [index, id] of ids.entries()) {
      const tag = facts.get(id)
      if (tag === undefined) continue
      const clash = above(tag, facts).find((higher) => isExclusive(higher.members) && !claims(firstBelow, higher, tag))
      if (clash === undefined) continue
      const other = firstBelow.get(clash.reference.id) as Fact
      const message =
        `${other.reference.fullyQualifiedName} and ${tag.reference.fullyQualifiedName} exclude each other: ` +
        `${clash.reference.type} ${clash.reference.fullyQualifiedName} is mutually exclusive`
      problems.push({ path: `${path}/${index}`, message })
    }
    return problems
  })

const isExclusive = (members: JsonObject): boolean => members['mutuallyExclusive'] === true

/** Takes the place below an exclusive entity when it is free. */
const claims = (firstBelow: Map<string, Fact>, higher: Fact, tag: Fact): boolean => {
  const first = firstBelow.get(higher.reference.id)
  if (first === undefined) firstBelow.set(higher.reference.id, tag)
  return first === undefined || first === tag
}
