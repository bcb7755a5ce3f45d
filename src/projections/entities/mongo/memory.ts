import { changedIds, type Change } from '../../mongo/changedRows.ts'
import type { State } from '../../mongo/generations.ts'
import { numberText } from '../../mongo/texts.ts'
import { bytesOfReference, bytesOfRow, headSize, makeRecent } from '../recent.ts'
import { headOf, type EntityRow, type HeadRow, type ReferenceRow } from '../row.ts'

/** A read that is under way. What it finds may be kept, where nothing of it has changed since it began. */
export interface Look {
  /** Tells what the state of a generation is, as the read found it. */
  saw(name: string, state: State | undefined): void
  keep(row: EntityRow): void
  keepHead(row: HeadRow): void
  keepReference(row: ReferenceRow, position: bigint): void
  /** Keeps what was worked out from all entities of some kinds. */
  keepDerived(key: string, value: object, bytes: number): void
  end(): void
}

export interface WrittenBatch {
  readonly name: string
  readonly after: bigint | undefined
  readonly position: bigint
  readonly changes: readonly Change[]
  /** The rows as they are stored now; left out where others may have stored newer ones. */
  readonly rows?: readonly EntityRow[] | undefined
}

/**
 * Entities that were read or written lately, up to a number of bytes, as the log was at one position or later: each
 * state of the collection tells what has changed since, or everything is forgotten.
 */
export interface Memory {
  /** Milliseconds to wait for the checkpoint of a document that is there: who was to write it may be gone. */
  readonly patience: number
  /** Is what is kept known to show the log up to here? */
  reaches(position: bigint): boolean
  row(id: string): EntityRow | undefined
  head(id: string): HeadRow | undefined
  reference(id: string): ReferenceRow | undefined
  /** @param isFrom tells of a kind whether it was worked out from that */
  derived(key: string, isFrom: (kind: string) => boolean): object | undefined
  look(): Look
  wrote(batch: WrittenBatch): void
}

interface KeptReference {
  readonly row: ReferenceRow
  readonly position: bigint
}

interface Derived {
  readonly value: object
  /** It shows the log up to here, or newer. */
  readonly at: bigint
}

/** What has changed while a read is under way; `undefined`: nobody knows. */
interface UnderWay {
  changed: Map<string, bigint> | undefined
}

interface Shown {
  readonly name: string
  readonly position: bigint
  /** {@link State.applied} */
  readonly applied: number
}

const makeStore = (room: number) => {
  const rows = makeRecent<EntityRow>(room / 2)
  const references = makeRecent<KeptReference>(room / 4)
  const heads = makeRecent<HeadRow>(room / 8)
  const derived = makeRecent<Derived>(room / 8)
  /** Position of the newest change of each kind. */
  const kinds = new Map<string, bigint>()
  return {
    rows,
    heads,
    references,
    derived,
    kinds,
    keep: (row: EntityRow): void => rows.set(row.id, row, bytesOfRow(row)),
    forget: (id: string, position: bigint): void => {
      if ((rows.get(id)?.position ?? position) < position) rows.delete(id)
      if ((heads.get(id)?.position ?? position) < position) heads.delete(id)
      if ((references.get(id)?.position ?? position) < position) references.delete(id)
    },
    changedKind: (kind: string, position: bigint): void => {
      if (position > (kinds.get(kind) ?? -1n)) kinds.set(kind, position)
    },
    clear: (): void => {
      for (const each of [rows, heads, references, derived, kinds]) each.clear()
    },
  }
}

type Store = ReturnType<typeof makeStore>

/** Keeps what is remembered true to what is told of the collection. */
const makeFollowing = (store: Store, underWay: ReadonlySet<UnderWay>) => {
  let shown: Shown | undefined

  const clear = (now: Shown | undefined): void => {
    store.clear()
    for (const each of underWay) each.changed = undefined
    shown = now
  }
  const moveTo = (now: Shown, changes: readonly Pick<Change, 'id' | 'position'>[]): void => {
    for (const { id, position } of changes) {
      store.forget(id, position)
      for (const { changed } of underWay) if (position > (changed?.get(id) ?? -1n)) changed?.set(id, position)
    }
    shown = now
  }
  const follow = (now: Shown, { changes }: State): void => {
    const isToldOf =
      shown?.name === now.name &&
      changes?.to === numberText(now.position) &&
      changes.since <= numberText(shown.position)
    if (!isToldOf || changes === undefined) return clear(now)
    for (const [kind, position] of Object.entries(changes.kinds)) store.changedKind(kind, BigInt(position))
    moveTo(now, changedIds(changes))
  }
  return {
    shown: () => shown,
    /** @param before what was shown when it began to be read */
    saw: (name: string, state: State | undefined, before: Shown | undefined): void => {
      const { position, applied = 0, claimed = false } = state ?? {}
      if (state === undefined || position === undefined || claimed) return clear(undefined)
      const now = { name, position, applied }
      if (shown === undefined || shown.name !== name || position > shown.position) return follow(now, state)
      const isLate = before?.name === name && position >= before.position
      if (position < shown.position ? !isLate : applied > shown.applied) clear(now)
    },
    wrote: ({ name, after, position, changes }: WrittenBatch): void => {
      if (shown === undefined || shown.name !== name) return
      if (after === undefined || after > shown.position) return clear(undefined)
      for (const change of changes) store.changedKind(change.kind, change.position)
      const applied = shown.applied + (changes.length > 0 ? 1 : 0)
      moveTo(position > shown.position ? { name, position, applied } : shown, changes)
    },
  }
}

export const makeMemory = (room: number, patience = 5000): Memory => {
  const store = makeStore(room)
  const underWay = new Set<UnderWay>()
  const following = makeFollowing(store, underWay)
  const isUnchanged = ({ changed }: UnderWay, id: string, position: bigint): boolean =>
    changed !== undefined && position <= (following.shown()?.position ?? -1n) && position >= (changed.get(id) ?? -1n)

  return {
    patience,
    reaches: (position) => (following.shown()?.position ?? -1n) >= position,
    row: (id) => store.rows.get(id),
    head: (id) => {
      const known = store.rows.get(id)
      return known === undefined ? store.heads.get(id) : headOf(known)
    },
    reference: (id) => store.references.get(id)?.row,
    derived: (key, isFrom) => {
      const found = store.derived.get(key)
      if (found === undefined) return undefined
      for (const [kind, position] of store.kinds) if (position > found.at && isFrom(kind)) return undefined
      return found.value
    },
    look: () => {
      const look: UnderWay = { changed: new Map() }
      const before = following.shown()
      underWay.add(look)
      return {
        saw: (name, state) => following.saw(name, state, before),
        keep: (row) => {
          if (isUnchanged(look, row.id, row.position)) store.keep(row)
        },
        keepHead: (row) => {
          if (isUnchanged(look, row.id, row.position)) store.heads.set(row.id, row, headSize)
        },
        keepReference: (row, position) => {
          if (isUnchanged(look, row.id, position))
            store.references.set(row.id, { row, position }, bytesOfReference(row))
        },
        keepDerived: (key, value, bytes) => {
          if (look.changed !== undefined && before !== undefined)
            store.derived.set(key, { value, at: before.position }, key.length + bytes)
        },
        end: () => void underWay.delete(look),
      }
    },
    wrote: (batch) => {
      following.wrote(batch)
      const shown = following.shown()
      if (shown?.name === batch.name && shown.position === batch.position)
        for (const row of batch.rows ?? []) store.keep(row)
    },
  }
}
