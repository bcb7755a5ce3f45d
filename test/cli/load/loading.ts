import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { catalog } from '../../support/commandLine.ts'
import { tokenFor } from '../../support/service.ts'
import { useHttp } from '../../http/support.ts'

/** A model of a dbt project, as its manifest has it. */
export const model = (name: string, more: object = {}) => ({
  resource_type: 'model',
  database: 'shop',
  schema: 'main',
  name,
  columns: {},
  config: { materialized: 'table' },
  depends_on: { nodes: [] },
  ...more,
})

/** A service, a folder for what is loaded into it, and `catalog load`. */
export const useLoads = () => {
  const http = useHttp()
  const folder = mkdtempSync(join(tmpdir(), 'catalog-load-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const load = (...args: string[]) =>
    catalog(['load', ...args, '--url', http.url, '--token', tokenFor('loader', ['Admin'])], {
      CATALOG_DATA_DIR: folder,
    })
  const loaded = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await load(...args)
    expect(code, `${stdout}${stderr}`).toBe(0)
    return stdout
  }
  return { http, folder, load, loaded }
}
