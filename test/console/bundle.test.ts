import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const assets = join(root, 'dist/console/assets')

it('The console as a whole, with every page, is sent in less than 250 KB', () => {
  const sent = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name))
  const bytes = sent.reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name))).byteLength, 0)
  expect(sent.length).toBeGreaterThan(5)
  expect(bytes).toBeLessThan(250_000)
})

it('Each colour of the console stands in its style sheets once, by day and by night', () => {
  const tokens = readFileSync(join(root, 'console/src/styles/tokens.css'), 'utf8')
  const names = [...tokens.matchAll(/^ *(--[\w-]+):/gm)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  expect(tokens).not.toContain('prefers-color-scheme')
})

it('The console has nothing of the service but what both share, and nothing that only Node has', () => {
  const sources = readdirSync(join(root, 'console/src'), { recursive: true, encoding: 'utf8' })
  const imported = sources
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => [...readFileSync(join(root, 'console/src', name), 'utf8').matchAll(/from '[./]+\/src\/(.+)'/g)])
    .map(([, path = '']) => path)
  expect(imported).toContain('shared/returnPath.ts')
  for (const path of imported) {
    expect(path).toMatch(/^shared\//)
    expect(readFileSync(join(root, 'src', path), 'utf8')).not.toMatch(/^import /m)
  }
})
