import type { Collection, Filter } from 'mongodb'
import { chunksOf, makePageBudget } from '../../../shared/bounds.ts'
import { placesBelow } from '../place.ts'
import { fromDocument, type EntityDocument } from './rows.ts'
import { shownLength, statusNumber } from '../row.ts'
import type { ListKey, Unsettled } from '../port.ts'

type Entities = Collection<EntityDocument>

const stepSize = 1000

/** The fields of a parent or child that the rule needs. */
type Node = Pick<EntityDocument, '_id' | 'status' | 'parent' | 'parentBorn' | 'born' | 'inherited'>
const nodeFields = { status: 1, parent: 1, parentBorn: 1, born: 1, inherited: 1 } as const

const contradicts = (child: Node, parent: Node): boolean => {
  if (child.status === statusNumber.gone) return false
  if (parent.status === statusNumber.gone || (parent.born ?? '') > (child.parentBorn ?? '')) return true
  return parent.status === statusNumber.deleted ? child.status === statusNumber.live : child.inherited === true
}

/** Collects child and parent ids up to a limit. */
interface Contradictions {
  readonly pairs: Map<string, string>
  readonly full: () => boolean
}

const nodes = (entities: Entities, filter: Filter<EntityDocument>) =>
  entities.find(filter).project<Node>(nodeFields).batchSize(stepSize)

/** Collects children that contradict one of these parents. */
const lookBelow = async (entities: Entities, parents: readonly Node[], found: Contradictions): Promise<void> => {
  const byId = new Map(parents.map((parent) => [parent._id, parent]))
  const below = (wanted: readonly Node[], status: number, filter: Filter<EntityDocument> = {}) =>
    wanted.length === 0 ? [] : [{ parent: { $in: wanted.map(({ _id }) => _id) }, status, ...filter }]
  const ended = parents.filter(({ status }) => status !== statusNumber.live)
  const gone = parents.filter(({ status }) => status === statusNumber.gone)
  const live = parents.filter(({ status }) => status === statusNumber.live)
  const reborn = parents.filter(({ born }) => born !== undefined)
  const filters = [
    ...below(ended, statusNumber.live),
    ...below(gone, statusNumber.deleted),
    ...below(live, statusNumber.deleted, { inherited: true }),
    ...[statusNumber.live, statusNumber.deleted].flatMap((status) => below(reborn, status)),
  ]
  for (const filter of filters) {
    for await (const child of nodes(entities, filter)) {
      if (found.full()) return
      const parent = byId.get(child.parent as string)
      if (parent && contradicts(child, parent)) found.pairs.set(child._id, parent._id)
    }
  }
}

/** Collects those of these children that contradict their parent. */
const lookAbove = async (entities: Entities, children: readonly Node[], found: Contradictions): Promise<void> => {
  const ids = new Set(children.flatMap(({ parent }) => (parent === undefined ? [] : [parent])))
  if (ids.size === 0) return
  const parents = new Map<string, Node>()
  for await (const parent of nodes(entities, { _id: { $in: [...ids] } })) parents.set(parent._id, parent)
  for (const child of children) {
    const parent = parents.get(child.parent ?? '')
    if (!found.full() && parent && contradicts(child, parent)) found.pairs.set(child._id, parent._id)
  }
}

const lookAround = async (entities: Entities, some: readonly Node[], found: Contradictions): Promise<void> => {
  await lookAbove(entities, some, found)
  if (!found.full()) await lookBelow(entities, some, found)
}

/** The documents of these ids, within the memory bound. */
const someOf = async (entities: Entities, ids: Iterable<string>): Promise<Map<string, EntityDocument>> => {
  const documents = new Map<string, EntityDocument>()
  const hasRoom = makePageBudget()
  for (const chunk of chunksOf([...ids], stepSize))
    for await (const document of entities.find({ _id: { $in: chunk } })) {
      if (!hasRoom(shownLength(fromDocument(document)))) return documents
      documents.set(document._id, document)
    }
  return documents
}

/** The rows within the memory bound, at least one unless they have changed since. */
const withRows = async (entities: Entities, pairs: ReadonlyMap<string, string>): Promise<Unsettled[]> => {
  const parents = await someOf(entities, new Set(pairs.values()))
  const hasRoom = makePageBudget()
  const unsettled: Unsettled[] = []
  for (const chunk of chunksOf([...pairs.keys()], stepSize)) {
    for await (const child of entities.find({ _id: { $in: chunk } })) {
      const row = fromDocument(child)
      if (!hasRoom(shownLength(row)) && unsettled.length > 0) return unsettled
      const id = pairs.get(child._id) as string
      const parent = parents.get(id) ?? (await entities.findOne({ _id: id }))
      if (parent && contradicts(child, parent)) unsettled.push({ row, parent: fromDocument(parent) })
    }
  }
  return unsettled
}

export const unsettled = async (entities: Entities, limit: number, ids: readonly string[]): Promise<Unsettled[]> => {
  const pairs = new Map<string, string>()
  const found: Contradictions = { pairs, full: () => pairs.size >= limit }
  if (limit === 0) return []
  for (const chunk of chunksOf(ids, stepSize)) {
    if (found.full()) break
    await lookAround(entities, await nodes(entities, { _id: { $in: chunk } }).toArray(), found)
  }
  return withRows(entities, pairs)
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
  const found = await entities.find(filter as Filter<EntityDocument>).toArray()
  return found.map(fromDocument).map(({ kind, fullyQualifiedName, id }) => ({ kind, fullyQualifiedName, id }))
}
