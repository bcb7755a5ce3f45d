import { limits } from '../shared/limits.ts'
import { makeThreadsInTurns, ThreadLost } from '../shared/threads/threads.ts'
import type { Turn } from '../shared/turns.ts'
import type { StoredOdcs } from './map/stored.ts'
import type { OperationName, Operations } from './operations.ts'

export interface RunnerOptions {
  /** Size in bytes from which a text is large; default 16 KiB, about five milliseconds of YAML. */
  threshold?: number
  /** Timeout of one document in milliseconds; default 20,000. */
  timeout?: number
  /** Idle milliseconds after which a thread ends; default 10,000, and a minute for small documents. */
  rest?: number
}

/** An operation exceeded its time or memory. Thrown only by exports and contract rules: others return problems. */
export class DocumentTooComplex extends Error {}

export interface OdcsRunner {
  /** Runs one of {@link operations} in a thread. @throws TooBusy; the reason of the signal */
  run: <Name extends OperationName>(
    turn: Turn,
    name: Name,
    ...args: Parameters<Operations[Name]>
  ) => Promise<ReturnType<Operations[Name]>>
  close: () => Promise<void>
}

/**
 * Creates a runner with one thread for large documents and one for small ones, which so do not wait for large ones.
 * Each starts with its first document, since the code that reads documents is large.
 */
export const createOdcsRunner = ({ threshold = 16 * 1024, timeout = 20_000, rest }: RunnerOptions = {}): OdcsRunner => {
  const module = new URL('./worker', import.meta.url)
  const large = makeThreadsInTurns<Operations>('documents', {
    module,
    count: limits.documentsAtOnce.value,
    timeout,
    rest: rest ?? 10_000,
  })
  const small = makeThreadsInTurns<Operations>('small documents', {
    module,
    count: limits.smallDocumentsAtOnce.value,
    timeout,
    rest: rest ?? 60_000,
  })

  return {
    async run(turn, name, ...args) {
      const threads = weight(args) < threshold ? small : large
      const value = await threads
        .run<typeof name>(turn, name, args)
        .catch((error: unknown) => answerFor(name, args, error))
      return value as ReturnType<Operations[typeof name]>
    },
    close: async () => {
      await Promise.all([small.close(), large.close()])
    },
  }
}

const why = {
  time: 'the document takes too long to be read',
  memory: 'the document is too complex to be read',
}

/** Operations whose results have no problems. */
const thrown: ReadonlySet<OperationName> = new Set(['exportJson', 'exportYaml', 'checkSemantics'])

/** The result for a document that could not be read in time: a problem. */
const answerFor = (name: OperationName, args: readonly unknown[], error: unknown): unknown => {
  if (!(error instanceof ThreadLost)) throw error
  // Problems without places are better than none.
  if (name === 'placeProblems') return args.at(-1)
  const message = why[error.reason]
  if (thrown.has(name)) throw new DocumentTooComplex(message)
  return { ok: false, problems: [{ path: '', line: 1, column: 1, message }], warnings: [] }
}

const lengthOf = (stored: StoredOdcs | undefined): number => (stored?.packed ?? stored?.source ?? '').length

// Bytes to parse or write: the input, and the stored text and columns of an export or merge.
const weight = (args: readonly unknown[]): number => args.reduce<number>((sum, arg) => sum + size(arg), 0)

interface Sized {
  readonly stored?: StoredOdcs
  readonly current?: { readonly stored?: StoredOdcs }
  readonly contract?: { readonly schema?: unknown }
}

/** Approximate bytes of a column in a document. */
const columnSize = 64

const size = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (value instanceof Uint8Array) return value.byteLength
  if (typeof value !== 'object' || value === null) return 0
  const { stored, current, contract } = value as Sized
  const columns = Array.isArray(contract?.schema) ? contract.schema.length * columnSize : 0
  return lengthOf(stored) + lengthOf(current?.stored) + columns
}
