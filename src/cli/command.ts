import type { ParseArgsConfig } from 'node:util'

export interface CliCommand {
  /** Its options, for the help. */
  readonly usage: string
  /** How many words may stand behind its name; 0 when left out. */
  readonly words?: number
  readonly options: NonNullable<ParseArgsConfig['options']>
  /** @returns the exit code: 0 well, 1 something was found or failed, 2 the command was not understood */
  readonly run: (options: Record<string, string | boolean | undefined>, positionals: string[]) => Promise<number>
}

/** A command as one of several: what it is for, in a line. */
export interface ListedCommand extends CliCommand {
  readonly summary: string
}

/** The command was given in a way that says nothing: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An option that takes a text; `undefined` where it was not given. */
export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
