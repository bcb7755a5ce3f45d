import type { Members } from '../../events/events.ts'
import { objectsOf } from '../../shared/json.ts'
import type { Fact, Facts } from '../defineKind.ts'

/**
 * What members of these names refer to, then what the same members of that refer to, each once. A reference to a former
 * life refers to nothing. `needed`: ids of what is not loaded yet, or gone.
 */
export const factsAbove = (members: Members, names: readonly string[], facts: Facts) => {
  const above = new Map<string, Fact>()
  const needed = new Set<string>()
  const add = (some: Members): void => {
    for (const { id, life } of names.flatMap((name) => objectsOf([some[name] ?? []].flat()))) {
      const fact = facts.get(id as string)
      if (fact === undefined) needed.add(id as string)
      else if (fact.reference.life === life) above.set(fact.reference.id, fact)
    }
  }
  add(members)
  for (const fact of above.values()) add(fact.members)
  return { above: [...above.values()], needed: [...needed] }
}
