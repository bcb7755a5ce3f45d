import { countCosigners, type VerifierKey, signatureLines } from '../../transparency/note.ts'
import { readSecret, replaceSecret } from '../../stores/sqlite/dataFolder.ts'
import { notesIn } from '../../transparency/checkpoint.ts'
import { appendNote } from '../../stores/noteFile.ts'

/** Number of stored checkpoints: the newest may still lack some cosignatures. */
const maxStored = 5

const textOf = (note: string): string => signatureLines(note).text

const signersOf = (note: string): number => signatureLines(note).signatures.length

/** Keeps the newest signature of each signer: repeated cosignatures have different times. */
const withOneLineEach = (note: string): string => {
  const { text, signatures } = signatureLines(note)
  const lines = note.slice(text.length + 1).split('\n')
  const newest = new Map(signatures.map(({ name, id }, at) => [`${name}+${id}`, lines[at] as string]))
  return `${text}\n${[...newest.values()].join('\n')}\n`
}

/** Recently cosigned checkpoints, in a file. */
export const openCosignatures = (path: string) => {
  const storedNotes = (): string[] => notesIn(readSecret(path) ?? '')
  return {
    /** Keeps lines with verified cosignatures of a note. */
    add: (note: string, lines: readonly string[]): void => {
      const before = storedNotes()
      const known = before.find((each) => textOf(each) === textOf(note)) ?? note
      const cosigned = withOneLineEach(known + lines.map((line) => `${line}\n`).join(''))
      const others = before.filter((each) => each !== known)
      replaceSecret(path, [...others, cosigned].slice(-maxStored).join('').trimEnd())
    },
    /** The newest checkpoint with the most cosignatures. */
    best: (): string | undefined =>
      storedNotes()
        .toSorted((one, other) => signersOf(one) - signersOf(other))
        .at(-1),
  }
}

export interface SignedCheckpoint {
  readonly size: number
  readonly note: string
}

export interface WitnessTarget {
  /** Name for people, without credentials. */
  readonly name: string
  /** Delivers a signed checkpoint. @throws Error if it was not accepted */
  submit(checkpoint: SignedCheckpoint, signal: AbortSignal): Promise<void>
}

const fileTarget = (path: string): WitnessTarget => ({ name: path, submit: ({ note }) => appendNote(path, note) })

/** Timeout of a request in milliseconds. */
const timeout = 15_000

const withoutUser = (url: URL): URL => {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return plain
}

const basic = ({ username, password }: URL): Record<string, string> => {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** The cause of a failed `fetch`, whose own message says little. */
const reasonOf = (error: unknown): string => {
  const { cause, message } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}

/** Largest answer in characters. */
const maxAnswer = 65_536

interface Answered {
  readonly status: number
  readonly type: string
  readonly body: string
}

const boundedText = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let body = ''
  for await (const chunk of response.body ?? []) {
    body += decoder.decode(chunk, { stream: true })
    if (body.length > maxAnswer) throw new Error('Its answer is too long.')
  }
  return body
}

interface WitnessClient {
  readonly userAgent: string
  /** Public keys of the witnesses. */
  readonly keys: readonly VerifierKey[]
  /** The consistency proof between two sizes of the log. */
  readonly consistency: (from: number, to: number) => Promise<readonly Buffer[]>
  readonly cosigned: Pick<ReturnType<typeof openCosignatures>, 'add'>
}

/** The signature lines of known witnesses in an answer. @throws NoteError, Error if there is none */
const knownLines = (note: string, body: string, keys: readonly VerifierKey[]): string[] => {
  const lines = body.split('\n').filter((line) => line !== '')
  const known = lines.filter((line) => countCosigners(`${note}${line}\n`, keys) > 0)
  if (known.length === 0) throw new Error('It cosigned with none of the keys in CATALOG_AUDIT_WITNESS_KEYS.')
  return known
}

/** Asks a witness to cosign (C2SP tlog-witness). Redirects are not followed. */
const cosigningTarget = (prefix: URL, { userAgent, keys, consistency, cosigned }: WitnessClient): WitnessTarget => {
  const address = withoutUser(prefix)
  address.pathname = `${address.pathname.replace(/\/$/, '')}/add-checkpoint`
  let acceptedSize = 0

  const add = async (old: number, { size, note }: SignedCheckpoint, signal: AbortSignal): Promise<Answered> => {
    const proof = old === 0 || old === size ? [] : await consistency(old, size)
    const lines = [`old ${old}`, ...proof.map((hash) => hash.toString('base64')), '', note]
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'user-agent': userAgent, ...basic(prefix) },
      body: lines.join('\n'),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    }).catch((error: unknown) => {
      throw new Error(reasonOf(error), { cause: error })
    })
    const type = response.headers.get('content-type') ?? ''
    return { status: response.status, type, body: await boundedText(response) }
  }
  /** The size that a witness reports; `undefined` if it reports none, or the one in the request. */
  const reportedSize = ({ status, type, body }: Answered, old: number): number | undefined => {
    const [, text] = /^(0|[1-9]\d{0,15})\n$/.exec(body) ?? []
    const isSize = status === 409 && type.startsWith('text/x.tlog.size') && text !== undefined
    return isSize && Number(text) !== old ? Number(text) : undefined
  }
  return {
    name: `${prefix.origin}${prefix.pathname}`,
    submit: async (checkpoint, signal) => {
      let answer = await add(Math.min(acceptedSize, checkpoint.size), checkpoint, signal)
      const reported = reportedSize(answer, Math.min(acceptedSize, checkpoint.size))
      if (reported !== undefined && reported > checkpoint.size)
        throw new Error(`It has seen a checkpoint of ${reported} events, and the log has ${checkpoint.size}.`)
      if (reported !== undefined) answer = await add(reported, checkpoint, signal)
      if (answer.status !== 200) throw new Error(`It answered ${answer.status}. ${answer.body.slice(0, 200)}`.trim())
      cosigned.add(checkpoint.note, knownLines(checkpoint.note, answer.body, keys))
      acceptedSize = checkpoint.size
    },
  }
}

/** @param targets absolute paths, and addresses of witnesses */
export const targetsOf = (targets: readonly (string | URL)[], client: WitnessClient): WitnessTarget[] =>
  targets.map((target) => (typeof target === 'string' ? fileTarget(target) : cosigningTarget(target, client)))
