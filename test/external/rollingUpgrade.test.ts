import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { schemaVersion } from '../../src/events/events.ts'
import { storesFor } from '../support/external.ts'
import { startBuilt, temporaryDataDir, type RunningService } from '../support/service.ts'
import { describeWith } from './support.ts'
import { entitiesProjection } from '../../src/projections/entities/row.ts'

const root = join(import.meta.dirname, '../..')

interface Change {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** The build with some of its constants changed, as a later version of the catalog would have them. */
const buildLater = (changes: readonly Change[]): { path: string; remove(): void } => {
  const path = mkdtempSync(join(tmpdir(), 'catalog-later-'))
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(path, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'))
  for (const { file, from, to } of changes) {
    const text = readFileSync(join(path, 'dist', file), 'utf8')
    expect(text.split(from)).toHaveLength(2)
    writeFileSync(join(path, 'dist', file), text.replace(from, to))
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Rows are stored in another way. */
const otherRows: Change = {
  file: 'projections/entities/row.js',
  from: `version: ${entitiesProjection.version},`,
  to: `version: ${entitiesProjection.version + 1},`,
}

/** Events are written in another form, and those of this version still read. */
const otherEvents: Change = {
  file: 'events/events.js',
  from: `schemaVersion = ${schemaVersion};`,
  to: `schemaVersion = ${schemaVersion + 1};`,
}

describeWith({ log: true, readModels: true }, 'two versions of the service on one pair', () => {
  const folder = temporaryDataDir()
  const env = { ...storesFor(folder.path), CATALOG_SECRET_KEY: 'the key that all processes share, 32 bytes' }
  const later = buildLater([otherRows])
  const latest = buildLater([otherRows, otherEvents])
  let older: RunningService

  beforeAll(async () => {
    older = await startBuilt(folder.path, env)
  })

  afterAll(async () => {
    await older.stop()
    await folder.remove()
    later.remove()
    latest.remove()
  })

  const make = async (service: RunningService, name: string): Promise<number> =>
    (await service.call('POST', '/v1/glossaries', { name })).status

  const statusOf = async (service: RunningService, name: string): Promise<number> =>
    (await service.call('GET', `/v1/glossaries/name/${name}`)).status

  it('both project, each into read models of its own, and each shows what the other writes', async () => {
    for (let index = 0; index < 20; index++) expect(await make(older, `before${index}`)).toBe(201)
    const newer = await startBuilt(folder.path, env, undefined, later.path)
    try {
      for (let index = 0; index < 20; index++) expect(await statusOf(newer, `before${index}`)).toBe(200)
      for (let index = 0; index < 20; index++) {
        const [writer, reader] = index % 2 === 0 ? [older, newer] : [newer, older]
        const written = await writer.call('POST', '/v1/glossaries', { name: `beside${index}` })
        const headers = { 'catalog-position': written.headers.get('catalog-position') as string }
        const read = await reader.call('GET', `/v1/glossaries/name/beside${index}`, undefined, { headers })
        expect([written.status, read.status]).toEqual([201, 200])
      }
      const { body } = await newer.call('GET', '/v1/system/processes')
      expect(body.data.filter(({ projects }: { projects: boolean }) => projects)).toHaveLength(2)
    } finally {
      await newer.stop()
    }
    expect(await make(older, 'after')).toBe(201)
  })

  it('an event of a newer form ends the older one with exit code 1, which logs why and ends with it', async () => {
    const newest = await startBuilt(folder.path, env, undefined, latest.path)
    try {
      expect(await make(newest, 'newForm')).toBe(201)
      expect(await statusOf(newest, 'newForm')).toBe(200)
      await expect.poll(() => older.process.exitCode).toBe(1)
      const said = `has schema version ${schemaVersion + 1}, and this version reads up to ${schemaVersion}`
      const lines = older.output().split('\n')
      expect(lines.filter((line) => line.includes(said))).toHaveLength(2)
      expect(await statusOf(newest, 'after')).toBe(200)
    } finally {
      await newest.stop()
    }
  })
})
