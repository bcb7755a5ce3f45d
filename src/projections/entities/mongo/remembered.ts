import { setTimeout as delay } from 'node:timers/promises'
import { kinds } from '../../../kinds/index.ts'
import { entityId } from '../../../kinds/names.ts'
import type { Gathering, ReadMany } from '../../mongo/gather.ts'
import type { Source } from '../../mongo/source.ts'
import type { EntityLists, EntityReads, Reached, Related } from '../port.ts'
import type { EntityRow, HeadRow, ReferenceRow } from '../row.ts'
import type { Memory } from './memory.ts'
import type { Found } from './reads.ts'
import type { EntityDocument } from './rows.ts'

export interface Sources {
  readonly source: Source<EntityDocument>
  readonly memory: Memory | undefined
}

/** What is read where nothing is remembered. */
interface Stored extends Pick<EntityLists, 'relatedTo' | 'childrenOf' | 'countBelow'> {
  readonly rows: Gathering<Found<EntityRow>>
  readonly heads: ReadMany<Found<HeadRow>>
  readonly references: ReadMany<Found<ReferenceRow>>
  readonly targets: (rel: string) => Promise<ReadonlySet<string> | undefined>
}

/** Milliseconds between two looks at a checkpoint that is waited for. */
const pause = 5

/** Tells of a kind whether something was worked out from entities of it. */
type IsFrom = (kind: string) => boolean

/** Kinds, with the names of the edges that their entities may have. */
const edgesOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  kinds.map(({ name, fields, ancestors }) => {
    const references = Object.entries(fields).flatMap(([field, { references: found }]) => (found ? [field] : []))
    return [name, new Set([...references, ...ancestors])]
  }),
)

const mayHave =
  (rel: string): IsFrom =>
  (kind) =>
    edgesOf.get(kind)?.has(rel) ?? true

/** Kinds of which any number may have the same fully qualified name: their ids come from their parents'. */
const namesakes = new Set(kinds.filter(({ behaviour }) => behaviour.identity === 'parent').map(({ name }) => name))

/** Bytes that a relation takes in memory, about. */
const relationBytes = 400

type Reads = EntityReads & Pick<EntityLists, 'relatedTo' | 'childrenOf' | 'countBelow'>

/**
 * Looks at how far the collection has come, once for all who ask in the same turn; the memory is told. Rows that are
 * about to be read tell it, too.
 */
const looking = ({ source }: Sources, { rows }: Pick<Stored, 'rows'>): (() => Promise<void>) => {
  const isTold = async (): Promise<boolean> => {
    const upcoming = rows.upcoming()
    if (upcoming === undefined) return false
    return upcoming.then(
      () => true,
      () => false,
    )
  }
  return async () => {
    if (await isTold()) return
    await source.readAlong(async (generation) => ({
      state: await source.state(generation),
      complete: true,
      take: () => undefined,
    }))
  }
}

/** Entities by id: out of the memory as far as that has them, and as far as it shows what is to be shown. */
const remembering = <R>(
  memory: Memory,
  { known, read, look }: { known: (id: string) => R | undefined; read: ReadMany<Found<R>>; look: () => Promise<void> },
) => {
  /** Nothing is given that others, who remember something older, do not see yet. */
  const untilShown = async (found: Iterable<Found<R>>): Promise<void> => {
    const end = performance.now() + memory.patience
    for (const { isEarly, position } of found)
      while (isEarly && !memory.reaches(position) && performance.now() < end) {
        await look()
        if (!memory.reaches(position)) await delay(pause)
      }
  }
  return async (ids: readonly string[], reached: Reached): Promise<Map<string, R>> => {
    const isReached = reached !== undefined && memory.reaches(reached)
    const isKnown = (id: string): boolean => known(id) !== undefined
    const missing = reached !== undefined && !isReached ? ids : ids.filter((id) => !isKnown(id))
    // What is read comes with the state, so that the memory knows then what has changed.
    if (missing.length === 0 && !isReached) await look()
    const first = await read(missing)
    const asked = new Set(missing)
    const rows = new Map<string, R>()
    const forgotten: string[] = []
    for (const id of ids) {
      if (asked.has(id)) continue
      const row = known(id)
      if (row === undefined) forgotten.push(id)
      else rows.set(id, row)
    }
    const found = forgotten.length === 0 ? first : new Map([...first, ...(await read(forgotten))])
    if (reached === undefined) await untilShown(found.values())
    for (const [id, { row }] of found) rows.set(id, row)
    return rows
  }
}

/** What is worked out from all entities of some kinds, for each key: remembered until one of those kinds changes. */
const deriving =
  (memory: Memory, look: () => Promise<void>) =>
  async <T extends object>(
    { keys, from, reached }: { keys: readonly string[]; from: IsFrom; reached: Reached },
    read: (missing: readonly string[]) => Promise<ReadonlyMap<string, T>>,
    bytesOf: (value: T) => number,
  ): Promise<Map<string, T>> => {
    const derived = (key: string): T | undefined => memory.derived(key, from) as T | undefined
    const isReached = reached !== undefined && memory.reaches(reached)
    const isHere = isReached || reached === undefined
    if (!isReached && isHere && keys.some((key) => derived(key) !== undefined)) await look()
    const values = new Map<string, T>()
    const missing: string[] = []
    for (const key of keys) {
      const value = isHere ? derived(key) : undefined
      if (value === undefined) missing.push(key)
      else values.set(key, value)
    }
    if (missing.length === 0) return values
    const underWay = memory.look()
    try {
      for (const [key, value] of await read(missing)) {
        values.set(key, value)
        underWay.keepDerived(key, value, bytesOf(value))
      }
    } finally {
      underWay.end()
    }
    return values
  }

