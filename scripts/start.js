// Builds what changed and serves, in one process: the command `catalog serve` after a look at what it is built from.

/** Whoever started this, npm as a rule, may be ended in a way that it cannot tell of: what it has started would go on alone. */
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(watch)
  process.kill(process.pid, 'SIGTERM')
}, 250).unref()

await import('./build.js')

if (process.exitCode === undefined) {
  process.argv.push('serve')
  await import('../bin/catalog.js')
}
