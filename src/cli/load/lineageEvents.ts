import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { parseSource, readText, SourceError, type LoadFailure, type SourceContent } from './content.ts'

const expected = 'A file of OpenLineage has an event a line, or a list of events.'

/** Lines that are not JSON are left out, and become problems. */
const eventsIn = (text: string, path: string, problems: LoadFailure[]): Json[] => {
  const isLines = /^\s*\{[^\n]*\}[^\S\n]*\n/.test(text)
  if (!isLines) return [parseSource(text, path, expected)].flat()
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    try {
      return [parseSource(line, 'it', expected)]
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      problems.push({ fullyQualifiedName: `${path}, line ${at + 1}`, message: error.message })
      return []
    }
  })
}

/** Reads events of OpenLineage: one a line, as its file transport writes them, a list, or a single one. */
export const readOpenLineage = async (path: string): Promise<SourceContent> => {
  const problems: LoadFailure[] = []
  const events = eventsIn(await readText(path), path, problems).map((event, at): JsonObject => {
    if (isObject(event)) return event
    throw new SourceError(`${path}: event ${at + 1} is not an object.`)
  })
  return { source: 'openlineage', steps: [], lineage: [], scopes: [], events, problems }
}
