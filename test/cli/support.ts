import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { longEnough } from '../support/patience.ts'

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
