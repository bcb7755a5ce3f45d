import { hash } from 'node:crypto'
import type { EntityRow } from '../entities/row.ts'
import { kindNamed } from '../../kinds/registry/kinds.ts'
import { limits } from '../../shared/limits.ts'
import { facetNames, facetValuesOf, isKind, type FacetName, type ReferenceFacet } from './facets.ts'
import { fqnsOf, searchTextOf, type SearchRow } from './searchText.ts'

interface Words {
  readonly words: readonly string[]
  readonly joined: readonly string[]
}

/** Longer words are cut. */
const maxWordLength = 128

/** Separator between words that are not consecutive, and final term. No word equals it. */
export const gap = '_'

/** Parts of an entity's terms with their prefix letters. Each field of the query language is one part. */
export const partLetters = {
  name: 'n',
  displayName: 'a',
  path: 'p',
  service: 'w',
  columns: 'g',
  fields: 'f',
  synonyms: 'y',
  tags: 'l',
  owners: 'h',
  description: 'd',
} as const

export type SearchPart = keyof typeof partLetters

export const searchParts = Object.keys(partLetters) as SearchPart[]

/** Parts that a text without a field searches: the service is the first part of the path. */
export const defaultParts: readonly SearchPart[] = searchParts.filter((part) => part !== 'service')

export const wordLetters: readonly string[] = Object.values(partLetters)

const letters: ReadonlySet<string> = new Set(wordLetters)

/** Whether the term is a word of a text, rather than a name or kind term. */
export const isWord = (term: string): boolean => letters.has(term.charAt(0)) && term.length > 1

/** Scripts without spaces: each character counts as a word. */
const dense = 'Han Hiragana Katakana Thai Lao Khmer Myanmar'.replaceAll(/(\w+) ?/g, String.raw`\p{Script=$1}`)

/** Marks that make another kana of the one before them. */
const voicing = String.raw`\u3099\u309a`

/** Accents and points, without which a word is the same. Other marks, such as vowel signs, make another word. */
const accents = new RegExp(
  String.raw`[[\p{M}&&[\p{Script=Inherited}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]]--[${voicing}]]+`,
  'gv',
)

/** Letters and digits with the separators of identifiers. */
const run = /[\p{L}\p{N}\p{M}_-]+/gu

/** Where a run is divided into words. */
const seam = new RegExp(
  String.raw`[_-]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=[${dense}${voicing}])(?![${voicing}])|(?=[${dense}])`,
  'u',
)

const denseCharacter = new RegExp(`[${dense}]`, 'u')

