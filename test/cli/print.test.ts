import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

  it('in a document, by `contract check`', async () => {
    const name = JSON.stringify(forged)
    const schema = (property: string) => `schema:\n  - name: t\n    properties:\n      - {name: ${property}}\n`
    const before = await temporaryFile(MINIMAL + schema(name))
    const file = await temporaryFile(MINIMAL + schema('id'))
    const { code, stdout } = await catalog(['contract', 'check', file, '--against', before])
    expect(code).toBe(1)
    mustBeHarmless(stdout)
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
    expect(stderr).toContain('\nUsage: catalog audit verify')
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
