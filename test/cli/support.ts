import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { CommandInput } from '../../src/cli/command/command.ts'
import type { Said } from '../support/commandLine.ts'
import { longEnough } from '../support/patience.ts'

/** A call of a command with this and nothing else. */
export const callOf = (given: Partial<CommandInput> = {}): CommandInput => ({
  texts: {},
  flags: {},
  words: [],
  ...given,
})

const root = join(import.meta.dirname, '../..')

/** Runs the built command line in a process of its own, with these settings and no others. */
export const catalogProcess = (args: readonly string[], env: Record<string, string> = {}): Promise<Said> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'bin/catalog.js'), ...args],
      { env, timeout: longEnough, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
