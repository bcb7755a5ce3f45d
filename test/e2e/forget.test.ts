import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogOn } from '../support/commandLine.ts'
import { external } from '../support/external.ts'
import { sharedFolder } from '../support/folders.ts'
import { waitFor } from '../support/waitFor.ts'
import { openService, type InProcess } from '../support/running.ts'
import { temporaryDataDir, tokenFor } from '../support/service.ts'

const merge = { headers: { 'content-type': 'application/merge-patch+json' } }
const isEmbedded = external.eventStoreUrl === undefined

const root = sharedFolder()
const data = temporaryDataDir()
let service: InProcess
let id = ''
const kept = { checkpoint: join(root, 'checkpoint'), key: join(root, 'key'), backup: join(root, 'backup') }

const get = async (path: string) => (await service.call('GET', path)).body
const textIn = async (path: string): Promise<string> => JSON.stringify(await get(path))
const words = ['mallory@example.org', 'Mallory Malone', 'likes cats', 'picture.example.org', 'behind the aviary']

let moment = ''
let request = ''

/** Every way on which the values could come out. */
const views = (): string[] => [
  `/v1/users/${id}?fields=*`,
  `/v1/users/${id}?asOf=0.1`,
  `/v1/users/${id}?asOf=0.2`,
  `/v1/users/${id}/versions`,
  `/v1/users/${id}/history`,
  `/v1/users/${id}/diff?from=0.1&to=0.2`,
  '/v1/users?limit=1000&fields=*',
  `/v1/users?limit=1000&fields=*&asOf=${moment}`,
  `/v1/requests/${request}`,
  '/v1/events?limit=1000',
  '/v1/activity?limit=1000',
  '/v1/search/query?q=mallory',
  '/v1/search/query?q=cats',
  '/v1/glossaries/name/hers?fields=*',
]

const found = async (): Promise<string[]> => {
  const texts = await Promise.all(views().map(textIn))
  return texts.flatMap((text, at) =>
    words.filter((word) => text.includes(word)).map((word) => `${views()[at]}: ${word}`),
  )
}

/** Files of a folder that hold one of the words. */
const filesWith = (folder: string): string[] =>
  readdirSync(folder).filter((name) => {
    const bytes = readFileSync(join(folder, name))
    return words.some((word) => bytes.includes(word))
  })

const forget = (token?: string) =>
  service.call('POST', `/v1/users/${id}/forget`, undefined, token === undefined ? {} : { token })

beforeAll(async () => {
  service = await openService({}, data.path)
  const made = await service.call('POST', '/v1/users', {
    name: 'mallory',
    email: words[0],
    displayName: 'Mal',
    profile: { picture: 'https://picture.example.org/1.png' },
    extension: { desk: words[4] },
  })
  expect(made.status).toBe(201)
  id = made.body.id as string
  moment = made.headers.get('catalog-position') as string
  const changed = await service.call(
    'PATCH',
    `/v1/users/${id}`,
    { displayName: words[1], description: words[2] },
    merge,
  )
  request = changed.headers.get('x-request-id') as string
  expect((await service.call('POST', '/v1/glossaries', { name: 'hers', owners: [{ id, type: 'user' }] })).status).toBe(
    201,
  )
  writeFileSync(kept.checkpoint, String((await service.call('GET', '/v1/audit/checkpoint')).body))
  writeFileSync(kept.key, String((await service.call('GET', '/v1/audit/key')).body))
})
afterAll(async () => {
  await service.close()
  await data.remove()
})

describe('personal values', () => {
  it('are shown as they were written, with their history', async () => {
    expect(await get(`/v1/users/${id}`)).toMatchObject({
      email: words[0],
      displayName: words[1],
      description: words[2],
    })
    expect(await get(`/v1/users/${id}?asOf=0.1`)).toMatchObject({ displayName: 'Mal' })
    expect(await textIn('/v1/search/query?q=malone')).toContain(words[1])
    expect(await textIn('/v1/glossaries/name/hers?fields=owners')).toContain(words[1])
    expect(await textIn(`/v1/users/${id}/history`)).toContain(words[0])
    expect(await textIn('/v1/events?limit=1000')).toContain(words[0])
  })

  it.runIf(isEmbedded)('are not readable in the log, nor in what is exported of it', async () => {
    expect(filesWith(data.path).filter((name) => name.startsWith('log.db'))).toEqual([])
    const { stdout } = await catalogOn(data.path, ['replay', '--entity', 'user:mallory'])
    expect(stdout).toContain('"$personal":"v1:')
    expect(words.filter((word) => stdout.includes(word))).toEqual([])
  })

  it('cannot be sent in the form that they are stored in', async () => {
    const { status } = await service.call('PATCH', `/v1/users/${id}`, { profile: { $personal: 'v1:a:b:c' } }, merge)
    expect(status).toBe(400)
  })
})

