import { createRequire } from 'node:module'
import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino'
import type Pretty from 'pino-pretty'
import type { PrettyOptions } from 'pino-pretty'
import { shorten } from '../shared/bounds.ts'

/** Characters of one text in a line of the log: enough to know it by, and nothing that a caller sends makes more. */
const longest = 500
const longestStack = 4000

const clippedMembers = (line: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(line).map(([name, value]) => [name, typeof value === 'string' ? shorten(value, longest) : value]),
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
    message: shorten(String(message), longest),
    stack: shorten(String(stack), longestStack),
  }
}

export const makeLogger = (level: string, destination?: DestinationStream): Logger =>
  pino({ level, base: null, formatters: { log: clippedMembers }, serializers: { err: shownError } }, destination)

/** Loads what is not needed where lines are JSON. */
const require = createRequire(import.meta.url)

/** What the line of a request says in words. */
const toldOfRequest = 'method,route,path,status,ms,user,correlationId,clientCorrelationId'

const requestMessage: NonNullable<PrettyOptions['messageFormat']> = (line, _key, _label, { colors }) => {
  const { method, path, status, ms, user } = line
  const paint = Number(status) >= 500 ? colors.red : Number(status) >= 400 ? colors.yellow : colors.green
  const aside = `in ${String(ms)} ms${user === undefined ? '' : ` by ${String(user)}`}`
  return `${String(method)} ${String(path)} ${paint(String(status))} ${colors.gray(aside)}`
}

/** Lines for people: local time, in colours where the terminal has them. What JSON has of a path is left out. */
export const forPeople = (output: { write(text: string): unknown }, inColours?: boolean): DestinationStream => {
  const { isColorSupported, prettyFactory } = require('pino-pretty') as typeof Pretty
  const colorize = inColours ?? isColorSupported
  const options: PrettyOptions = { colorize, singleLine: true, translateTime: 'SYS:HH:MM:ss' }
  const plain = prettyFactory(options)
  const request = prettyFactory({
    ...options,
    messageFormat: requestMessage,
    ignore: toldOfRequest,
  })
  return { write: (line) => void output.write((line.endsWith('"msg":"request"}\n') ? request : plain)(line)) }
}

/** The destination that a format asks for; `undefined`: JSON to standard output. */
export const logDestination = (
  format: 'auto' | 'text' | 'json',
  output: { readonly isTTY?: boolean; write(text: string): unknown } = process.stdout,
): DestinationStream | undefined =>
  format === 'text' || (format === 'auto' && output.isTTY === true) ? forPeople(output) : undefined
