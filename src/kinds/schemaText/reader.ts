import { limits } from '../../shared/limits.ts'
import { makeThreadsInTurns, ThreadLost } from '../../shared/threads/threads.ts'
import type { Turn } from '../../shared/turns.ts'
import { readSchemaText, type Operations, type SchemaReading, type SchemaText } from './readSchemaText.ts'

export interface SchemaReaderOptions {
  /** Texts from this length on are parsed in a thread; default 8 KiB, some tens of milliseconds. */
  readonly threshold?: number
  /** Timeout of one text in milliseconds; see `limits.schemaTime`. */
  readonly timeout?: number
}

/** Parses schema texts: small ones on this thread, large ones in another, fairly between callers. */
export interface SchemaReader {
  /** @throws TooBusy when the queue is full; the signal's reason when the caller has left */
  readonly read: (turn: Turn, schema: SchemaText) => Promise<SchemaReading>
  readonly close: () => Promise<void>
}

/** Milliseconds after which a thread without work ends. */
const rest = 10_000

const why = { time: 'takes too long to be read', memory: 'takes too much memory to be read' }

export const createSchemaReader = ({
  threshold = 8 * 1024,
  timeout = limits.schemaTime.value,
}: SchemaReaderOptions = {}): SchemaReader => {
  const threads = makeThreadsInTurns<Operations>('schema texts', {
    module: new URL('./worker', import.meta.url),
    count: limits.schemasAtOnce.value,
    timeout,
    rest,
  })
  return {
    read: async (turn, schema) => {
      if (schema.schemaText.length < threshold) return readSchemaText(schema)
      try {
        return await threads.run(turn, 'readSchemaText', [schema])
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error
        return { problem: `${why[error.reason]}; with the schemaType Other the text is kept without its fields` }
      }
    },
    close: threads.close,
  }
}
