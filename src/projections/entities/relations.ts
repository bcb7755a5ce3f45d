import type { DocumentMatch, Query } from '../documents/port.ts'
import { batchReads, type BatchRead } from '../../shared/batchReads.ts'
import { chunksOf } from '../../shared/bounds.ts'
import {
  edgeIn,
  edgeText,
  headMembers,
  referenceMembers,
  toHead,
  toReference,
  type EntityDocument,
} from './entityDocuments.ts'
import { mergeByPlace, shownStatus, statusesOf, type EntityDocuments } from './lists.ts'
import { placesBelow } from './place.ts'
import type { ChildHeads, EntityLists, Related } from './port.ts'
import { statusNumber, type Edge, type HeadRow } from './row.ts'

type Where = DocumentMatch<EntityDocument>

const placedMembers = [...referenceMembers, 'place'] as const
const gatheredMembers = [...placedMembers, 'parent', 'edges'] as const

/** Up to this number, relations of several ids are one read; beyond it each id is read by itself. */
const maxCombined = 2000
const separateReadsAtOnce = 10

interface Relation {
  readonly limit: number
  readonly index: 'edges' | 'parent'
  readonly among: (ids: readonly string[]) => Where
  readonly idsOf: (document: EntityDocument) => readonly string[]
  /** The order of the index on a server. */
  readonly sort: { readonly [M in keyof EntityDocument]?: 1 }
}

const kindAlone = ['kind'] as const

/** Conditions of which each is one range of an index: by edges, one for each kind. */
const rangesOf = async (documents: EntityDocuments, index: Relation['index'], where: Where): Promise<Where[]> => {
  if (!documents.embedded || index === 'parent') return [where]
  const ranges: Where[] = []
  for (let after = ''; ;) {
    const next = { where: { ...where, kind: { $gt: after } }, sort: { kind: 1 }, limit: 1, index } as const
    const [found] = await documents.find({ ...next, members: kindAlone })
    if (found === undefined) return ranges
    ranges.push({ ...where, kind: found.kind })
    after = found.kind
  }
}

const relatedToOne = async (documents: EntityDocuments, relation: Relation, of: string): Promise<Related[]> => {
  const { limit, index, among } = relation
  const ranges = await rangesOf(documents, index, among([of]))
  const found = await Promise.all(
    ranges.flatMap((where) =>
      statusesOf(documents, 'all').map((status) =>
        documents.find({ where: { ...where, status }, sort: { place: 1 }, limit, index, members: placedMembers }),
      ),
    ),
  )
  return mergeByPlace(found)
    .slice(0, limit)
    .map((document) => ({ of, row: toReference(document) }))
}

const relatedToAll = async (
  documents: EntityDocuments,
  relation: Relation,
  ids: readonly string[],
): Promise<Related[]> => {
  const { limit, among, idsOf, sort } = relation
  if (limit === 0) return []
  if (!documents.embedded && ids.length > 1) {
    const where = { ...among(ids), status: shownStatus }
    const found = await documents.find({ where, sort, limit: maxCombined + 1, members: gatheredMembers })
    if (found.length <= maxCombined) {
      const wanted = new Set(ids)
      const related = found.flatMap((document) => [...new Set(idsOf(document))].map((of) => ({ of, document })))
      const byId = Map.groupBy(
        related.filter(({ of }) => wanted.has(of)),
        ({ of }) => of,
      )
      return ids.flatMap((of) =>
        (byId.get(of) ?? [])
          .map(({ document }) => document)
          .sort((a, b) => (a.place < b.place ? -1 : 1))
          .slice(0, limit)
          .map((document) => ({ of, row: toReference(document) })),
      )
    }
  }
  const all: Related[] = []
  for (const some of chunksOf(ids, separateReadsAtOnce))
    all.push(...(await Promise.all(some.map((of) => relatedToOne(documents, relation, of)))).flat())
  return all
}

