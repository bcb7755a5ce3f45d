import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export const repository = resolve(import.meta.dirname, '../..')
const root = join(repository, 'src')

/** The files of src by their path below it, with their text. */
export const sources: ReadonlyMap<string, string> = new Map(
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => [relative(root, path), readFileSync(path, 'utf8')]),
)

const importPattern = /^(?:import|export)\b[^'"]*?from\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm

const imports: ReadonlyMap<string, readonly string[]> = new Map(
  [...sources].map(([file, text]) => [
    file,
    [...text.matchAll(importPattern)].map(([, target, dynamic]) =>
      relative(root, resolve(dirname(join(root, file)), (target ?? dynamic) as string)),
    ),
  ]),
)

/** What a file imports of ours, types included, relative to src. */
export const importsOf = (file: string): readonly string[] => imports.get(file) ?? []

/** Files that import each other in a circle, as large as can be. Imports at run time (`import()`) count as well. */
export const circles = (): string[][] => {
  const reached = new Map(
    [...sources.keys()].map((file) => {
      const seen = new Set<string>()
      const left = [file]
      for (let at = left.pop(); at !== undefined; at = left.pop()) {
        for (const target of importsOf(at)) {
          if (sources.has(target) && !seen.has(target)) {
            seen.add(target)
            left.push(target)
          }
        }
      }
      return [file, seen]
    }),
  )
  const inCircle = [...sources.keys()].filter((file) => reached.get(file)?.has(file))
  const groups = Map.groupBy(
    inCircle,
    (file) => inCircle.find((other) => reached.get(file)?.has(other) && reached.get(other)?.has(file)) as string,
  )
  return [...groups.values()]
}

/** Pairs of folders that import each other: `a and b`. */
export const mutualFolders = (): string[] => {
  const arrows = new Set(
    [...sources.keys()].flatMap((file) => importsOf(file).map((target) => `${dirname(file)} and ${dirname(target)}`)),
  )
  return [...arrows]
    .filter((arrow) => {
      const [from = '', to = ''] = arrow.split(' and ')
      return from < to && arrows.has(`${to} and ${from}`)
    })
    .toSorted()
}

const declared = /^export (?:declare )?(?:abstract )?(?:async )?(const|function\*?|class|interface|type|enum) (\w+)/gm

export interface Exported {
  readonly file: string
  readonly name: string
  readonly isType: boolean
}

export const exported: readonly Exported[] = [...sources].flatMap(([file, text]) =>
  [...text.matchAll(declared)].map(([, how = '', name = '']) => ({
    file,
    name,
    isType: ['class', 'interface', 'type', 'enum'].includes(how),
  })),
)

/** Names that several files export, with the number of files. */
export const exportedTwice = (): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(exported, ({ name }) => name)]
      .map(([name, all]): [string, number] => [name, new Set(all.map(({ file }) => file)).size])
      .filter(([, count]) => count > 1)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

/** Lines of TypeScript in src. */
export const lines = (): number => [...sources.values()].reduce((sum, text) => sum + text.split('\n').length - 1, 0)

/** `parsedODCSDocument` → parsed, odcs, document. */
const wordsOf = (name: string): string[] =>
  name.split(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z]+/).map((word) => word.toLowerCase())

const read = (path: string): string => readFileSync(join(repository, path), 'utf8')

/** The words that names may be made of: terms of the glossary, names that the API has, and the dictionary of the field. */
const knownWords = (): ReadonlySet<string> => {
  const terms = [...read('docs/glossary.md').matchAll(/^\| ([\w ]+) \|/gm)].map(([, term = '']) => term)
  const api = [...read('clients/typescript/src/generated/schemas.ts').matchAll(/^\s+['"]?(\w+)['"]?\??:/gm)].map(
    ([, name = '']) => name,
  )
  const dictionary = read('test/support/dictionary.txt').replaceAll(/^#.*$/gm, '')
  return new Set([...terms, ...api, dictionary].flatMap((text) => text.split(/\s+/)).flatMap(wordsOf))
}

/** Words in names of exported types that are in none of these, in the order of the alphabet. */
export const foreignWords = (): string[] => {
  const known = knownWords()
  const plural = (word: string): boolean =>
    known.has(word.replace(/ies$/, 'y')) || known.has(word.replace(/e?s$/, '')) || known.has(word.replace(/s$/, ''))
  const words = exported.filter(({ isType }) => isType).flatMap(({ name }) => wordsOf(name))
  return [...new Set(words)].filter((word) => word !== '' && !known.has(word) && !plural(word)).toSorted()
}
