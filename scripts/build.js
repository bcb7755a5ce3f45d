import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'

const at = (path) => new URL(`../${path}`, import.meta.url).pathname

rmSync(at('dist'), { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: at(''),
  stdio: 'inherit',
})
for (const name of ['LICENSE', 'NOTICE']) cpSync(at(`src/odcs/schemas/${name}`), at(`dist/odcs/schemas/${name}`))
process.exit(status ?? 1)
