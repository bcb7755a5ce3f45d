import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Said } from '../support/commandLine.ts'
import { longEnough } from '../support/patience.ts'

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
