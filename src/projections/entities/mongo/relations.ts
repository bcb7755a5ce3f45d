import type { Collection, Filter } from 'mongodb'
import { batchReads, type ReadMany } from '../../mongo/batchReads.ts'
import { mergePlaces } from './lists.ts'
import { edgeText, fromDocument, headRows, referenceRows, shownStatus as shown, type EntityDocument } from './rows.ts'
import type { ChildHeads, EntityLists, ListKey, Related } from '../port.ts'
import { placesBelow } from '../place.ts'
import { statusNumber, type HeadRow } from '../row.ts'
import { numberText } from '../../mongo/texts.ts'
import { chunksOf } from '../../../shared/bounds.ts'

type Entities = Collection<EntityDocument>
type EntityFilter = Filter<EntityDocument>

const idsAtOnce = 1000

/** Beyond this number relations are read id by id from an index, this many ids at once. */
const atOnce = 2000
const apartAtOnce = 10

const fields = { ...referenceRows.fields, place: 1 }

interface Relation {
  readonly rel: string
  readonly limit: number
  /** Reads up to `max` relations of the ids, unordered, in one result. */
  readonly few: (ids: readonly string[], max: number) => Promise<{ of: string; document: EntityDocument }[]>
  /** Filter for the relations of one id, without their status. */
  readonly filter: (id: string) => EntityFilter
}

/** One query for both statuses: with two, an entity that changes in between would be in neither. */
const manyOf = async (entities: Entities, { rel, limit, filter }: Relation, of: string): Promise<Related[]> => {
  const found = entities
    .find({ ...filter(of), status: shown })
    .project<EntityDocument>(fields)
    .sort({ place: 1 })
    .limit(limit)
    .batchSize(limit + 1)
  return (await found.toArray()).map((document) => ({ of, rel, row: referenceRows.toRow(document) }))
}

const related = async (entities: Entities, ids: readonly string[], relation: Relation): Promise<Related[]> => {
  if (ids.length === 0 || relation.limit === 0) return []
  const found = await relation.few(ids, atOnce + 1)
  if (found.length > atOnce) {
    const all: Related[] = []
    for (const some of chunksOf(ids, apartAtOnce)) {
      all.push(...(await Promise.all(some.map((id) => manyOf(entities, relation, id)))).flat())
    }
    return all
  }
  const byId = Map.groupBy(found, ({ of }) => of)
  return ids.flatMap((of) => {
    const documents = [...new Map((byId.get(of) ?? []).map(({ document }) => [document._id, document])).values()]
    return mergePlaces([documents, []], false, relation.limit).map((document) => ({
      of,
      rel: relation.rel,
      row: referenceRows.toRow(document),
    }))
  })
}

const inChunks = async (entities: Entities, ids: readonly string[], relation: Relation): Promise<Related[]> => {
  const all: Related[] = []
  for (const chunk of chunksOf([...new Set(ids)], idsAtOnce)) all.push(...(await related(entities, chunk, relation)))
  return all
}

export const relatedTo = (entities: Entities, ids: readonly string[], rel: string, limit: number): Promise<Related[]> =>
  inChunks(entities, ids, {
    rel,
    limit,
    filter: (target) => ({ edges: edgeText({ rel, target }) }),
    few: async (among, max) => {
      const [of = '', ...others] = among
      if (others.length === 0) {
        const wanted = { edges: edgeText({ rel, target: of }), status: shown }
        const found = entities.find(wanted).project<EntityDocument>(fields).limit(max)
        const documents = await found.batchSize(max + 1).toArray()
        return documents.map((document) => ({ of, document }))
      }
      const wanted = { edges: { $in: among.map((target) => edgeText({ rel, target })) } }
      const found = await entities
        .aggregate<Omit<EntityDocument, 'edges'> & { edges: string }>(
          [
            { $match: { ...wanted, status: shown } },
            { $project: { ...fields, edges: 1 } },
            { $unwind: '$edges' },
            { $match: wanted },
            { $limit: max },
          ],
          { batchSize: max + 1 },
        )
        .toArray()
      return found.map(({ edges, ...document }) => ({
        of: edges.slice(rel.length + 1),
        document: { ...document, edges: [] },
      }))
    },
  })

/** {@link relatedTo}, batching calls of the same turn into one read per relation. */
export const gatheringRelated = (read: EntityLists['relatedTo']): EntityLists['relatedTo'] => {
  const readers = new Map<string, ReadMany<Related[]>>()
  return async (ids, rel, limit) => {
    const key = `${rel} ${limit}`
    const reader =
      readers.get(key) ?? batchReads(async (some) => Map.groupBy(await read(some, rel, limit), ({ of }) => of))
    readers.set(key, reader)
    const found = await reader(ids)
    return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
  }
}

export const childrenOf = (
  entities: Entities,
  ids: readonly string[],
  kind: string,
  limit: number,
): Promise<Related[]> =>
  inChunks(entities, ids, {
    rel: kind,
    limit,
    filter: (parent) => ({ parent, kind }),
    few: async (among, max) => {
      const found = await entities
        .find({ parent: { $in: [...among] }, kind, status: shown })
        .project<EntityDocument & { parent: string }>({ ...fields, parent: 1 })
        // Uses the index with the place before the status, so that a status change cannot hide an entity.
        .sort({ parent: 1, kind: 1, place: 1 })
        .limit(max)
        .batchSize(max + 1)
        .toArray()
      return found.map(({ parent, ...document }) => ({ of: parent, document }))
    },
  })

/** An absent life is 0. */
const isBornBefore = (born: bigint): EntityFilter => ({
  $or: [{ parentBorn: { $exists: false } }, { parentBorn: { $lt: numberText(born) } }],
})

export const headsBelow = async (
  entities: Entities,
  { parents, status, inherited, bornBefore }: ChildHeads,
  limit: number,
): Promise<HeadRow[]> => {
  const found = entities
    .find({
      parent: { $in: [...parents] },
      status: statusNumber[status],
      ...(inherited && { inherited }),
      ...(bornBefore !== undefined && isBornBefore(bornBefore)),
    })
    .project<EntityDocument>(headRows.fields)
    .limit(limit)
  return (await found.toArray()).map(headRows.toRow)
}

export const ownDeletions = async (
  entities: Entities,
  fqn: string,
  kinds: readonly string[],
): Promise<(ListKey & { readonly kind: string })[]> => {
  const filter = {
    kind: { $in: [...kinds] },
    status: statusNumber.deleted,
    place: placesBelow(fqn),
    inherited: { $exists: false },
  }
  const found = await entities.find(filter as EntityFilter).toArray()
  return found.map(fromDocument).map(({ kind, fullyQualifiedName, id }) => ({ kind, fullyQualifiedName, id }))
}
