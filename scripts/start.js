// Builds what changed and serves, in one process: the command `catalog serve` after a look at what it is built from.

import { isatty } from 'node:tty'

/** Whoever started this, npm as a rule, may be ended in a way that it cannot tell of: what it has started would go on alone. */
const parent = process.ppid
let goesOnAlone = false
const watch = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(watch)
  // The signal that ended it may have come here as well, and is heard after timers.
  setImmediate(() => goesOnAlone || process.kill(process.pid, 'SIGTERM'))
}, 250).unref()

// npm ends with the terminal even below nohup, since Node takes back that the signal is ignored. What has no terminal
// stays: see src/cli/serve.ts.
if (![0, 1, 2].some((fd) => isatty(fd))) process.on('SIGHUP', () => (goesOnAlone = true))

await import('./build.js')

if (process.exitCode === undefined) {
  process.argv.push('serve')
  await import('../bin/catalog.js')
}
