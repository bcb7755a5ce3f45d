/** One table of the vocabulary, before it is given types. */
export interface TableText {
  readonly name: string
  /** What a row is, in snake case, where the name says more than that. */
  readonly noun?: string
  readonly description: string
  /** Names of its own columns. */
  readonly columns: readonly string[]
}

export interface SchemaText {
  readonly name: string
  readonly description: string
  readonly tables: readonly TableText[]
}

const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '')

const split = (line: string, separator: string): [string, string] => {
  const at = line.indexOf(separator)
  if (at === -1) throw new Error(`The vocabulary has a line without "${separator}": ${line}`)
  return [line.slice(0, at).trim(), line.slice(at + separator.length).trim()]
}

/** Reads schemas and their tables, written as `vocabulary/shop.ts` says. */
export const parseSchemas = (text: string): SchemaText[] => {
  const schemas: { name: string; description: string; tables: TableText[] }[] = []
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    if (line.startsWith('  ')) {
      const [name, rest] = split(line, ':')
      const [description, columns] = split(rest, '|')
      schemas.at(-1)?.tables.push({ name, description, columns: wordsOf(columns) })
    } else {
      const [name, description] = split(line, ':')
      schemas.push({ name, description, tables: [] })
    }
  }
  return schemas
}
