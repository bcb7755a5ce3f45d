import { createRequire } from 'node:module'
import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino'
import type Pretty from 'pino-pretty'
import type { PrettyOptions } from 'pino-pretty'
import { shorten } from '../shared/bounds.ts'
import { printable } from '../shared/escape.ts'

/** Longest text in a log line, in characters, whatever a caller sends. */
const longest = 500
const longestStack = 4000

const clippedMembers = (line: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(line).map(([name, value]) => [name, typeof value === 'string' ? shorten(value, longest) : value]),
  )

/** What was thrown, of an error without the requests, responses and inputs that libraries attach to it. */
const shownError = (thrown: unknown): Record<string, unknown> => {
  if (!(thrown instanceof Error)) return { message: shorten(String(thrown), longest) }
  const { type, message, stack } = stdSerializers.err(thrown)
  const { code } = thrown as NodeJS.ErrnoException
  return {
    type,
    ...(code !== undefined && { code }),
    message: shorten(message, longest),
    stack: shorten(String(stack), longestStack),
  }
}

export const makeLogger = (level: string, destination?: DestinationStream): Logger =>
  pino({ level, base: null, formatters: { log: clippedMembers }, serializers: { err: shownError } }, destination)

/** Loads the formatter, which JSON lines do not need. */
const require = createRequire(import.meta.url)

/** The message of a request's log line. */
const requestFields = 'method,route,path,status,ms,user,correlationId,clientCorrelationId'

const requestMessage: NonNullable<PrettyOptions['messageFormat']> = (line, _key, _label, { colors }) => {
  const { method, path, status, ms, user } = line
  const paint = Number(status) >= 500 ? colors.red : Number(status) >= 400 ? colors.yellow : colors.green
  const aside = `in ${String(ms)} ms${user === undefined ? '' : ` by ${String(user)}`}`
  return `${String(method)} ${String(path)} ${paint(String(status))} ${colors.gray(aside)}`
}

/** A member as a terminal may show it. */
const shownText = (name: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value
  return name === 'stack' ? value.split('\n').map(printable).join('\n') : printable(value)
}

/** Log lines for people: local time, coloured if the terminal can, without the structured request members. */
export const prettyStream = (output: { write(text: string): unknown }, inColours?: boolean): DestinationStream => {
  const { isColorSupported, prettyFactory } = require('pino-pretty') as typeof Pretty
  const colorize = inColours ?? isColorSupported
  const options: PrettyOptions = { colorize, singleLine: true, translateTime: 'SYS:HH:MM:ss' }
  const plain = prettyFactory(options)
  const request = prettyFactory({
    ...options,
    messageFormat: requestMessage,
    ignore: requestFields,
  })
  return {
    write: (line) => {
      const pretty = line.endsWith('"msg":"request"}\n') ? request : plain
      output.write(pretty(JSON.parse(line, shownText) as object))
    },
  }
}

type LogFormat = 'auto' | 'text' | 'json'

/** Whether the output is for people rather than a log collector. */
export const isPretty = (format: LogFormat, output: { readonly isTTY?: boolean } = process.stdout): boolean =>
  format === 'text' || (format === 'auto' && output.isTTY === true)

/** Most bytes that are kept of what is not written yet. */
const mostUnwritten = 2 ** 24

/** JSON lines on standard output. What a full disk does not take is written when there is room again, as far as it is kept. */
const jsonStream = (sync: boolean): DestinationStream => {
  const output = pino.destination({ dest: 1, sync, maxLength: mostUnwritten })
  output.on('error', () => {
    // The end of the process would wait for ever until everything is written.
    output.flushSync = () => undefined
  })
  return output
}

/**
 * The destination of a format.
 * @param sync each line is written before the call returns, as a process that is about to end needs it
 */
export const logDestination = (format: LogFormat, sync = false): DestinationStream =>
  isPretty(format) ? prettyStream(process.stdout) : jsonStream(sync)
