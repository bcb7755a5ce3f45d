/** Runs every test of one kind, over HTTP too: `npm run test:kind -- table`. */
import { spawnSync } from 'node:child_process'
import { kinds } from '../src/kinds/registry/kinds.ts'

const [name] = process.argv.slice(2)
const names = kinds.map((kind) => kind.name)

if (name === undefined || !names.includes(name)) {
  console.error(`Say the name of a kind: ${names.join(', ')}.`)
  process.exit(1)
}

const files = ['test/kinds', 'test/http/everyKind.test.ts', 'test/http/everyAsset.test.ts']
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...files, '-t', `\\b${name}\\b`]
const env = { ...process.env, CATALOG_TEST_THOROUGH: 'true' }
process.exit(spawnSync(process.execPath, vitest, { stdio: 'inherit', env }).status ?? 1)
