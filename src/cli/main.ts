import { runCommandLine } from './runCommandLine.ts'

/** Errors of writing to a terminal that was closed, and to a pipe that nobody reads any more. */
const nobodyReads = new Set(['EIO', 'EPIPE'])

// Whoever reads the output may go, such as head: a service or a load goes on without.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (!nobodyReads.has(error.code ?? '')) throw error
  })

process.exitCode = await runCommandLine(process.argv.slice(2))
