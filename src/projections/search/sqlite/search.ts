import { memoizeByKey, memoize } from '../../../shared/memoize.ts'
import { documentsIn } from '../../documents/sqlite.ts'
import { entities } from '../../entities/entityDocuments.ts'
import { entityDocuments } from '../../entities/entityProjection.ts'
import { statusNumber } from '../../entities/row.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import type { Search, SearchQuery } from '../port.ts'
import { facetCounts } from '../searchDocuments.ts'
import { countedKinds, facetCountsOf, makeSearch, scopeOf, searchedStatus, type SearchIndex } from '../searchEngine.ts'
import type { SearchExpression } from '../query.ts'
import { sequencesOf, type Sequence } from '../queryTerms.ts'
import type { Demand } from '../rank.ts'
import { facetTerm, gap, kindTerm, searchParts, type SearchPart } from '../words.ts'
import { indexedDocuments } from './indexFile.ts'
import { indexedBeginnings } from './wordPages.ts'

/** A phrase of terms in FTS5 syntax. */
const toPhrase = (terms: readonly string[]): string => `"${terms.join(' ').replaceAll('"', '""')}"`

/** A prefix of more terms is faster read as one list, although it must be read completely first. */
const maxTerms = 32

/** Index terms with a prefix; `undefined` if there are too many. */
type TermsBeginning = (beginning: string) => readonly string[] | undefined

/** Reads each prefix once. Of rare terms many are read at once; of the others the next ones are sought. */
export const termsIn = (file: SqliteFile): TermsBeginning =>
  memoizeByKey((beginning) => {
    const next = file.statement(`SELECT term FROM temp.search_terms WHERE term >= ? LIMIT ${maxTerms}`)
    const terms = new Set<string>()
    for (let from = beginning; ; from += ' ') {
      const found = next.all(from) as [string][]
      for (const [term] of found) {
        if (!term.startsWith(beginning)) return [...terms]
        terms.add(term)
        if (terms.size > maxTerms) return undefined
        from = term
      }
      if (found.length < maxTerms) return [...terms]
    }
  })

/** A term of every entity. */
const everything = toPhrase([gap])

const anyOf = (matches: readonly string[]): string | undefined => {
  if (matches.length < 2) return matches[0]
  return `(${matches.join(' OR ')})`
}

/** A prefix as its existing words: their hits come in order without reading all. */
const beginningOf = (terms: readonly string[], termsWith: TermsBeginning): readonly string[] => {
  const [term = ''] = terms
  const words = terms.length === 1 && term.length > Math.max(...indexedBeginnings) ? termsWith(term) : undefined
  return words?.map((each) => toPhrase([each])) ?? [`${toPhrase(terms)} *`]
}

const matchesOf = ({ terms, prefix }: Sequence, termsWith: TermsBeginning): readonly string[] =>
  prefix ? beginningOf(terms, termsWith) : [toPhrase(terms)]

/** The expression in FTS5 syntax; `undefined` matches nothing. */
const toMatch = (
  expression: SearchExpression,
  parts: readonly SearchPart[],
  termsWith: TermsBeginning,
): string | undefined => {
  switch (expression.type) {
    case 'all':
      return everything
    case 'text':
      return anyOf(sequencesOf(expression, parts).flatMap((sequence) => matchesOf(sequence, termsWith)))
    case 'term':
      return toPhrase([expression.term])
    case 'or':
      return anyOf(expression.of.map((part) => toMatch(part, parts, termsWith)).filter((match) => match !== undefined))
    case 'not':
      return allOf([expression], parts, termsWith)
    case 'and':
      return allOf(expression.of, parts, termsWith)
  }
}

const allOf = (
  expressions: readonly SearchExpression[],
  parts: readonly SearchPart[],
  termsWith: TermsBeginning,
): string | undefined => {
  const wanted: string[] = []
  const unwanted: string[] = []
  for (const expression of expressions) {
    const negated = expression.type === 'not'
    const match = negated ? toMatch(expression.of, searchParts, termsWith) : toMatch(expression, parts, termsWith)
    if (negated) unwanted.push(...(match === undefined ? [] : [match]))
    else if (match === undefined) return undefined
    else wanted.push(match)
  }
  const positive =
    wanted.length === 0 ? everything : wanted.length === 1 ? (wanted[0] as string) : `(${wanted.join(' AND ')})`
  const negative = anyOf(unwanted)
  return negative === undefined ? positive : `(${positive} NOT ${negative})`
}

/** The query in FTS5 syntax; `undefined` if nothing matches. */
export const matchFor = ({ expression, parts, nameTerms }: Demand, termsWith: TermsBeginning): string | undefined => {
  const match = toMatch(expression, parts, termsWith)
  if (match === undefined || nameTerms === undefined) return match
  return `(${anyOf(nameTerms.map((term) => toPhrase([term])))} AND ${match})`
}

interface KindFilter {
  readonly kinds: readonly string[]
  readonly without: boolean
}

