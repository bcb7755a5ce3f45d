import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { notesIn, openCheckpoint } from '../../src/transparency/checkpoint.ts'
import { readVerifierKey } from '../../src/transparency/note.ts'
import { catalogOn } from '../support/commandLine.ts'
import { sharedFolder } from '../support/folders.ts'
import { listening } from '../support/listening.ts'
import { tokenFor } from '../support/service.ts'
import { answered, as, useHttp } from './support.ts'
import { waitFor } from '../support/waitFor.ts'

const folder = sharedFolder()
const file = join(folder, 'notes')
const key = join(folder, 'key')
/** Nobody listens there. */
const nobody = 'http://127.0.0.1:9/notes'

const http = useHttp({
  env: () => ({ CATALOG_AUDIT_WITNESS: `${file},${nobody}`, CATALOG_AUDIT_WITNESS_EVERY: '1' }),
})

const write = (name: string) => answered(201, http.call('POST', '/v1/glossaries', { name }))

const sizeNow = async (): Promise<number> =>
  Number(((await http.call('GET', '/v1/audit/checkpoint')).body as string).split('\n')[1])

describe('witnesses', () => {
  it('are given checkpoints as the log grows, and none of them stops a write', async () => {
    const keys = [readVerifierKey((await http.call('GET', '/v1/audit/key')).body as string)]
    for (const name of ['one', 'two']) {
      await write(name)
      const size = await sizeNow()
      await waitFor(() =>
        expect(openCheckpoint(notesIn(readFileSync(file, 'utf8')).at(-1) as string, keys).size).toBe(size),
      )
    }
    expect(notesIn(readFileSync(file, 'utf8')).length).toBeGreaterThan(1)
  })

  it('are listed, with what they do not take and why, for those who may read the history', async () => {
    const size = await sizeNow()
    // What was written is told when the disk has it.
    await waitFor(async () => {
      const body = await http.get('/v1/audit/witnesses', as('aud', 'Auditor'))
      expect(body.data).toEqual([
        { witness: file, size, time: expect.any(String) as string },
        {
          witness: nobody,
          failing: {
            since: expect.any(String) as string,
            tries: expect.any(Number) as number,
            error: expect.any(String) as string,
          },
        },
      ])
    })
    await answered(403, http.call('GET', '/v1/audit/witnesses', undefined, as('reader', 'DataConsumer')))
  })

  it('are named in the metrics', async () => {
    const { body } = await http.call('GET', '/metrics')
    expect(body).toContain(`catalog_witness_events{witness="${file}"} ${await sizeNow()}\n`)
    expect(body).toContain(`catalog_witness_failing{witness="${file}"} 0\n`)
    expect(body).toContain(`catalog_witness_failing{witness="${nobody}"} 1\n`)
  })
})

describe('catalog audit watch', () => {
  const state = join(folder, 'state')
  const watch = (...args: string[]) =>
    catalogOn(folder, ['audit', 'watch', http.url, '--key', key, '--state', state, ...args])
  const token = tokenFor('aud', ['Auditor'])

  it('keeps what it has seen, and demands a proof that the log begins with it', async () => {
    writeFileSync(key, (await http.call('GET', '/v1/audit/key')).body as string)
    const first = await sizeNow()
    expect(await watch('--token', token)).toMatchObject({ code: 0, stderr: '' })
    await write('three')
    const { code, stdout } = await watch('--token', token)
    expect(stdout).toContain(`: ${first + 1} events, which begin with the ${first} that were known.`)
    expect(code).toBe(0)
    expect((await watch('--token', token)).stdout).toContain(`: ${first + 1} events, as before.`)
    expect(notesIn(readFileSync(state, 'utf8'))).toHaveLength(2)
  })

  it('does not take an internal error for a changed log', async () => {
    const url = await listening(async (request, response) => {
      const headers = request.headers as Record<string, string>
      const found = await fetch(new URL(request.url ?? '', http.url), { headers })
      response.writeHead(request.url?.includes('consistency') ? 500 : found.status).end(await found.text())
    })
    await write('four')
    await sizeNow()
    const asked = ['audit', 'watch', url, '--key', key, '--state', state, '--token', token]
    const { code, stderr } = await catalogOn(folder, asked)
    expect([code, stderr]).toEqual([1, expect.stringContaining('was answered with 500')])
    expect(stderr).not.toContain('ALARM')
  })

  it('says what it needs', async () => {
    expect(await watch()).toMatchObject({ code: 1, stderr: expect.stringContaining('Give one with --token') as string })
    expect(await catalogOn(folder, ['audit', 'watch', http.url])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('with --key FILE and --state FILE') as string,
    })
    expect(await watch('--every', 'often')).toMatchObject({ code: 2 })
    expect(await watch('--checkpoint', 'file')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Unknown option '--checkpoint'") as string,
    })
  })
})
