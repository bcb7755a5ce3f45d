import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { storesFor } from '../support/external.ts'
import {
  runCli,
  runCliAlongside,
  startBuilt,
  temporaryDataDir,
  tokenFor,
  type Answer,
  type RunningService,
} from '../support/service.ts'
import { entityId } from '../../src/kinds/names.ts'
import { describeWith, glossaryNames, startWriters } from './support.ts'

describeWith({ log: true, readModels: true }, 'several processes on one pair', () => {
  const folders = [temporaryDataDir(), temporaryDataDir()] as const
  const [shared] = folders
  const env = { ...storesFor(shared.path), CATALOG_SECRET_KEY: 'the key that all processes share, 32 bytes' }
  let services: [RunningService, RunningService]

  beforeAll(async () => {
    const [first, second] = await Promise.all(folders.map(({ path }) => startBuilt(path, env)))
    services = [first as RunningService, second as RunningService]
  })

  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()))
    await Promise.all(folders.map((folder) => folder.remove()))
  })

  const either = (index: number): RunningService => services[index % 2] as RunningService

  const parallel = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => work(index)))

  it('starters exist once, although both start at the same time', async () => {
    const {
      body: [first],
    } = { body: (await either(0).call('GET', '/v1/dataQuality/testDefinitions?limit=1')).body.data }
    const { body } = await either(1).call('GET', `/v1/dataQuality/testDefinitions/${first.id}/history`)
    expect(body.data).toHaveLength(1)
  })

  it('each warns of keys that the others do not have', () => {
    for (const service of services) expect(service.output()).toContain('CATALOG_AUDIT_KEY_FILE is not set')
  })

  it('the status names both, and what each of them projects', async () => {
    const shownBy = (line: RegExp) => expect.poll(() => runCli(shared.path, ['status'], env).stdout.match(line)?.length)
    await shownBy(/^  \d+ on \S+, \S+: projects [\w ]+, position \d+, /gm).toBe(2)
    await shownBy(/^  \d+ on \S+, \S+: projects entities\b/gm).toBe(1)
  })

  it('a name is given once', async () => {
    const answers = await parallel(40, (index) => either(index).call('POST', '/v1/glossaries', { name: 'contested' }))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status, body }) => status === 409 && body.code === 'ENTITY_ALREADY_EXISTS')).toHaveLength(
      39,
    )
  })

  it('votes and patches are all kept', async () => {
    const { body: glossary } = await either(0).call('POST', '/v1/glossaries', { name: 'popular', extension: {} })
    const votes = await parallel(40, (index) =>
      either(index).call(
        'PUT',
        `/v1/glossaries/${glossary.id}/vote`,
        { updatedVoteType: 'votedUp' },
        {
          token: tokenFor(`voter${index}`, ['DataConsumer']),
        },
      ),
    )
    expect(new Set(votes.map(({ status }) => status))).toEqual(new Set([200]))
    const patches = await parallel(40, (index) =>
      either(index).call(
        'PATCH',
        `/v1/glossaries/${glossary.id}`,
        { extension: { [`k${index}`]: index } },
        {
          headers: { 'content-type': 'application/merge-patch+json' },
        },
      ),
    )
    expect(new Set(patches.map(({ status }) => status))).toEqual(new Set([200]))
    const last = patches
      .map(({ headers }) => BigInt(headers.get('catalog-position') as string))
      .reduce((a, b) => (a > b ? a : b))
    for (const service of services) {
      const { body } = await service.call('GET', `/v1/glossaries/${glossary.id}?fields=votes,extension`, undefined, {
        headers: { 'catalog-position': String(last) },
      })
      expect([body.votes.upVotes, Object.keys(body.extension).length]).toEqual([40, 40])
    }
  })

  it('a rebuild hides nothing that was acknowledged, also when two run at once', async () => {
    const writers = startWriters(services, 4)
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(10)
    let rebuilding = true
    const rebuilds = Promise.all([0, 1].map(() => runCliAlongside(shared.path, ['rebuild'], env))).finally(
      () => (rebuilding = false),
    )
    const hidden: string[] = []
    for (let round = 0; rebuilding; round++) {
      const [service, all] = [either(round), writers.acknowledged.length]
      const names = writers.acknowledged.slice(-10)
      const [list, ...answers] = await Promise.all([
        service.call('GET', '/v1/glossaries?limit=0'),
        ...names.flatMap((name, index) => [
          either(round + index).call('GET', `/v1/glossaries/name/${name}`),
          service.call('GET', `/v1/glossaries/${entityId('glossary', name)}/history`),
          service.call('GET', `/v1/search/query?index=glossary_search_index&size=1&q=name:${name}`),
        ]),
      ])
      // A store that is busy may keep an answer back (503), which hides nothing: it says so.
      const isShown = ({ status, body }: Answer): boolean =>
        status === 503 || (status === 200 && body.hits?.total.value !== 0)
      hidden.push(
        ...answers.flatMap((answer, index) =>
          isShown(answer) ? [] : `${index % 3} ${names[(index / 3) | 0]}: ${answer.status}`,
        ),
      )
      if (list.status !== 503 && !(list.body.paging?.total >= all)) hidden.push(`${list.body.paging?.total} of ${all}`)
    }
    await writers.stop()
    expect((await rebuilds).map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(writers.acknowledged.length).toBeGreaterThan(50)
    expect(hidden).toEqual([])
    const [one, other] = await Promise.all(services.map(glossaryNames))
    expect(writers.acknowledged.filter((name) => !one?.has(name) || !other?.has(name))).toEqual([])
    expect([...writers.statuses.keys()].filter((status) => status !== 201)).toEqual([])
  })

  it('with If-Match exactly one wins', async () => {
    const created = await either(0).call('POST', '/v1/glossaries', { name: 'guarded' })
    const headers = {
      'if-match': created.headers.get('etag') as string,
      'catalog-position': created.headers.get('catalog-position') as string,
    }
    const answers = await parallel(20, (index) =>
      either(index).call('PUT', '/v1/glossaries', { name: 'guarded', description: `d${index}` }, { headers }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19)
  })

  it('who carries Catalog-Position from one to the other reads what was written', async () => {
    for (let round = 0; round < 100; round++) {
      const written = await either(round).call('POST', '/v1/glossaries', { name: `carried${round}` })
      const position = written.headers.get('catalog-position') as string
      const read = await either(round + 1).call('GET', `/v1/glossaries/name/carried${round}`, undefined, {
        headers: { 'catalog-position': position },
      })
      expect([written.status, read.status]).toEqual([201, 200])
    }
  })

  it('what one has answered the other finds at once, also where what is asked is projected a moment later', async () => {
    const missed: string[] = []
    for (let round = 0; round < 24; round++) {
      const name = `found${round}`
      const { headers } = await either(round).call('POST', '/v1/glossaries', { name })
      const request = headers.get('x-request-id') as string
      const asked = {
        search: `/v1/search/query?index=glossary_search_index&size=1&q=name:${name}`,
        suggestions: `/v1/search/suggest?q=${name}&limit=1`,
        snapshot: `/v1/glossaries?limit=1000&snapshot=true`,
        past: `/v1/glossaries?limit=1000&asOf=${encodeURIComponent(new Date().toISOString())}`,
        activity: `/v1/activity?limit=5`,
        request: `/v1/requests/${request}`,
      }
      const answers = await Promise.all(
        Object.entries(asked).map(async ([what, path]) => {
          const { status, body } = await either(round + 1).call('GET', path)
          return status === 200 && JSON.stringify(body).includes(`"${name}"`) ? [] : [`${what} ${status} ${round}`]
        }),
      )
      missed.push(...answers.flat())
    }
    expect(missed).toEqual([])
  })

  it('children that one creates while the other deletes their parent never stay behind', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `doomed${round}`
      await either(0).call('POST', '/v1/glossaries', { name })
      const [deleted, ...created] = await Promise.all([
        either(0).call('DELETE', `/v1/glossaries/name/${name}?recursive=true`),
        ...Array.from({ length: 30 }, (_, index) =>
          either(index).call('POST', '/v1/glossaryTerms', { name: `t${index}`, glossary: name }),
        ),
      ])
      expect(deleted.status).toBe(200)
      expect(
        created.filter(({ status }) => status !== 201 && status !== 400).map(({ status, body }) => [status, body]),
      ).toEqual([])
      for (const service of services) {
        await expect
          .poll(async () => (await service.call('GET', `/v1/glossaryTerms?glossary=${name}&limit=100`)).body.data)
          .toEqual([])
      }
    }
  })

  it('a delete without recursive takes nothing that another creates meanwhile, and what is refused never lives', async () => {
    for (let round = 0; round < 24; round++) {
      const name = `contended${round}`
      const hard = round % 2 === 1
      await either(0).call('POST', '/v1/glossaries', { name })
      const [deleted, ...created] = await Promise.all([
        delay(round % 6).then(() => either(0).call('DELETE', `/v1/glossaries/name/${name}?hardDelete=${hard}`)),
        ...Array.from({ length: 4 }, async (_, index) => {
          await delay(index * 3)
          return either(1).call('POST', '/v1/glossaryTerms', { name: `t${index}`, glossary: name })
        }),
      ])
      const made = created.flatMap(({ status }, index) => (status === 201 ? [index] : []))
      expect(created.filter(({ status }) => status !== 201).every(({ status }) => status === 400)).toBe(true)
      if (deleted.status >= 300)
        expect([deleted.status, deleted.body.detail]).toEqual([400, expect.stringMatching(/not empty/)])
      else expect(made).toEqual([])
      if (deleted.status === 200) await either(1).call('PUT', '/v1/glossaries/restore', { id: deleted.body.id })
      for (const index of created.keys()) {
        const { status } = await either(index).call('GET', `/v1/glossaryTerms/name/${name}.t${index}?include=all`)
        expect([name, index, status]).toEqual([name, index, made.includes(index) ? 200 : 404])
      }
    }
  })

  it('both may delete the same tree: everything is deleted once', async () => {
    await either(0).call('POST', '/v1/glossaries', { name: 'twice' })
    const terms = await parallel(30, (index) =>
      either(0).call('POST', '/v1/glossaryTerms', { name: `t${index}`, glossary: 'twice' }),
    )
    const headers = { 'catalog-position': terms.at(-1)?.headers.get('catalog-position') as string }
    const answers = await parallel(2, (index) =>
      either(index).call('DELETE', '/v1/glossaries/name/twice?recursive=true', undefined, { headers }),
    )
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true)
    for (const { body: term } of terms) {
      const { body } = await either(1).call('GET', `/v1/glossaryTerms/${term.id}/history`)
      expect(body.data.map(({ type }: { type: string }) => type)).toEqual(['Created', 'SoftDeleted'])
    }
  })

  it('secrets that one sealed are masked by the other', async () => {
    const service = {
      name: 'shared_secret',
      serviceType: 'Postgres',
      connection: { config: { type: 'Postgres', password: 'hush', hostPort: 'h:5432' } },
    }
    const created = await either(0).call('POST', '/v1/services/databaseServices', service)
    const read = await either(1).call('GET', `/v1/services/databaseServices/${created.body.id}`)
    expect([created.status, read.status, read.body.connection]).toEqual([201, 200, created.body.connection])
    expect(JSON.stringify(read.body)).not.toContain('hush')
  })

  it('one that is killed under load takes nothing with it, and the read models agree with the log', async () => {
    const doomed = await startBuilt(folders[1].path, env)
    const writers = startWriters([services[0], doomed], 8)
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(200)
    await doomed.stop('SIGKILL')
    const soFar = writers.acknowledged.length
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(soFar + 50)
    await writers.stop()
    const names = await glossaryNames(services[1])
    expect(writers.acknowledged.filter((name) => !names.has(name))).toEqual([])
    const verified = runCli(shared.path, ['verify'], env)
    expect(verified.stdout + verified.stderr).toContain('agree with the log')
    expect(runCli(shared.path, ['audit', 'verify'], env).stdout).toContain('Nothing was changed')
  })

  /** Kills a process while it deletes for good. @returns of how much that it had hidden nobody told that it is gone */
  const killWhileDeleting = async (attempt: number): Promise<number> => {
    const doomed = await startBuilt(folders[1].path, env)
    const made = await parallel(40, (index) =>
      either(0).call('POST', '/v1/glossaries', { name: `hidden${attempt}-${index}` }),
    )
    const names = made.map(({ body }) => body.name as string)
    const { body } = await either(0).call('GET', '/v1/events?after=latest')
    const hiding = `/v1/events?after=${body.paging.after}&type=SoftDeleted`
    const deleting = names.map((name) =>
      doomed.call('DELETE', `/v1/glossaries/name/${name}?hardDelete=true`).catch(() => undefined),
    )
    await either(0).call('GET', `${hiding}&wait=30`)
    await doomed.stop('SIGKILL')
    const answers = await Promise.all(deleting)
    const isHidden = async (name: string): Promise<boolean> =>
      (await either(0).call('GET', `/v1/glossaries/name/${name}?include=deleted`)).status === 200
    await expect.poll(async () => (await Promise.all(names.map(isHidden))).filter(Boolean).length).toBe(0)
    const { data } = (await either(0).call('GET', hiding)).body
    const begun = new Set(data.map(({ subject }: { subject: string }) => subject))
    return names.filter((name, index) => begun.has(name) && answers[index] === undefined).length
  }

  it('one that is killed after it has hidden what it deletes for good leaves nothing hidden', async () => {
    // The kill may come before anything is hidden, or after everything is answered.
    let interrupted = 0
    for (let attempt = 0; interrupted === 0 && attempt < 5; attempt++) interrupted = await killWhileDeleting(attempt)
    expect(interrupted).toBeGreaterThan(0)
  })

  it('one that is killed while children and deletions meet leaves nothing behind that is void', async () => {
    const doomed = await startBuilt(folders[1].path, env)
    const names = Array.from({ length: 40 }, (_, index) => `met${index}`)
    await Promise.all(names.map((name) => either(0).call('POST', '/v1/glossaries', { name })))
    const { after } = (await either(0).call('GET', '/v1/events?after=latest')).body.paging
    const asked = names.flatMap((glossary, index) => {
      const [deleting, creating] = index % 2 === 0 ? [doomed, either(0)] : [either(0), doomed]
      return [
        deleting.call('DELETE', `/v1/glossaries/name/${glossary}`),
        ...['a', 'b'].map((name) => creating.call('POST', '/v1/glossaryTerms', { name, glossary })),
      ].map((one) => one.catch(() => undefined))
    })
    await either(0).call('GET', `/v1/events?after=${after}&type=SoftDeleted&wait=30`)
    await doomed.stop('SIGKILL')
    await Promise.all(asked)
    await expect
      .poll(async () => notTakenBack((await either(0).call('GET', `/v1/events?limit=1000&after=${after}`)).body.data), {
        interval: 1000,
      })
      .toEqual([])
  })
})

