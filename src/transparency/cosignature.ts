import { verify } from 'node:crypto'
import { BadNote, signatureLines, type VerifierKey } from './note.ts'

/** What a witness says of a checkpoint (C2SP tlog-cosignature, Ed25519): at that time it was the newest it had seen. */
export interface Cosignature {
  readonly witness: VerifierKey
  /** When it signed, in seconds since 1970. */
  readonly time: bigint
}

const timeLength = 8

/** Verifies the cosignatures of a note by these witnesses; those of others are left out. @throws BadNote */
export const cosignaturesOf = (note: string, witnesses: readonly VerifierKey[]): Cosignature[] => {
  const { text, signatures } = signatureLines(note)
  const found = new Map<string, Cosignature>()
  for (const { name, id, signature } of signatures) {
    const witness = witnesses.find((key) => key.name === name && key.id === id)
    if (witness === undefined) continue
    const time = signature.length > timeLength ? signature.readBigUInt64BE() : 0n
    const message = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`)
    if (!verify(null, message, witness.key, signature.subarray(timeLength)))
      throw new BadNote(`The cosignature of ${name} does not hold: the checkpoint is not what it signed.`)
    found.set(witness.text, { witness, time })
  }
  return [...found.values()]
}
