import { parseArgs } from 'node:util'
import { printable } from '../../shared/escape.ts'

export interface CommandInput {
  /** Options with a value, by name. */
  readonly texts: Readonly<Record<string, string | undefined>>
  /** Flags, by name. */
  readonly flags: Readonly<Record<string, boolean | undefined>>
  /** Positional arguments. */
  readonly words: readonly string[]
}

export interface CliCommand {
  /** Its options, for the help. */
  readonly usage?: string
  /** Largest number of positional arguments (default 0). */
  readonly words?: number
  /** Names of options with a value, and of flags. */
  readonly texts?: readonly string[]
  readonly flags?: readonly string[]
  /** Options that mean nothing without another one, which is named. */
  readonly needs?: Readonly<Record<string, string>>
  /** @returns the exit code: 0 success, 1 a finding or failure, 2 wrong usage */
  readonly run: (call: CommandInput) => Promise<number>
}

/** Wrong usage: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Reads the arguments of a command; `help` is an option of each. @throws TypeError (`ERR_PARSE_ARGS_…`), UsageError */
export const parseArguments = (command: CliCommand, args: readonly string[]): CommandInput => {
  const { texts = [], flags = [], needs = {}, words: mostWords = 0 } = command
  const options = {
    ...Object.fromEntries(texts.map((name) => [name, { type: 'string' } as const])),
    ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' } as const])),
    help: { type: 'boolean', short: 'h' } as const,
  }
  const { values, positionals: words } = parseArgs({ args: [...args], options, allowPositionals: true })
  const given = values as Readonly<Record<string, unknown>>
  if (given['help'] !== true) {
    if (words.length > mostWords) throw new UsageError(`Unexpected argument: ${words[mostWords]}.`)
    for (const [name, other] of Object.entries(needs))
      if (given[name] !== undefined && given[other] === undefined) throw new UsageError(`--${name} needs --${other}.`)
  }
  const read = (type: 'string' | 'boolean') => Object.entries(given).filter(([, value]) => typeof value === type)
  return {
    texts: Object.fromEntries(read('string')) as CommandInput['texts'],
    flags: Object.fromEntries(read('boolean')) as CommandInput['flags'],
    words,
  }
}

const textOf = (lines: string | readonly string[]): string =>
  [lines]
    .flat()
    .map((line) => `${printable(line)}\n`)
    .join('')

/** Prints a line, or several. @returns the exit code */
export const print = <Code extends number = 0>(lines: string | readonly string[], code = 0 as Code): Code => {
  process.stdout.write(textOf(lines))
  return code
}

/** The same on standard error, for what failed. */
export const printError = (lines: string | readonly string[], code = 1): number => {
  process.stderr.write(textOf(lines))
  return code
}

/** Runs work with a resource and closes it. */
export const withResource = async <T extends { close(): unknown }, R>(
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
