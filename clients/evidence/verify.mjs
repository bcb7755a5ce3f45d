// Verifies the evidence in this folder with Node.js alone: node verify.mjs [KEYFILE]
// KEYFILE holds the public key of the log as you know it, and the notes of its successions, if you have them. Left out,
// it is the one that came with the evidence.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const fail = (message) => {
  console.error(`NOT PROVEN: ${message}`)
  process.exit(1)
}
const must = (condition, message) => condition || fail(message)
const bytesOf = (name) => {
  try {
    return readFileSync(new URL(name, import.meta.url))
  } catch (error) {
    return fail(`a file cannot be read: ${error.message}.`)
  }
}
const linesOf = (text) => text.split('\n').filter((line) => line !== '')
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

// Keys and notes: https://c2sp.org/signed-note, Ed25519.
const keyIn = (line) => {
  const [, name, data = ''] = /^([^\s+]+)\+[0-9a-f]{8}\+([A-Za-z0-9+/]{44})$/.exec(line.trim()) ?? []
  const raw = Buffer.from(data, 'base64')
  must(raw.length === 33 && raw[0] === 1, 'a key is none of Ed25519.')
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw.subarray(1)])
  const id = sha256(`${name}\n`, raw).subarray(0, 4)
  return { name, id, line: line.trim(), key: createPublicKey({ key: der, format: 'der', type: 'spki' }) }
}
const given = process.argv[2] === undefined ? bytesOf('key.txt') : bytesOf(pathToFileURL(process.argv[2]))
const [known, ...successions] = `${given}\n${bytesOf('successions.txt')}`
  .replaceAll('\r', '')
  .split(/\n(?=\S+ successor\n)/)
const keys = linesOf(known).map(keyIn)

/** The lines of a signed note, and which of the keys signed it; undefined: none. */
const open = (note) => {
  const end = note.lastIndexOf('\n\n') + 1
  for (const line of linesOf(note.slice(end))) {
    const [, name, data = ''] = /^— (\S+) (\S+)$/.exec(line) ?? []
    const signature = Buffer.from(data, 'base64')
    const key = keys.find((each) => each.name === name && each.id.equals(signature.subarray(0, 4)))
    if (key && verify(null, Buffer.from(note.slice(0, end)), key.key, signature.subarray(4)))
      return { lines: note.slice(0, end - 1).split('\n'), key }
  }
}
const mustOpen = (file) => open(bytesOf(file).toString()) ?? fail(`${file} is not signed by any key of the log.`)

// A known key may have signed that another takes over, in any order.
for (let before = 0; before < keys.length;) {
  before = keys.length
  for (const note of successions) {
    const { lines: [title, line = ''] = [], key } = open(note.trimEnd()) ?? {}
    const isNew = title === `${key?.name} successor` && !keys.some((each) => line === `key ${each.line}`)
    if (isNew) keys.push({ ...keyIn(line.replace('key ', '')), given: key.given ?? key.line })
  }
}

// What came with the evidence: every file is as it was when the log's key signed the list.
const manifest = mustOpen('manifest.txt')
for (const line of manifest.lines.slice(1)) {
  const [hash, name] = line.split('  ')
  must(sha256(bytesOf(name)).toString('hex') === hash, `${name} is not what was signed.`)
}

// The checkpoint: https://c2sp.org/tlog-checkpoint
const checkpoint = mustOpen('checkpoint.txt')
const [origin, sizeText, rootText] = checkpoint.lines
const size = Number(sizeText)
must(origin === checkpoint.key.name, `the checkpoint is of the log ${origin}, the key of ${checkpoint.key.name}.`)
must(manifest.lines[0] === `${origin} evidence`, 'the list of files is of another log.')

/** RFC 8785 */
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}

/** RFC 9162, 2.1.3.2 */
const rootOf = (leaf, index, hashes) => {
  let [hash, node, last] = [leaf, index, size - 1]
  for (const other of hashes) {
    must(last > 0, 'a proof is too long.')
    if (node % 2 === 1 || node === last) {
      hash = sha256(Buffer.from([1]), other, hash)
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)]
    } else hash = sha256(Buffer.from([1]), hash, other)
    ;[node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  }
  must(last === 0, 'a proof is too short.')
  return hash.toString('base64')
}

const proofs = linesOf(bytesOf('proofs.ndjson').toString()).map((line) => JSON.parse(line))
const streams = new Map()
let index = -1
const events = linesOf(bytesOf('events.ndjson').toString()).map((line, at) => {
  const { position, stream, revision, id, type, data, metadata } = JSON.parse(line)
  const what = `${type} ${id} at position ${position}`
  const { hash, ...bound } = metadata
  const hashed = sha256(canonical({ data, id, metadata: bound, revision, stream, type })).toString('hex')
  must(hashed === hash, `${what} is not what its hash says.`)
  const proof = proofs[at] ?? fail(`there is no proof for ${what}.`)
  must(proof.leafIndex > index && proof.leafIndex < size, `the proof for ${what} is of another place.`)
  index = proof.leafIndex
  const leaf = sha256(Buffer.from([0]), hash)
  const hashes = proof.hashes.map((each) => Buffer.from(each, 'base64'))
  must(rootOf(leaf, index, hashes) === rootText, `${what} is not in the log.`)
  const before = streams.get(stream)
  const follows =
    before === undefined || (before.revision + 1n === BigInt(revision) && before.hash === bound.previousHash)
  must(follows, `something is missing or wrong before ${what}.`)
  streams.set(stream, { revision: BigInt(revision), hash })
  return `${position}  ${bound.time}  ${bound.user}  ${type}  ${bound.kind} ${bound.fullyQualifiedName}`
})
must(events.length > 0 && events.length === proofs.length, 'events and proofs are not as many.')

const { given: former } = checkpoint.key
const whose =
  process.argv[2] === undefined
    ? 'Compare this key with the one that you know the log by, or give that one: node verify.mjs KEYFILE'
    : former === undefined
      ? 'That is the key that you gave.'
      : `That is a successor of the key that you gave, ${former}: each key signed the one after it.`
console.log(`${events.join('\n')}

PROVEN: these ${events.length} events of ${streams.size} ${streams.size === 1 ? 'entity' : 'entities'} are in the log ${origin} as it was when it had ${size} events,
exactly so, and between the first and the last of an entity none is missing.
It was signed by ${checkpoint.key.line}
${whose}`)
