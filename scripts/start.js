// Builds what changed and serves, in one process: the command `catalog serve` after a look at what it is built from.
await import('./build.js')

if (process.exitCode === undefined) {
  process.argv.push('serve')
  await import('../bin/catalog.js')
}
