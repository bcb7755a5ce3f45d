import { hashLength, type TreeHead } from './merkle.ts'
import { NoteError, openNote, signNote, type SignerKey, type VerifierKey } from './note.ts'

/** A signed tree head (C2SP tlog-checkpoint). */
export interface TreeCheckpoint extends TreeHead {
  /** Name of the log and of its key. */
  readonly origin: string
}

/** Signs a tree head. @returns the signed note */
export const signCheckpoint = ({ size, root }: TreeHead, signer: SignerKey): string =>
  signNote(`${signer.name}\n${size}\n${root.toString('base64')}\n`, signer)

/** Reads a checkpoint and verifies its signature. @throws NoteError */
export const openCheckpoint = (note: string, keys: readonly VerifierKey[]): TreeCheckpoint => {
  const { text } = openNote(note, keys)
  const [origin = '', size = '', encoded = ''] = text.split('\n')
  const root = Buffer.from(encoded, 'base64')
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || root.length !== hashLength)
    throw new NoteError('The note is not a checkpoint: it should say origin, number of events and root.')
  if (!keys.some(({ name }) => name === origin))
    throw new NoteError(`The checkpoint is of the log ${origin}, of none of the keys.`)
  return { origin, size: Number(size), root }
}

/** A line with an Ed25519 signature. */
const signatureLine = /^— \S+ \S{92,}$/u

/**
 * The signed notes of a file, in order. A note begins after an empty line or after the signatures of another. A partial
 * note of an interrupted write is left out.
 */
export const notesIn = (text: string): string[] => {
  const notes: string[] = []
  let signed = ''
  for (const block of text.replaceAll('\r\n', '\n').split(/\n{2,}/)) {
    const lines = block.split('\n')
    const end = [...lines, ''].findIndex((line) => !signatureLine.test(line))
    if (signed !== '' && end > 0) notes.push(`${signed}\n\n${lines.slice(0, end).join('\n')}\n`)
    signed = lines.slice(end).join('\n')
  }
  return notes
}
