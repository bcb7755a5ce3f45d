import { parseStreamName, type RecordedEvent } from '../../../events/events.ts'
import { chunksOf } from '../../../shared/bounds.ts'
import { memoize } from '../../../shared/memoize.ts'
import { makeCounts } from '../../documents/port.ts'
import { columnReader, writersOf } from '../../documents/sqlite.ts'
import { membersOf } from '../../documents/sqliteTables.ts'
import { entities, rowMembers, toEntityRow, type EntityDocument } from '../../entities/entityDocuments.ts'
import { statusNumber } from '../../entities/row.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import { facetCounts, newWords, searchWords, toSearchDocument, type SearchDocument } from '../searchDocuments.ts'
import { indexedDocuments } from './indexFile.ts'

const documentRead = columnReader(indexedDocuments, membersOf(indexedDocuments))
const entityRead = columnReader(entities, rowMembers)
const statusRead = columnReader(indexedDocuments, ['key', 'kind', 'status', 'facets'])

const dropDocument = (file: SqliteFile, key: number): void => {
  file.statement('DELETE FROM search WHERE key = ?').run(key)
  file.statement('DELETE FROM search_index WHERE rowid = ?').run(key)
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, at) => text === b[at])

/** Counts a document by its facet texts. */
type Tally = (document: Pick<SearchDocument, 'kind' | 'status' | 'facets'>, n: 1 | -1) => void

/** Updates documents, without their words where these are the same. @returns those whose words are to be inserted */
const indexDocuments = (file: SqliteFile, documents: readonly SearchDocument[], tally: Tally): SearchDocument[] => {
  const write = writersOf(file)(indexedDocuments)
  const stored = file.wide(`SELECT ${documentRead.text} FROM search WHERE id = ?`)
  return documents.flatMap((document) => {
    const found = stored.get(document.id)
    const from = found && (documentRead.documentOf(found) as SearchDocument)
    const isGone = document.status === statusNumber.gone
    if (from) tally(from, -1)
    tally(document, 1)
    if (from && !isGone && document.key === from.key && isSame(document.terms, from.terms)) {
      write({ change: document, from })
      return []
    }
    if (from) dropDocument(file, from.key)
    if (isGone) return []
    write({ add: document })
    return [document]
  })
}

/** Words that are stored, by file, since entities share most words. */
const knownWords = memoize<SqliteFile, Set<string>>(() => new Set())

/** Call this after a rollback. */
export const dropWordCache = knownWords.forget

/** Inserts words in key order: a lower key would start a new segment. */
const insertWords = (file: SqliteFile, documents: readonly SearchDocument[]): void => {
  const insert = file.statement('INSERT INTO search_index (rowid, terms) VALUES (?, ?)')
  for (const { key, terms } of documents.toSorted((a, b) => a.key - b.key)) insert.run(key, terms.join(' '))
  const write = writersOf(file)(searchWords)
  for (const word of newWords(documents, knownWords(file))) write({ add: word })
}

/** Entities of which a batch changes only the status, with the revisions before and after it. */
const statusChangesIn = (streams: ReadonlyMap<string, readonly RecordedEvent[]>) =>
  [...streams].flatMap(([id, events]) => {
    const [{ revision: first }, { revision: last }] = [events[0], events.at(-1)] as [RecordedEvent, RecordedEvent]
    const isStatusOnly = events.every(({ type }) => type === 'SoftDeleted' || type === 'Restored')
    return isStatusOnly ? [{ id, before: first - 1n, after: last }] : []
  })

/** Updates the status of documents without reading their words. @returns ids of the updated ones */
const updateStatuses = (file: SqliteFile, changes: ReturnType<typeof statusChangesIn>, tally: Tally): Set<string> => {
  const write = writersOf(file)(indexedDocuments)
  const found = file.wide(
    `SELECT ${statusRead.text}, entities.status, entities."updatedAt" FROM search CROSS JOIN entities USING (id)
    WHERE search.id = ? AND search.revision = ? AND entities.revision = ?`,
  )
  const done = changes.filter(({ id, before, after }) => {
    const row = found.get(id, before, after) as unknown[] | undefined
    if (row === undefined) return false
    const from = statusRead.documentOf(row) as SearchDocument
    const [status, updatedAt] = row.slice(-2).map(Number) as [number, number]
    tally(from, -1)
    tally({ ...from, status }, 1)
    write({ set: { status, updatedAt, revision: after }, where: { key: from.key } as object })
    return true
  })
  return new Set(done.map(({ id }) => id))
}

/** Number of entities read at a time, to bound memory. */
const readAtOnce = 100
/** Approximate number of words inserted at a time. */
const termsAtOnce = 200_000

/** Indexes the entities of events as stored, within a transaction. */
export const indexEntitiesOf = (file: SqliteFile, events: readonly RecordedEvent[]): void => {
  const streams = Map.groupBy(events, ({ stream }) => parseStreamName(stream).id)
  const found = file.wide(
    `SELECT ${entityRead.text} FROM json_each(?) AS changed CROSS JOIN entities ON entities.id = changed.value`,
  )
  const counts = makeCounts(facetCounts)
  const tally: Tally = ({ kind, status, facets }, n) =>
    facets.forEach((facet) => counts.add({ kind, status, facet, n }))
  const updated = updateStatuses(file, statusChangesIn(streams), tally)
  const ids = [...streams.keys()].filter((id) => !updated.has(id))
  let documents: SearchDocument[] = []
  let count = 0
  for (const some of chunksOf(ids, readAtOnce)) {
    const rows = found.all(JSON.stringify(some)).map((row) => toEntityRow(entityRead.documentOf(row) as EntityDocument))
    for (const each of indexDocuments(file, rows.map(toSearchDocument), tally)) {
      documents.push(each)
      count += each.terms.length
    }
    if (count < termsAtOnce) continue
    insertWords(file, documents)
    documents = []
    count = 0
  }
  insertWords(file, documents)
  for (const { write } of counts.writes()) writersOf(file)(facetCounts)(write)
}
