import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { readDuration } from '../../shared/instant.ts'
import { LinesError } from '../../shared/errors/linesError.ts'
import { appendNote } from '../../stores/noteFile.ts'
import { notesIn, openCheckpoint, type TreeCheckpoint } from '../../transparency/checkpoint.ts'
import { checkConsistency, ProofMismatch } from '../../transparency/merkle.ts'
import { NoteError, type VerifierKey } from '../../transparency/note.ts'
import { followSuccessions } from '../../transparency/succession.ts'
import { sendRequest, CallError, isWebAddress } from '../client/apiClient.ts'
import { print, printError, UsageError, type CliCommand } from '../command/command.ts'
import { readOwnFile, readPublicKeys } from './verifyLog.ts'
import { withoutTrailingSlashes } from '../../shared/returnPath.ts'

interface WatchedLog {
  checkpoint(): Promise<string>
  /** Signed notes of succession between keys. */
  successions(): Promise<string[]>
  /** The consistency proof between two sizes. */
  consistency(from: number, to: number): Promise<Buffer[]>
}

/** Status codes that say that there is no such thing. All others are of failures or of missing permission. */
const refusals: ReadonlySet<number | undefined> = new Set([400, 404, 409])

const isRefusal = (error: unknown): boolean => error instanceof CallError && refusals.has(error.status)

/** Timeout of a request in milliseconds. */
const timeout = 30_000

const hashesIn = (text: string): Buffer[] => {
  try {
    return (JSON.parse(text) as { hashes: unknown[] }).hashes.map((hash) => Buffer.from(String(hash), 'base64'))
  } catch {
    throw new ProofMismatch('The response is not a proof.')
  }
}

/** The log of a running service. @param url with or without a trailing `/api` */
const watchedService = (url: string, token: string | undefined): WatchedLog => {
  const audit = `${withoutTrailingSlashes(url).replace(/\/api$/, '')}/api/v1/audit`
  const read = async (path: string): Promise<string> =>
    (await sendRequest(`${audit}/${path}`, token, { signal: AbortSignal.timeout(timeout) })).text()
  return {
    checkpoint: () =>
      read('checkpoint').catch((error: unknown) => {
        const isRefused = error instanceof CallError && error.code === 'LOG_NOT_SIGNED'
        throw isRefused ? new ProofMismatch(error.message) : error
      }),
    successions: () =>
      read('successions').then(notesIn, (error: unknown) => {
        // Older services do not have them.
        if (isRefusal(error)) return []
        throw error
      }),
    consistency: (from, to) =>
      read(`consistency?from=${from}&to=${to}`).then(hashesIn, (error: unknown) => {
        throw isRefusal(error) ? new ProofMismatch(`It refuses to give a proof: ${(error as Error).message}`) : error
      }),
  }
}

interface WatchOptions {
  /** Address of a service. */
  readonly target: string
  readonly keyFile: string
  /** File of kept checkpoints, which it appends to. */
  readonly stateFile: string
  readonly token: string | undefined
  /** Interval such as `30s`, `10m` or `2h`; default: once. */
  readonly every: string | undefined
}

interface StoredCheckpoint {
  readonly note: string
  readonly checkpoint: TreeCheckpoint
}

/** The log does not extend, or does not prove that it extends, the kept checkpoint. */
class NotConsistent extends LinesError {
  override readonly name = 'NotConsistent'
}

/** `undefined`: there is no file yet. @throws UsageError if there is one without a checkpoint of these keys */
const lastCheckpoint = (file: string, keys: readonly VerifierKey[]): StoredCheckpoint | undefined => {
  if (!existsSync(file)) return undefined
  return readOwnFile(file, (text) => {
    const note = notesIn(text).at(-1)
    if (note === undefined) throw new NoteError('It has no checkpoint: name another file, or remove it to start again.')
    return { note, checkpoint: openCheckpoint(note, keys) }
  })
}

