import { parseArgs } from 'node:util'

/** How a command was called. */
export interface Call {
  /** Options with a text, by their names; `undefined`: not given. */
  readonly texts: Readonly<Record<string, string | undefined>>
  /** Options that stand alone, by their names. */
  readonly flags: Readonly<Record<string, boolean | undefined>>
  /** What stands behind the name of the command, beside options. */
  readonly words: readonly string[]
}

export interface CliCommand {
  /** Its options, for the help. */
  readonly usage?: string
  /** How many words may stand behind its name; 0 when left out. */
  readonly words?: number
  /** Names of options that take a text, and of those that stand alone. */
  readonly texts?: readonly string[]
  readonly flags?: readonly string[]
  /** @returns the exit code: 0 well, 1 something was found or failed, 2 the command was not understood */
  readonly run: (call: Call) => Promise<number>
}

/** A command as one of several: what it is for, in a line. */
export interface ListedCommand extends CliCommand {
  readonly summary: string
}

/** The command was given in a way that says nothing: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Reads the arguments of a command; `help` is an option of each. @throws TypeError (`ERR_PARSE_ARGS_…`) */
export const parseCall = ({ texts = [], flags = [] }: CliCommand, args: readonly string[]): Call => {
  const options = {
    ...Object.fromEntries(texts.map((name) => [name, { type: 'string' } as const])),
    ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' } as const])),
    help: { type: 'boolean', short: 'h' } as const,
  }
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  return { texts: values as Call['texts'], flags: values as Call['flags'], words: positionals }
}

/** Prints lines. @returns the exit code */
export const say = <Code extends number = 0>(lines: string, code = 0 as Code): Code => {
  process.stdout.write(`${lines}\n`)
  return code
}

/** Does the work with what was opened, and closes it. */
export const closing = async <T extends { close(): Promise<void> }, R>(
  opening: T | Promise<T>,
  work: (opened: T) => Promise<R>,
): Promise<R> => {
  const opened = await opening
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}
