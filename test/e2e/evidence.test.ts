import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSignerKey, readSignerKey } from '../../src/transparency/note.ts'
import { catalogOn } from '../support/commandLine.ts'
import { sharedFolder } from '../support/folders.ts'
import { openService } from '../support/running.ts'
import { runCli, temporaryDataDir } from '../support/service.ts'

const root = sharedFolder()
const data = temporaryDataDir()
const archive = join(root, 'evidence.tar.gz')
const key = join(root, 'key.txt')
const merge = { headers: { 'content-type': 'application/merge-patch+json' } }

/** What two writers of numbers and texts may write differently. */
const difficult = {
  numbers: [1e21, 1.5e-9, 1e-6, 0.1, -0.5, 100, 12345678.9, 5e-324, 1.7976931348623157e308],
  'ä\u2028𝒳': '\u0001"\\/é😀',
}

const extracted = (name: string): string => {
  const folder = join(root, name)
  mkdirSync(folder)
  const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', folder], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return join(folder, 'evidence')
}

const run = (command: string, ...args: string[]): { code: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { PATH: process.env['PATH'] } })
  return { code: status, output: stdout + stderr }
}

type Verify = (folder: string, ...args: string[]) => ReturnType<typeof run>

const verifiers: (readonly [name: string, verify: Verify])[] = [
  ['verify.mjs', (folder, ...args) => run(process.execPath, join(folder, 'verify.mjs'), ...args)],
]
if (spawnSync('python3', ['--version']).status === 0)
  verifiers.push(['verify.py', (folder, ...args) => run('python3', join(folder, 'verify.py'), ...args)])

const inside = 'events.ndjson'

/** Changes one byte of a file where the text stands. */
const changeByte = (file: string, at: (text: Buffer) => number): void => {
  const bytes = readFileSync(file)
  const index = at(bytes)
  bytes[index] = (bytes[index] as number) ^ 1
  writeFileSync(file, bytes)
}

/** A key in whose text two plus signs stand as far apart as those around its hash: one in a hundred. */
const awkwardKey = (): string => {
  for (;;) {
    const text = makeSignerKey('catalog.example.com')
    if (/\+.{8}\+.*\+.{8}\+/.test(readSignerKey(text).text)) return text
  }
}

/** By the built catalog, which has the scripts. */
const exported = (...args: string[]) => runCli(data.path, ['audit', 'export', ...args])

beforeAll(async () => {
  writeFileSync(join(data.path, 'audit.key'), `${awkwardKey()}\n`, { mode: 0o600 })
  const service = await openService({ CATALOG_BASE_URL: 'https://catalog.example.com' }, data.path)
  try {
    for (const name of ['one', 'two']) {
      const { body } = await service.call('POST', '/v1/glossaries', { name, description: `<b>${name}</b>` })
      await service.call('PATCH', `/v1/glossaries/${body.id}`, { extension: difficult }, merge)
      await service.call('PATCH', `/v1/glossaries/${body.id}`, { description: 'last' }, merge)
    }
    const config = { hostPort: 'db.example.com:5432', password: 'hunter2' }
    const database = { name: 'warehouse', serviceType: 'Postgres', connection: { config } }
    expect((await service.call('POST', '/v1/services/databaseServices', database)).status).toBe(201)
    writeFileSync(key, (await service.call('GET', '/v1/audit/key')).body as string)
    expect(exported('--entity', 'glossary:one', '--output', archive)).toEqual({
      code: 0,
      stdout: `3 events with their proofs in ${archive}. Unpack it and run: node verify.mjs\n`,
      stderr: '',
    })
  } finally {
    await service.close()
  }
})
afterAll(() => data.remove())

