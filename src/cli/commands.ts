import type { ParseArgsConfig } from 'node:util'
import { audit } from './audit.ts'
import { backup } from './backup.ts'
import { copy } from './copy.ts'
import { rebuild, verify } from './rebuild.ts'
import { replay } from './replay.ts'
import { seed } from './seed.ts'
import { serve } from './serve.ts'
import { token } from './token.ts'

/** One command of the command line. */
export interface CliCommand {
  readonly summary: string
  /** Its options, for the help. */
  readonly usage: string
  readonly options: NonNullable<ParseArgsConfig['options']>
  /** @returns the exit code */
  readonly run: (options: Record<string, string | boolean | undefined>, positionals: string[]) => Promise<number>
}

/** Every command by name. */
export const commands: Readonly<Record<string, CliCommand>> = {
  serve,
  token,
  rebuild,
  verify,
  replay,
  audit,
  backup,
  copy,
  seed,
}
