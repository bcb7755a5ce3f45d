import type { SqliteFile } from '../../sqlite/file.ts'
import type { HitFacts } from '../rank.ts'
import { searchTerms } from '../words.ts'
import { edgesFrom } from '../../entities/sqlite/rows.ts'

/** The terms of an entity with the fingerprint of the words that they were made of. */
interface CachedTerms {
  readonly words: number
  readonly facts: Omit<HitFacts<number>, 'popularity'>
}

/** Terms that were made lately: most searches find what others have found. Some 3 KB each. */
const known = new WeakMap<SqliteFile, Map<number, CachedTerms>>()
const mostKnown = 5000

const knownIn = (file: SqliteFile): Map<number, CachedTerms> => {
  let found = known.get(file)
  if (found === undefined) known.set(file, (found = new Map()))
  return found
}

type EntityTexts = [string, string, string, string, string, string, string, string, string]

/** Nothing where the entity is not there: the index has come further than the entities, which begin anew. */
const readKnown = (file: SqliteFile, key: number, words: number): CachedTerms | undefined => {
  const found = file
    .statement(
      `SELECT e.kind, e.entity_status, e.id, e.fqn, e.edges,
        e.words_name, e.words_fields, e.words_labels, e.words_description
      FROM search_docs AS d CROSS JOIN entities AS e ON e.id = d.id WHERE d.key = ?`,
    )
    .get(key)
  if (found === undefined) return undefined
  const [kind, entityStatus, id, fullyQualifiedName, edges, ...texts] = found as EntityTexts
  const [name, fields, labels, description] = texts
  const search = { name, fields, labels, description }
  const terms = searchTerms({ kind, entityStatus, fullyQualifiedName, edges: edgesFrom(edges), search })
  return { words, facts: { key, kind, id, fullyQualifiedName, terms } }
}

/** What hits are ordered by, of these keys. */
export const readFacts = (file: SqliteFile, keys: readonly number[]): HitFacts<number>[] => {
  const cache = knownIn(file)
  const found = file
    .statement(
      `SELECT d.key, d.popularity, d.words FROM json_each(?) AS k CROSS JOIN search_docs AS d ON d.key = k.value`,
    )
    .all(JSON.stringify(keys)) as [number, number, number][]
  return found.flatMap(([key, popularity, words]) => {
    const cached = cache.get(key)
    const current = cached?.words === words ? cached : readKnown(file, key, words)
    cache.delete(key)
    if (current === undefined) return []
    cache.set(key, current)
    if (cache.size > mostKnown) cache.delete(cache.keys().next().value as number)
    return [{ ...current.facts, popularity }]
  })
}
