import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { portOf } from './ports.ts'

/**
 * A witness that is written from the texts of C2SP alone (tlog-witness, tlog-cosignature, signed-note, RFC 6962) and
 * shares no code with the catalog: whatever is not exactly as they say is refused.
 */

const sha256 = (...parts: (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const decimal = /^(?:0|[1-9][0-9]*)$/

const publicKeyOf = (raw: Buffer) =>
  createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]),
    format: 'der',
    type: 'spki',
  })

/** RFC 9162, 2.1.4.2: the same proof as RFC 6962 defines. */
const isConsistent = (
  first: number,
  second: number,
  roots: readonly [Buffer, Buffer],
  sent: readonly Buffer[],
): boolean => {
  const node = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.from([1]), left, right)
  if (first === second) return sent.length === 0 && roots[0].equals(roots[1])
  if (first === 0) return sent.length === 0
  if (sent.length === 0) return false
  const proof = Number.isInteger(Math.log2(first)) ? [roots[0], ...sent] : [...sent]
  let [fn, sn] = [first - 1, second - 1]
  while (fn % 2 === 1) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  let [fr, sr] = [proof[0] as Buffer, proof[0] as Buffer]
  for (const hash of proof.slice(1)) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      ;[fr, sr] = [node(hash, fr), node(hash, sr)]
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
    } else sr = node(sr, hash)
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  return sn === 0 && fr.equals(roots[0]) && sr.equals(roots[1])
}

interface Refusal {
  readonly status: number
  readonly body?: string
  readonly type?: string
}

class Refused extends Error {
  override readonly name = 'Refused'
  readonly answer: Refusal
  constructor(answer: Refusal) {
    super(`${answer.status} ${answer.body ?? ''}`)
    this.answer = answer
  }
}

const must = (holds: boolean, status: number, body: string): void => {
  if (!holds) throw new Refused({ status, body })
}

interface Seen {
  readonly size: number
  readonly root: Buffer
}

/** @param logKey public key of the log that it knows, as signed-note writes it */
export const startStrictWitness = async (name: string, logKey: string) => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const idOf = (whose: string, key: Buffer): Buffer => sha256(`${whose}\n`, key).subarray(0, 4)
  const typed = Buffer.concat([Buffer.from([4]), raw])
  const id = idOf(name, typed)
  const [, origin = '', , encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(logKey) ?? []
  const logBytes = Buffer.from(encoded, 'base64')
  let seen: Seen = { size: 0, root: sha256('') }
  let down = false
  const requests: { old: number; size: number; status: number }[] = []

  const judge = (body: string): { old: number; size: number; lines: string } => {
    const end = body.indexOf('\n\n')
    must(end > 0, 400, 'no empty line')
    const [oldLine = '', ...proofLines] = body.slice(0, end).split('\n')
    const note = body.slice(end + 2)
    const old = /^old (\S+)$/.exec(oldLine)?.[1] ?? ''
    must(decimal.test(old), 400, 'the old size')
    must(proofLines.length <= 63 && proofLines.every((line) => base64.test(line)), 400, 'the proof')
    const proof = proofLines.map((line) => Buffer.from(line, 'base64'))
    must(
      proof.every((hash) => hash.length === 32),
      400,
      'a hash',
    )
    const split = note.indexOf('\n\n')
    must(split > 0 && note.endsWith('\n'), 400, 'the note')
    const text = note.slice(0, split + 1)
    const [named = '', size = '', root = '', ...more] = text.slice(0, -1).split('\n')
    must(decimal.test(size) && base64.test(root) && Buffer.from(root, 'base64').length === 32, 400, 'the checkpoint')
    must(
      more.every((line) => line !== ''),
      400,
      'an extension',
    )
    must(named === origin, 404, 'the origin')
    const signed = note
      .slice(split + 2, -1)
      .split('\n')
      .some((line) => {
        const [, whose, signature = ''] = /^— (\S+) (\S+)$/.exec(line) ?? []
        must(whose !== undefined && base64.test(signature), 400, 'a signature line')
        const bytes = Buffer.from(signature, 'base64')
        if (whose !== origin || !bytes.subarray(0, 4).equals(idOf(origin, logBytes))) return false
        return verify(null, Buffer.from(text), publicKeyOf(logBytes.subarray(1)), bytes.subarray(4))
      })
    must(signed, 403, 'the signature')
    must(Number(old) <= Number(size), 400, 'the old size is larger')
    if (Number(old) !== seen.size) throw new Refused({ status: 409, body: `${seen.size}\n`, type: 'text/x.tlog.size' })
    const now = { size: Number(size), root: Buffer.from(root, 'base64') }
    if (now.size === seen.size) must(now.root.equals(seen.root), 409, 'another root')
    must(isConsistent(seen.size, now.size, [seen.root, now.root], proof), 422, 'the proof does not hold')
    seen = now
    const time = Math.floor(Date.now() / 1000)
    const stamp = Buffer.alloc(8)
    stamp.writeBigUInt64BE(BigInt(time))
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), privateKey)
    return {
      old: Number(old),
      size: now.size,
      lines: `— ${name} ${Buffer.concat([id, stamp, signature]).toString('base64')}\n`,
    }
  }

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const sizes = {
        old: Number(/^old (\d+)/.exec(body)?.[1] ?? -1),
        size: Number(body.split('\n\n')[1]?.split('\n')[1]),
      }
      try {
        if (down) throw new Refused({ status: 503 })
        must(request.method === 'POST' && request.url === '/w/add-checkpoint', 404, 'the address')
        const { lines } = judge(body)
        requests.push({ ...sizes, status: 200 })
        response.end(lines)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        const { status, body: reason, type = 'text/plain' } = error.answer
        requests.push({ ...sizes, status })
        response.writeHead(status, { 'content-type': type }).end(reason)
      }
    })
  })
  return {
    /** The submission prefix. */
    prefix: `http://127.0.0.1:${await portOf(server)}/w`,
    key: `${name}+${id.toString('hex')}+${typed.toString('base64')}`,
    requests,
    seen: () => seen,
    /** It has forgotten, or saw, something else. */
    remember: (other: Seen) => (seen = other),
    goDown: (isDown: boolean) => (down = isDown),
    close: () => new Promise((closed) => server.close(closed)),
  }
}
