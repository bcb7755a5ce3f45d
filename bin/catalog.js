#!/usr/bin/env -S node --max-semi-space-size=32
/* The flag keeps the young objects of the main thread within 96 MiB, which are 192 otherwise; npm start gives it, too. */
/* Runs under old versions of Node as well, to say what is missing: no imports at the top, no recent syntax. */
var major = Number(process.versions.node.split('.')[0])

/* Compiled code is kept beside what it was compiled from. Where nobody can write there it is compiled each time. */
function keepCompiled() {
  var dist = process.getBuiltinModule('url').fileURLToPath(new URL('../dist/', import.meta.url))
  if (!process.getBuiltinModule('fs').existsSync(dist)) return
  process.getBuiltinModule('module').enableCompileCache(dist + '.cache')
  /* Threads are told by the environment. */
  process.env.NODE_COMPILE_CACHE = dist + '.cache'
}

if (major < 24) {
  process.stderr.write(
    'metadata-catalog needs Node 24 or newer; this is v' +
      process.versions.node +
      '. Inside the project, `npm start` and every npm script bring their own.\n',
  )
  process.exit(1)
} else {
  keepCompiled()
  import('../dist/cli/main.js').catch(function (error) {
    var missing =
      error && error.code === 'ERR_MODULE_NOT_FOUND' && /[\\/]dist[\\/]cli[\\/]main\.js$/.test(String(error.url))
    if (!missing) throw error
    process.stderr.write('metadata-catalog is not built yet: run `npm run build`.\n')
    process.exit(1)
  })
}
