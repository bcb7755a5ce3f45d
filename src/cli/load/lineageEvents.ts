import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { parseSource, readText, SourceError, type LoadFailure, type SourceContent } from './content.ts'

const expected = 'A file of OpenLineage has an event a line, or a list of events.'

/** An event, and where it stands in the file. */
interface PlacedEvent {
  readonly place: string
  readonly text: string
}

/** Reads events of OpenLineage: one a line, as its file transport writes them, a list, or a single one. */
export const readOpenLineage = async (path: string): Promise<SourceContent> => {
  const text = await readText(path)
  const problems: LoadFailure[] = []
  const eventIn = ({ place, text: line }: PlacedEvent): Json[] => {
    try {
      return [parseSource(line, 'it', expected)]
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      problems.push({ fullyQualifiedName: `${path}, ${place}`, message: error.message })
      return []
    }
  }
  const isLines = /^\s*\{.*\}[^\S\n]*\n/.test(text)
  const lines = text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : { place: `line ${at + 1}`, text: line }))
  const events = isLines ? lines.flatMap(eventIn) : [parseSource(text, path, expected)].flat()
  const wrong = events.findIndex((event) => !isObject(event))
  if (wrong >= 0) throw new SourceError(`${path}: event ${wrong + 1} is no object.`)
  return { source: 'openlineage', steps: [], lineage: [], scopes: [], events: events as JsonObject[], problems }
}
