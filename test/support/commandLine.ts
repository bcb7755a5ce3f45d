import { vi } from 'vitest'
import { runCommandLine } from '../../src/cli/runCommandLine.ts'
import { environment } from './service.ts'

/** How a command ended, and what it printed. */
export interface Said {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** What is written to a stream until `end`. */
export const heard = (stream: NodeJS.WriteStream) => {
  const texts: string[] = []
  const spy = vi.spyOn(stream, 'write').mockImplementation((text, encoding, done?) => {
    texts.push(typeof text === 'string' ? text : Buffer.from(text).toString())
    const written = typeof encoding === 'function' ? encoding : done
    if (written !== undefined) process.nextTick(written)
    return true
  })
  return {
    end: (): string => {
      spy.mockRestore()
      return texts.join('')
    },
  }
}

const runAlone = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<Said> => {
  const before = process.env
  const [stdout, stderr] = [heard(process.stdout), heard(process.stderr)]
  process.env = env
  let code = 1
  try {
    code = await runCommandLine([...args])
  } finally {
    process.env = before
  }
  return { code, stdout: stdout.end(), stderr: stderr.end() }
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs one command of the command line in this process, with these settings and no others: commands that run at once take
 * turns, since a process has one environment. Starting a process costs more than most commands; test/cli/main.test.ts does.
 */
export const catalog = (args: readonly string[], env: Record<string, string> = {}): Promise<Said> => {
  const said = last.then(() => runAlone(args, env))
  last = said.catch(() => undefined)
  return said
}

/** Runs one on a data folder, as {@link environment} has it. */
export const catalogOn = (dataDir: string, args: readonly string[], env: Record<string, string> = {}): Promise<Said> =>
  catalog(args, environment(dataDir, env) as Record<string, string>)
