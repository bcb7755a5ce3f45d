import { parseStreamName } from '../../../events/streamName.ts'
import { makeChanges } from '../../mongo/changes.ts'
import { moveOn, movingOn, readState, stateId } from '../../mongo/generations.ts'
import { revisionIndex, type Indexes } from '../../mongo/indexes.ts'
import type { MongoLayout, Writing } from '../../mongo/mongoProjection.ts'
import { numberText } from '../../mongo/texts.ts'
import { keepsOrder, writeNewer, writeTogether, type Replaced } from '../../mongo/writes.ts'
import type { Batch } from '../../projection.ts'
import { entitiesProjection } from '../entitiesProjection.ts'
import type { EntityRow } from '../row.ts'
import type { Memory } from './memory.ts'
import { toDocument, type EntityDocument } from './rows.ts'

/**
 * Equality first, then the place that lists are ordered by, of which a page, or what lies below an FQN, is one range:
 * the first page and the last one cost the same, and matches are counted on keys alone.
 */
export const entityIndexes: Indexes = {
  list: { kind: 1, status: 1, place: 1 },
  list_edges: { kind: 1, status: 1, edges: 1, place: 1 },
  list_entity_status: { kind: 1, status: 1, entityStatus: 1, place: 1 },
  list_children: { parent: 1, kind: 1, status: 1, place: 1 },
  related: { edges: 1, status: 1, place: 1 },
  children: { parent: 1, status: 1, _id: 1 },
  statuses: { status: 1, _id: 1 },
  ...revisionIndex,
}

/** More documents than this come before their checkpoint in a command of their own: a server takes inserts quicker. */
const fewDocuments = 200

/** Each document most likely follows the revision before its first event of the batch. */
const replacedBy = ({ events }: Batch): Replaced => {
  const before = new Map<string, bigint>()
  for (const { stream, revision } of events) {
    const { id } = parseStreamName(stream)
    if (!before.has(id)) before.set(id, revision - 1n)
  }
  return ({ _id, revision }) => {
    const replaced = before.get(_id) ?? BigInt(revision) - 1n
    return replaced < 0n ? undefined : numberText(replaced)
  }
}

/** The collection of entities. @param memory is told what is written, and what states say; one for each opened database */
export const makeEntitiesLayout = (memory?: Memory): MongoLayout<EntityDocument> => {
  const changed = makeChanges()

  let ordered: boolean | undefined
  const isOrdered = async ({ state }: Writing<EntityDocument>['generation']): Promise<boolean> =>
    (ordered ??= await keepsOrder(state, stateId)) ?? false

  const tell = ({ batch: { after }, generation, checkpoint }: Writing<EntityDocument>, rows: Rows): void =>
    memory?.wrote({ name: generation.name, after, position: checkpoint.position, ...rows })

  const store = async (writing: Writing<EntityDocument>): Promise<boolean> => {
    const { batch, generation, documents, checkpoint } = writing
    const rows = documents.length === 0 ? [] : await batch.rows()
    const applied = documents.length > 0
    const changes = changed.add(batch.after, checkpoint.position, rows)
    const moved = { ...checkpoint, applied, changes }
    const replaced = replacedBy(batch)
    if (applied && documents.length <= fewDocuments && (await isOrdered(generation))) {
      const together = { replaced, checkpoint: movingOn(moved) }
      const stored = await writeTogether(generation.documents, documents, together)
      if (stored !== undefined) {
        if (stored.moved ?? (await hasMoved(generation, checkpoint.position))) {
          tell(writing, { changes: rows, rows })
          return true
        }
        return false
      }
    }
    if (applied) await writeNewer(generation.documents, documents, replaced)
    const isMoved = await moveOn(generation, moved)
    if (isMoved) tell(writing, { changes: rows })
    return isMoved
  }

  return {
    ...entitiesProjection,
    indexes: entityIndexes,
    documentsOf: async (batch) => (await batch.rows()).map(toDocument),
    write: writeNewer,
    store,
    looking: () => {
      const look = memory?.look()
      return (name, state) => {
        look?.saw(name, state)
        look?.end()
      }
    },
  }
}

interface Rows {
  readonly changes: readonly EntityRow[]
  readonly rows?: readonly EntityRow[]
}

/** Not every server counts what a command of several updates has found. */
const hasMoved = async (generation: Writing<EntityDocument>['generation'], position: bigint): Promise<boolean> => {
  const state = await readState(generation)
  return state?.claimed === false && (state.position ?? -1n) >= position
}