describe.each(verifiers)('evidence, checked by %s', (name, verify) => {
  it('is proven without the catalog, and names its events and the key', () => {
    const { code, output } = verify(extracted(`whole-${name}`), key)
    expect(output).toMatch(
      /T.*Z {2}admin {2}Created {2}glossary one\n(?:.* Updated {2}glossary one\n){2}\nPROVEN: these 3 events of 1 entity /,
    )
    expect(output).toContain(readFileSync(key, 'utf8').trim())
    expect(output).toContain('That is the key that you gave.')
    expect(code).toBe(0)
  })

  it('says to compare the key when none is given', () => {
    const { code, output } = verify(extracted(`own-${name}`))
    expect(output).toContain('Compare this key with the one that you know')
    expect(code).toBe(0)
  })

  it('says which file cannot be read', () => {
    const { code, output } = verify(extracted(`unread-${name}`), 'nowhere.txt')
    expect(output).toMatch(/^NOT PROVEN: a file cannot be read: .*nowhere\.txt'\.\n$/)
    expect(code).toBe(1)
  })

  it.each(['report.html', inside, 'proofs.ndjson', 'checkpoint.txt', 'manifest.txt'])(
    'is refused when a byte of %s changes',
    (file) => {
      const folder = extracted(`${name}-${file}`)
      changeByte(join(folder, file), (text) => Math.floor(text.length / 3))
      const { code, output } = verify(folder, key)
      expect(output).toMatch(/NOT PROVEN|Error/)
      expect(code).toBe(1)
    },
  )

  it('is refused when somebody else signed it', () => {
    const other = join(root, `other-${name}`)
    writeFileSync(other, `${readSignerKey(makeSignerKey('catalog.example.com')).text}\n`)
    const { code, output } = verify(extracted(`signed-${name}`), other)
    expect(output).toContain('NOT PROVEN: manifest.txt is not signed by any key of the log.')
    expect(code).toBe(1)
  })

  it.each([
    ['an event says something else', (text: string) => text.replace('"last"', '"lost"'), /is not what its hash says/],
    [
      'an event is left out',
      (text: string) => text.split('\n').toSpliced(1, 1).join('\n'),
      /is not in the log|is missing or wrong before|not as many/,
    ],
  ])('does not trust the list of files alone: %s', (_, change, reason) => {
    const folder = extracted(`${name}-${reason.source.length}`)
    // Without the check of the list, as if whoever has the key had signed it anew.
    const script = join(folder, name)
    const unchecked = readFileSync(script, 'utf8')
      .replace(/ is not what was signed\./, '')
      .replace(/^(\s*)(must\(sha256\((?:bytesOf|read)\(name\)\))/m, '$1if (false) $2')
    writeFileSync(script, name === 'verify.py' ? unchecked.replace('if (false) must', 'False and must') : unchecked)
    writeFileSync(join(folder, inside), change(readFileSync(join(folder, inside), 'utf8')))
    const { code, output } = verify(folder, key)
    expect(output).toMatch(reason)
    expect(code).toBe(1)
  })
})

describe('the report', () => {
  it('is a page without scripts that tells what happened in plain text', () => {
    const page = readFileSync(join(extracted('report'), 'report.html'), 'utf8')
    expect(page).toContain('<h1>Evidence from the log catalog.example.com</h1>')
    expect(page).toContain('glossary <strong>one</strong>: Changed extension.')
    expect(page).toContain('&lt;b&gt;one&lt;/b&gt;')
    expect(page).not.toMatch(/<script|<b>one/)
  })
})

describe('catalog audit export', () => {
  it('takes all that happened in a time, and shows no secret in the report', () => {
    const { stdout } = exported('--since', '2020-01-01', '--output', archive)
    expect(Number(/^(\d+) events/.exec(stdout)?.[1])).toBeGreaterThan(7)
    const folder = extracted('everything')
    const page = readFileSync(join(folder, 'report.html'), 'utf8')
    expect(page).toContain('warehouse')
    expect(page).not.toMatch(/hunter2|\$sealed/)
    for (const [, verify] of verifiers) expect(verify(folder, key)).toMatchObject({ code: 0 })
  })

  it('proves of somebody what it proved before he was forgotten, and shows no personal value before or after', async () => {
    const service = await openService({ CATALOG_BASE_URL: 'https://catalog.example.com' }, data.path)
    try {
      const { body } = await service.call('PUT', '/v1/users', { name: 'leaver', email: 'leaver@example.org' })
      for (const moment of ['before', 'after']) {
        if (moment === 'after') expect((await service.call('POST', `/v1/users/${body.id}/forget`)).status).toBe(200)
        expect(exported('--entity', 'user:leaver', '--output', archive)).toMatchObject({ code: 0 })
        const folder = extracted(`${moment}-forgetting`)
        for (const name of readdirSync(folder))
          expect(readFileSync(join(folder, name), 'utf8')).not.toContain('leaver@example.org')
        const page = readFileSync(join(folder, 'report.html'), 'utf8')
        expect(page).toContain('the log has a sealed value')
        expect(page.includes('Erased displayName, ')).toBe(moment === 'after')
      }
      for (const moment of ['before', 'after'])
        for (const [, verify] of verifiers)
          expect(verify(join(root, `${moment}-forgetting`, 'evidence'), key)).toMatchObject({ code: 0 })
    } finally {
      await service.close()
    }
  })

  it('writes nothing where there is nothing, and says what it needs', async () => {
    expect(exported('--entity', 'glossary:none', '--output', archive)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no event matches') as string,
    })
    expect(exported('--until', '2020-01-01', '--output', archive)).toMatchObject({ code: 1 })
    const refused = (...args: string[]) => catalogOn(data.path, ['audit', 'export', '--output', archive, ...args])
    expect(await refused()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('select what to prove') as string,
    })
    expect(await refused('--since', 'yesterday')).toMatchObject({ code: 2 })
  })
})
