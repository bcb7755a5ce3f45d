import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, sign, verify, type KeyObject } from 'node:crypto'
import { CatalogError } from '../shared/errors/namedError.ts'

/** A malformed or wrong note, key or checkpoint; the message says why. */
export class NoteError extends CatalogError {
  override readonly name = 'NoteError'
}

/** A public key that notes are verified with (C2SP signed-note, Ed25519). */
export interface VerifierKey {
  /** Name of the key, without white space and plus signs. */
  readonly name: string
  /** Eight hex digits. */
  readonly id: string
  /** `<name>+<id>+<base64>`, as it is given to verifiers. */
  readonly text: string
  readonly key: KeyObject
}

export interface SignerKey extends VerifierKey {
  readonly privateKey: KeyObject
}

/** First byte of encoded keys: whether Ed25519 signs the note itself or a cosignature of it. */
const algorithms = { note: 1, cosignature: 4 } as const

type KeyUse = keyof typeof algorithms

const keyLength = 32
const privatePrefix = 'PRIVATE+KEY+'

/** DER prefix of a key. */
const derPrefix = {
  private: Buffer.from('302e020100300506032b657004220420', 'hex'),
  public: Buffer.from('302a300506032b6570032100', 'hex'),
}

const idOf = (name: string, encoded: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), encoded]), 'buffer').subarray(0, 4)

const encode = (bytes: Buffer, use: KeyUse): Buffer => Buffer.concat([Buffer.from([algorithms[use]]), bytes])

const rawPublic = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-keyLength)

const verifierOf = (name: string, bytes: Buffer, use: KeyUse = 'note'): VerifierKey => {
  const encoded = encode(bytes, use)
  const id = idOf(name, encoded).toString('hex')
  return {
    name,
    id,
    text: `${name}+${id}+${encoded.toString('base64')}`,
    key: createPublicKey({ key: Buffer.concat([derPrefix.public, bytes]), format: 'der', type: 'spki' }),
  }
}

/** Reads `<name>+<id>+<base64>`. */
const readKey = (text: string, what: string, use: KeyUse): { name: string; id: string; bytes: Buffer } => {
  const [, name, id, data] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(text) ?? []
  const encoded = Buffer.from(data ?? '', 'base64')
  if (name === undefined || id === undefined || encoded.length !== keyLength + 1 || encoded[0] !== algorithms[use])
    throw new NoteError(`This is not a ${what} of Ed25519 in the format of signed notes`)
  return { name, id, bytes: encoded.subarray(1) }
}

const readingPublicKeys =
  (what: string, use: KeyUse) =>
  (text: string): VerifierKey => {
    const { name, id, bytes } = readKey(text.trim(), what, use)
    const key = verifierOf(name, bytes, use)
    if (key.id !== id) throw new NoteError(`The public key of ${name} does not have the id ${id}.`)
    return key
  }

/** Reads a public key. @throws NoteError */
export const readVerifierKey = readingPublicKeys('public key', 'note')

/** Reads a public key that cosignatures are verified with. @throws NoteError */
export const readWitnessKey = readingPublicKeys('public key of a witness', 'cosignature')

/** Reads a private key: `PRIVATE+KEY+<name>+<id>+<base64>`. @throws NoteError */
export const readSignerKey = (text: string): SignerKey => {
  const trimmed = text.trim()
  if (!trimmed.startsWith(privatePrefix))
    throw new NoteError('A private key for signed notes begins with PRIVATE+KEY+.')
  const { name, id, bytes } = readKey(trimmed.slice(privatePrefix.length), 'private key', 'note')
  const privateKey = createPrivateKey({ key: Buffer.concat([derPrefix.private, bytes]), format: 'der', type: 'pkcs8' })
  const signer = signerOf(name, privateKey)
  if (signer.id !== id) throw new NoteError(`The private key of ${name} does not have the id ${id}.`)
  return signer
}

