import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')

interface Service {
  readonly image?: string
  readonly build?: string
  readonly profiles?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports: readonly string[]
  readonly volumes: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

interface Compose {
  readonly services: Readonly<Record<'eventstore' | 'mongodb' | 'catalog', Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const read = async (file: string): Promise<Compose> => parse(await readFile(join(root, file), 'utf8')) as Compose
const alone = await read('docker-compose.yml')
const { services, volumes } = await read('docker-compose.pair.yml')
const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')

describe('docker-compose.yml', () => {
  test('starts the catalog alone, on its embedded stores, without anything to set', () => {
    expect(Object.keys(alone.services)).toEqual(['catalog'])
    const { catalog } = alone.services
    expect([catalog.profiles, catalog.environment, catalog.depends_on]).toEqual([undefined, undefined, undefined])
    expect(catalog.ports).toEqual(['127.0.0.1:8585:8585'])
    expect(catalog.volumes).toEqual(['catalog-data:/data'])
    expect(Object.keys(alone.volumes)).toEqual(['catalog-data'])
  })
})

test.each([
  ['docker-compose.yml', alone.services.catalog],
  ['docker-compose.pair.yml', services.catalog],
])('the catalog of %s writes to its volume alone, and can get no rights', (_, catalog) => {
  expect(catalog).toMatchObject({
    read_only: true,
    tmpfs: ['/tmp'],
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    mem_limit: '2g',
  })
})

describe('docker-compose.pair.yml', () => {
  test('has the two stores and the service', () => {
    expect(Object.keys(services)).toEqual(['eventstore', 'mongodb', 'catalog'])
    expect(Object.values(services).filter(({ profiles }) => profiles !== undefined)).toEqual([])
  })

  test('pins the stores, checks their health, and starts the service after that', () => {
    for (const { image, healthcheck } of [services.eventstore, services.mongodb]) {
      expect(image).toMatch(/:[\w.-]*\d/)
      expect(healthcheck?.test[0]).toBe('CMD')
    }
    expect(services.catalog.depends_on).toEqual({
      eventstore: { condition: 'service_healthy' },
      mongodb: { condition: 'service_healthy' },
    })
  })

  test('keeps data in named volumes and is reachable from this machine alone', () => {
    for (const { ports, volumes: mounts } of Object.values(services)) {
      for (const mount of mounts) expect(Object.keys(volumes)).toContain(mount.split(':')[0])
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    }
  })

  test('has no default secret', () => {
    const secrets = Object.values(services).flatMap(({ environment = {} }) =>
      Object.entries(environment).filter(([name]) => /SECRET|PASSWORD|KEY/.test(name)),
    )
    expect(secrets.map(([name]) => name)).toEqual(['CATALOG_SECRET_KEY', 'CATALOG_JWT_SECRET'])
    for (const [name, value] of secrets) expect(value).toBe(`\${${name}:-}`)
  })

  test('tells EventStoreDB and the service the same size, which a contract document of 5 MiB fits into', () => {
    const size = services.eventstore.environment?.['EVENTSTORE_MAX_APPEND_SIZE']
    expect(size).toBe('15728640')
    expect(services.catalog.environment?.['CATALOG_EVENTSTORE_MAX_APPEND_BYTES']).toBe(size)
  })
})

test('each process of the cluster keeps the checkpoint that it signed last, as its key signs one history', async () => {
  const cluster = parse(await readFile(join(root, 'deploy/cluster/docker-compose.yml'), 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, { readonly tmpfs?: readonly string[]; readonly volumes: string[] }>>
    readonly volumes: object
  }
  for (const name of ['catalog1', 'catalog2']) {
    expect(cluster.services[name]?.tmpfs).toEqual(['/tmp'])
    expect(cluster.services[name]?.volumes).toContain(`${name}:/data`)
    expect(cluster.volumes).toHaveProperty(name)
  }
})

test.each(['.dockerignore', '.gitignore'])('%s leaves out the keys and passwords of the cluster', async (file) => {
  const left = (await readFile(join(root, file), 'utf8')).split('\n')
  expect(left).toEqual(expect.arrayContaining(['**/.env', 'deploy/cluster/certificates']))
})

describe('Dockerfile', () => {
  const lines = dockerfile.split('\n')
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))

  test('builds in one stage and runs in another, as a user who is not root', () => {
    expect(lines.filter((line) => line.startsWith('FROM '))).toHaveLength(2)
    expect(last.find((line) => line.startsWith('USER '))).toBe('USER node')
    expect(last.filter((line) => line.startsWith('COPY ') && !line.includes('--from=build'))).toEqual([
      'COPY --chmod=755 bin bin',
    ])
  })

  test('checks health with what the image has, wherever it runs', () => {
    expect(alone.services.catalog.healthcheck).toBeUndefined()
    const at = last.findIndex((line) => line.startsWith('HEALTHCHECK '))
    const check = JSON.parse(/CMD (\[.*\])/.exec(last.slice(at).join('\n'))?.[1] ?? '[]') as string[]
    expect(check).toEqual(['node', 'bin/health.js'])
  })
})