const bytesOfRelated = (related: readonly Related[]): number => related.length * relationBytes

/** The ends of all relations of a kind; `undefined`: there are too many. */
interface Targets {
  readonly ids: ReadonlySet<string> | undefined
}

/** Bytes that the end of a relation takes in memory, about. */
const targetBytes = 100

/** The relations to each id, in the order of the ids. Few have any, which is read once for all. */
const remembersRelated =
  (memory: Memory, derive: ReturnType<typeof deriving>, { targets, relatedTo }: Stored): EntityLists['relatedTo'] =>
  async (ids, rel, limit, reached) => {
    const distinct = [...new Set(ids)]
    const prefix = `related ${rel} ${limit} `
    const whole = `targets ${rel}`
    const from = mayHave(rel)
    const read = async (missing: readonly string[]): Promise<Map<string, Targets | readonly Related[]>> => {
      const isMissing = missing.includes(whole)
      const all = isMissing ? { ids: await targets(rel) } : (memory.derived(whole, from) as Targets | undefined)
      const wanted = missing.filter((key) => key !== whole).map((key) => key.slice(prefix.length))
      const related = wanted.filter((id) => all?.ids?.has(id) ?? true)
      const byId = Map.groupBy(related.length === 0 ? [] : await relatedTo(related, rel, limit), ({ of }) => of)
      const found = wanted.map((id): [string, Targets | readonly Related[]] => [prefix + id, byId.get(id) ?? []])
      return new Map(isMissing && all !== undefined ? [[whole, all], ...found] : found)
    }
    const keys = distinct.map((id) => prefix + id)
    const found = await derive({ keys: [whole, ...keys], from, reached }, read, (value) =>
      'ids' in value ? (value.ids?.size ?? 0) * targetBytes : bytesOfRelated(value),
    )
    return keys.flatMap((key) => (found.get(key) as readonly Related[] | undefined) ?? [])
  }

const remembersRelations = (derive: ReturnType<typeof deriving>) => {
  type Call = { prefix: string; ids: readonly string[]; from: IsFrom; reached: Reached }
  return async (
    { prefix, ids, from, reached }: Call,
    read: (ids: readonly string[]) => Promise<Related[]>,
  ): Promise<Related[]> => {
    const distinct = [...new Set(ids)]
    const keys = distinct.map((id) => prefix + id)
    const found = await derive<readonly Related[]>(
      { keys, from, reached },
      async (missing) => {
        const wanted = missing.map((key) => key.slice(prefix.length))
        const byId = Map.groupBy(await read(wanted), ({ of }) => of)
        return new Map(wanted.map((id) => [prefix + id, byId.get(id) ?? []]))
      },
      bytesOfRelated,
    )
    return keys.flatMap((key) => found.get(key) ?? [])
  }
}

const valuesOf = <R>(found: ReadonlyMap<string, Found<R>>): Map<string, R> =>
  new Map([...found].map(([id, { row }]) => [id, row]))

const plainReads = (stored: Stored, getByFqn: EntityReads['getByFqn']): Reads => ({
  get: async (id) => (await stored.rows([id])).get(id)?.row,
  getByFqn,
  getMany: async (ids) => valuesOf(await stored.rows(ids)),
  getHeads: async (ids) => valuesOf(await stored.heads(ids)),
  getReferences: async (ids) => valuesOf(await stored.references(ids)),
  relatedTo: stored.relatedTo,
  childrenOf: stored.childrenOf,
  countBelow: stored.countBelow,
})

/**
 * Reads that take from the memory what is shown: one look at how far the collection has come, shared by a turn, tells.
 */
export const rememberedReads = (sources: Sources, stored: Stored, byFqn: EntityReads['getByFqn']): Reads => {
  const { memory } = sources
  if (memory === undefined) return plainReads(stored, byFqn)
  const look = looking(sources, stored)
  const rows = remembering(memory, { known: memory.row, read: stored.rows, look })
  const heads = remembering(memory, { known: memory.head, read: stored.heads, look })
  const references = remembering(memory, { known: memory.reference, read: stored.references, look })
  const derive = deriving(memory, look)
  const relations = remembersRelations(derive)
  return {
    get: async (id, reached) => (await rows([id], reached)).get(id),
    getByFqn: async (kind, fqn) => {
      if (namesakes.has(kind)) return byFqn(kind, fqn)
      const id = entityId(kind, fqn)
      const row = (await rows([id], undefined)).get(id)
      const isLive = row?.kind === kind && row.fullyQualifiedName === fqn && row.status === 'live'
      return isLive ? row : byFqn(kind, fqn)
    },
    getMany: rows,
    getHeads: heads,
    getReferences: references,
    relatedTo: remembersRelated(memory, derive, stored),
    childrenOf: (ids, kind, limit, reached) =>
      relations(
        { prefix: `children ${kind} ${limit} `, ids, from: (changed) => changed === kind, reached },
        (missing) => stored.childrenOf(missing, kind, limit),
      ),
    countBelow: async (kind, scope, reached) => {
      const key = `count ${kind} ${scope}`
      const found = await derive(
        { keys: [key], from: (changed) => changed === kind, reached },
        async () => new Map([[key, { count: await stored.countBelow(kind, scope) }]]),
        () => 0,
      )
      return found.get(key)?.count ?? 0
    },
  }
}