const alarm = (target: string, reason: string, kept: StoredCheckpoint | undefined, seen?: string): NotConsistent =>
  new NotConsistent([
    `ALARM: the log of ${target} was changed or replaced, or cannot prove that it was not. ${reason}`,
    '',
    ...(kept === undefined ? [] : ['The stored checkpoint:', '', ...kept.note.split('\n')]),
    ...(seen === undefined ? [] : ['The present checkpoint:', '', ...seen.split('\n')]),
    'Keep what is signed, and the present file of the log: two signed checkpoints that contradict each other are proof ' +
      'for everybody.',
  ])

const mustBeginWith = async (watched: WatchedLog, kept: TreeCheckpoint, seen: TreeCheckpoint): Promise<void> => {
  if (seen.origin !== kept.origin) throw new ProofMismatch(`It was ${kept.origin} and is ${seen.origin}.`)
  const grown = seen.size > kept.size && kept.size > 0
  const proof = grown ? await watched.consistency(kept.size, seen.size) : []
  checkConsistency(kept, seen, proof)
}

/** Checks once. @returns a message about the kept or unchanged checkpoint @throws NotConsistent */
const checkOnce = async (
  watched: WatchedLog,
  { target, stateFile }: WatchOptions,
  given: readonly VerifierKey[],
): Promise<string> => {
  const keys = followSuccessions(given, await watched.successions())
  const kept = lastCheckpoint(stateFile, keys)
  let note: string | undefined
  try {
    note = await watched.checkpoint()
    const seen = openCheckpoint(note, keys)
    if (kept !== undefined) await mustBeginWith(watched, kept.checkpoint, seen)
    if (seen.size === kept?.checkpoint.size) return `${seen.size} events, as before.`
    await appendNote(stateFile, note)
    return `${seen.size} events${kept === undefined ? ', the first that are known' : `, which begin with the ${kept.checkpoint.size} that were known`}.`
  } catch (error) {
    if (error instanceof ProofMismatch || error instanceof NoteError) throw alarm(target, error.message, kept, note)
    throw error
  }
}

const isFinal = (error: unknown): boolean =>
  [NotConsistent, NoteError, UsageError].some((kind) => error instanceof kind)

/** Checks once, or repeatedly until a proof fails. @returns the exit code */
const watchLog = async (options: WatchOptions): Promise<number> => {
  const { target, every } = options
  const interval = every === undefined ? undefined : readDuration(every)
  if (every !== undefined && interval === undefined)
    throw new UsageError('--every must be a time such as 30s, 10m or 2h, at most 596h')
  const keys = readPublicKeys(options.keyFile)
  if (!isWebAddress(target)) throw new UsageError(`${target} is not an address that begins with http:// or https://`)
  const watched = watchedService(target, options.token)
  for (;;) {
    try {
      print(`${new Date().toISOString()} ${target}: ${await checkOnce(watched, options, keys)}`)
    } catch (error) {
      if (interval === undefined || isFinal(error)) throw error
      printError(`${new Date().toISOString()} ${target}: ${(error as Error).message}`)
    }
    if (interval === undefined) return 0
    await delay(interval)
  }
}

/** A witness: keeps the checkpoints of a log and demands a consistency proof for each. */
export const watch: CliCommand = {
  usage:
    'URL --key FILE --state FILE [--token TOKEN] [--every 10m]\n\n' +
    '  URL      a running service\n' +
    '  --key    the public key from GET /v1/audit/key; do not keep it with the log\n' +
    '  --state  the file for the checkpoints; `catalog audit verify --checkpoint` reads it too\n' +
    '  --token  a token that may read the history, such as one of an Auditor\n' +
    '  --every  repeat after this time, at most 596h; without it, check once',
  words: 1,
  texts: ['key', 'state', 'token', 'every'],
  run: async ({ texts: { key, state, token, every }, words: [target] }) => {
    if (target === undefined || key === undefined || state === undefined)
      throw new UsageError('name what to watch, with --key FILE and --state FILE')
    return watchLog({ target, keyFile: key, stateFile: state, token, every })
  },
}
