import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StartedTestContainer } from 'testcontainers'
import { parse } from 'yaml'
import { eventStoreContract } from '../events/eventStoreContract.ts'
import { storeUnderTest } from '../support/eventStoreDb.ts'
import { skippedUnless } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { startBuilt } from '../support/service.ts'

/** The Docker that containers are started with; `undefined` where none answers. */
const docker = await (async () => {
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers')
  const answers = await getContainerRuntimeClient().then(
    () => true,
    () => false,
  )
  return answers ? { GenericContainer, Wait } : undefined
})()

const skip = skippedUnless(docker !== undefined, 'the stores in containers', 'no Docker answers')

const imagesIn = (file: string): Record<string, { readonly image: string }> =>
  (parse(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')) as { services: never }).services

const pair = imagesIn('docker-compose.pair.yml')
const cluster = imagesIn('deploy/cluster/docker-compose.yml')

/** EventStoreDB and KurrentDB name their settings each by itself, and both read them as arguments. */
const startLog = (image: string): Promise<StartedTestContainer> => {
  if (docker === undefined) throw new Error('no Docker answers')
  return new docker.GenericContainer(image)
    .withCommand(['--insecure', '--mem-db', '--cluster-size=1', '--run-projections=None'])
    .withExposedPorts(2113)
    .withWaitStrategy(docker.Wait.forHttp('/health/live', 2113).forStatusCode(204))
    .start()
}

const urlOf = (container: StartedTestContainer): string =>
  `esdb://${container.getHost()}:${container.getMappedPort(2113)}?tls=false`

describe.skipIf(skip).each([
  ['EventStoreDB', pair['eventstore']?.image as string],
  ['KurrentDB', cluster['log1']?.image as string],
])('%s in a container', (name, image) => {
  let container: StartedTestContainer
  beforeAll(async () => {
    container = await startLog(image)
  })
  afterAll(() => container.stop())
  eventStoreContract(name, () => storeUnderTest({ url: urlOf(container) }))
})

describe.skipIf(skip)('the catalog on KurrentDB and MongoDB in containers', () => {
  const started: StartedTestContainer[] = []
  afterAll(() => Promise.all(started.map((container) => container.stop())))

  it('shows what was written, also after it was stopped and started again', async () => {
    if (docker === undefined) throw new Error('no Docker answers')
    const log = await startLog(cluster['log1']?.image as string)
    started.push(log)
    const rows = await new docker.GenericContainer(pair['mongodb']?.image as string)
      .withExposedPorts(27017)
      .withWaitStrategy(docker.Wait.forLogMessage(/Waiting for connections/))
      .start()
    started.push(rows)
    const env = {
      CATALOG_EVENTSTORE_URL: urlOf(log),
      CATALOG_MONGODB_URL: `mongodb://${rows.getHost()}:${rows.getMappedPort(27017)}/catalog?directConnection=true`,
    }
    const folder = await temporaryFolder()
    const first = await startBuilt(folder, env)
    expect((await first.call('POST', '/v1/glossaries', { name: 'a' })).status).toBe(201)
    await first.stop()
    const second = await startBuilt(folder, env)
    const found = await second.call('GET', '/v1/glossaries/name/a')
    await second.stop()
    expect(found.status).toBe(200)
  })
})
