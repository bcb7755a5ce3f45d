import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readFilter, selectEvents, type Selection } from '../../src/cli/command/selectEvents.ts'
import type { ActivityIndex } from '../../src/projections/activity/matching.ts'
import { exactCodec } from '../../src/events/provenCodec.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import { collect } from '../support/events.ts'
import { catalog, type Said } from '../support/commandLine.ts'
import { temporaryFile, temporaryFolder } from '../support/folders.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { openSqliteReadModels } from '../../src/projections/embedded/readModels.ts'
import { startInProcess } from '../support/running.ts'
import { tokenFor } from '../support/service.ts'
import { waitFor } from '../support/waitFor.ts'

const node = join(import.meta.dirname, '../../node_modules/.bin/node')
const cli = join(import.meta.dirname, '../../src/cli/main.ts')

const run = (folder: string, ...args: string[]): Promise<Said> => catalog(args, { CATALOG_DATA_DIR: folder })

/** The events of an export, one a line. */
const eventsIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { position: string; leafIndex?: number })

const openLogIn = (folder: string) => {
  const log = openSqliteEventStore({ path: join(folder, 'log.db'), readOnly: true, codec: exactCodec })
  onTestFinished(() => log.close())
  return log
}

const setUp = async () => {
  const service = await startInProcess()
  const { call } = service
  await call('POST', '/v1/services/databaseServices', {
    name: 'pg.1',
    serviceType: 'Postgres',
    connection: { config: { type: 'Postgres', password: 'geheim' } },
  })
  await call('PUT', '/v1/services/databaseServices', { name: 'pg.1', serviceType: 'Postgres', description: 'd' })
  const { body } = await call('POST', '/v1/glossaries', { name: 'g' })
  return { ...service, glossary: body.id as string }
}

