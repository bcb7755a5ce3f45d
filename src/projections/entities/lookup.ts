import type { Entity } from '../../commands/evolve.ts'
import type { KindLookup, PrefetchEntities, Lookup, ReferenceLookup, Referred } from '../../commands/lookup.ts'
import type { Members } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { inSlices } from '../../shared/yieldToEventLoop.ts'
import { fromRow } from './entityRow.ts'
import { type EntityRow, type HeadRow, shownLength } from './row.ts'
import type { EntityReads } from './port.ts'
import { makePageBudget } from '../../shared/bounds.ts'

type Reads = Pick<EntityReads, 'get' | 'getMany' | 'getHeads'>

export const lookupIn =
  (readModels: Pick<EntityReads, 'getMany'>, kindNamed: KindLookup): Lookup =>
  async (ids) =>
    entitiesOf(await readModels.getMany([...new Set(ids)]), kindNamed)

const entitiesOf = async (
  rows: ReadonlyMap<string, EntityRow>,
  kindNamed: KindLookup,
): Promise<Map<string, Entity>> => {
  const entities = new Map<string, Entity>()
  for await (const [id, row] of inSlices(rows)) entities.set(id, fromRow(row, kindNamed(row.kind)))
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
  return { ...head, facts }
}

/** Loads complete entities only if rules read members; large ones one at a time. */
export const referenceLookup =
  (readModels: Reads, kindNamed: KindLookup): ReferenceLookup =>
  async (ids) => {
    const heads = await readModels.getHeads([...new Set(ids)])
    const included = [...heads.values()].filter(
      ({ kind, status }) => status !== 'gone' && kindNamed(kind).facts.length > 0,
    )
    const small = included.filter(({ isLarge }) => !isLarge).map(({ id }) => id)
    const rows = await readModels.getMany(small)
    const facts = new Map<string, Members>()
    for await (const { id, kind, isLarge } of inSlices(included)) {
      const row = isLarge ? await readModels.get(id) : rows.get(id)
      if (row !== undefined) facts.set(id, factsOf(row, kindNamed(kind)))
    }
    return new Map([...heads].map(([id, head]) => [id, referredIn(head, facts.get(id))]))
  }

export const prefetchIn =
  (readModels: Reads, kindNamed: KindLookup): PrefetchEntities =>
  async (ids) => {
    const { rows, left } = await prefetchRows(readModels, ids)
    return { found: await entitiesOf(rows, kindNamed), left }
  }

/**
 * Reads complete rows: all small ones, and large ones in order within the memory bound.
 * @returns also the ids of those that are `left`, beyond it
 */
export const prefetchRows = async (reads: Reads, ids: readonly string[]) => {
  const heads = await reads.getHeads([...new Set(ids)])
  const rows = await reads.getMany(ids.filter((id) => heads.get(id)?.isLarge === false))
  const left = new Set<string>()
  const hasRoom = makePageBudget()
  for await (const id of inSlices(ids.filter((each) => heads.get(each)?.isLarge))) {
    const row = left.size > 0 ? undefined : await reads.get(id)
    if (row !== undefined && hasRoom(shownLength(row))) rows.set(id, row)
    else left.add(id)
  }
  return { rows, left }
}
