import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as ask, type ServerResponse } from 'node:http'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { catalogOn } from '../support/commandLine.ts'
import { temporaryFolder } from '../support/folders.ts'
import { listening } from '../support/listening.ts'
import { adminToken, startBuilt, temporaryDataDir, testSecret, type RunningService } from '../support/service.ts'
import { waitFor } from '../support/waitFor.ts'

/** As many as four requests for tables have. */
const models = 703

/** How many a load sends in one request. */
const bulk = 200

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

/** Passes requests on to the service, also to the next one; of those that write tables it holds back all behind some. */
const startGate = async () => {
  let left = Infinity
  const held: ServerResponse[] = []
  const url = await listening((request, response) => {
    const { method, headers, url: path = '' } = request
    if (path.endsWith('/tables/bulk') && left-- <= 0) return void held.push(response)
    const { hostname, port } = new URL(service.url)
    const passed = ask({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    }).on('error', () => response.destroy())
    request.pipe(passed)
  })
  return {
    url,
    /** Passes so many on. */
    let: (some: number) => void (left = some),
    untilHeld: () => waitFor(() => held.length > 0),
    /** Whoever waits is left without an answer. */
    drop: () => held.splice(0).forEach((response) => response.destroy()),
  }
}

const startLoad = (url: string, ...args: string[]) => {
  const bin = resolve(import.meta.dirname, '../../bin/catalog.js')
  const child = spawn(process.execPath, [bin, 'load', ...args, '--url', url, '--token', adminToken], {
    env: { CATALOG_DATA_DIR: data.path, CATALOG_JWT_SECRET: testSecret },
  })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([stdout, stderr, [code]]) => ({ code: code as number | null, stdout, stderr }),
  )
  return { child, ended }
}

const load = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await catalogOn(data.path, ['load', ...args, '--url', service.url], {
    CATALOG_BASE_URL: service.url,
  })
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return stdout
}

const count = async (query = ''): Promise<number> =>
  (await service.call('GET', `/v1/tables?service=row&limit=1${query}`)).body.paging?.total ?? 0

const undoOf = (stdout: string): string => /catalog load undo (\S+)/.exec(stdout)?.[1] ?? ''

it('a load that is killed, and one whose service is killed, goes on where it stopped, and all of it can be undone', async () => {
  const project = await temporaryFolder()
  writeFileSync(join(project, 'manifest.json'), JSON.stringify(manifest()))
  const loadProject = ['dbt', project, '--service', 'row']
  const gate = await startGate()
  gate.let(1)
  const first = startLoad(gate.url, ...loadProject)
  await gate.untilHeld()
  first.child.kill('SIGKILL')
  const killed = await first.ended
  expect(killed.code).toBe(null)
  gate.drop()
  // What it had sent is written after it was killed, too.
  await waitFor(async () => expect(await count()).toBe(bulk))

  gate.let(2)
  const second = startLoad(gate.url, ...loadProject)
  await gate.untilHeld()
  await waitFor(async () => expect(await count()).toBeGreaterThan(bulk))
  await service.stop('SIGKILL')
  gate.drop()
  const lost = await second.ended
  expect([lost.code, lost.stderr]).toEqual([1, expect.stringMatching(/Nothing answers at|gave no answer/)])
  service = await startBuilt(data.path)
  const afterSecond = await count()
  expect([afterSecond > bulk, afterSecond < models]).toEqual([true, true])

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
