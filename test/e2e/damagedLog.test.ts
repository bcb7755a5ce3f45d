import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { catalogOn } from '../support/commandLine.ts'
import { external, skippedUnless } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { listening } from '../support/listening.ts'
import { startService } from '../../src/composition/service.ts'
import { bearer, configOf, startInProcess, type InProcess } from '../support/running.ts'
import { temporaryDataDir } from '../support/service.ts'
import { waitFor } from '../support/waitFor.ts'

const embedded = external.eventStoreUrl === undefined && external.mongodbUrl === undefined

const inLog = <T>(folder: string, work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(join(folder, 'log.db'))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const changed = (assignment: string) => (folder: string, position: number) =>
  inLog(folder, (database) => database.prepare(`UPDATE events SET ${assignment} WHERE position = ?`).run(position))

/** Overwrites the beginning of a page in the middle of the file. @returns the first position that it takes away */
const brokenPage = (folder: string): number => {
  const path = join(folder, 'log.db')
  for (let page = Math.floor(statSync(path).size / 8192 / 2); ; page++) {
    const whole = readFileSync(path)
    writeFileSync(path, Buffer.from(whole).fill(0xff, page * 8192, page * 8192 + 16))
    const readable = inLog(folder, firstReadable)
    if (readable > 10) return readable + 1
    writeFileSync(path, whole)
  }
}

/** How many events can be read from the beginning on, when not all can: else 0. */
const firstReadable = (database: DatabaseSync): number => {
  let last = 0
  try {
    for (const row of database.prepare('SELECT position, metadata FROM events ORDER BY position').iterate())
      last = Number(row['position'])
    return 0
  } catch {
    return last
  }
}

const kept = temporaryDataDir()
afterAll(() => kept.remove())

let recording: Promise<void> | undefined

/** Runs a service in the folder that is copied, until it has a history. */
const record = async (): Promise<void> => {
  const service = await startInProcess({}, kept.path)
  for (let index = 0; index < 40; index++) {
    const description = 'x'.repeat(1500)
    expect((await service.call('POST', '/v1/glossaries', { name: `g${index}`, description })).status).toBe(201)
  }
  await service.close()
}

/** A copy of the folder of a service that was stopped. @returns it, and the head of its log */
const withHistory = async (): Promise<{ folder: string; head: number }> => {
  await (recording ??= record())
  const folder = join(await temporaryFolder(), 'data')
  cpSync(kept.path, folder, { recursive: true })
  return {
    folder,
    head: inLog(folder, (log) => Number(log.prepare('SELECT max(position) p FROM events').get()?.['p'])),
  }
}

/** Starts it again. @returns with what it says about itself */
const startAgain = async (folder: string): Promise<InProcess & { said: () => string }> => {
  let said = ''
  const logger = pino({ level: 'error' }, { write: (line: string) => (said += line) })
  return { ...(await startInProcess({ CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true' }, folder, logger)), said: () => said }
}

/** Reads the pages of the feed. @returns the positions that it gave, and the answer that it ended with */
const pagesAfter = async ({ call }: InProcess, from: number) => {
  const positions: number[] = []
  for (let after = String(from); ;) {
    const answer = await call('GET', `/v1/events?limit=7&after=${after}`)
    if (answer.status !== 200 || answer.body.data.length === 0) return { positions, answer }
    positions.push(...answer.body.data.map(({ position }: { position: string }) => Number(position)))
    after = answer.body.paging.after
  }
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe.skipIf(skippedUnless(embedded, 'a damaged log', 'the stores are external'))('a damaged log', () => {
  const damages: readonly (readonly [what: string, damage: (folder: string, position: number) => unknown])[] = [
    ['data that is not JSON', changed('data = substr(data, 2)')],
    ['metadata that is not JSON', changed("metadata = replace(metadata, ':', ';')")],
    ['metadata without a member that all have', changed("metadata = json_remove(metadata, '$.user')")],
    ['a type that does not exist', changed("type = 'Exploded'")],
    ['a member that comes twice', changed(`data = replace(data, '{"name":', '{"name":"other","name":')`)],
    ['metadata with a member that comes twice', changed(`metadata = replace(metadata, '{"', '{"user":"mallory","')`)],
    ['white space', changed('data = data || char(10)')],
    ['digits that no number has', changed(`data = replace(data, '"members":{', '"members":{"a":9007199254740993,')`)],
    ['another value', changed("data = replace(data, 'xxx', 'yyy')")],
    ['a name in its metadata', changed(`metadata = replace(metadata, '"user":"', '"user":"x')`)],
    [
      'an event that is gone',
      (folder, position) => inLog(folder, (log) => log.prepare('DELETE FROM events WHERE position = ?').run(position)),
    ],
  ]

  const problemAt = (at: number) =>
    expect.objectContaining({
      status: 500,
      code: 'INTERNAL',
      detail: expect.stringMatching(new RegExp(`position ${at}\\b`)) as string,
    }) as object

  /** The start says where the damage begins, and everything else goes on. */
  const goesOn = async (service: Awaited<ReturnType<typeof startAgain>>, at: number): Promise<void> => {
    await waitFor(() => expect(service.said()).toContain('reads go on where the read models are whole'))
    expect(service.said()).toContain(join(service.folder, 'log.db'))
    expect(service.said()).toMatch(new RegExp(`"from":"${at}".*position ${at}\\b`))
    expect((await service.call('GET', '/v1/glossaries?limit=100')).body.data).toHaveLength(40)
    expect((await service.call('POST', '/v1/glossaries', { name: 'new' })).status).toBe(201)
  }

  /** Whoever reads from there comes as far as the damage, which is named, and no further. */
  const givesNothingOf = async (service: InProcess, at: number, from = 0, what = ''): Promise<void> => {
    const { positions, answer } = await pagesAfter(service, from)
    expect(positions, what).toEqual(numbers(from + 1, at - 1))
    expect([answer.status, answer.body]).toEqual([500, problemAt(at)])
    const stream = await fetch(`${service.url}/api/v1/events/stream?after=${at - 3}`, { headers: bearer() })
    const frames = (await stream.text()).split('\n\n').filter((frame) => frame.includes('data: '))
    const data = frames.map(
      (frame) => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] as string) as Record<string, unknown>,
    )
    expect(data.slice(0, -1).map(({ position }) => Number(position))).toEqual(numbers(at - 2, at - 1))
    expect([frames.at(-1)?.split('\n')[0], data.at(-1)]).toEqual(['event: problem', problemAt(at)])
    const atOnce = await service.call('GET', `/v1/events/stream?after=${at - 1}`)
    expect([atOnce.status, atOnce.body]).toEqual([500, problemAt(at)])
  }

  const isAuditedAt = async (folder: string, ...places: number[]): Promise<void> => {
    const { code, stdout } = await catalogOn(folder, ['audit', 'verify'])
    expect(code).toBe(1)
    for (const at of places) expect(stdout).toMatch(new RegExp(`position ${at}\\b`))
    expect(stdout).toContain(`put a backup of ${join(folder, 'log.db')} in place`)
  }

  it('is named event by event, and what is damaged is given to nobody, while everything else goes on', async () => {
    const { folder, head } = await withHistory()
    const places = damages.map((_, at) => head - 3 * (damages.length - at))
    for (const [at, [, damage]] of damages.entries()) damage(folder, places[at] as number)
    const service = await startAgain(folder)
    await goesOn(service, places[0] as number)
    for (const [at, place] of places.entries()) await givesNothingOf(service, place, places[at - 1], damages[at]?.[0])
    expect((await pagesAfter(service, places.at(-1) as number)).positions).toEqual(numbers(head - 2, head + 1))
    await isAuditedAt(folder, ...places)
  })

  it('is named also where a page of the file cannot be read', async () => {
    const { folder } = await withHistory()
    const at = brokenPage(folder)
    const service = await startAgain(folder)
    await goesOn(service, at)
    await givesNothingOf(service, at)
    await isAuditedAt(folder, at)
  })

  it('serves what the read models have, also where its newest event is the one that cannot be read', async () => {
    const { folder, head } = await withHistory()
    changed('data = substr(data, 2)')(folder, head)
    const service = await startAgain(folder)
    const { status, body } = await service.call('GET', '/v1/glossaries/name/g39')
    expect([status, body.description]).toEqual([200, expect.stringMatching(/^x+$/)])
    await givesNothingOf(service, head)
  })

  it('is in no history, no past and no evidence: each ends there, and names it', async () => {
    const { folder, head } = await withHistory()
    const at = head - 20
    changed("data = replace(data, 'xxx', 'yyy')")(folder, at)
    const stream = inLog(
      folder,
      (log) => log.prepare('SELECT stream FROM events WHERE position = ?').get(at)?.['stream'],
    )
    const address = `/v1/glossaries/${String(stream).slice('glossary-'.length)}`
    const service = await startAgain(folder)
    for (const asked of ['/history', '/versions', '?asOf=0.1', `?asOf=@${at}`]) {
      const { status, body } = await service.call('GET', `${address}${asked}`)
      expect([asked, status, body.detail]).toEqual([asked, 500, expect.stringMatching(`position ${at}\\b`)])
    }
    expect((await service.call('GET', address)).body.description).toMatch(/^x+$/)
    const output = join(folder, 'evidence.tar.gz')
    const { code, stderr } = await catalogOn(folder, ['audit', 'export', '--since', '2020-01-01', '--output', output])
    expect([code, stderr]).toEqual([1, expect.stringMatching(`position ${at}\\b`)])
  })

  it('stops a webhook there, whose status names it, and goes on when a backup is in place', async () => {
    const { folder, head } = await withHistory()
    const at = head - 20
    const whole = readFileSync(join(folder, 'log.db'))
    changed('data = substr(data, 2)')(folder, at)
    const received: number[] = []
    const url = await listening((request, response) => {
      void text(request).then((body) => received.push(Number((JSON.parse(body) as { position: string }).position)))
      response.end()
    })

    const service = await startAgain(folder)
    const { body } = await service.call('POST', '/v1/webhooks', { name: 'hook', endpoint: url })
    await service.call('POST', `/v1/webhooks/${body.id}/replay`, { after: String(at - 5) })
    const statusOf = async ({ call }: InProcess) => (await call('GET', `/v1/webhooks/${body.id}`)).body.status
    const stopped = {
      state: 'failing',
      position: String(at - 1),
      lastError: { position: String(at), message: expect.stringMatching(`stopped: .*position ${at}\\b`) },
    }
    await waitFor(async () => expect(await statusOf(service)).toMatchObject(stopped))
    expect(received).toEqual(numbers(at - 4, at - 1))
    const { attempts } = (await statusOf(service)).lastError
    await waitFor(async () => expect((await statusOf(service)).lastError.attempts).toBeGreaterThan(attempts))
    expect(await statusOf(service)).toMatchObject(stopped)
    await service.close()

    for (const end of ['-wal', '-shm']) rmSync(join(folder, `log.db${end}`), { force: true })
    writeFileSync(join(folder, 'log.db'), whole)
    const again = await startAgain(folder)
    await waitFor(async () => expect(await statusOf(again)).toMatchObject({ state: 'upToDate', lag: '0' }))
    expect(received).toEqual(numbers(at - 4, head))
  })

  it('(a file that lacks its end) is named with its path at a start, and by an audit', async () => {
    const { folder } = await withHistory()
    const path = join(folder, 'log.db')
    truncateSync(path, statSync(path).size / 2)
    const named = new RegExp(`${path} is damaged: .* Stop the service and put a backup of`)
    await expect(startAgain(folder)).rejects.toThrow(named)
    expect(await catalogOn(folder, ['audit', 'verify'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(named),
    })
  })

  it('that read models must be built from ends the start, which names the position', async () => {
    const { folder, head } = await withHistory()
    changed("type = 'Exploded'")(folder, head - 20)
    rmSync(join(folder, 'readmodels.db'))
    await expect(startAgain(folder)).rejects.toThrow(`at position ${head - 20} (`)
  })
})

describe.skipIf(skippedUnless(embedded, 'damaged files beside the log', 'the stores are external'))(
  'a damaged file beside the log',
  () => {
    it.each(['personal.db', 'webhooks.db'])('(%s) ends the start, which names it', async (name) => {
      const { folder } = await withHistory()
      const path = join(folder, name)
      writeFileSync(path, 'x'.repeat(8000))
      const named = `${path} is damaged: restore it from a backup (file is not a database).`
      await expect(startAgain(folder)).rejects.toThrow(named)
      rmSync(path)
      await startAgain(folder)
    })

    it('holds up a start where only a part of it is damaged, until somebody stops it', async () => {
      const folder = join(await temporaryFolder(), 'data')
      const service = await startInProcess({}, folder)
      await service.call('POST', '/v1/users', { name: 'eve', email: 'eve@example.org' })
      await service.close()
      const path = join(folder, 'personal.db')
      const { page_size: size } = new DatabaseSync(path).prepare('PRAGMA page_size').get() as { page_size: number }
      writeFileSync(path, readFileSync(path).fill(0xff, size))
      for (const file of readdirSync(folder)) if (file.startsWith('readmodels')) rmSync(join(folder, file))
      let said = ''
      const logger = pino({ level: 'warn' }, { write: (line: string) => (said += line) })
      const stop = new AbortController()
      const starting = startService(configOf(folder), logger, stop)
      const outcome = starting.then(
        () => 'started',
        (error: Error) => error.name,
      )
      await waitFor(() => expect(said).toContain('malformed'))
      stop.abort()
      expect(await outcome).toBe('AbortError')
    })
  },
)
