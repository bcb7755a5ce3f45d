import type { Entity } from '../../commands/evolve.ts'
import type { Contradiction, PrefetchEntities, Lookup, Refer, Referred, Tree } from '../../commands/lookup.ts'
import type { Members } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import { lastName } from '../../kinds/names.ts'
import { fromRow } from './entityRow.ts'
import { type EntityRow, type HeadRow, shownLength } from './row.ts'
import type { EntityLists, EntityReads, ListKey, ListQuery } from './port.ts'
import { makePageBudget } from '../../shared/bounds.ts'

type KindNamed = (name: string) => KindDefinition

export const lookupIn =
  (readModels: Pick<EntityReads, 'get' | 'getMany'>, kindNamed: KindNamed): Lookup =>
  async (ids) => {
    const [id, ...others] = new Set(ids)
    if (id === undefined) return new Map()
    if (others.length === 0) {
      const row = await readModels.get(id)
      return new Map(row && [[id, fromRow(row, kindNamed(row.kind))]])
    }
    return entitiesOf(await readModels.getMany([id, ...others]), kindNamed)
  }

const entitiesOf = async (rows: ReadonlyMap<string, EntityRow>, kindNamed: KindNamed): Promise<Map<string, Entity>> => {
  const yieldWhenDue = makeYielder()
  const entities = new Map<string, Entity>()
  for (const [id, row] of rows) {
    entities.set(id, fromRow(row, kindNamed(row.kind)))
    await yieldWhenDue()
  }
  return entities
}

/** The facts of an entity: members that rules of other kinds read. */
const factsOf = (row: EntityRow, definition: KindDefinition): Members => {
  const { members } = fromRow(row, definition)
  const facts: Members = {}
  for (const name of definition.facts) if (members[name] !== undefined) facts[name] = members[name]
  return facts
}

const noFacts: Members = {}

const referredIn = (row: HeadRow, facts = noFacts): Referred => {
  const { isLarge: _, ...head } = row
  return { ...head, name: lastName(head.fullyQualifiedName), facts }
}

/** Loads complete entities only if rules read members; large ones one at a time. */
export const referIn =
  (readModels: Pick<EntityReads, 'get' | 'getMany' | 'getHeads'>, kindNamed: KindNamed): Refer =>
  async (ids) => {
    const heads = await readModels.getHeads([...new Set(ids)])
    const asked = [...heads.values()].filter(
      ({ kind, status }) => status !== 'gone' && kindNamed(kind).facts.length > 0,
    )
    const small = asked.filter(({ isLarge }) => !isLarge).map(({ id }) => id)
    const rows = small.length === 0 ? noRows : await readModels.getMany(small)
    const facts = new Map<string, Members>()
    const yieldWhenDue = makeYielder()
    for (const { id, kind, isLarge } of asked) {
      const row = isLarge ? await readModels.get(id) : rows.get(id)
      if (row !== undefined) facts.set(id, factsOf(row, kindNamed(kind)))
      await yieldWhenDue()
    }
    return new Map([...heads].map(([id, head]) => [id, referredIn(head, facts.get(id))]))
  }

const noRows: ReadonlyMap<string, EntityRow> = new Map()

export const prefetchIn =
  (readModels: Pick<EntityReads, 'get' | 'getMany' | 'getHeads'>, kindNamed: KindNamed): PrefetchEntities =>
  async (ids) => {
    const { rows, left } = await prefetchRows(readModels, ids)
    return { found: await entitiesOf(rows, kindNamed), left }
  }

type Reading = Pick<EntityLists, 'list' | 'unsettled'> & Pick<EntityReads, 'getHeads'>

/** See `Tree.comesBack`: entities deleted with their parent are restored with it. */
const comesBack = async (readModels: Reading, root: Entity, kind: string): Promise<boolean> => {
  const rows = new Map<string, HeadRow>()
  const read = async (ids: readonly string[]): Promise<void> => {
    const missing = ids.filter((id) => !rows.has(id))
    if (missing.length > 0) for (const [id, row] of await readModels.getHeads(missing)) rows.set(id, row)
  }
  const goesWith = async (row: HeadRow | undefined): Promise<boolean> => {
    if (row?.parent === undefined || !row.inherited) return false
    if (row.parent === root.id) return true
    await read([row.parent])
    const above = rows.get(row.parent)
    return above?.status === 'live' || goesWith(above)
  }
  for (let after: ListKey | undefined; ;) {
    const scopes = [root.fullyQualifiedName]
    const page = await readModels.list({ kind, include: 'deleted', scopes, edges: [], limit: 1000, after })
    await read(page.rows.map(({ id }) => id))
    for (const { id } of page.rows) if (await goesWith(rows.get(id))) return true
    if (!page.hasAfter) return false
    after = page.rows.at(-1)
  }
}

