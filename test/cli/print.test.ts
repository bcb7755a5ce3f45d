import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked, type Token, type Tokens } from 'marked'
import { describe, expect, it } from 'vitest'
import { print } from '../../src/cli/command/command.ts'
import { exportLine } from '../../src/events/transfer/exportLine.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { catalog, heard } from '../support/commandLine.ts'
import { temporaryFile } from '../support/folders.ts'
import { MINIMAL } from '../odcs/documents.ts'
import { created } from '../support/events.ts'
import { repository } from '../support/sources.ts'

/** Clears the screen, shows another verdict, conceals the rest; as a line of its own, and as a command of a build server. */
const forged = '\u001b[2J\u001b[H\u009b2J\r\nNothing was changed.\r\n::error file=a::forged\u2028\u202e\u001b[8m'

const raw = /[^\P{Cc}\n\t]|[\u2028\u2029]|\p{Bidi_Control}/u

/** No control character but the line breaks of the command itself, so no line of what was forged. */
const mustBeHarmless = (text: string): void => {
  expect(text).toContain(String.raw`\u001b[2J`)
  expect(text).not.toMatch(raw)
  expect(text).not.toMatch(/^(Nothing was changed|\s*::error)/m)
}

describe('a line that is printed', () => {
  it('has no control characters, line breaks and marks of direction that are not its own', () => {
    const stdout = heard(process.stdout)
    print(`a ${forged}\tb`)
    const text = stdout.end()
    mustBeHarmless(text)
    expect(text.split('\n')).toEqual([expect.stringMatching(/^a .*\tb$/), ''])
  })

  it('means the same where it is JSON', () => {
    const stdout = heard(process.stdout)
    print(JSON.stringify({ forged }, null, 2).split('\n'))
    const text = stdout.end()
    mustBeHarmless(text)
    expect(JSON.parse(text)).toEqual({ forged })
  })
})

describe('names that others chose control nothing where they are printed', () => {
  it('in events of a file, by `audit verify`', async () => {
    const event = { ...created(), type: `Updated${forged}`, stream: `table-${forged}`, revision: 0n, position: 1n }
    const file = await temporaryFile(exportLine(event as unknown as RecordedEvent))
    const { code, stdout } = await catalog(['audit', 'verify', '--file', file])
    expect(code).toBe(1)
    mustBeHarmless(stdout)
    expect(stdout).toMatch(/^1 events in 1 streams, the last at position 1: \d problems?\.$/m)
  })

  it('in a document, in the Markdown of `contract check`, which is a comment of a pull request', async () => {
    const name = 'c`\r### :white_check_mark: valid\r\n\n@org ![x](https://evil/p.png) `` <img src=x> | a \\| b\u2028'
    const schema = (property: string) => `schema:\n  - name: t\n    properties:\n      - {name: ${property}}\n`
    const before = await temporaryFile(MINIMAL + schema(JSON.stringify(name)))
    const file = await temporaryFile(MINIMAL + schema('id'), 'a`b@org.yaml')
    const markdown = await temporaryFile('')
    await catalog(['contract', 'check', file, '--against', before, '--markdown', markdown])
    const inlines = (tokens: readonly Token[] = []): Token[] =>
      tokens.flatMap((token) => {
        const { tokens: inner = [], items = [] } = token as Tokens.Generic
        const below: readonly Token[] = [...inner, ...items]
        return below.length === 0 ? [token] : inlines(below)
      })
    const blocks = marked.lexer(readFileSync(markdown, 'utf8'))
    expect(blocks.map(({ type }) => type)).toEqual(['heading', 'space', 'paragraph', 'space', 'list'])
    const found = inlines(blocks)
    expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['text', 'codespan', 'space']))
    expect(found.flatMap(({ type, raw }) => (type === 'text' ? [raw] : [])).join('')).not.toMatch(/@|evil|img/)
    const shown = name.replaceAll('\r', '\\u000d').replaceAll('\n', '\\u000a').replaceAll('\u2028', '\\u2028')
    expect(found.flatMap((token) => (token.type === 'codespan' ? [(token as Tokens.Codespan).text] : []))).toEqual([
      file,
      `t.${shown}`,
      'the property is gone',
    ])
  })

  it('in what a file is called, by the message of a failure', async () => {
    const { code, stderr } = await catalog(['contract', 'check', `${forged}.yaml`])
    expect(code).toBe(1)
    mustBeHarmless(stderr)
  })

  it('in arguments, by the message about wrong usage, which has lines of its own', async () => {
    const { code, stderr } = await catalog(['audit', forged])
    expect(code).toBe(2)
    mustBeHarmless(stderr)
    expect(stderr).toContain('\nUsage: catalog audit COMMAND')
  })
})

it('the command line writes to the terminal in one place', () => {
  const others: Record<string, string> = {
    'command/command.ts': 'prints lines',
    'main.ts': 'tells that nothing can be written',
    'replay.ts': 'writes events exactly as they are stored',
  }
  const folder = join(repository, 'src/cli')
  const writing = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /\bstd(out|err)\.write|\bconsole\./.test(readFileSync(join(folder, file), 'utf8')))
  expect(writing.toSorted()).toEqual(Object.keys(others).toSorted())
})
