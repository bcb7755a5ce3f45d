/**
 * Follows the change feed of the catalog and keeps a copy of it, one event a line. It may be killed at any moment, and so
 * may the catalog: started again it goes on where it was, and the copy is exactly the log.
 *
 *   CATALOG_URL=http://127.0.0.1:8585 CATALOG_TOKEN=… node consumer.mjs FOLDER ['kind=table&type=Created,Updated']
 *
 * The trick is one file, the checkpoint. It says up to which position everything is done, and how long the copy was
 * then. What was written beyond it before a crash is cut off, and comes again.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const { CATALOG_URL: url = 'http://127.0.0.1:8585', CATALOG_TOKEN: token } = process.env
const [folder = 'copy', filter = ''] = process.argv.slice(2)

/** The catalog says every 15 s that it lives; after three times that the connection counts as lost. */
const silence = 45_000

/** Pauses between attempts, in milliseconds. */
const firstPause = 250
const longestPause = 10_000

const files = { copy: join(folder, 'events.ndjson'), checkpoint: join(folder, 'checkpoint.json') }

const readCheckpoint = () =>
  existsSync(files.checkpoint) ? JSON.parse(readFileSync(files.checkpoint, 'utf8')) : { position: undefined, size: 0 }

const writeDurably = (path, text) => {
  const file = openSync(path, 'w')
  writeSync(file, text)
  fdatasyncSync(file)
  closeSync(file)
}

/** Written beside and renamed, so that it is always whole. */
const writeCheckpoint = (checkpoint) => {
  writeDurably(`${files.checkpoint}.new`, JSON.stringify(checkpoint))
  renameSync(`${files.checkpoint}.new`, files.checkpoint)
}

mkdirSync(folder, { recursive: true })
let checkpoint = readCheckpoint()
const copy = openSync(files.copy, 'a')
ftruncateSync(copy, checkpoint.size)

/** Does the work for some events, then remembers that it is done. Replace the first three lines by your own work. */
const handle = (events, position) => {
  const bytes = Buffer.from(events.map((event) => `${event}\n`).join(''))
  if (bytes.length > 0) writeSync(copy, bytes)
  fdatasyncSync(copy)
  checkpoint = { position, size: checkpoint.size + bytes.length }
  writeCheckpoint(checkpoint)
}

/** Splits server-sent events into frames: `{id, data}`, either may be missing. */
const readFrame = (text) => {
  const frame = { id: undefined, data: undefined }
  for (const line of text.split('\n')) {
    if (line.startsWith('id:')) frame.id = line.slice(3).trim()
    if (line.startsWith('data:'))
      frame.data = `${frame.data === undefined ? '' : `${frame.data}\n`}${line.slice(5).replace(/^ /, '')}`
  }
  return frame
}

class Refused extends Error {}

/** Follows the stream until the connection is lost. */
const follow = async (onAlive) => {
  const lost = new AbortController()
  let timer
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => lost.abort(new Error(`nothing came for ${silence / 1000} s`)), silence)
  }
  alive()
  try {
    const response = await fetch(`${url}/api/v1/events/stream${filter === '' ? '' : `?${filter}`}`, {
      signal: lost.signal,
      headers: {
        Accept: 'text/event-stream',
        Authorization: `Bearer ${token}`,
        ...(checkpoint.position !== undefined && { 'Last-Event-ID': checkpoint.position }),
      },
    })
    if ([400, 401, 403].includes(response.status)) throw new Refused(`${response.status} ${await response.text()}`)
    if (response.status !== 200) throw new Error(`the catalog answered ${response.status}`)
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body) {
      alive()
      onAlive()
      const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = frames.pop()
      const read = frames.map(readFrame)
      const position = read.findLast((frame) => frame.id !== undefined)?.id
      if (position !== undefined)
        handle(
          read.flatMap((frame) => (frame.data === undefined ? [] : [frame.data])),
          position,
        )
    }
    throw new Error('the stream ended')
  } finally {
    clearTimeout(timer)
  }
}

for (let pause = firstPause; ;) {
  try {
    await follow(() => (pause = firstPause))
  } catch (error) {
    if (error instanceof Refused) {
      console.error(`The catalog refuses: ${error.message}`)
      process.exit(1)
    }
    console.error(`${error.message}; trying again after position ${checkpoint.position ?? 'none'}`)
    await delay(pause * (0.5 + Math.random() / 2))
    pause = Math.min(longestPause, pause * 2)
  }
}