describe('who is forgotten', () => {
  let proof: unknown
  let position = ''
  let version = 0

  it('is so only by who may', async () => {
    for (const role of ['DataSteward', 'Auditor', 'Ingestion'])
      expect((await forget(tokenFor('someone', [role]))).status).toBe(403)
    expect((await service.call('POST', '/v1/users/0b5c2f5c-7d0e-4d0a-9d5b-2f4f0f0f0f0f/forget')).status).toBe(404)
    expect((await service.call('POST', `/v1/glossaries/${id}/forget`)).status).toBe(404)
    if (isEmbedded) expect(await catalogOn(data.path, ['backup', kept.backup])).toMatchObject({ code: 0 })
  })

  it('can be read nowhere any more, and events say who did it', async () => {
    // What is kept in memory of the past is there.
    expect(await found()).not.toEqual([])
    const { data: history } = (await get(`/v1/users/${id}/history`)) as { data: { position: string; hash: string }[] }
    position = history[0]?.position as string
    proof = await get(`/v1/audit/inclusion?position=${position}`)
    version = (await get(`/v1/users/${id}`)).version as number
    const { status, body } = await forget()
    expect([status, body]).toEqual([
      200,
      {
        id,
        fullyQualifiedName: 'mallory',
        erased: expect.arrayContaining(['email', 'displayName', 'description', 'profile']) as string[],
      },
    ])
    expect(await found()).toEqual([])
    const now = await get(`/v1/users/${id}?fields=*`)
    expect(now).toMatchObject({ name: 'mallory' })
    for (const member of ['email', 'displayName', 'description', 'profile']) expect(now).not.toHaveProperty(member)
    expect(now.version).toBeGreaterThan(version)
    expect(await get(`/v1/users/${id}?asOf=0.1`)).toMatchObject({
      displayName: '(erased)',
      email: '(erased)',
      profile: { erased: true },
    })
    const after = (await get(`/v1/users/${id}/history`)) as {
      data: { type: string; user: string; time: string; hash: string }[]
    }
    expect(after.data.at(-1)).toMatchObject({ type: 'Forgotten', user: 'admin', time: expect.any(String) as string })
    expect(after.data[0]?.hash).toBe(history[0]?.hash)
    expect(JSON.stringify(await get('/v1/activity?type=Forgotten'))).toMatch(
      /Erased displayName, description, extension and \d+ more, now and in the past\./,
    )
  })

  it.runIf(isEmbedded)('leaves no words in the file of the search index', async () => {
    const searched = ['malone', 'cats', 'picture']
    await waitFor(() => {
      const files = readdirSync(data.path).filter((name) => name.includes('.search.db'))
      const texts = files.map((name) => readFileSync(join(data.path, name)).toString('latin1').toLowerCase())
      return searched.every((word) => !texts.some((text) => text.includes(word)))
    })
  })

  it('has the proofs that were there', async () => {
    const { hash, leafHash } = proof as { hash: string; leafHash: string }
    expect(await get(`/v1/audit/inclusion?position=${position}`)).toMatchObject({ hash, leafHash })
  })

  it('is forgotten once: again there is nothing to do', async () => {
    const head = (await get('/readyz')).dependencies.projections.head as string
    expect((await forget()).status).toBe(200)
    expect((await get('/readyz')).dependencies.projections.head).toBe(head)
  })

  it('does not come back with an old version', async () => {
    await service.call('POST', `/v1/users/${id}/revert`, { version: '0.1' })
    const now = await get(`/v1/users/${id}`)
    expect(now).not.toHaveProperty('displayName')
    expect(JSON.stringify(now)).not.toContain('erased')
  })

  it('can be somebody new, with a new key, and be forgotten again after the end', async () => {
    await service.call('PATCH', `/v1/users/${id}`, { displayName: words[1] }, merge)
    expect(await get(`/v1/users/${id}`)).toMatchObject({ displayName: words[1] })
    expect((await service.call('DELETE', `/v1/users/${id}?hardDelete=true`)).status).toBe(204)
    expect(await textIn(`/v1/users/${id}/history`)).toContain(words[1])
    expect((await forget()).status).toBe(200)
    expect(await textIn(`/v1/users/${id}/history`)).not.toContain(words[1])
    expect(await textIn('/v1/events?limit=1000')).not.toContain(words[1])
  })

  it('is forgotten apart from who has the name now, and only if it is said who is meant', async () => {
    const [gone, here] = ['first.nadia@example.org', 'second.nadia@example.org']
    const { body } = await service.call('POST', '/v1/users', { name: 'nadia', email: gone })
    const nadia = `/v1/users/${body.id}`
    await service.call('DELETE', `${nadia}?hardDelete=true`)
    await service.call('POST', '/v1/users', { name: 'nadia', email: here })
    const refused = await service.call('POST', `${nadia}/forget`)
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('lives=former or lives=all')])
    const { version } = await get(nadia)
    expect((await service.call('POST', `${nadia}/forget?lives=former`)).status).toBe(200)
    expect(await get(nadia)).toMatchObject({ email: here, version })
    const past = await textIn(`${nadia}/history`)
    expect([past.includes(gone), past.includes(here)]).toEqual([false, true])
    expect(await textIn('/v1/activity?type=Forgotten')).toContain('Erased who had the name before.')
    expect((await service.call('POST', `${nadia}/forget`)).status).toBe(200)
    expect(await textIn(`${nadia}/history`)).not.toContain(here)
  })

  it('stays so: read models that are built anew agree, and the log proves itself', async () => {
    await service.close()
    expect(await catalogOn(data.path, ['verify'], { CATALOG_LOG_LEVEL: 'debug' })).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(await catalogOn(data.path, ['rebuild'])).toMatchObject({ code: 0 })
    expect(
      await catalogOn(data.path, ['audit', 'verify', '--checkpoint', kept.checkpoint, '--key', kept.key]),
    ).toMatchObject({
      code: 0,
    })
    if (isEmbedded) expect(filesWith(data.path)).toEqual([])
    service = await openService({}, data.path)
    expect(await textIn('/v1/events?limit=1000')).not.toContain(words[0])
  })

  it.runIf(isEmbedded)('is remembered by a backup from before, until that is replaced', async () => {
    expect(existsSync(join(kept.backup, 'personal.db'))).toBe(true)
    const copy = join(root, 'restored')
    cpSync(kept.backup, copy, { recursive: true })
    const restored = await openService({}, copy)
    try {
      expect((await restored.call('GET', `/v1/users/${id}`)).body).toMatchObject({ email: words[0] })
    } finally {
      await restored.close()
    }
    const moved = join(root, 'moved')
    const copied = await catalogOn(root, ['copy', '--from', kept.backup, '--to', moved])
    expect(copied).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('keys of personal values copied') as string,
    })
    expect(readFileSync(join(moved, 'personal.db')).length).toBeGreaterThan(0)
  })
})

