import { entityOf, incarnationOf, lifeOf } from '../../events/events.ts'
import { coveringTargets, labelRelations, withoutRemoved } from '../../kinds/edges.ts'
import { labelKinds } from '../../kinds/registry/kinds.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { DocumentWrite } from '../documents/port.ts'
import { edgeIn, edgeText, type EntityDocument } from './entityDocuments.ts'
import type { EntityDocuments } from './lists.ts'
import { pagesOfRelated } from './relations.ts'
import { statusNumber, type Edge, type EntityRow } from './row.ts'

/** Revisions before which all incarnations of an entity have been hard-deleted, by id; 0: none has. */
type Removals = ReadonlyMap<string, bigint>

const labelMembers = ['id', 'status', 'born', 'revision'] as const

const removalOf = ({ status, born, revision }: Pick<EntityDocument, 'status' | 'born' | 'revision'>): bigint =>
  status === statusNumber.gone ? revision : born

/** Tells which owners and tags are removed that cover assets. @param known those that are not stored yet */
const readRemoved = async (
  documents: EntityDocuments,
  known: Removals,
  assets: readonly (readonly Edge[])[],
): Promise<(target: string) => boolean> => {
  const named = new Set(assets.flatMap(coveringTargets).map(entityOf))
  const ids = [...named].filter((id) => !known.has(id))
  const labels = ids.length === 0 ? [] : await documents.get(ids, labelMembers)
  const removals = new Map([...labels.map((label) => [label.id, removalOf(label)] as const), ...known])
  return (target) => lifeOf(target) < (removals.get(entityOf(target)) ?? 0n)
}

/** Hard-deleted owners and tags, as of the end of a batch. */
export interface RemovedLabels {
  readonly isRemoved: (target: string) => boolean
  /** Those of which the batch has rows. */
  readonly removals: Removals
  /** Incarnations that are stored and end with the batch. */
  readonly ending: readonly string[]
}

export const readRemovedLabels = async (
  documents: EntityDocuments,
  rows: readonly EntityRow[],
): Promise<RemovedLabels> => {
  const removals = new Map<string, bigint>()
  for (const { id, status, born, revision } of rows.filter(({ kind }) => labelKinds.includes(kind))) {
    const removal = removalOf({ status: statusNumber[status], born, revision })
    if (removal > 0n) removals.set(id, removal)
  }
  const isRemoved = await readRemoved(
    documents,
    removals,
    rows.map(({ edges }) => edges),
  )
  const stored = removals.size === 0 ? [] : await documents.get([...removals.keys()], labelMembers)
  const ending = stored.filter(
    ({ id, born, status }) => status !== statusNumber.gone && born < (removals.get(id) as bigint),
  )
  return { isRemoved, removals, ending: ending.map(incarnationOf) }
}

const pageSize = 500

const pageMembers = ['id', 'kind', 'status', 'place', 'revision', 'edges'] as const

/** Pages of writes that take measures of coverage from stored assets whose owners, or tags, have all been removed. */
export async function* labelRemovalWrites(
  documents: EntityDocuments,
  { ending, removals }: RemovedLabels,
): AsyncGenerator<DocumentWrite<EntityDocument>[], void, undefined> {
  const yieldWhenDue = makeYielder()
  for (const target of ending)
    for (const rel of labelRelations) {
      await yieldWhenDue()
      for await (const page of pagesOfRelated(documents, { rel, target, members: pageMembers, limit: pageSize })) {
        const assets = page.map(({ edges }) => edges.map(edgeIn))
        const isRemoved = await readRemoved(documents, removals, assets)
        yield page.flatMap((document) => uncovering(document, isRemoved))
        await yieldWhenDue()
      }
    }
}

const uncovering = (
  { id, kind, status, place, revision, edges: texts }: EntityDocument,
  isRemoved: RemovedLabels['isRemoved'],
): DocumentWrite<EntityDocument>[] => {
  const edges = withoutRemoved(texts.map(edgeIn), isRemoved).map(edgeText)
  if (edges.length === texts.length) return []
  const dropped = texts.filter((text) => !edges.includes(text))
  return [{ set: { edges }, where: { id, revision }, unlisted: { kind, status, place, edges: dropped } }]
}
