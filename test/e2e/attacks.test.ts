import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CatalogEvent, EventMetadata } from '../../src/events/events.ts'
import { eventHash } from '../../src/events/codec.ts'
import { openCheckpoint, signCheckpoint } from '../../src/transparency/checkpoint.ts'
import { makeSignerKey, readSignerKey } from '../../src/transparency/note.ts'
import { catalogOn, type Said } from '../support/commandLine.ts'
import { external } from '../support/external.ts'
import { sharedFolder } from '../support/folders.ts'
import { openService, startInProcess } from '../support/running.ts'
import { adminToken, type Call } from '../support/service.ts'

// Each starts the command line several times.
/** A row of the table of events. */
interface Row {
  position: number
  stream: string
  revision: number
  id: string
  type: string
  data: string
  metadata: string
}

const root = sharedFolder()
const original = join(root, 'original')
const kept = { checkpoint: join(root, 'checkpoints'), early: join(root, 'early'), key: join(root, 'key') }
const names = ['one', 'two', 'three']
const ids: Record<string, string> = {}

const textOf = async (service: { call: Call }, path: string): Promise<string> =>
  String((await service.call('GET', path)).body)

const glossary = (name: string): string => `glossary-${ids[name]}`

beforeAll(async () => {
  const service = await openService({ CATALOG_BASE_URL: 'https://catalog.example.com' }, original)
  const change = async (name: string, description: string): Promise<void> => {
    const headers = { 'content-type': 'application/merge-patch+json' }
    await service.call('PATCH', `/v1/glossaries/${ids[name]}`, { description }, { headers })
  }
  for (const name of names) ids[name] = (await service.call('POST', '/v1/glossaries', { name })).body.id as string
  await change('one', 'first words')
  writeFileSync(kept.early, await textOf(service, '/v1/audit/checkpoint'))
  await change('two', 'second words')
  await change('one', 'other words')
  await change('three', 'third words')
  writeFileSync(kept.checkpoint, await textOf(service, '/v1/audit/checkpoint'))
  writeFileSync(kept.key, await textOf(service, '/v1/audit/key'))
  await service.close()
})

let copies = 0

/** A copy of the data folder whose log somebody else has rewritten, who also removed what was signed last. */
const attacked = (change: (rows: Row[]) => Row[]): string => {
  const folder = restored(change)
  rmSync(join(folder, 'audit.signed'))
  return folder
}

/** The same where the rest of the folder stays, as when a backup of the log is put in its place. */
const restored = (change: (rows: Row[]) => Row[]): string => {
  const folder = join(root, `copy${copies++}`)
  cpSync(original, folder, { recursive: true })
  const database = new DatabaseSync(join(folder, 'log.db'))
  const rows = database.prepare('SELECT * FROM events ORDER BY position').all() as unknown as Row[]
  const changed = change(rows.map((row) => ({ ...row })))
  database.exec('BEGIN; DELETE FROM events')
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)')
  for (const row of changed)
    insert.run(row.position, row.stream, row.revision, row.id, row.type, row.data, row.metadata)
  database.exec('COMMIT')
  database.close()
  return folder
}

const rowOf = (rows: readonly Row[], name: string, revision: number): Row =>
  rows.find((row) => row.stream === glossary(name) && row.revision === revision) as Row

const forge = (row: Row): void => {
  row.metadata = JSON.stringify({ ...(JSON.parse(row.metadata) as EventMetadata), user: 'mallory' })
}

const hashed = (row: Row, previousHash: string | undefined): EventMetadata => {
  const { previousHash: _, ...metadata } = JSON.parse(row.metadata) as EventMetadata
  const chained = { ...metadata, ...(previousHash !== undefined && { previousHash }) }
  const event = { type: row.type, data: JSON.parse(row.data) as unknown } as CatalogEvent
  const place = { id: row.id, stream: row.stream, revision: BigInt(row.revision) }
  return { ...chained, hash: eventHash({ ...event, ...place, metadata: chained }) }
}

/** Computes all hashes of these streams again, as whoever has the file can. */
const chainAnew = (rows: Row[], streams: ReadonlySet<string>): Row[] => {
  const last = new Map<string, string>()
  for (const row of rows) {
    if (!streams.has(row.stream)) continue
    const metadata = hashed(row, last.get(row.stream))
    row.metadata = JSON.stringify(metadata)
    last.set(row.stream, metadata.hash)
  }
  return rows
}

