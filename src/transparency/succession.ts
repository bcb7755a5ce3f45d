import { NoteError, openNote, readVerifierKey, signNote, type SignerKey, type VerifierKey } from './note.ts'

/**
 * Lets one key take over from another: a signed note by the former, whose text is `<name> successor`, and `key` with
 * the new public key. Whoever trusts the former may trust the new one.
 */
export const signSuccession = (next: Pick<VerifierKey, 'text'>, by: SignerKey): string =>
  signNote(`${by.name} successor\nkey ${next.text}\n`, by)

/** Reads a succession that one of the keys signed. @throws NoteError */
export const openSuccession = (note: string, keys: readonly VerifierKey[]) => {
  const { text, signers } = openNote(note, keys)
  const former = signers[0] as VerifierKey
  const [title, line = ''] = text.split('\n')
  if (title !== `${former.name} successor` || !line.startsWith('key '))
    throw new NoteError('The note is not a succession: it should say whose, and the key that takes over.')
  return { former, key: readVerifierKey(line.slice('key '.length)) }
}

/** The keys and all their successors. Notes that are not signed by one of these are ignored. */
export const followSuccessions = (keys: readonly VerifierKey[], notes: readonly string[]): VerifierKey[] => {
  const known = [...keys]
  const left = new Set(notes)
  for (let before = -1; before !== left.size;) {
    before = left.size
    for (const note of left) {
      try {
        const { key } = openSuccession(note, known)
        left.delete(note)
        if (!known.some(({ text }) => text === key.text)) known.push(key)
      } catch (error) {
        if (!(error instanceof NoteError)) throw error
      }
    }
  }
  return known
}
