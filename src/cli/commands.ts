import { audit } from './audit/audit.ts'
import { backup } from './backup.ts'
import type { CliCommand } from './command.ts'
import { copy } from './copy.ts'
import { rebuild, verify } from './rebuild.ts'
import { replay } from './replay.ts'
import { seed } from './seed.ts'
import { serve } from './serve.ts'
import { status } from './status.ts'
import { token } from './token/token.ts'

/** Every command by name. */
export const commands: Readonly<Record<string, CliCommand>> = {
  serve,
  status,
  token,
  rebuild,
  verify,
  replay,
  audit,
  backup,
  copy,
  seed,
}
