import { isObject, textOf, type JsonObject } from '../model/types.ts'

/** The catalog's status for the free status text of a document. */
export const entityStatusOf = (status: unknown): 'Draft' | 'Active' | 'Deprecated' => {
  const word = typeof status === 'string' ? status.trim().toLowerCase() : ''
  if (['active', 'production', 'current'].includes(word)) return 'Active'
  return ['deprecated', 'retired'].includes(word) ? 'Deprecated' : 'Draft'
}

const BLOCKS = [
  ['limitations', '**Limitations:**'],
  ['usage', '**Usage:**'],
] as const

/** The description of a contract as Markdown: the purpose, then limitations and usage under a heading each. */
export const toDescription = (document: JsonObject): string | undefined => {
  const { description } = document
  if (!isObject(description)) return textOf(description)
  const parts = [textOf(description['purpose']) ?? '']
  for (const [member, heading] of BLOCKS) {
    const text = textOf(description[member])
    if (text !== undefined) parts.push(`${heading}\n${text}`)
  }
  return parts.length === 1 && description['purpose'] === undefined
    ? undefined
    : parts.join('\n\n').replace(/^\n\n/, '')
}

/** Lays a changed description over a document: by its blocks while these are still there, else all as the purpose. */
export const layDescription = (document: JsonObject, now: string | undefined): void => {
  if (toDescription(document) === now) return
  const description: JsonObject = isObject(document['description']) ? { ...document['description'] } : {}
  if (now === undefined) delete description['purpose']
  else Object.assign(description, taken(description, now) ?? { purpose: now })
  if (Object.keys(description).length > 0) document['description'] = description
  else delete document['description']
}

const taken = (description: JsonObject, text: string): JsonObject | undefined => {
  const parts: JsonObject = {}
  let rest = text
  for (const [member, heading] of BLOCKS.toReversed()) {
    if (textOf(description[member]) === undefined) continue
    const at = rest.startsWith(`${heading}\n`) ? 0 : rest.lastIndexOf(`\n\n${heading}\n`)
    if (at === -1) return undefined
    parts[member] = rest.slice(rest.indexOf('\n', at + 2) + 1)
    rest = rest.slice(0, at)
  }
  if (rest !== '' || description['purpose'] !== undefined) parts['purpose'] = rest
  return toDescription({ description: { ...description, ...parts } }) === text ? parts : undefined
}
