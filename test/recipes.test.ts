import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const repository = resolve(import.meta.dirname, '..')

/** One block of code of a recipe: a file, a change of one, or commands. */
interface Step {
  readonly language: string
  readonly path: string | undefined
  readonly code: string
}

interface Recipe {
  readonly title: string
  readonly steps: readonly Step[]
}

const fence = /^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm

const recipes: readonly Recipe[] = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8')
  .split(/^##+ /m)
  .map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    steps: [...section.matchAll(fence)].map(([, language = '', path, code = '']) => ({ language, path, code })),
  }))
  .filter(({ steps }) => steps.length > 0)

/** The lines of a change that stand there before it (`-`) or after it (`+`). */
const side = (diff: string, sign: '-' | '+'): string =>
  diff
    .split('\n')
    .filter((line) => line.startsWith(sign) || line.startsWith(' '))
    .map((line) => line.slice(1))
    .join('\n')

const copy = mkdtempSync(join(tmpdir(), 'catalog-recipes-'))

const apply = ({ language, path, code }: Step): void => {
  if (path === undefined) return
  const file = join(copy, path)
  if (language !== 'diff') {
    if (existsSync(file)) throw new Error(`${path} is there already.`)
    mkdirSync(dirname(file), { recursive: true })
    return writeFileSync(file, code)
  }
  const parts = `\n${readFileSync(file, 'utf8')}`.split(`\n${side(code, '-')}\n`)
  if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} times what is to be changed:\n${code}`)
  writeFileSync(file, parts.join(`\n${side(code, '+')}\n`).slice(1))
}

/** What a command says, and whether it succeeds. */
const run = async (command: string): Promise<{ code: number | null; said: string }> => {
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, ...environment } = process.env
  const child = spawn('sh', ['-c', `(${command}) 2>&1`], {
    cwd: copy,
    env: { ...environment, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<number | null>((found) => child.once('close', found))
  return { said: await text(child.stdout), code: await ended }
}

const left = new Set(['node_modules', '.git', 'data', '.ci'])

beforeAll(() => {
  cpSync(repository, copy, { recursive: true, filter: (path) => !left.has(basename(path)) })
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
  // What the recipes add raises the ceiling of lines, as CONTRIBUTING.md says of a feature.
  const budgets = join(copy, 'test', 'budgets.json')
  writeFileSync(budgets, readFileSync(budgets, 'utf8').replace(/"lines": \d+/, '"lines": 100000'))
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

describe('the recipes of CONTRIBUTING.md', () => {
  it('are those for a kind, a behaviour, a verb, a projection and an engine', () =>
    expect(recipes.map(({ title }) => title)).toEqual([
      'Add a kind',
      'Add a behaviour',
      'Add a verb',
      'Add a projection',
      'Add an engine',
    ]))

  it('can be applied to the repository as they are written', () => {
    for (const { steps } of recipes) steps.forEach(apply)
  })

  it('leave nothing for the type check and the linter to say', async () => {
    const { code, said } = await run('npm run --silent typecheck && npm run --silent lint')
    expect(code, said).toBe(0)
  })

  it.each(recipes)('lead to what they say: $title', async ({ steps }) => {
    const commands = steps.filter(({ language }) => language === 'sh').map(({ code }) => code.trim())
    expect(commands).not.toEqual([])
    for (const command of commands) {
      const { code, said } = await run(command)
      expect(code, said).toBe(0)
      expect(said, said).toMatch(/Tests .*[1-9]\d* passed/)
    }
  })
})
