import type { KeyBound } from '../../entities/page.ts'
import type { ListKey } from '../../entities/port.ts'
import type { SqliteFile } from '../../sqlite/file.ts'

/**
 * Blocks of spans that stand beside each other in a list, each with the oldest position at which one of them began: a
 * walk through an earlier moment jumps over blocks in which everything came later. Spans only ever come, mostly each
 * later than the ones before it, so that a block seldom changes but when it is split. The spans before the first block
 * are in none.
 */
export const blocksTable = `
  CREATE TABLE timeline_blocks (
    list INTEGER NOT NULL,
    fqn TEXT NOT NULL,
    id TEXT NOT NULL,
    oldest INTEGER NOT NULL,
    PRIMARY KEY (list, fqn, id)
  ) STRICT, WITHOUT ROWID;`

/** So many spans are in a block, about: an entity in so many begins one, in every list that it is in. */
const usualSize = 64

const beginsBlock = (id: string): boolean => {
  let hash = 0
  for (let at = 0; at < id.length; at++) hash = (hash * 31 + id.charCodeAt(at)) | 0
  return hash % usualSize === 0
}

interface Block extends ListKey {
  readonly oldest: bigint
}

type Side = '<' | '<=' | '>'

/** The block that begins nearest on one side of a key, of those that began no later than a position where one is given. */
const blockNear = (
  file: SqliteFile,
  list: number,
  side: Side,
  { fullyQualifiedName, id }: ListKey,
  position?: bigint,
): Block | undefined => {
  const direction = side === '>' ? '' : ' DESC'
  const found = file
    .wide(
      `SELECT fqn, id, oldest FROM timeline_blocks
      WHERE list = ? AND (fqn, id) ${side} (?, ?)${position === undefined ? '' : ' AND oldest <= ?'}
      ORDER BY fqn${direction}, id${direction} LIMIT 1`,
    )
    .get(list, fullyQualifiedName, id, ...(position === undefined ? [] : [position])) as
    [string, string, bigint] | undefined
  return found && { fullyQualifiedName: found[0], id: found[1], oldest: found[2] }
}

/** Notes a span that began before others that are stored. */
export const noteEarlier = (file: SqliteFile, list: number, key: ListKey, began: bigint): void => {
  const block = blockNear(file, list, '<=', key)
  if (block === undefined || block.oldest <= began) return
  file
    .statement('UPDATE timeline_blocks SET oldest = ? WHERE list = ? AND fqn = ? AND id = ?')
    .run(began, list, block.fullyQualifiedName, block.id)
}

/** Begins a block at an entity, where one begins. To be called when its span is stored, within the same transaction. */
export const noteSpan = (file: SqliteFile, list: number, key: ListKey): void => {
  if (!beginsBlock(key.id)) return
  const [before, after] = [blockNear(file, list, '<=', key), blockNear(file, list, '>', key)]
  if (before?.fullyQualifiedName === key.fullyQualifiedName && before.id === key.id) return
  const save = (from: ListKey, to: ListKey | undefined): void => {
    const start = [list, from.fullyQualifiedName, from.id] as const
    const end = to === undefined ? '' : 'AND (fqn, id) < (?, ?)'
    file
      .statement(
        `INSERT OR REPLACE INTO timeline_blocks (list, fqn, id, oldest)
        SELECT ?, ?, ?, min(began) FROM timeline_spans WHERE list = ? AND (fqn, id) >= (?, ?) ${end}`,
      )
      .run(...start, ...start, ...(to === undefined ? [] : [to.fullyQualifiedName, to.id]))
  }
  save(key, after)
  if (before !== undefined) save(before, key)
}

/**
 * Where a walk goes on behind a place, which it excludes: over blocks in which everything came after a position;
 * `undefined`: nothing is left.
 */
export const nextOlder = (
  file: SqliteFile,
  list: number,
  from: KeyBound,
  position: bigint,
  backwards: boolean,
): KeyBound | undefined => {
  const block = blockNear(file, list, backwards ? '<' : '<=', from.key)
  if (block === undefined || block.oldest <= position) return from
  const older = blockNear(file, list, backwards ? '<' : '>', block, position)
  if (!backwards) return older && { key: older, inclusive: true }
  // What ends where the next one begins; before the first block there may be more.
  const next = blockNear(file, list, '>', older ?? { fullyQualifiedName: '', id: '' })
  return next && { key: next, inclusive: false }
}
