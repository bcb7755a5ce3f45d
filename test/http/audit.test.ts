import { createPublicKey, hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openCheckpoint } from '../../src/transparency/checkpoint.ts'
import { checkConsistency, leafHash } from '../../src/transparency/merkle.ts'
import { checkInclusion } from '../transparency/naive.ts'
import { makeSignerKey, readSignerKey, readVerifierKey, type VerifierKey } from '../../src/transparency/note.ts'
import { sharedFolder, temporaryFolder } from '../support/folders.ts'
import { startInProcess } from '../support/running.ts'
import { answered, as, useHttp } from './support.ts'

/** What of a package that others wrote verifies checkpoints and proofs; it is not among what the package exports. */
interface SigstoreVerify {
  verifyCheckpoint(entry: object, logs: readonly object[]): { readonly logSize: bigint; readonly logHash: Buffer }
  verifyMerkleInclusion(entry: object, checkpoint: object): void
}

const load = createRequire(import.meta.url)
const sigstore = {
  ...(load('@sigstore/verify/dist/tlog/checkpoint.js') as object),
  ...(load('@sigstore/verify/dist/tlog/merkle.js') as object),
} as SigstoreVerify

const bytes = (text: string): Buffer => Buffer.from(text, 'base64')

let keys: VerifierKey[]
const folder = sharedFolder()
const signer = makeSignerKey('catalog.example.com')
const former = readSignerKey(makeSignerKey('catalog.example.com'))
const file = join(folder, 'audit.key')
writeFileSync(file, `${signer}\n${former.text}\n`)

const http = useHttp({ env: () => ({ CATALOG_AUDIT_KEY_FILE: file }) })

const checkpointNow = async (): Promise<{ note: string; size: number; root: Buffer; position: string }> => {
  const { body, headers } = await answered(200, http.call('GET', '/v1/audit/checkpoint'))
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  return {
    note: body as string,
    ...openCheckpoint(body as string, keys),
    position: headers.get('catalog-position') as string,
  }
}

const write = async (name: string): Promise<string> => {
  const answer = await answered(201, http.call('POST', '/v1/glossaries', { name }))
  return answer.headers.get('catalog-position') as string
}

beforeAll(async () => {
  await write('first')
  keys = String(await http.get('/v1/audit/key'))
    .trim()
    .split('\n')
    .map(readVerifierKey)
})

