import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

const block = 512

/** A POSIX tar header (ustar). Names have at most 100 bytes. */
const header = (name: string, size: number, time: Date): Buffer => {
  const bytes = Buffer.alloc(block)
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`
  const field = (text: string, at: number): void => void bytes.write(text, at, 'latin1')
  field(name, 0)
  field(octal(0o644, 8), 100)
  field(octal(0, 8), 108)
  field(octal(0, 8), 116)
  field(octal(size, 12), 124)
  field(octal(Math.floor(time.getTime() / 1000), 12), 136)
  field(' '.repeat(8), 148)
  field('0', 156)
  field('ustar\0' + '00', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  field(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}

async function* tarOf(folder: string, names: readonly string[], inside: string): AsyncGenerator<Buffer> {
  const time = new Date()
  for (const name of names) {
    const { size } = await stat(join(folder, name))
    yield header(`${inside}/${name}`, size, time)
    for await (const chunk of createReadStream(join(folder, name))) yield chunk as Buffer
    yield Buffer.alloc((block - (size % block)) % block)
  }
  yield Buffer.alloc(2 * block)
}

/** Writes the files of a folder as a `.tar.gz` below the folder `inside`, atomically. */
export const writeArchive = async (
  output: string,
  { folder, names, inside }: { readonly folder: string; readonly names: readonly string[]; readonly inside: string },
): Promise<void> => {
  const unfinished = `${output}.part`
  try {
    await pipeline(
      Readable.from(tarOf(folder, names, inside)),
      createGzip(),
      createWriteStream(unfinished, { flush: true }),
    )
    await rename(unfinished, output)
  } finally {
    await rm(unfinished, { force: true })
  }
}
