import { personalByKind } from '../../../kinds/registry/kinds.ts'
import { hashNumber, into, type DocumentMatch, type Documents, type ServerDocuments } from '../../documents/port.ts'
import { documentsInMongo } from '../../documents/mongo.ts'
import type { EntityReads } from '../../entities/port.ts'
import { prefixRange } from '../../entities/place.ts'
import type { SearchQuery } from '../port.ts'
import type { SearchExpression, Text } from '../query.ts'
import { sequencesOf, type Sequence } from '../queryTerms.ts'
import type { Demand } from '../rank.ts'
import { matcherOf } from '../score.ts'
import {
  newWords,
  searchDocuments,
  searchWords,
  toSearchDocument,
  typoTargetsIn,
  type SearchDocument,
} from '../searchDocuments.ts'
import { makeSearch, pageMembers, scopeOf, type SearchSelection } from '../searchEngine.ts'
import { facetTerm, searchParts, wordLetters, type SearchPart } from '../words.ts'

type Where = DocumentMatch<SearchDocument>

const everything: Where = {}
const nothing: Where = { id: { $in: [] } }

const allOf = (all: readonly Where[]): Where => (all.length < 2 ? (all[0] ?? everything) : { $and: all })
const anyOf = (all: readonly Where[]): Where => (all.length < 2 ? (all[0] ?? nothing) : { $or: all })

const holding = ({ terms, prefix }: Sequence): Where => {
  const whole = prefix ? terms.slice(0, -1) : terms
  const all: Where[] = [...new Set(whole)].map((term) => ({ terms: term }))
  return allOf(prefix ? [...all, { terms: prefixRange(terms.at(-1) as string) }] : all)
}

const isSingle = ({ terms }: Sequence): boolean => terms.length === 1

/** A filter cannot express adjacency: it matches too much and excludes nothing. Readers check the terms. */
const textMatch = (text: Text, parts: readonly SearchPart[], demanded: boolean): Where => {
  const sequences = sequencesOf(text, parts).filter((sequence) => demanded || isSingle(sequence))
  const words = sequences.filter((sequence) => isSingle(sequence) && !sequence.prefix).flatMap(({ terms }) => terms)
  const others = sequences.filter((sequence) => !isSingle(sequence) || sequence.prefix).map(holding)
  if (words.length === 0) return anyOf(others)
  return anyOf([{ terms: words.length === 1 ? words[0] : { $in: words } }, ...others])
}

const matchOf = (expression: SearchExpression, parts: readonly SearchPart[], demanded: boolean): Where => {
  switch (expression.type) {
    case 'all':
      return everything
    case 'and':
      return allOf(expression.of.map((part) => matchOf(part, parts, demanded)))
    case 'or':
      return anyOf(expression.of.map((part) => matchOf(part, parts, demanded)))
    case 'not':
      return { $nor: [matchOf(expression.of, searchParts, !demanded)] }
    case 'term':
      return { terms: expression.term }
    case 'text':
      return textMatch(expression, parts, demanded)
  }
}

/** Matches at least everything wanted. */
const matchFor = ({ expression, parts, nameTerms }: Demand): Where => {
  const match = matchOf(expression, parts, true)
  return nameTerms === undefined ? match : allOf([{ terms: { $in: nameTerms } }, match])
}

/** Whether the expression needs adjacency, so that the filter matches too much. */
const asksForOrder = (expression: SearchExpression): boolean => {
  if (expression.type === 'text') return expression.words.length > 1
  if (expression.type === 'and' || expression.type === 'or') return expression.of.some(asksForOrder)
  return expression.type === 'not' && asksForOrder(expression.of)
}

const selectionOf = (
  query: SearchQuery,
  demand: Demand,
  members: readonly (keyof SearchDocument)[],
): SearchSelection => {
  const matches = asksForOrder(demand.expression) ? matcherOf(demand.expression) : undefined
  // Separate conditions, since that of a page may be on places too.
  return {
    where: { $and: [scopeOf(query), matchFor(demand)] },
    members: matches ? [...members, 'terms'] : members,
    only: matches && (({ terms }) => matches(terms, demand.parts)),
  }
}

const matching = async (
  documents: ServerDocuments<SearchDocument>,
  query: SearchQuery,
  demand: Demand,
  limit: number,
): Promise<readonly string[]> => {
  const found = await documents.find({ ...selectionOf(query, demand, ['id']), sort: { key: 1 }, limit })
  return found.map(({ id }) => id)
}

/** A document takes the place of older ones alone. */
const written = (document: SearchDocument) =>
  document.revision === 0n ? { add: document } : { put: document, over: { revision: { $lt: document.revision } } }

/** Words of people that nothing has any more once these documents are stored: what is forgotten is gone. */
const unusedWords = async (stored: Documents<SearchDocument>, documents: readonly SearchDocument[]) => {
  const people = new Map(documents.filter(({ kind }) => personalByKind.get(kind)?.size).map((one) => [one.id, one]))
  const unused: string[] = []
  if (people.size === 0) return unused
  const found = await stored.find({ where: { id: { $in: [...people.keys()] } }, members: ['id', 'revision', 'terms'] })
  const replaced = found.filter(({ id, revision }) => revision < (people.get(id)?.revision ?? 0n))
  const others: Where = { id: { $nin: replaced.map(({ id }) => id) } }
  const kept = typoTargetsIn(documents)
  for (const word of typoTargetsIn(replaced)) {
    const where = { ...others, terms: { $in: wordLetters.map((letter) => letter + word) } }
    if (!kept.has(word) && (await stored.count({ where, limit: 1 })) === 0) unused.push(word)
  }
  return unused
}

export const searchInMongo = documentsInMongo({
  layout: searchDocuments,
  cache: () => new Set<string>(),
  writes: async (batch, stored, known) => {
    const documents = (await batch.rows()).map(toSearchDocument)
    const unused = await unusedWords(stored, documents)
    for (const word of unused) known.delete(word)
    return [
      ...(unused.length > 0 ? [into(searchWords, { remove: { number: { $in: unused.map(hashNumber) } } })] : []),
      ...newWords(documents, known).map((word) => into(searchWords, { add: word })),
      ...documents.map(written),
    ]
  },
  reads: (documents: ServerDocuments<SearchDocument>) => (entities: Pick<EntityReads, 'getMany' | 'getReferences'>) =>
    makeSearch({
      documents,
      entities,
      by: 'id',
      matching,
      selection: async (_, query, demand) => selectionOf(query, demand, pageMembers),
      countWhole: async (all, { kinds, narrowedBy }, status) => {
        const scope = { status, kind: { $in: kinds } }
        const where = narrowedBy ? { ...scope, terms: facetTerm(narrowedBy.name, narrowedBy.value) } : scope
        return all.countBy('facets', where)
      },
    }),
})
