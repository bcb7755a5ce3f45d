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
  readonly lastSignedFile: string
  readonly cosignedFile: string
}

/** The log must not be signed: it does not extend the checkpoint that was signed last, or nobody can tell. */
export class CheckpointError extends CatalogError {
  override readonly name = 'CheckpointError'
}

/** The last checkpoint, if it was signed with the current key. @throws CheckpointError if no key of the log signed it */
const lastSigned = ({ signer, keys, lastSignedFile }: CheckpointKeys): TreeCheckpoint | undefined => {
  const text = readSecret(lastSignedFile)
  if (text === undefined) return undefined
  const note = `${text}\n`
  try {
    const checkpoint = openCheckpoint(note, keys)
    return openNote(note, keys).signers.some(({ id }) => id === signer.id) ? checkpoint : undefined
  } catch (error) {
    if (!(error instanceof NoteError)) throw error
    throw new CheckpointError(
      `The checkpoint that was signed last, ${lastSignedFile}, cannot be verified: nothing is signed. ` +
        `${error.message} If the key was rotated, restart the service. Otherwise put the key file back, or that file.`,
    )
  }
}

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
 * The head of the tree, verified for signing. @throws CheckpointError unless the tree extends the last signed checkpoint
 * and its inner tiles match its leaves
 */
export const verifiedHead = async (tree: LogTree, keys: CheckpointKeys): Promise<HeadAt> => {
  const head = await tree.head()
  const { size } = head
  const last = lastSigned(keys)
  if (last === undefined || (size >= last.size && (await tree.rootAt(last.size)).equals(last.root))) {
    if ((await rootOfLeaves(tree, size, last?.size ?? 0)).equals(head.root)) return head
    throw new CheckpointError(
      'The tiles of the tree are not those of its leaves: nothing is signed. Run: catalog verify',
    )
  }
  throw new CheckpointError(
    `The key signed a log of ${last.size} events (${keys.lastSignedFile}), and the log of ${size} events that is ` +
      'there does not go on from it: nothing is signed, since a key signs one history. Put the newer log back. If ' +
      'this one is to stay, say so by a new key, which the log tells of: catalog audit rotate',
  )
}

interface SignedHead {
  readonly head: HeadAt
  readonly note: string
}

/** Signs the present tree if it extends the last signed checkpoint, and writes nothing. @throws CheckpointError */
export const signHead = async (tree: LogTree, keys: CheckpointKeys): Promise<SignedHead> => {
  const head = await verifiedHead(tree, keys)
  return { head, note: signCheckpoint(head, keys.signer) }
}

/** The same for the service: the new checkpoint is durable before its signature is returned. @throws CheckpointError */
export const signAndRecordHead = async (tree: LogTree, keys: CheckpointKeys): Promise<SignedHead> => {
  for (;;) {
    const before = readSecret(keys.lastSignedFile)
    const signed = await signHead(tree, keys)
    // Another request may have signed a longer log meanwhile: this one must extend it.
    if (readSecret(keys.lastSignedFile) !== before) continue
    const text = signed.note.trimEnd()
    if (before !== text) replaceSecret(keys.lastSignedFile, text)
    return signed
  }
}
