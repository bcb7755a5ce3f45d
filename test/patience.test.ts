import { readFileSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const number = /(\d[\d_]*)/.source

/** Milliseconds below which a test, and a wait within one, is over too early on a machine that is slow and busy. */
const [leastOfTest, leastOfWait] = [60_000, 10_000]

/** Where a test says for how long it waits, which it need not: `support/patience.ts` says it for all of them. */
const said: readonly [places: RegExp, least: number][] = [
  // The end of a test or a hook, and options of one.
  [new RegExp(`^ *\\}, ${number}\\)$`, 'gm'), leastOfTest],
  [new RegExp(`^ *\\},\\n *${number},\\n *\\)$`, 'gm'), leastOfTest],
  [new RegExp(`\\b(?:it|test|describe)\\b.*\\{ timeout: ${number} \\}`, 'g'), leastOfTest],
  [new RegExp(`(?:test|hook)Timeout: ${number}`, 'g'), leastOfTest],
  // Of waiting for one thing, here and in a browser.
  [new RegExp(`\\.poll\\((?:(?!\\)\\s*\\.to)[^;])*?\\{[^{};]*?timeout: ${number}`, 'g'), leastOfWait],
  [new RegExp(`aitFor\\(.*timeout: ${number}`, 'g'), leastOfWait],
  [new RegExp(`setDefaultTimeout\\(${number}`, 'g'), leastOfWait],
  [new RegExp(`unner\\.waitFor\\([^,\\n]*, ${number}, `, 'g'), leastOfWait],
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

test('no test gives up early, so that none fails only because a machine is slow', () => {
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
  "test('x', async () => {\n}, 30_000)",
  "it('x', { timeout: 20_000 }, () => {})",
  'vi.setConfig({ testTimeout: 20_000 })',
  'await expect.poll(() => a, { timeout: 1000 }).toBe(1)',
  'await expect\n  .poll(async () => {\n    await x()\n  }, { interval: 1, timeout: 1000 })',
  "await page.locator('a').waitFor({ timeout: 5000 })",
  "await runner.waitFor(1n, 5000, 'search')",
])('giving up early is seen: %j', (text) => expect(shortIn(text)).toHaveLength(1))
