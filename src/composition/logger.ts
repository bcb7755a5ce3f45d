import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino'

/** Characters of one text in a line of the log: enough to know it by, and nothing that a caller sends makes more. */
const longest = 500
const longestStack = 4000

const clipped = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)

const clippedMembers = (line: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(line).map(([name, value]) => [name, typeof value === 'string' ? clipped(value, longest) : value]),
  )

interface ShownError {
  readonly message?: unknown
  readonly stack?: unknown
}

/** An error without what libraries hang on it: requests, answers, and the texts that they failed on. */
const shownError = (error: Error): Record<string, unknown> => {
  const { type, message, stack } = stdSerializers.err(error) as ShownError & { type?: unknown }
  const code: unknown = (error as NodeJS.ErrnoException).code
  return {
    type,
    ...(code !== undefined && { code }),
    message: clipped(String(message), longest),
    stack: clipped(String(stack), longestStack),
  }
}

/** The log of the process: JSON lines of bounded length. */
export const makeLogger = (level: string, destination?: DestinationStream): Logger =>
  pino({ level, base: null, formatters: { log: clippedMembers }, serializers: { err: shownError } }, destination)
