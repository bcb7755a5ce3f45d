import { readFileSync, writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

const chunksOf = (png: Buffer): Chunk[] => {
  const chunks: Chunk[] = []
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at)
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return chunks
}

const bytesOf = ({ type, data }: Chunk): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

const uint32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

/** One animated PNG of several of the same size, each shown for so many milliseconds, without end. */
export const animate = (paths: readonly string[], milliseconds: number, to: string): void => {
  const frames = paths.map((path) => chunksOf(readFileSync(path)))
  const header = frames[0]?.find(({ type }) => type === 'IHDR') as Chunk
  let sequence = 0
  const parts = frames.flatMap((chunks, index): Chunk[] => {
    if (!chunks[0]?.data.equals(header.data)) throw new Error(`${paths[index]} has another size or format.`)
    const size = header.data.subarray(0, 8)
    const timing = Buffer.alloc(6)
    timing.writeUInt16BE(milliseconds, 0)
    timing.writeUInt16BE(1000, 2)
    const control = { type: 'fcTL', data: Buffer.concat([uint32(sequence++), size, uint32(0, 0), timing]) }
    const pixels = chunks.filter(({ type }) => type === 'IDAT')
    if (index === 0) return [control, ...pixels]
    return [control, ...pixels.map(({ data }) => ({ type: 'fdAT', data: Buffer.concat([uint32(sequence++), data]) }))]
  })
  const all = [
    header,
    { type: 'acTL', data: uint32(frames.length, 0) },
    ...parts,
    { type: 'IEND', data: Buffer.alloc(0) },
  ]
  writeFileSync(to, Buffer.concat([signature, ...all.map(bytesOf)]))
}