const edgesOf = (rel: string, ids: readonly string[]): Where => {
  const edges = ids.map((target) => edgeText({ rel, target }))
  return { edges: edges.length === 1 ? edges[0] : { $in: edges } }
}

/** Pages of all entities with a relation to an incarnation, stable under changes between two pages. */
export async function* pagesOfRelated(
  documents: EntityDocuments,
  { rel, target, members, limit }: Edge & Required<Pick<Query<EntityDocument>, 'members' | 'limit'>>,
): AsyncGenerator<EntityDocument[], void, undefined> {
  for (const range of await rangesOf(documents, 'edges', edgesOf(rel, [target])))
    for (const status of statusesOf(documents, 'all'))
      for (let after: string | undefined, page: EntityDocument[]; ; yield page, after = page.at(-1)?.place) {
        const where = { ...range, status, place: { ...(after !== undefined && { $gt: after }) } }
        page = await documents.find({ where, sort: { place: 1 }, limit, index: 'edges', members })
        if (page.length === 0) break
      }
}

const idsAtOnce = 1000

const inChunks = async (documents: EntityDocuments, ids: readonly string[], relation: Relation): Promise<Related[]> => {
  const all: Related[] = []
  for (const some of chunksOf([...new Set(ids)], idsAtOnce))
    all.push(...(await relatedToAll(documents, relation, some)))
  return all
}

export const relatedTo = (documents: EntityDocuments, ...args: Parameters<EntityLists['relatedTo']>) => {
  const [ids, rel, limit] = args
  return inChunks(documents, ids, {
    limit,
    index: 'edges',
    among: (some) => edgesOf(rel, some),
    idsOf: ({ edges }) => edges.map(edgeIn).flatMap((edge) => (edge.rel === rel ? edge.target : [])),
    sort: {},
  })
}

/** {@link relatedTo} of a server: calls in one tick of the event loop are one read per relation. */
export const batchedRelated = (read: EntityLists['relatedTo']): EntityLists['relatedTo'] => {
  const readers = new Map<string, BatchRead<Related[]>>()
  return async (ids, rel, limit) => {
    const key = `${rel} ${limit}`
    const reader =
      readers.get(key) ?? batchReads(async (some) => Map.groupBy(await read(some, rel, limit), ({ of }) => of))
    readers.set(key, reader)
    const found = await reader(ids)
    return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
  }
}

export const childrenOf = (documents: EntityDocuments, ...args: Parameters<EntityLists['childrenOf']>) => {
  const [ids, kind, limit] = args
  return inChunks(documents, ids, {
    limit,
    index: 'parent',
    among: (some) => ({ parent: some.length === 1 ? some[0] : { $in: some }, kind }),
    idsOf: ({ parent }) => (parent === undefined ? [] : [parent]),
    sort: { parent: 1, kind: 1, place: 1 },
  })
}

export const headsBelow = async (
  documents: EntityDocuments,
  { parents, status, inherited = false, bornBefore }: ChildHeads,
  limit: number,
): Promise<HeadRow[]> => {
  const where: Where = {
    parent: { $in: parents },
    status: statusNumber[status],
    ...(inherited && { deletedWith: { $in: parents } }),
    ...(bornBefore !== undefined && { parentBorn: { $lt: bornBefore } }),
  }
  const index = inherited ? 'deletedWith' : 'parent'
  return (await documents.find({ where, limit, index, members: headMembers })).map(toHead)
}

export const ownDeletions: (
  documents: EntityDocuments,
  fqn: string,
  kinds: readonly string[],
) => ReturnType<EntityLists['ownDeletions']> = async (documents, fqn, kinds) => {
  const where = { ownDeletion: { $in: kinds }, place: placesBelow(fqn) }
  const found = await documents.find({ where, index: 'ownDeletion', members: headMembers })
  return found.map(toHead).map(({ kind, fullyQualifiedName, id }) => ({ kind, fullyQualifiedName, id }))
}
