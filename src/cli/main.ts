import { runCommandLine } from './runCommandLine.ts'

/** Errors of writing to a terminal that was closed, to a pipe that nobody reads any more; of a log, to a full disk. */
const unwritten = new Set(['EIO', 'EPIPE', ...(process.argv[2] === 'serve' ? ['ENOSPC'] : [])])

// Whoever reads the output may go, such as head: a service or a load goes on without.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (unwritten.has(error.code ?? '')) return
    process.stderr.write(`catalog: the output cannot be written (${error.message}).\n`)
    process.exit(1)
  })

process.exitCode = await runCommandLine(process.argv.slice(2))

/** Resolves when everything that was printed is taken, or nobody takes it any more. */
const flushed = (output: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => output.write('', () => resolve()))

await Promise.all([flushed(process.stdout), flushed(process.stderr)])
// A connection that its server has not closed yet would hold the process up.
process.exit()
