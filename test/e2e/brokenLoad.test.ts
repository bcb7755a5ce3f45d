import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { adminToken, startBuilt, temporaryDataDir, testSecret, type RunningService } from '../support/service.ts'
import { waitFor } from '../support/waitFor.ts'

const models = 2000

const data = temporaryDataDir()
let service: RunningService

const nameOf = (number: number): string => `m${String(number).padStart(5, '0')}`

/** A dbt project of models that read one another in a row. */
const manifest = () => ({
  metadata: { adapter_type: 'duckdb', project_name: 'row' },
  nodes: Object.fromEntries(
    Array.from({ length: models }, (_, at) => [
      `model.row.${nameOf(at)}`,
      {
        resource_type: 'model',
        database: 'row',
        schema: 'main',
        name: nameOf(at),
        columns: { id: { name: 'id', data_type: 'int' } },
        config: { materialized: 'table' },
        depends_on: { nodes: at === 0 ? [] : [`model.row.${nameOf(at - 1)}`] },
        compiled_code: at === 0 ? 'select 1 as id' : `select id from row.main.${nameOf(at - 1)}`,
      },
    ]),
  ),
})

beforeAll(async () => {
  service = await startBuilt(data.path)
})

afterAll(async () => {
  await service.stop('SIGKILL')
  await data.remove()
})

const startLoad = (...args: string[]) => {
  const bin = resolve(import.meta.dirname, '../../bin/catalog.js')
  const options = ['--url', service.url, '--token', adminToken]
  const child = spawn(process.execPath, [bin, 'load', ...args, ...options], {
    env: { CATALOG_DATA_DIR: data.path, CATALOG_JWT_SECRET: testSecret },
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = Promise.all([text(child.stderr), once(child, 'close')]).then(([stderr, [code]]) => {
    return { code: code as number | null, stdout: said, stderr }
  })
  return { child, ended, untilWriting: () => waitFor(() => expect(said).toContain('catalog load undo')) }
}

const load = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await startLoad(...args).ended
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return stdout
}

const count = async (query = ''): Promise<number> =>
  (await service.call('GET', `/v1/tables?service=row&limit=1${query}`)).body.paging?.total ?? 0

/** Waits until tables come, more than there were. */
const untilMore = (than: number) => waitFor(async () => expect(await count()).toBeGreaterThan(than))

const undoOf = (stdout: string): string => /catalog load undo (\S+)/.exec(stdout)?.[1] ?? ''

it('a load that is killed, and one whose service is killed, goes on where it stopped, and all of it can be undone', async () => {
  const project = await temporaryFolder()
  writeFileSync(join(project, 'manifest.json'), JSON.stringify(manifest()))
  const loadProject = ['dbt', project, '--service', 'row']
  const first = startLoad(...loadProject)
  await untilMore(0)
  first.child.kill('SIGKILL')
  const killed = await first.ended
  expect(killed.code).toBe(null)

  const second = startLoad(...loadProject)
  // What the first one had sent is written after it was killed, too.
  await second.untilWriting()
  const afterFirst = await count()
  expect(afterFirst).toBeLessThan(models)
  await untilMore(afterFirst)
  await service.stop('SIGKILL')
  const lost = await second.ended
  expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining('Nothing answers at')])
  service = await startBuilt(data.path)
  const afterSecond = await count()
  expect([afterSecond > afterFirst, afterSecond < models]).toEqual([true, true])

  const said = await load(...loadProject)
  expect(said).toContain(`tables: ${models - afterSecond} new, 0 changed, ${afterSecond} unchanged`)
  expect(said).toContain(`lineage of ${models - 1}`)
  expect(await count()).toBe(models)
  const path = `/v1/lineage/table/name/row.row.main.${nameOf(models - 1)}?up=10&columns=true`
  const { nodes, edges } = (await service.call('GET', path)).body
  expect([nodes.length, edges[0].columns]).toEqual([11, [{ from: ['id'], to: 'id' }]])
  expect(await load(...loadProject)).toContain('Nothing has changed.')

  for (const { stdout } of [{ stdout: said }, lost, killed]) await load('undo', undoOf(stdout))
  expect([await count(), await count('&include=deleted')]).toEqual([0, models])
})