interface Told {
  readonly type: string
  readonly subject: string
  readonly correlationid: string
}

/** Terms that began while their glossary was deleted, and deletions of glossaries that had terms, unless they were taken back. */
const notTakenBack = (events: readonly Told[]): string[] => {
  const live = new Map<string, Set<string>>()
  const deleted = new Set<string>()
  return events.flatMap(({ type, subject, correlationid }, at) => {
    const verb = type.split('.').at(-1) as string
    const [glossary, term] = subject.split('.') as [string, string | undefined]
    const terms = live.get(glossary) ?? new Set()
    live.set(glossary, terms)
    const isUndoneBy = (undoing: string): boolean =>
      events
        .slice(at)
        .some((one) => one.subject === subject && one.type.endsWith(undoing) && one.correlationid === correlationid)
    if (term !== undefined) {
      if (verb === 'Created') terms.add(term)
      else if (verb !== 'Restored') terms.delete(term)
      const isLate = verb === 'Created' && deleted.has(glossary)
      const goesAlong = verb === 'SoftDeleted'
      return (isLate && !isUndoneBy('HardDeleted')) || goesAlong ? [`${verb} ${subject}`] : []
    }
    // What came below a deletion that was taken back itself, and was not confirmed, may stand as if that had never been.
    if (verb === 'SoftDeleted' && !isUndoneBy('Restored')) deleted.add(glossary)
    else deleted.delete(glossary)
    return verb === 'SoftDeleted' && terms.size > 0 && !isUndoneBy('Restored') ? [`${verb} ${subject}`] : []
  })
}