const isLeftBelow = async (readModels: Reading, root: Entity, kind: string): Promise<boolean> => {
  const include = root.status === 'gone' ? 'all' : 'non-deleted'
  for (let after: ListKey | undefined; ;) {
    const scopes = [root.fullyQualifiedName]
    const page = await readModels.list({ kind, include, scopes, edges: [], limit: 1000, after })
    const rows = await readModels.getHeads(page.rows.map(({ id }) => id))
    const parents = await readModels.getHeads([...new Set([...rows.values()].flatMap(({ parent }) => parent ?? []))])
    // Entities below a namesake of another kind have a live parent.
    for (const { parent, parentBorn } of rows.values()) {
      const above = parents.get(parent ?? '')
      if (above !== undefined && (above.status !== 'live' || above.born > parentBorn)) return true
    }
    if (!page.hasAfter) return false
    after = page.rows.at(-1)
  }
}

export const treeIn = (readModels: Reading, kindNamed: KindNamed): Tree => ({
  hasChild: async (parent, kind, deleted) => {
    const include = deleted ? 'all' : 'non-deleted'
    const page = await readModels.list({ kind, parent, include, scopes: [], edges: [], limit: 1 })
    return page.rows.length > 0
  },
  hasBelow: async ({ fullyQualifiedName }, kind, deleted) => {
    const include = deleted ? 'all' : 'non-deleted'
    const page = await readModels.list({ kind, include, scopes: [fullyQualifiedName], edges: [], limit: 0 })
    return page.total > 0
  },
  countBelow: async ({ fullyQualifiedName }, kind) => {
    const count = async (include: ListQuery['include']): Promise<number> =>
      (await readModels.list({ kind, include, scopes: [fullyQualifiedName], edges: [], limit: 0, countAnew: true }))
        .total
    const [live, deleted] = await Promise.all([count('non-deleted'), count('deleted')])
    return { live, deleted }
  },
  isLeftBelow: (root, kind) => isLeftBelow(readModels, root, kind),
  comesBack: (root, kind) => comesBack(readModels, root, kind),
  contradictions: async (limit, ids) => {
    const entityOf = (row: EntityRow): Entity => fromRow(row, kindNamed(row.kind))
    const yieldWhenDue = makeYielder()
    const contradictions: Contradiction[] = []
    for (const { row, parent } of await readModels.unsettled(limit, ids)) {
      contradictions.push({ child: entityOf(row), parent: entityOf(parent) })
      await yieldWhenDue()
    }
    return contradictions
  },
})

type Reads = Pick<EntityReads, 'get' | 'getMany' | 'getHeads'>

interface Prefetch {
  readonly rows: ReadonlyMap<string, EntityRow>
  /** Ids beyond the memory bound. */
  readonly left: ReadonlySet<string>
}

const splitBySize = async (reads: Reads, ids: readonly string[]) => {
  const heads = await reads.getHeads([...new Set(ids)])
  const sized = ids.filter((id) => heads.has(id))
  const isLarge = (id: string): boolean => heads.get(id)?.isLarge === true
  return { small: sized.filter((id) => !isLarge(id)), large: sized.filter(isLarge) }
}

/** Reads complete rows: all small ones, and large ones in order within the memory bound. */
export const prefetchRows = async (reads: Reads, ids: readonly string[]): Promise<Prefetch> => {
  const { small, large } = await splitBySize(reads, ids)
  const rows = small.length === 0 ? new Map<string, EntityRow>() : await reads.getMany(small)
  const left = new Set<string>()
  const hasRoom = makePageBudget()
  const yieldWhenDue = makeYielder()
  for (const id of large) {
    const row = left.size > 0 ? undefined : await reads.get(id)
    if (row !== undefined && hasRoom(shownLength(row))) rows.set(id, row)
    else left.add(id)
    await yieldWhenDue()
  }
  return { rows, left }
}
