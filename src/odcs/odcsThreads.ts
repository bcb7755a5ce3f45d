import { limits } from '../shared/limits.ts'
import { makeThreadsInTurns } from '../shared/threads/inTurns.ts'
import { ThreadLost } from '../shared/threads/threads.ts'
import type { Turn } from '../shared/turns.ts'
import type { OperationName, Operations } from './operations.ts'

export interface RunnerOptions {
  /** Texts of at least so many bytes go to the thread; default 16 KiB: some five milliseconds of YAML. */
  threshold?: number
  /** How long one document may take, in milliseconds; default 10,000. */
  timeout?: number
  /** Milliseconds without a large document after which the thread ends; default 10,000. */
  rest?: number
}

/** A document took too long or too much memory to read. Only an export throws it; others answer with problems. */
export class DocumentTooComplex extends Error {}

export interface OdcsRunner {
  /** Runs one of {@link operations}, large documents in a thread. @throws TooBusy; the reason of the signal */
  run: <Name extends OperationName>(
    turn: Turn,
    name: Name,
    ...args: Parameters<Operations[Name]>
  ) => Promise<ReturnType<Operations[Name]>>
  close: () => Promise<void>
}

/** Makes a runner with at most one thread, started when the first large document comes. */
export const createOdcsRunner = ({
  threshold = 16 * 1024,
  timeout = 10_000,
  rest = 10_000,
}: RunnerOptions = {}): OdcsRunner => {
  const threads = makeThreadsInTurns<Operations>('documents', {
    module: new URL('./worker', import.meta.url),
    count: limits.documentsAtOnce.value,
    timeout,
    rest,
  })

  return {
    async run(turn, name, ...args) {
      if (weight(args) < threshold) {
        // Parsers and schemas are large, and only loaded by those who have contract documents.
        const { operations } = await import('./operations.ts')
        const operation = operations[name] as (...args: unknown[]) => unknown
        return operation(...args) as ReturnType<Operations[typeof name]>
      }
      const value = await threads.run<typeof name>(turn, name, args).catch((error: unknown) => answerFor(name, error))
      return value as ReturnType<Operations[typeof name]>
    },
    close: threads.close,
  }
}

const why = {
  time: 'the document takes too long to be read',
  memory: 'the document is too complex to be read',
}

/** A document that could not be read is a problem of it, but for an export. */
const answerFor = (name: OperationName, error: unknown): unknown => {
  if (!(error instanceof ThreadLost)) throw error
  const message = why[error.reason]
  if (name === 'exportJson' || name === 'exportYaml') throw new DocumentTooComplex(message)
  return { ok: false, problems: [{ path: '', line: 1, column: 1, message }], warnings: [] }
}

// Bytes of text to be parsed or written: the input itself, and the stored text and the columns of an export or a merge.
const weight = (args: readonly unknown[]): number => args.reduce<number>((sum, arg) => sum + size(arg), 0)

interface Sized {
  readonly stored?: { readonly source?: string }
  readonly current?: { readonly stored?: { readonly source?: string } }
  readonly contract?: { readonly schema?: unknown }
}

/** Bytes that a column takes in a document, about. */
const columnSize = 64

const size = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (value instanceof Uint8Array) return value.byteLength
  if (typeof value !== 'object' || value === null) return 0
  const { stored, current, contract } = value as Sized
  const columns = Array.isArray(contract?.schema) ? contract.schema.length * columnSize : 0
  return (stored?.source?.length ?? 0) + (current?.stored?.source?.length ?? 0) + columns
}