const restrictToKinds = (match: string, { kinds, without }: KindFilter): string => {
  const listed = anyOf(kinds.map((kind) => toPhrase([kindTerm(kind)])))
  return listed === undefined ? match : `(${match} ${without ? 'NOT' : 'AND'} ${listed})`
}

interface SearchScope extends Pick<SearchQuery, 'kinds' | 'ids' | 'within'> {
  readonly status: 'live' | 'deleted' | 'any'
}

const isDeleted = `EXISTS (SELECT 1 FROM search AS d INDEXED BY search_deleted
  WHERE d.key = w.rowid AND d.status = ${statusNumber.deleted})`
const ofStatus = { live: `NOT ${isDeleted}`, deleted: isDeleted, any: 'true' }

const isAmong = `w.rowid IN (SELECT d.key FROM json_each(?3) AS i CROSS JOIN search AS d ON d.id = i.value
  WHERE d.kind IN (SELECT value FROM json_each(?4)))`

const isWithin = 'EXISTS (SELECT 1 FROM search AS d WHERE d.key = w.rowid AND d.place >= ?5 AND d.place < ?6)'

/** The first matching keys. */
export const firstMatching = (
  file: SqliteFile,
  { status, kinds, ids, within }: SearchScope,
  match: string,
  limit: number,
): readonly number[] => {
  const among = ids || within ? [JSON.stringify(ids ?? []), JSON.stringify(kinds)] : []
  const places = within ? [within.$gte ?? '', within.$lt ?? ''] : []
  const found = file
    .statement(
      `SELECT json_group_array(rowid) FROM (SELECT w.rowid FROM search_index AS w
      WHERE w.search_index MATCH ?1 AND ${ofStatus[status]} ${ids ? `AND ${isAmong}` : ''}
        ${within ? `AND ${isWithin}` : ''} ORDER BY w.rowid LIMIT ?2)`,
    )
    .get(match, limit, ...among, ...places)
  return JSON.parse((found as [string])[0]) as number[]
}

const sumOf = (counted: readonly (readonly [kind: string, count: number])[]): number =>
  counted.reduce((sum, [, count]) => sum + count, 0)

/** Filters by wanted or excluded kinds, whichever have fewer entities. */
const filterOf = (counts: ReadonlyMap<string, number>, { kinds }: Pick<SearchQuery, 'kinds'>): KindFilter => {
  const wanted = [...counts].filter(([kind]) => kinds.includes(kind))
  const others = [...counts].filter(([kind]) => !kinds.includes(kind))
  const without = sumOf(others) < sumOf(wanted)
  return { without, kinds: (without ? others : wanted).map(([kind]) => kind) }
}

/** How a selection by ids is read that no words narrow. */
const keysInOrder = { sort: { key: 1 }, index: 'id', members: ['key'] } as const

/** Searches a completely indexed file with its entities. */
export const searchOf = memoize((file: SqliteFile): Search => {
  const { cache: makeCache, reads } = entityDocuments(0)
  const cache = makeCache()
  const termsFor = memoize<SearchQuery, ReturnType<typeof termsIn>>(() => termsIn(file))
  const matching: SearchIndex<number>['matching'] = async (documents, query, demand, limit) => {
    if (demand.expression.type === 'all' && query.ids !== undefined)
      return (await documents.find({ ...keysInOrder, where: scopeOf(query), limit })).map(({ key }) => key)
    const counts = await countedKinds(documents, searchedStatus(query))
    const kinds = query.kinds.filter((kind) => counts.has(kind))
    const filter = filterOf(counts, query)
    const match = kinds.length === 0 ? undefined : matchFor(demand, termsFor(query))
    const status = query.regions === undefined ? (query.deleted ? 'deleted' : 'live') : 'any'
    const scope = { status, kinds, ids: query.ids, within: query.within } as const
    return match === undefined ? [] : firstMatching(file, scope, restrictToKinds(match, filter), limit)
  }
  return makeSearch({
    documents: documentsIn(indexedDocuments, () => file),
    entities: reads(
      documentsIn(entities, () => file),
      () => cache,
    ),
    by: 'key',
    matching,
    selection: async (documents, query, demand) => ({
      where: { key: { $in: await matching(documents, query, demand, Number.MAX_SAFE_INTEGER) } },
      index: 'key',
    }),
    countWhole: async (documents, { kinds, narrowedBy }, status) => {
      if (narrowedBy === undefined) {
        const counts = await documents.in(facetCounts).find({ where: { kind: { $in: kinds }, status } })
        return counts.map(({ facet, n }) => [facet, n])
      }
      const match = restrictToKinds(toPhrase([facetTerm(narrowedBy.name, narrowedBy.value)]), { kinds, without: false })
      const scope = { status: status === statusNumber.deleted ? 'deleted' : 'live', kinds } as const
      const keys = firstMatching(file, scope, match, Number.MAX_SAFE_INTEGER)
      return facetCountsOf(await documents.get(keys, ['facets']))
    },
  })
})
