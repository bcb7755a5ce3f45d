import { readFileSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { longEnough, patience } from './support/patience.ts'

const number = /(\d[\d_]*)/.source

/** Where a test says for how long it waits. */
const said: readonly [places: RegExp, least: number][] = [
  // The end of a test or a hook, and options of one.
  [new RegExp(`^ *\\}, ${number}\\)$`, 'gm'), patience.testTimeout],
  [new RegExp(`^ *\\},\\n *${number},\\n *\\)$`, 'gm'), patience.testTimeout],
  [new RegExp(`\\b(?:it|test|describe)\\b.*\\{ timeout: ${number} \\}`, 'g'), patience.testTimeout],
  [new RegExp(`(?:test|hook)Timeout: ${number}`, 'g'), patience.testTimeout],
  // Of waiting for one thing, here and in a browser.
  [new RegExp(`\\.poll\\((?:(?!\\)\\s*\\.to)[^;])*?\\{[^{};]*?timeout: ${number}`, 'g'), longEnough],
  [new RegExp(`aitFor\\(.*timeout: ${number}`, 'g'), longEnough],
  [new RegExp(`setDefaultTimeout\\(${number}`, 'g'), longEnough],
  [new RegExp(`unner\\.waitFor\\([^,\\n]*, ${number}, `, 'g'), longEnough],
]

const shortIn = (text: string): string[] =>
  said.flatMap(([places, least]) =>
    [...text.matchAll(places)].filter(([, time = '']) => Number(time.replaceAll('_', '')) < least).map(([all]) => all),
  )

/** Waits a second, whatever the configuration says. */
const impatient = /\bvi\.wait(?:For|Until)\(/

const mayFail = new Map([
  // It is to fail: what it waits for never comes.
  ['projections/runner.test.ts', ['unner.waitFor(position, 20, ']],
])

test('no test gives up earlier than the configuration says, so that none fails only because a machine is slow', () => {
  const found = globSync('**/*.ts', { cwd: import.meta.dirname })
    .filter((name) => !['support/waitFor.ts', 'patience.test.ts'].includes(name))
    .flatMap((name) => {
      const text = readFileSync(join(import.meta.dirname, name), 'utf8')
      const short = shortIn(text).filter((all) => !mayFail.get(name)?.includes(all))
      return [...short, ...(impatient.exec(text) ?? [])].map((all) => `${name}: ${all}`)
    })
  expect(found).toEqual([])
})

test('properties are tried with the same examples at each run', () => {
  const own = globSync('**/*.ts', { cwd: import.meta.dirname })
    .filter((name) => !['support/fastCheck.ts', 'patience.test.ts'].includes(name))
    .filter((name) => /from 'fast-check'/.test(readFileSync(join(import.meta.dirname, name), 'utf8')))
  expect(own).toEqual([])
})

test.each([
  "test('x', async () => {\n}, 60_000)",
  "it('x', { timeout: 20_000 }, () => {})",
  'vi.setConfig({ testTimeout: 120_000 })',
  'await expect.poll(() => a, { timeout: 1000 }).toBe(1)',
  'await expect\n  .poll(async () => {\n    await x()\n  }, { interval: 1, timeout: 1000 })',
  "await page.locator('a').waitFor({ timeout: 45_000 })",
  "await runner.waitFor(1n, 5000, 'search')",
])('giving up early is seen: %j', (text) => expect(shortIn(text)).toHaveLength(1))