const signerOf = (name: string, privateKey: KeyObject): SignerKey => ({
  ...verifierOf(name, rawPublic(createPublicKey(privateKey))),
  privateKey,
})

/** Generates a private key as a text. @param name name of the key, such as an address without `https://` */
export const makeSignerKey = (name: string): string => {
  if (!/^[^\s+]+$/u.test(name)) throw new NoteError('The name of a key has no white space and no plus sign.')
  return signerText(signerOf(name, generateKeyPairSync('ed25519').privateKey))
}

export const signerText = ({ name, id, privateKey }: SignerKey): string => {
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-keyLength)
  return `${privatePrefix}${name}+${id}+${encode(seed, 'note').toString('base64')}`
}

/** Signs a text, which must end with a line break. @returns the signed note */
export const signNote = (text: string, signer: SignerKey): string => {
  const signature = Buffer.concat([Buffer.from(signer.id, 'hex'), sign(null, Buffer.from(text), signer.privateKey)])
  return `${text}\n— ${signer.name} ${signature.toString('base64')}\n`
}

const signatureLine = /^— ([^\s+]+) ([A-Za-z0-9+/]+=*)$/u

interface SignatureLine {
  readonly name: string
  readonly id: string
  readonly signature: Buffer
}

/** The text of a signed note, with its signatures as they stand there. @throws NoteError */
export const signatureLines = (
  note: string,
): { readonly text: string; readonly signatures: readonly SignatureLine[] } => {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) throw new NoteError('This is not a signed note.')
  const lines = note.slice(end + 2, -1).split('\n')
  const signatures = lines.map((line): SignatureLine => {
    const [, name, encoded] = signatureLine.exec(line) ?? []
    if (name === undefined || encoded === undefined) throw new NoteError('A line with a signature cannot be read.')
    const signature = Buffer.from(encoded, 'base64')
    return { name, id: signature.subarray(0, 4).toString('hex'), signature: signature.subarray(4) }
  })
  return { text: note.slice(0, end + 1), signatures }
}

/**
 * Reads a signed note. Signatures of unknown keys are ignored, as the specification demands; an invalid signature of a
 * known key invalidates the note.
 * @returns its text and the keys that signed it, at least one
 * @throws NoteError
 */
export const openNote = (
  note: string,
  keys: readonly VerifierKey[],
): { readonly text: string; readonly signers: readonly VerifierKey[] } => {
  const { text, signatures } = signatureLines(note)
  const signers: VerifierKey[] = []
  for (const { name, id, signature } of signatures) {
    const known = keys.find((key) => key.name === name && key.id === id)
    if (known === undefined) continue
    if (!verify(null, Buffer.from(text), known.key, signature))
      throw new NoteError(`The signature of ${name} does not hold: the text is not what was signed.`)
    signers.push(known)
  }
  if (signers.length === 0)
    throw new NoteError(`None of the keys given (${keys.map((key) => `${key.name}+${key.id}`).join(', ')}) signed it.`)
  return { text, signers }
}

/** Bytes of the time of a cosignature, in seconds since 1970. */
const timeLength = 8

/**
 * Counts the witnesses that cosigned a note (C2SP tlog-cosignature, Ed25519): each says that at a time the checkpoint was
 * the newest it had seen. @throws NoteError for a cosignature of one of them that does not hold
 */
export const countCosigners = (note: string, witnesses: readonly VerifierKey[]): number => {
  const { text, signatures } = signatureLines(note)
  const found = new Set<string>()
  for (const { name, id, signature } of signatures) {
    const witness = witnesses.find((key) => key.name === name && key.id === id)
    if (witness === undefined) continue
    const time = signature.length > timeLength ? signature.readBigUInt64BE() : 0n
    const message = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`)
    if (!verify(null, message, witness.key, signature.subarray(timeLength)))
      throw new NoteError(`The cosignature of ${name} does not hold: the checkpoint is not what it signed.`)
    found.add(witness.text)
  }
  return found.size
}
