import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Call } from '../../src/cli/command/command.ts'
import { longEnough } from '../support/patience.ts'

/** A call of a command with this and nothing else. */
export const callOf = (given: Partial<Call> = {}): Call => ({ texts: {}, flags: {}, words: [], ...given })

const root = join(import.meta.dirname, '../..')

/** How a command ended. */
export interface Said {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built command line with these settings and no others. */
export const catalog = (args: readonly string[], env: Record<string, string> = {}): Promise<Said> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'bin/catalog.js'), ...args],
      { env, timeout: longEnough },
      (error, stdout, stderr) => resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
