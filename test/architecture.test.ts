import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kinds } from '../src/kinds/index.ts'

const root = resolve(import.meta.dirname, '../src')

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))

const importPattern = /^(?:import|export)\b(?!\s+type)[^'"]*?from\s+'(\.[^']+)'/gm

/** What a file imports of ours at run time, relative to src. */
const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(importPattern)].map(([, target]) =>
    relative(root, resolve(dirname(join(root, file)), target as string)))

const homeOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] as string) : file)

/** What each part may use at run time, beside itself. */
const arrows: Record<string, string[]> = {
  kinds: ['json.ts'],
  events: ['json.ts'],
  odcs: ['json.ts'],
  commands: ['json.ts', 'events', 'kinds'],
  projections: ['json.ts', 'events', 'kinds', 'commands/evolve.ts', 'commands/changes.ts'],
  feed: ['json.ts', 'events', 'kinds'],
  webhooks: ['json.ts', 'events', 'kinds', 'feed', 'projections', 'commands'],
  api: ['json.ts', 'events', 'kinds', 'commands', 'projections', 'odcs', 'feed', 'webhooks'],
}

describe('imports point one way', () => {
  const inHomes = files.filter((file) => homeOf(file) in arrows)
  it.each(inHomes)('%s', (file) => {
    const home = homeOf(file)
    const strange = importsOf(file).filter((target) => {
      const own = homeOf(target) === home
      return !own && !(arrows[home] ?? []).some((allowed) => target === allowed || target.startsWith(`${allowed}/`))
    })
    expect(strange).toEqual([])
  })

  it('looks at every file', () => expect(inHomes.length).toBeGreaterThan(50))
})

describe('a kind has its name at home alone', () => {
  const names = kinds.map((kind) => kind.name)
  const quoted = new RegExp(`['"\`](${names.join('|')})['"\`]`)
  const outside = files.filter((file) => !['kinds', 'seed', 'odcs'].includes(homeOf(file)))
  it.each(outside)('%s', (file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    const isComment = (line: string) => /^\s*(\/?\*|\/\/)/.test(line)
    const namesParameter = (line: string) => /query\.get\(|in: 'query'/.test(line)
    expect(lines.filter((line) => !isComment(line) && !namesParameter(line) && quoted.test(line))).toEqual([])
  })
})