/** Changes the first event of a stream and makes its hashes fit again. */
const forgedStream = (rows: Row[]): Row[] => {
  forge(rowOf(rows, 'one', 0))
  return chainAnew(rows, new Set([glossary('one')]))
}

const verify = (folder: string, ...args: string[]): Promise<Said> => catalogOn(folder, ['audit', 'verify', ...args])

const withCheckpoint = ['--checkpoint', kept.checkpoint, '--key', kept.key]

const expectFound = async (folder: string, args: string[], ...found: (string | RegExp)[]): Promise<void> => {
  const { code, stdout } = await verify(folder, ...args)
  for (const each of found) expect(stdout).toMatch(each)
  expect(code).toBe(1)
}

/** A checkpoint that a service on the folder signs. */
const newCheckpoint = async (folder: string): Promise<string> => {
  const service = await startInProcess({}, folder)
  const note = await textOf(service, '/v1/audit/checkpoint')
  await service.close()
  return note
}

/** What a witness with this state says of a service on the folder. */
const watchedAt = async (folder: string, state: string) => {
  const service = await startInProcess({}, folder)
  try {
    const args = ['audit', 'watch', service.url, '--key', kept.key, '--state', state, '--token', adminToken]
    return await catalogOn(root, args)
  } finally {
    await service.close()
  }
}

const clean = /: Nothing was changed\.\n/

describe('an audit', () => {
  it('an audit of nothing fails', async () => {
    const file = join(root, 'nothing.ndjson')
    writeFileSync(file, '')
    expect(await catalogOn(root, ['audit', 'verify', '--file', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no events') as string,
    })
  })

  it('an audit of an entity that is not there fails, and of one that is there looks at its chain', async () => {
    const nobody = await catalogOn(original, ['audit', 'verify', '--entity', 'glossary:noone'])
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('no event of glossary:noone') as string })
    const one = await catalogOn(original, ['audit', 'verify', '--entity', 'glossary:one'])
    expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining('3 events in 1 streams') as string })
  })

  it('an audit of a file that holds something else says so once', async () => {
    const file = join(root, 'other.json')
    writeFileSync(file, JSON.stringify({ a: Array.from({ length: 100 }, (_, index) => index) }, undefined, 2))
    const { code, stdout } = await catalogOn(root, ['audit', 'verify', '--file', file])
    expect(stdout.match(/lines are not events/g)).toHaveLength(1)
    expect(stdout).toContain('104 lines are not events, the first one is line 1.')
    expect(code).toBe(1)
  })
})

