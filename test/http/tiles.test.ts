import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { hashLength, leafHash } from '../../src/transparency/merkle.ts'
import { openCheckpoint } from '../../src/transparency/checkpoint.ts'
import { readVerifierKey } from '../../src/transparency/note.ts'
import { readTilePath } from '../../src/transparency/tiles.ts'
import { sharedFolder } from '../support/folders.ts'
import { tokenFor } from '../support/service.ts'
import { naiveRoot } from '../transparency/naive.ts'
import { as, useHttp } from './support.ts'

const goRoot = spawnSync('go', ['env', 'GOROOT']).stdout?.toString().trim()

let size: number
let root: Buffer
const folder = sharedFolder()
const token = tokenFor('ann', ['Auditor'])
const http = useHttp()
const prefix = (): string => `${http.url}/api/v1/audit`

const get = async (path: string) => {
  const response = await fetch(`${prefix()}/${path}`, { headers: { authorization: `Bearer ${token}` } })
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

const tile = async (path: string): Promise<Buffer[]> => {
  const { response, bytes } = await get(`tile/${path}`)
  expect(response.status).toBe(200)
  return Array.from({ length: bytes.length / hashLength }, (_, at) =>
    bytes.subarray(at * hashLength, (at + 1) * hashLength),
  )
}

const entries = async (path: string): Promise<Buffer[]> => {
  const { response, bytes } = await get(`tile/entries/${path}`)
  expect(response.status).toBe(200)
  const found: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 2 + bytes.readUInt16BE(at))
    found.push(bytes.subarray(at + 2, at + 2 + bytes.readUInt16BE(at)))
  return found
}

beforeAll(async () => {
  const services = Array.from({ length: 600 }, (_, index) => ({ name: `s${index}`, serviceType: 'Mysql' }))
  await http.put('/v1/services/databaseServices/bulk', services)
  const key = await http.get('/v1/audit/key')
  const body = await http.get('/v1/audit/checkpoint')
  ;({ size, root } = openCheckpoint(body as string, [readVerifierKey(key as string)]))
})

describe('the tiles of the tree', () => {
  it('hold its leaves, and the roots of full tiles, as the definition has them', async () => {
    const width = size % 256
    expect(Math.floor(size / 256)).toBe(2)
    const full = [await tile('0/000'), await tile('0/001')]
    const last = await tile(`0/002.p/${width}`)
    expect(last).toHaveLength(width)
    expect(naiveRoot([...full.flat(), ...last])).toEqual(root)
    expect(await tile('1/000.p/2')).toEqual(full.map(naiveRoot))
    expect(await tile('1/000.p/1')).toEqual([naiveRoot(full[0] as Buffer[])])
    expect(await tile('0/001.p/7')).toEqual(full[1]?.slice(0, 7))
    const bundles = [await entries('000'), await entries('001'), await entries(`002.p/${width}`)]
    expect(bundles.flat().map(leafHash)).toEqual([...full.flat(), ...last])
    const feed = await http.get('/v1/events?limit=1000')
    const hashes = feed.data.map(({ hash }: { hash: string }) => hash)
    expect(bundles.flat().map(String)).toEqual(hashes.slice(0, size))
  })

  it('may be kept for ever by those who may see them, as the bytes that they are', async () => {
    for (const path of ['tile/0/000', 'tile/0/002.p/3', 'tile/entries/001']) {
      const { headers } = (await get(path)).response
      expect(headers.get('content-type')).toBe('application/octet-stream')
      expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    }
    expect((await get('checkpoint')).response.headers.get('cache-control')).toBe('private, no-cache')
    await http.refuses('FORBIDDEN', 'GET', '/v1/audit/tile/0/000', undefined, as('eve', 'DataConsumer'))
    await http.refuses('FORBIDDEN', 'GET', '/v1/audit/tile/entries/000', undefined, as('eve', 'DataConsumer'))
  })

  it.each([
    '0/002',
    '0/003.p/1',
    '0/002.p/255',
    '0/002.p/0',
    '0/002.p/256',
    '0/002.p/012',
    '0/0',
    '0/x000/000',
    '0/000/001',
    '00/000',
    '3/000',
    '63/000',
    '64/000',
    'entries/002',
    'entries/x',
  ])('that are not there, such as %s, are not found', async (path) => {
    await http.refuses('NOT_FOUND', 'GET', `/v1/audit/tile/${path}`)
  })

  it('are numbered in path elements of three digits', () => {
    expect(readTilePath('067')).toEqual({ number: 67, width: 256 })
    expect(readTilePath('x001/x234/067')).toEqual({ number: 1_234_067, width: 256 })
    expect(readTilePath('x001/000.p/255')).toEqual({ number: 1000, width: 255 })
  })

  it.runIf(goRoot)('are what Go’s packages for transparency logs prove every event and every size from', async () => {
    // Its packages come with the tools of Go, which use them for the checksums of modules.
    mkdirSync(join(folder, 'src'))
    symlinkSync(join(goRoot as string, 'src/cmd/vendor/golang.org'), join(folder, 'src/golang.org'))
    const key = await http.get('/v1/audit/key')
    const { stdout } = await promisify(execFile)(
      'go',
      ['run', join(import.meta.dirname, 'tlog/main.go'), prefix(), token, (key as string).trim()],
      { env: { ...process.env, GOPATH: folder, GO111MODULE: 'off', GOFLAGS: '', GOCACHE: join(folder, 'cache') } },
    )
    expect(Number(stdout)).toBeGreaterThanOrEqual(size)
  })
})
