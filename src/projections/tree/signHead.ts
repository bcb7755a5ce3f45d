import { readSecret, replaceSecret } from '../../stores/sqlite/dataFolder.ts'
import { CatalogError } from '../../shared/errors/namedError.ts'
import { openCheckpoint, signCheckpoint, type TreeCheckpoint } from '../../transparency/checkpoint.ts'
import { NoteError, openNote, type SignerKey, type VerifierKey } from '../../transparency/note.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import { makeGrowingTree } from './treeAudit.ts'
import type { LogTree, HeadAt } from './tree.ts'

/** The keys and files for signing checkpoints. */
export interface CheckpointKeys {
  readonly signer: SignerKey
  /** Public keys of the log, the current one first. */
  readonly keys: readonly VerifierKey[]
  /** File of the newest signed checkpoint. */
  readonly lastSignedFile: string
  /** File of the checkpoints that witnesses have cosigned. */
  readonly cosignedFile: string
}

/** The log does not extend the checkpoint that its key signed last: it was restored from a backup, or modified. */
export class OtherHistory extends CatalogError {
  override readonly name = 'OtherHistory'
}

const isBy = (note: string, signer: SignerKey): boolean => {
  try {
    return openNote(note, [signer]).signers.length > 0
  } catch (error) {
    if (error instanceof NoteError) return false
    throw error
  }
}

/** The last checkpoint signed with the current key, if any. @throws NoteError for a file signed by no key of the log */
const lastSigned = ({ signer, keys }: CheckpointKeys, text: string | undefined): TreeCheckpoint | undefined => {
  const note = text === undefined ? undefined : `${text.trim()}\n`
  if (note === undefined) return undefined
  const checkpoint = openCheckpoint(note, keys)
  return isBy(note, signer) ? checkpoint : undefined
}

/** Computes the root from the leaves, starting at the last signed size. */
const rootOfLeaves = async (tree: LogTree, size: number, signed: number): Promise<Buffer> => {
  const growing = makeGrowingTree({ edge: await tree.edge(signed), size: signed })
  const yieldWhenDue = makeYielder()
  for await (const { hash } of tree.leaves(size, signed)) {
    growing.add(hash)
    await yieldWhenDue()
  }
  return growing.root()
}

/**
 * The head of the tree, verified for signing. @throws OtherHistory unless the tree extends the last signed checkpoint
 * and its inner tiles match its leaves
 */
export const verifiedHead = async (tree: LogTree, keys: CheckpointKeys): Promise<HeadAt> => {
  const head = await tree.head()
  const { size } = head
  const last = lastSigned(keys, readSecret(keys.lastSignedFile))
  if (last === undefined || (size >= last.size && (await tree.rootAt(last.size)).equals(last.root))) {
    if ((await rootOfLeaves(tree, size, last?.size ?? 0)).equals(head.root)) return head
    throw new OtherHistory('The tiles of the tree are not those of its leaves: nothing is signed. Run: catalog verify')
  }
  throw new OtherHistory(
    `The key signed a log of ${last.size} events (${keys.lastSignedFile}), and the log of ${size} events that is ` +
      'there does not go on from it: nothing is signed, since a key signs one history. Put the newer log back. If ' +
      'this one is to stay, say so by a new key, which the log tells of: catalog audit rotate',
  )
}

/**
 * Signs the present tree if it extends the last signed checkpoint. The new checkpoint is durable before its signature
 * is returned. @throws OtherHistory, NoteError
 */
export const signHead = async (
  tree: LogTree,
  keys: CheckpointKeys,
): Promise<{ readonly head: HeadAt; readonly note: string }> => {
  for (;;) {
    const before = readSecret(keys.lastSignedFile)
    const head = await verifiedHead(tree, keys)
    // Another request may have signed a longer log meanwhile: this one must extend it.
    if (readSecret(keys.lastSignedFile) !== before) continue
    const note = signCheckpoint(head, keys.signer)
    if (before?.trim() !== note.trim()) replaceSecret(keys.lastSignedFile, note.trimEnd())
    return { head, note }
  }
}