describe('the log as a tree', () => {
  it('tells the keys that it is signed with, the present one first', () => {
    expect(keys.map(({ text }) => text)).toEqual([readSignerKey(signer).text, former.text])
  })

  it('is signed as it is when a write has been answered', async () => {
    const before = await checkpointNow()
    const position = await write('signed')
    const after = await checkpointNow()
    expect(after).toMatchObject({ size: before.size + 1, position })
    expect(after.note.split('\n')[0]).toBe('catalog.example.com')
  })

  it('proves each of its events', async () => {
    const position = await write('proven')
    await write('later')
    const { size, root } = await checkpointNow()
    const body = await http.get(`/v1/audit/inclusion?position=${position}`)
    expect(body).toMatchObject({ position, treeSize: size, rootHash: root.toString('base64') })
    const hash = leafHash(Buffer.from(body.hash as string))
    expect(hash.toString('base64')).toBe(body.leafHash)
    checkInclusion({ leaf: body.leafIndex, size, hash, root }, body.hashes.map(bytes))
    const { body: history } = await http.call('GET', `/v1/events?after=${Number(position) - 1}&limit=1`)
    expect(history.data[0]).toMatchObject({ position, hash: body.hash })
    expect(Number(history.data[0].leafindex)).toBe(body.leafIndex)
  })

  it('gives what the hash of an event is made of, to those who may view everything', async () => {
    const user = { name: 'pat', email: 'pat@example.org' }
    const { headers } = await answered(201, http.call('PUT', '/v1/users', user))
    const position = headers.get('catalog-position') as string
    const path = `/v1/audit/preimage?position=${position}`
    const body = await http.get(path)
    const { body: feed } = await http.call('GET', `/v1/events?after=${Number(position) - 1}&limit=1`)
    const [event] = feed.data as Record<string, string>[]
    expect(hash('sha256', body as string)).toBe(event?.['hash'])
    expect(JSON.parse(body as string)).toMatchObject({
      id: event?.['id'],
      stream: `user-${event?.['entityid']}`,
      revision: event?.['revision'],
      metadata: { schemaVersion: Number(event?.['schemaversion']) },
    })
    expect(body).not.toContain('pat@example.org')
    await http.refuses('NOT_FOUND', 'GET', '/v1/audit/preimage?position=999999')
    await http.refuses('FORBIDDEN', 'GET', path, undefined, as('someone', 'DataConsumer'))
  })

  it('is chained through the events that the history and the feed give', async () => {
    await write('chained')
    const changed = await http.patch('/v1/glossaries/name/chained', { description: 'more' })
    const history = await http.get(`/v1/glossaries/${changed.id}/history`)
    const [first, second] = history.data
    expect(second.previousHash).toBe(first.hash)
    expect(first.previousHash).toBeUndefined()
    for (const { position, leafIndex, hash } of history.data) {
      const proof = await http.get(`/v1/audit/inclusion?position=${position}`)
      expect({ leafIndex, hash }).toEqual({ leafIndex: proof.leafIndex, hash: proof.hash })
    }
    // Looked through, along an index, and as the answer of a page that begins in the middle.
    const narrowed = ['', `&changed=description`, `&type=Created,Updated`, `&after=${first.position}`]
    for (const narrowing of narrowed) {
      const feed = await http.get(`/v1/events?entityId=${changed.id}${narrowing}`)
      const proofs = feed.data.map(({ hash, previoushash, leafindex }: Record<string, string>) => ({
        hash,
        previousHash: previoushash,
        leafIndex: Number(leafindex),
      }))
      expect(proofs).toEqual(
        history.data
          .slice(-proofs.length)
          .map(({ hash, previousHash, leafIndex }: Record<string, string>) => ({ hash, previousHash, leafIndex })),
      )
      expect(proofs).toHaveLength(narrowing.startsWith('&type') || narrowing === '' ? 2 : 1)
    }
  })

  it('narrows the history of an entity as the feed is narrowed', async () => {
    await write('narrowed')
    const at = '/v1/glossaries/name/narrowed'
    const change = async (body: object, user: string): Promise<void> => {
      await http.patch(at, body, as(user, 'Admin'))
    }
    await http.post('/v1/domains', { name: 'narrow', domainType: 'Aggregate' })
    await change({ description: 'a' }, 'zoe')
    await change({ displayName: 'b', domains: ['narrow'] }, 'zoe')
    await change({ description: 'c', domains: [] }, 'yan')
    const page = async (query: string) =>
      (await http.get(`${at}/history?${query}`)) as {
        data: { revision: string; correlationId: string }[]
        paging: { total?: number; after?: string }
      }
    const revisions = async (query: string) => (await page(query)).data.map(({ revision }) => Number(revision))
    const { data: all } = await page('limit=100')
    expect(await revisions('user=zoe')).toEqual([1, 2])
    expect(await revisions('changed=displayName,votes&user=zoe')).toEqual([2])
    expect(await revisions('domain=narrow')).toEqual([2, 3])
    expect(await revisions(`correlationId=${all[2]?.correlationId}`)).toEqual([2])
    expect(await revisions('until=2000-01-01')).toEqual([])
    const first = await page('changed=description&limit=1')
    expect(first.paging.total).toBeUndefined()
    expect(await revisions(`changed=description&limit=1&after=${first.paging.after}`)).toEqual([3])
    expect((await page(`changed=description&limit=2`)).paging).toEqual({})
    await http.refuses('BAD_REQUEST', 'GET', `${at}/history?user=zoe&limit=1&after=${first.paging.after}`)
    await http.refuses('BAD_REQUEST', 'GET', `${at}/history?since=yesterday`)
  })

  it('proves that it begins with what it was', async () => {
    const first = await checkpointNow()
    await write('consistent')
    const second = await checkpointNow()
    const body = await http.get(`/v1/audit/consistency?from=${first.size}&to=${second.size}`)
    expect(bytes(body.fromRoot)).toEqual(first.root)
    checkConsistency(first, second, body.hashes.map(bytes))
  })

  it('is verified by @sigstore/verify: signature, checkpoint and proof', async () => {
    const position = await write('others')
    await write('more')
    const { note } = await checkpointNow()
    const body = await http.get(`/v1/audit/inclusion?position=${position}`)
    const [key] = keys as [VerifierKey]
    const log = {
      logID: Buffer.from(key.id, 'hex'),
      baseURL: `https://${key.name}`,
      publicKey: createPublicKey(key.key.export({ format: 'pem', type: 'spki' })),
    }
    const entry = {
      canonicalizedBody: Buffer.from(body.hash as string),
      inclusionProof: {
        logIndex: String(body.leafIndex),
        hashes: body.hashes.map(bytes),
        checkpoint: { envelope: note },
      },
    }
    const checkpoint = sigstore.verifyCheckpoint(entry, [log])
    sigstore.verifyMerkleInclusion(entry, checkpoint)
    const other = { ...entry, canonicalizedBody: Buffer.from('0'.repeat(64)) }
    expect(() => sigstore.verifyMerkleInclusion(other, checkpoint)).toThrow('calculated root hash does not match')
    const forged = {
      ...entry,
      inclusionProof: { ...entry.inclusionProof, checkpoint: { envelope: note.replace(/\n\d+\n/, '\n1\n') } },
    }
    expect(() => sigstore.verifyCheckpoint(forged, [log])).toThrow('invalid checkpoint signature')
  })
})

