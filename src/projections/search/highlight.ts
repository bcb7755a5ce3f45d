import { textsIn } from './forms.ts'
import type { SearchExpression } from './query.ts'
import type { SearchPart } from './words.ts'
import { searchTextOf, type SearchedRow } from './searchText.ts'
import { fieldsPart, piecesOf } from './words.ts'

/** Highlighted texts of a hit by member, as escaped HTML. */
export type Highlights = Readonly<Record<string, readonly string[]>>

/** Characters shown before the first mark and after the last one in a long text. */
const around = 80
const most = 5

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] as string)

type IsWanted = (word: string) => boolean

const wantedIn = (expression: SearchExpression, part: SearchPart): IsWanted => {
  const words = new Set<string>()
  const beginnings: string[] = []
  for (const text of textsIn(expression)) {
    if (text.parts?.includes(part) === false) continue
    const all = [text.words, ...(text.variants ?? []).map((variant) => variant.words)]
    for (const [at, word] of all.flatMap((each) => [...each.entries()])) {
      if (text.prefix && at === text.words.length - 1) beginnings.push(word)
      else words.add(word)
    }
    if (text.joined)
      for (const each of all) (text.prefix ? beginnings : { push: (w: string) => words.add(w) }).push(each.join(''))
  }
  return (word) => words.has(word) || beginnings.some((beginning) => word.startsWith(beginning))
}

/** The text with marked words; `undefined` if it has none. */
const marked = (text: string, isWanted: IsWanted): string | undefined => {
  const places = piecesOf(text).filter(({ word }) => isWanted(word))
  const [first, last] = [places[0], places.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const begin = Math.max(0, first.from - around)
  const end = Math.min(text.length, Math.min(last.to, first.from + 4 * around) + around)
  let result = begin > 0 ? '…' : ''
  let at = begin
  for (const { from, to } of places) {
    if (to > end) break
    if (from < at) continue
    result += `${escaped(text.slice(at, from))}<em>${escaped(text.slice(from, to))}</em>`
    at = to
  }
  return result + escaped(text.slice(at, end)) + (end < text.length ? '…' : '')
}

export const highlightsOf = (row: SearchedRow, expression: SearchExpression): Highlights => {
  const { name, displayName, fields, tags, owners, description } = searchTextOf(row)
  const texts: readonly (readonly [string, SearchPart, readonly string[]])[] = [
    ['name', 'name', [name]],
    ['displayName', 'displayName', [displayName]],
    ['fields', fieldsPart(row.kind), fields],
    ['labels', 'tags', tags],
    ['labels', 'owners', owners],
    ['description', 'description', [description]],
  ]
  const found: Record<string, string[]> = {}
  for (const [member, part, lines] of texts) {
    const isWanted = wantedIn(expression, part)
    const all = [...(found[member] ?? []), ...lines.flatMap((line) => marked(line, isWanted) ?? [])]
    if (all.length > 0) found[member] = all.slice(0, most)
  }
  return found
}