const shorten = (word: string, length: number): string => {
  if (word.length <= length) return word
  const last = word.charCodeAt(length - 1)
  return word.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

/** Lower case of upper case, in which ß is ss, with both forms of sigma unified. */
const fold = (word: string): string =>
  shorten(word.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ'), maxWordLength)

const piecesOf = (whole: string): string[] => whole.split(seam).filter((piece) => piece !== '')

/** Splits a text into words: NFKD without {@link accents}, folded case, split at punctuation and within identifiers. */
export const wordsOf = (text: string): Words => {
  const words: string[] = []
  const joined: string[] = []
  for (const [whole] of text.normalize('NFKD').replaceAll(accents, '').matchAll(run)) {
    const pieces = piecesOf(whole).map(fold)
    for (const piece of pieces) words.push(piece)
    if (pieces.length > 1 && !denseCharacter.test(whole)) joined.push(shorten(pieces.join(''), maxWordLength))
  }
  return { words, joined }
}

interface WordSpan {
  readonly word: string
  readonly from: number
  readonly to: number
}

/** Words with their offsets if known, including whole identifiers. */
export const wordSpans = (text: string): WordSpan[] => {
  const found: WordSpan[] = []
  const add = (piece: string, from: number): void => {
    for (const word of wordsOf(piece).words) found.push({ word, from, to: from + piece.length })
  }
  for (const { 0: whole, index } of text.matchAll(run)) {
    const pieces = piecesOf(whole)
    const before = found.length
    for (let at = 0, next = 0; next < pieces.length; next++) {
      const piece = pieces[next] as string
      at = whole.indexOf(piece, at)
      add(piece, index + at)
      at += piece.length
    }
    if (found.length > before + 1)
      found.splice(before + 1, 0, { word: nameKey(whole), from: index, to: index + whole.length })
  }
  return found
}

/** A name without case, accents, spaces and punctuation. */
export const nameKey = (name: string): string => wordsOf(name).words.join('')

/** The index term of an entity's name. */
export const nameTerm = (key: string): string => gap + key

/** The name for sorting and suggestions: {@link nameKey}, or the name itself if it is only punctuation. */
export const sortName = (row: SearchRow, { name } = searchTextOf(row)): string => nameKey(name) || name.toLowerCase()

type IndexedRow = SearchRow & Pick<EntityRow, 'entityStatus' | 'edges'>

/** Adds the words of texts, so that no phrase spans two of them. @returns the terms of whole identifiers */
const addWords = (terms: string[], part: SearchPart, texts: readonly string[]): Set<string> => {
  const letter = partLetters[part]
  const identifiers = new Set<string>()
  let rest = limits.searchedText.value
  for (const [at, text] of texts.entries()) {
    const { words, joined } = wordsOf(text.slice(0, rest))
    rest = Math.max(0, rest - text.length)
    if (at > 0) terms.push(gap)
    for (const word of words) terms.push(letter + word)
    for (const word of joined) identifiers.add(letter + word)
  }
  return identifiers
}

const addIdentifiers = (terms: string[], identifiers: ReadonlySet<string>): void => {
  for (const identifier of identifiers) terms.push(gap, identifier)
  terms.push(gap)
}

const addTexts = (terms: string[], part: SearchPart, texts: readonly string[]): void => {
  const identifiers = addWords(terms, part, texts)
  if (identifiers.size > 0) addIdentifiers(terms, identifiers)
}

/** The terms of texts in one part, see {@link searchTerms}. */
export const termsOf = (part: SearchPart, texts: readonly string[]): string[] => {
  const terms: string[] = []
  addTexts(terms, part, texts)
  return terms
}

/** The part of column names, field names or synonyms, depending on the kind. */
export const fieldsPart = (kind: string): SearchPart =>
  (isKind(kind) ? kindNamed(kind).behaviour.searchFields?.part : undefined) ?? 'columns'

/** Terms of which only so many are different: a gap stands for each further one. */
const withDifferent = (terms: readonly string[], most: number): readonly string[] => {
  if (terms.length <= most) return terms
  const seen = new Set<string>([gap])
  return terms.map((term) => (seen.has(term) || (seen.size < most && seen.add(term)) ? term : gap))
}

/**
 * The terms of an entity, at most `limits.searchedWords` different ones, in an order in which those that follow each other
 * in the text follow each other here:
 * - those of its name, a {@link gap}, those of its display name, and a gap
 * - of each part the letter, then the word, with gaps between its texts; after a gap each the same of identifiers whose
 *   words are written as one
 * - {@link nameTerm} of its name, display name and FQN
 * - {@link facetTerm}s of what it is counted by
 * - {@link fieldTerms} of its kind and its entity status
 */
export const searchTerms = (row: IndexedRow, text = searchTextOf(row)): string[] => {
  const { name, displayName, path } = text
  const terms: string[] = []
  const identifiers = addWords(terms, 'name', [name])
  terms.push(gap)
  const displayed = addWords(terms, 'displayName', [displayName])
  addIdentifiers(terms, new Set([...identifiers, ...displayed]))
  addTexts(terms, fieldsPart(row.kind), text.fields)
  addTexts(terms, 'path', [path.join(' ')])
  addTexts(terms, 'service', [text.service])
  addTexts(terms, 'tags', fqnsOf(text.tags))
  addTexts(terms, 'owners', fqnsOf(text.owners))
  addTexts(terms, 'description', [text.description])
  const keys = [name, displayName, row.fullyQualifiedName].map(nameKey).filter((key) => key !== '')
  const exact = [...new Set(keys)].map(nameTerm)
  for (const facet of facetNames) for (const value of facetValuesOf(row, facet)) exact.push(facetTerm(facet, value))
  if (row.entityStatus !== '') exact.push(fieldTerms.entityStatus(row.entityStatus))
  return [...withDifferent(terms, limits.searchedWords.value - exact.length), ...exact, gap]
}

export const kindTerm = (kind: string): string => `k${kind.toLowerCase()}`

const digest = (value: string): string => hash('sha1', value).slice(0, 16)

/** Terms of values that queries may write in any case, with or without punctuation. */
export const fieldTerms = {
  kind: kindTerm,
  entityStatus: (value: string) => `s${nameKey(value) || digest(value)}`,
  validation: (value: string) => `c${nameKey(value)}`,
}

/** Facets whose values are any texts: they are found by exactly these. */
const exactLetters: Readonly<Record<ReferenceFacet | 'entityStatus', string>> = {
  owner: 'o',
  tag: 't',
  domain: 'm',
  service: 'v',
  entityStatus: 'e',
}

/** The term of a facet value. */
export const facetTerm = (name: FacetName, value: string): string =>
  name === 'kind' || name === 'validation' ? fieldTerms[name](value) : exactLetters[name] + digest(value)
