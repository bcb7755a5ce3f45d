import { join } from 'node:path'
import { expect, test } from 'vitest'
import { streamName } from '../../../src/events/events.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { mask } from '../../../src/shared/secrets/shownText.ts'
import { appendOk, created, updated } from '../../support/events.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { openLogOf, openStream, startInProcess } from '../../support/running.ts'
import { needle, ways } from '../../shared/secrets/ways.ts'

const kind = 'databaseService'

test('what older events have in the clear is masked wherever it is read', async () => {
  const folder = join(await temporaryFolder(), 'data')
  const id = entityId(kind, 'old')
  const stream = streamName(kind, id)
  const log = await openLogOf(folder, false)
  const config = { type: 'Postgres', ways: Object.values(ways) }
  const first = created({ serviceType: 'Postgres', connection: { config } }, { stream, kind, name: 'old' })
  const second = updated(
    { connection: { config: { ...config, sesame: needle } } },
    { stream, kind, name: 'old', revision: 1n, previousHash: first.metadata.hash, version: 2 },
  )
  await appendOk(log, { stream, expected: 'no_stream', events: [first, second] })
  await log.close()
  const { call, url } = await startInProcess({}, folder)
  const at = `/v1/services/databaseServices/${id}`
  const views = ['', '?asOf=0.1', '/versions', '/versions/0.1', '/history', '/diff?from=0.1&to=0.2']
  const lists = ['/v1/services/databaseServices?fields=*', '/v1/search/query?q=old', '/v1/events']
  const paths = views.map((view) => at + view).concat(lists)
  for (const path of paths) {
    const { status, body } = await call('GET', path)
    expect([path, status, JSON.stringify(body).includes(needle)]).toEqual([path, 200, false])
    expect([path, JSON.stringify(body).includes(mask)]).toEqual([path, true])
  }
  const reader = await openStream(url, '?after=0')
  expect(JSON.stringify(await reader.next())).not.toContain(needle)
  reader.leave()
  expect((await call('GET', `/v1/search/query?q=${needle}`)).body.hits.total.value).toBe(0)
  const { body: shown } = await call('GET', at)
  expect(shown.connection.config.sesame).toBe(mask)
  const kept = await call('PUT', '/v1/services/databaseServices', {
    name: 'old',
    serviceType: 'Postgres',
    connection: shown.connection,
  })
  expect([kept.status, kept.body.version]).toEqual([200, 0.2])
})