describe.runIf(isEmbedded)('the key of a person', () => {
  const folder = join(root, 'damaged')
  /** Ann and others, each with what becomes of the key; the ids are there when they are made. */
  const damages = {
    ann: 'UPDATE keys SET key = zeroblob(32) WHERE subject = ?',
    ben: 'UPDATE keys SET key = zeroblob(7) WHERE subject = ?',
    cleo: 'DELETE FROM keys WHERE subject = ?',
  }
  const names = Object.keys(damages) as (keyof typeof damages)[]
  const ids = new Map<string, string>()
  const emailOf = (name: string): string => `${name}@example.org`

  const started = async (look: (one: InProcess) => Promise<void>): Promise<void> => {
    const one = await openService({}, folder)
    try {
      await look(one)
    } finally {
      await one.close()
    }
  }
  const emailAtFirst = async (one: InProcess, name: string): Promise<unknown> =>
    (await one.call('GET', `/v1/users/${ids.get(name)}?asOf=0.1`)).body.email

  beforeAll(async () => {
    await started(async (one) => {
      for (const name of names) {
        const { body } = await one.call('POST', '/v1/users', { name, email: emailOf(name) })
        ids.set(name, body.id as string)
        await one.call('PATCH', `/v1/users/${body.id}`, { displayName: name.toUpperCase() }, merge)
      }
    })
    cpSync(join(folder, 'personal.db'), join(root, 'personal.before'))
  })

  it('that is damaged, cut or missing is named, and stops neither a start nor a rebuild', async () => {
    const keys = new DatabaseSync(join(folder, 'personal.db'))
    for (const name of names)
      expect([name, keys.prepare(damages[name]).run(`user-${ids.get(name)}`).changes]).toEqual([name, 1])
    keys.close()
    await started(async (one) => {
      for (const name of names) {
        expect([name, await emailAtFirst(one, name)]).toEqual([name, '(unreadable)'])
        expect((await one.call('GET', `/v1/users/${ids.get(name)}`)).body).toMatchObject({ email: emailOf(name) })
      }
    })
    for (const command of ['verify', 'status']) {
      const { code, stdout } = await catalogOn(folder, [command])
      for (const id of ids.values())
        expect(stdout).toMatch(new RegExp(`personal values: user-${id}: its key \\S+ is missing or damaged`))
      expect(code).toBe(1)
    }
    cpSync(join(root, 'personal.before'), join(folder, 'personal.db'))
    expect(await catalogOn(folder, ['status'])).toMatchObject({ code: 0 })
  })

  it('that was away while the read models were built is told to need a rebuild once it is back', async () => {
    rmSync(join(folder, 'personal.db'))
    expect(await catalogOn(folder, ['rebuild'])).toMatchObject({ code: 0 })
    cpSync(join(root, 'personal.before'), join(folder, 'personal.db'))
    await started(async (one) =>
      expect((await one.call('GET', `/v1/users/${ids.get('ann')}`)).body.email).toBe('(unreadable)'),
    )
    const { code, stdout } = await catalogOn(folder, ['status'])
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('the read models show values of 3 entities as (unreadable) that the log has again'),
    ])
    expect(stdout).toContain('Run: catalog rebuild')
    expect(await catalogOn(folder, ['rebuild'])).toMatchObject({ code: 0 })
    expect(await catalogOn(folder, ['status'])).toMatchObject({ code: 0 })
  })

  it('that cannot be destroyed at once is destroyed later, and the answer says so', async () => {
    const ben = ids.get('ben')
    await started(async (one) => {
      const keys = new DatabaseSync(join(folder, 'personal.db'))
      keys.exec("CREATE TRIGGER kept BEFORE UPDATE OF key ON keys BEGIN SELECT RAISE(ABORT, 'kept'); END")
      const { status, body } = await one.call('POST', `/v1/users/${ben}/forget`)
      expect([status, body.message]).toEqual([503, expect.stringContaining('it goes on by itself')])
      expect(await emailAtFirst(one, 'ben')).toBe(emailOf('ben'))
      keys.exec('DROP TRIGGER kept')
      keys.close()
      await waitFor(async () => expect(await emailAtFirst(one, 'ben')).toBe('(erased)'))
    })
  })

  it('that was put back after its end is destroyed again by the next start', async () => {
    const ann = ids.get('ann')
    await started(async (one) => {
      expect((await one.call('POST', `/v1/users/${ann}/forget`)).status).toBe(200)
      expect(await emailAtFirst(one, 'ann')).toBe('(erased)')
    })
    expect(await catalogOn(folder, ['verify'])).toMatchObject({ code: 0 })
    cpSync(join(root, 'personal.before'), join(folder, 'personal.db'))
    for (const command of ['verify', 'status']) {
      const { code, stdout } = await catalogOn(folder, [command])
      expect([command, code, stdout]).toEqual([command, 1, expect.stringContaining(`user-${ann}: its key`)])
      expect(stdout).toContain('an event says that it was destroyed: the next start destroys it again')
    }
    await started(async (one) => expect(await emailAtFirst(one, 'ann')).toBe('(erased)'))
    for (const command of ['verify', 'status']) expect(await catalogOn(folder, [command])).toMatchObject({ code: 0 })
  })
})