describe('the history', () => {
  test('is printed without a warning, however often its reader is slower', async () => {
    const { folder, call } = await setUp()
    for (let turn = 0; turn < 30; turn += 1)
      await call('PUT', '/v1/glossaries', { name: 'g', description: `${turn} ${'long '.repeat(13_000)}` })
    const child = spawn(node, [cli, 'replay', '--kind', 'glossary'], { env: { CATALOG_DATA_DIR: folder } })
    let stderr = ''
    child.stderr.on('data', (said) => (stderr += String(said)))
    let lines = 0
    for await (const chunk of child.stdout) {
      lines += String(chunk).split('\n').length - 1
      await delay(20)
    }
    expect([lines, stderr]).toEqual([31, ''])
  })

  test('can be narrowed to an entity, a kind, a type, a user and a part of the log', async () => {
    const { folder, glossary } = await setUp()
    const log = openLogIn(folder)
    const select = (options: Selection) => collect(selectEvents(log, options, () => {}))
    const service = await select({ entity: 'databaseService:"pg.1"' })
    expect(service.map(({ type }) => type)).toEqual(['Created', 'Updated'])
    expect(await select({ entity: 'databaseService:pg.1' })).toEqual(service)
    expect(await select({ entity: glossary.toUpperCase() })).toMatchObject([
      { type: 'Created', metadata: { kind: 'glossary' } },
    ])
    expect(await select(readFilter({ user: 'admin', type: 'Created', kind: 'glossary' }))).toHaveLength(1)
    expect(await select({ user: 'nobody' })).toEqual([])
    expect((await select({ after: 2n, upTo: 5n })).map(({ position }) => position)).toEqual([3n, 4n, 5n])
  })

  test('is narrowed along the index beside the log as by looking through it, and looks at nothing else', async () => {
    const { folder, call } = await setUp()
    const zoe = { token: tokenFor('zoe', ['Admin']) }
    await call('POST', '/v1/domains', { name: 'sales', domainType: 'Aggregate' })
    for (let at = 0; at < 10; at++) await call('POST', '/v1/glossaries', { name: `many${at}` })
    await call('POST', '/v1/glossaries', { name: 'zoes', domains: ['sales'] }, zoe)
    await call('PUT', '/v1/glossaries', { name: 'zoes', description: 'd' })
    // It sees what the service has committed, which may be a quarter of a second ago.
    await call('POST', '/v1/glossaries', { name: 'last' })
    const log = openLogIn(folder)
    const path = join(folder, 'readmodels.db')
    const index = await openSqliteReadModels({ path, readOnly: true })
    onTestFinished(() => index.close())
    const events = await collect(log.readAll())
    const zoes = events.filter(({ metadata }) => metadata.fullyQualifiedName === 'zoes')
    const [first, second] = zoes as [RecordedEvent, RecordedEvent]
    const select = async (options: Selection, along: ActivityIndex | undefined) => {
      let looked = 0
      const found = await collect(selectEvents(log, options, () => void looked++, along))
      return { positions: found.map(({ position }) => position), looked }
    }
    const times = { since: Date.parse(first.metadata.time), until: Date.parse(second.metadata.time) }
    const selections: [Selection, RecordedEvent[]][] = [
      [readFilter({ user: 'zoe', kind: 'glossary,table' }), [first]],
      [readFilter({ domain: 'sales' }), zoes],
      [readFilter({ changed: 'description,votes', kind: 'glossary' }), [second]],
      [readFilter({ request: first.metadata.correlationId, type: 'Created', kind: 'glossary' }), [first]],
      [{ ...readFilter({ domain: 'sales' }), ...times }, zoes],
      [{ ...readFilter({ domain: 'sales' }), until: 1 }, []],
    ]
    for (const [selection, wanted] of selections) {
      const along = await select(selection, index)
      const scanned = await select(selection, undefined)
      expect(along.positions).toEqual(wanted.map(({ position }) => position))
      expect(scanned.positions).toEqual(along.positions)
    }
    await waitFor(async () =>
      expect((await select(readFilter({ user: 'zoe', type: 'Created' }), index)).looked).toBeLessThan(
        events.length / 2,
      ),
    )
    const other: ActivityIndex = {
      ...index,
      activity: index.activity,
      checkpoints: async () => new Map([['activity', { position: 9n, newest: { position: 9n, tag: '0'.repeat(16) } }]]),
    }
    expect((await select(readFilter({ user: 'zoe', kind: 'glossary' }), other)).positions).toEqual([first.position])
  })

  test('tells which leaf of the tree each event is, where that is known', async () => {
    const { folder } = await setUp()
    // It sees what the service has committed, which may be a moment ago.
    const leaves = await waitFor(async () => {
      const found = eventsIn((await run(folder, 'replay')).stdout).map(({ leafIndex }) => leafIndex)
      expect(found.at(-1)).toBeDefined()
      return found
    })
    expect(leaves).toEqual(leaves.map((_, index) => index))
  })

  test('is written as NDJSON beside the running service, and checked there and in the file', async () => {
    const { folder } = await setUp()
    const { stdout: all } = await run(folder, 'replay')
    const positions = eventsIn(all).map(({ position }) => position)
    expect(positions).toEqual(positions.map((_, index) => String(index + 1)))
    const scanned = await run(folder, 'replay', '--scan')
    expect([scanned.code, eventsIn(scanned.stdout).map(({ position }) => position)]).toEqual([0, positions])
    expect(all).toContain('"$sealed"')
    expect(all).not.toContain('geheim')
    const file = await temporaryFile(all, 'all.ndjson')
    for (const args of [['--file', file, '--complete'], ['--file', file, '--partial'], []]) {
      const { code, stdout } = await run(folder, 'audit', 'verify', ...args)
      expect(stdout).toMatch(
        new RegExp(`^${positions.length} events in \\d+ streams, the last at position \\d+: Nothing was changed\\.\n`),
      )
      expect(code).toBe(0)
    }
  })
})

test.each([
  ['replay', '--kind', 'unheard'],
  ['replay', '--type', 'Unheard'],
  ['replay', '--entity', 'nonsense'],
  ['replay', '--entity', 'unheard:x'],
  ['replay', '--after', 'x'],
  ['replay', '--until=-1'],
  ['replay', '--since', 'yesterday'],
  ['replay', '--until', '2026-02-30'],
  ['replay', '--domain', 'a..b'],
  ['copy'],
])('what cannot be understood ends a command with exit code 2: %s %s %s', async (...args) => {
  const folder = await temporaryFolder()
  await openSqliteEventStore({ path: join(folder, 'log.db') }).close()
  expect(await run(folder, ...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(/--\w+/) })
})

test('audit says what it can do, and needs the file that it is given', async () => {
  const folder = await temporaryFolder()
  expect((await run(folder, 'audit')).stderr).toContain('  audit verify ')
  expect((await run(folder, 'audit', 'verify', '--file', '/nowhere/at/all')).stderr).toContain('ENOENT')
})