describe.skipIf(external.eventStoreUrl !== undefined)('an attack on the file of the log', () => {
  it('an attack that did not take place is not found', async () => {
    const { code, stdout } = await verify(original, ...withCheckpoint)
    expect(stdout).toMatch(clean)
    expect(stdout).toContain('It begins with the events signed by 1 checkpoint.')
    expect(stdout).toContain('Only a checkpoint that was stored elsewhere proves more')
    expect(code).toBe(0)
  })

  it('an attack that changes the last event of a stream with its hash shows in the tree', async () => {
    const folder = attacked((rows) => {
      const row = rowOf(rows, 'two', 1)
      forge(row)
      row.metadata = JSON.stringify(hashed(row, (JSON.parse(row.metadata) as EventMetadata).previousHash))
      return rows
    })
    const named = new RegExp(
      `${glossary('two')}, revision 1.* is not what was written: the tree has another leaf there`,
    )
    await expectFound(folder, [], named)
    await expectFound(folder, withCheckpoint, named)
  })

  it('an attack that cuts off the end shows in the tree, and against a checkpoint', async () => {
    const folder = attacked((rows) => rows.slice(0, -2))
    await expectFound(folder, [], /removed: The tree has a leaf for position \d+, where the log has no event/)
    await expectFound(folder, withCheckpoint, /removed: The checkpoint is of (\d+) events, and the log has \d+/)
  })

  it('an attack that inserts a stream of its own in between shows in the tree, and against a checkpoint', async () => {
    const folder = attacked((rows) => {
      const at = rows.indexOf(rowOf(rows, 'two', 1))
      const id = crypto.randomUUID()
      const { position, metadata } = rows[at] as Row
      const forged = {
        position,
        stream: `glossary-${id}`,
        revision: 0,
        id,
        type: 'Created',
        data: '{"name":"x","members":{}}',
        metadata,
      }
      const later = rows.slice(at).map((row) => ({ ...row, position: row.position + 1 }))
      return chainAnew([...rows.slice(0, at), forged, ...later], new Set([forged.stream]))
    })
    const { stdout } = await verify(folder)
    expect(stdout.match(/^changed: .*$/m)?.[0]).toMatch(
      /Created \S+ \(glossary-.* is not what was written: the tree has another leaf there\.$/,
    )
    await expectFound(folder, withCheckpoint, /are not those of the checkpoint of \d+ events/)
  })

  it('an attack that swaps two events of different streams shows in the tree, and against a checkpoint', async () => {
    const folder = attacked((rows) => {
      const [one, other] = [rowOf(rows, 'two', 1), rowOf(rows, 'three', 1)]
      ;[one.position, other.position] = [other.position, one.position]
      return rows.toSorted((a, b) => a.position - b.position)
    })
    const { stdout } = await verify(folder)
    for (const name of ['two', 'three'])
      expect(stdout).toMatch(
        new RegExp(`^changed: .*${glossary(name)}, revision 1.* the tree has another leaf there`, 'm'),
      )
    await expectFound(folder, withCheckpoint, /are not those of the checkpoint/)
  })

  it('an attack that sets a time back is found by the order of times', async () => {
    const folder = attacked((rows) => {
      const row = rowOf(rows, 'three', 1)
      const metadata = JSON.parse(row.metadata) as EventMetadata
      row.metadata = JSON.stringify({ ...metadata, time: '2001-01-01T00:00:00.000Z' })
      return chainAnew(rows, new Set([row.stream]))
    })
    await expectFound(folder, [], /backdated: Updated .* says 2001-01-01T00:00:00.000Z, but an event before it says 20/)
  })

  it('an attack that rewrites a stream with all its hashes is named by the tree, which the checkpoint proves', async () => {
    const folder = attacked(forgedStream)
    const named = new RegExp(
      `changed: Created \\S+ \\(${glossary('one')}, revision 0, .*and for 2 more of ${glossary('one')}`,
    )
    await expectFound(folder, [], named)
    await expectFound(folder, withCheckpoint, named, 'The tree that is kept beside it still shows what was signed')
  })

  it('an attack that rewrites a stream and builds the read models again is found by the checkpoint alone', async () => {
    const folder = attacked(forgedStream)
    expect((await catalogOn(folder, ['rebuild'])).code).toBe(0)
    expect((await verify(folder)).stdout).toMatch(clean)
    await expectFound(folder, withCheckpoint, /The first \d+ events are not those of the checkpoint of \d+ events\.$/m)
  })

  it('is narrowed down by several checkpoints', async () => {
    const folder = attacked((rows) => {
      forge(rowOf(rows, 'three', 1))
      return chainAnew(rows, new Set([glossary('three')]))
    })
    expect((await catalogOn(folder, ['rebuild'])).code).toBe(0)
    const both = join(root, 'both')
    cpSync(kept.early, both)
    writeFileSync(both, readFileSync(kept.checkpoint), { flag: 'a' })
    await expectFound(
      folder,
      ['--checkpoint', both, '--key', kept.key],
      /Of events \d+ to \d+ of the log some are not those/,
    )
    const { stdout } = await verify(folder, '--checkpoint', kept.early, '--key', kept.key)
    expect(stdout).toMatch(clean)
  })

  it('an attack that rewrites the whole log cannot sign it without the key', async () => {
    const folder = attacked((rows) =>
      chainAnew(
        rows.map((row) => (forge(row), row)),
        new Set(rows.map(({ stream }) => stream)),
      ),
    )
    await catalogOn(folder, ['rebuild'])
    writeFileSync(join(folder, 'audit.key'), `${makeSignerKey('catalog.example.com')}\n`)
    const note = await newCheckpoint(folder)
    const forged = join(folder, 'checkpoint')
    writeFileSync(forged, note)
    const { code, stderr } = await catalogOn(folder, ['audit', 'verify', '--checkpoint', forged, '--key', kept.key])
    expect(stderr).toContain('None of the keys given')
    expect(code).toBe(1)
  })

  it('an attack that rewrites the whole log with the key is found by the checkpoint that somebody kept', async () => {
    const folder = attacked((rows) =>
      chainAnew(
        rows.map((row) => (forge(row), row)),
        new Set(rows.map(({ stream }) => stream)),
      ),
    )
    await catalogOn(folder, ['rebuild'])
    const forged = join(folder, 'checkpoint')
    writeFileSync(forged, await newCheckpoint(folder))
    expect((await verify(folder, '--checkpoint', forged, '--key', kept.key)).code).toBe(0)
    await expectFound(folder, withCheckpoint, /The first \d+ events are not those of the checkpoint of \d+ events/)
  })

  it('an attack that rewrites the whole log with the key sets off the alarm of a witness that watches', async () => {
    const folder = attacked((rows) => (forge(rowOf(rows, 'two', 0)), chainAnew(rows, new Set([glossary('two')]))))
    await catalogOn(folder, ['rebuild'])
    const state = join(folder, 'witnessed')
    expect(
      await watchedAt(
        attacked((rows) => rows),
        state,
      ),
    ).toMatchObject({ code: 0, stderr: '' })
    const known = readFileSync(state, 'utf8')
    const service = await startInProcess({}, folder)
    await service.call('POST', '/v1/glossaries', { name: 'later' })
    const shown = await textOf(service, '/v1/audit/checkpoint')
    await service.close()
    const { code, stderr } = await watchedAt(folder, state)
    expect(stderr).toMatch(
      /ALARM: the log of .* was changed or replaced.* The first \d+ events of the log are not those/,
    )
    expect(stderr).toContain(known)
    expect(stderr).toContain(shown)
    expect(code).toBe(1)
    expect(readFileSync(state, 'utf8')).toBe(known)
    const shorter = attacked((rows) => rows.slice(0, -1))
    await catalogOn(shorter, ['rebuild'])
    expect(await watchedAt(shorter, state)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ALARM: [^]*The log had \d+ events and has \d+/) as string,
    })
  })

  it('an attack that puts an old backup in its place is found by the checkpoint that somebody kept', async () => {
    const folder = attacked((rows) => rows.slice(0, -2))
    expect((await catalogOn(folder, ['rebuild'])).code).toBe(0)
    expect((await verify(folder)).stdout).toMatch(clean)
    await expectFound(folder, withCheckpoint, /removed: The checkpoint is of \d+ events, and the log has \d+/)
    const status = () => catalogOn(folder, ['status'], { CATALOG_AUDIT_WITNESS: kept.checkpoint })
    const shorter = await status()
    expect(shorter.stdout).toMatch(/PROBLEM: its checkpoint is of \d+ events, and the log has \d+/)
    expect(shorter.code).toBe(1)

    const service = await startInProcess({}, folder)
    for (const name of ['four', 'five', 'six']) await service.call('POST', '/v1/glossaries', { name })
    await service.close()
    await expectFound(folder, withCheckpoint, /The first \d+ events are not those of the checkpoint of \d+ events/)
    const watched = await watchedAt(folder, kept.checkpoint)
    expect(watched).toMatchObject({ code: 1, stderr: expect.stringMatching(/ALARM: /) as string })
    const longer = await status()
    expect([longer.code, longer.stdout]).toEqual([1, expect.stringContaining('PROBLEM: the log does not begin with')])
  })

  it('an old backup is not signed with the key of the newer log until a person says so, which is an event', async () => {
    const folder = restored((rows) => rows.slice(0, -2))
    const service = await startInProcess({}, folder)
    const refused = await service.call('GET', '/v1/audit/checkpoint')
    expect([refused.status, refused.body.detail]).toEqual([503, expect.stringMatching(/does not go on from it/)])
    expect((await service.call('POST', '/v1/glossaries', { name: 'goes-on' })).status).toBe(201)
    await service.close()
    const status = await catalogOn(folder, ['status'])
    expect([status.code, status.stdout]).toEqual([1, expect.stringMatching(/PROBLEM: .* nothing is signed/)])

    expect((await catalogOn(folder, ['audit', 'rotate'])).code).toBe(0)
    const again = await startInProcess({}, folder)
    const note = await textOf(again, '/v1/audit/checkpoint')
    expect(note).toMatch(/^catalog\.example\.com\n\d+\n/)
    expect((await again.call('GET', '/v1/events?type=KeyChanged')).body.data).toHaveLength(1)
    await again.close()
    expect((await catalogOn(folder, ['status'])).code).toBe(0)
  })

  it('a witness’s file that is not one history is named by status, whatever its newest checkpoint is', async () => {
    const file = join(root, 'twoHistories')
    cpSync(kept.checkpoint, file)
    writeFileSync(file, readFileSync(kept.early), { flag: 'a' })
    const back = await catalogOn(original, ['status'], { CATALOG_AUDIT_WITNESS: file })
    expect(back.stdout).toMatch(/PROBLEM: it has a checkpoint of \d+ events behind one of \d+: the key signed two/)
    expect(back.code).toBe(1)
    const fine = await catalogOn(original, ['status'], { CATALOG_AUDIT_WITNESS: kept.checkpoint })
    expect(fine).toMatchObject({ code: 0 })
  })

  it('two checkpoints of one size that differ are named for what they are', async () => {
    const folder = attacked(forgedStream)
    const signer = readSignerKey(readFileSync(join(folder, 'audit.key'), 'utf8').split('\n')[0] as string)
    const { size } = openCheckpoint(readFileSync(kept.checkpoint, 'utf8'), [signer])
    const both = join(folder, 'both')
    cpSync(kept.checkpoint, both)
    writeFileSync(both, signCheckpoint({ size, root: Buffer.alloc(32) }, signer), { flag: 'a' })
    const named = `Two checkpoints of ${size} events differ: the key signed two histories.`
    await expectFound(folder, ['--checkpoint', both, '--key', kept.key], named)
    const status = await catalogOn(original, ['status'], { CATALOG_AUDIT_WITNESS: both })
    expect([status.code, status.stdout]).toEqual([1, expect.stringMatching(/it has two checkpoints of \d+ events/)])
    const watched = await watchedAt(
      attacked((rows) => rows),
      both,
    )
    expect(watched).toMatchObject({ code: 1, stderr: expect.stringMatching(/ALARM: /) as string })
  })

  it('an attack that replaces the key sets off the alarm of a witness that watches', async () => {
    const folder = attacked((rows) => rows)
    writeFileSync(join(folder, 'audit.key'), `${makeSignerKey('catalog.example.com')}\n`)
    const audited = await verify(folder, ...withCheckpoint)
    expect(audited.stdout).toMatch(clean)
    expect(audited.code).toBe(0)
    const state = join(folder, 'witnessed')
    const watched = await watchedAt(folder, state)
    expect(watched).toMatchObject({ code: 1, stderr: expect.stringMatching(/ALARM: [^]*None of the keys/) as string })
    const status = await catalogOn(folder, ['status'], { CATALOG_AUDIT_WITNESS: kept.checkpoint })
    expect(status.stdout).toContain('PROBLEM: None of the keys given')
    expect(status.code).toBe(1)
  })

  it('is found offline, in an export', async () => {
    const file = join(root, 'export.ndjson')
    writeFileSync(file, (await catalogOn(attacked(forgedStream), ['replay'])).stdout)
    expect((await verify(root, '--file', file)).stdout).toMatch(clean)
    await expectFound(root, ['--file', file, ...withCheckpoint], /The first \d+ events are not those of the checkpoint/)
    writeFileSync(file, (await catalogOn(original, ['replay'])).stdout)
    expect((await verify(root, '--file', file, ...withCheckpoint)).code).toBe(0)
  })

  it('a change of an inner tile is found by catalog verify, and nothing false is signed', async () => {
    const folder = restored((rows) => rows)
    const service = await startInProcess({}, folder)
    const many = Array.from({ length: 260 }, (_, index) => ({ name: `many${index}`, serviceType: 'Postgres' }))
    expect((await service.call('PUT', '/v1/services/databaseServices/bulk', many)).status).toBe(200)
    expect(await textOf(service, '/v1/audit/checkpoint')).toContain('catalog.example.com')
    await service.close()
    expect((await catalogOn(folder, ['verify'])).code).toBe(0)
    const database = new DatabaseSync(join(folder, 'readmodels.history.db'))
    const inner = 'UPDATE tree SET hashes = zeroblob(length(hashes)) WHERE tile >= 1099511627776'
    expect(database.prepare(inner).run().changes).toBe(1)
    database.close()
    const { code, stdout } = await catalogOn(folder, ['verify'])
    expect([code, stdout]).toEqual([1, expect.stringContaining('The read models differ (tree)')])
    const refused = async (): Promise<void> => {
      const again = await startInProcess({}, folder)
      expect((await again.call('GET', '/v1/audit/checkpoint')).status).toBe(503)
      await again.close()
    }
    await refused()
    // Nor where nothing is known of what was signed before.
    rmSync(join(folder, 'audit.signed'))
    await refused()
    expect((await catalogOn(folder, ['status'])).stdout).toContain(
      'PROBLEM: The tiles of the tree are not those of its leaves',
    )
  })

  it('is told of before anybody is advised to build the read models again', async () => {
    const { code, stdout } = await catalogOn(attacked(forgedStream), ['verify'])
    expect(stdout).toMatch(/changed: Created [^]*The log is not intact: keep both/)
    expect(stdout).not.toContain('Run: catalog rebuild')
    expect(code).toBe(1)
  })
})