describe('what cannot be proven', () => {
  it.each([
    ['/v1/audit/inclusion', '?position'],
    ['/v1/audit/inclusion?position=x', '?position'],
    ['/v1/audit/inclusion?position={position}&size=0', '?size'],
    ['/v1/audit/inclusion?position={position}&size=99999', '?size'],
    ['/v1/audit/consistency', '?from'],
    ['/v1/audit/consistency?from=2&to=1', '?from'],
    ['/v1/audit/consistency?from=1&to=99999', '?to'],
  ])('%s is refused, and %s named', async (path, named) => {
    const { position } = await checkpointNow()
    const { body } = await answered(400, http.refused('GET', path.replace('{position}', position)))
    expect(body.errors).toMatchObject([{ path: named }])
  })

  it('is an event that is not there', async () => {
    for (const position of ['123456789', '9999999999999999999'])
      await answered(404, http.call('GET', `/v1/audit/inclusion?position=${position}`))
  })
})

it('is for those who may see the history or the feed', async () => {
  for (const role of ['Auditor', 'Subscriber', 'Admin']) await http.get('/v1/audit/checkpoint', as('x', role))
  await answered(403, http.call('GET', '/v1/audit/checkpoint', undefined, as('x', 'DataConsumer')))
  await answered(401, http.call('GET', '/v1/audit/key', undefined, { token: null }))
})

describe('a service that was given no key', () => {
  it('makes one at its first start that only its owner can read, and keeps it', async () => {
    const data = join(await temporaryFolder(), 'data')
    const keyOf = async (): Promise<string> => {
      const service = await startInProcess({}, data)
      const { body } = await service.call('GET', '/v1/audit/key')
      await service.close()
      return String(body)
    }
    const first = await keyOf()
    const file = join(data, 'audit.key')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readSignerKey(readFileSync(file, 'utf8')).text).toBe(first.trim())
    expect(await keyOf()).toBe(first)
  })
})
