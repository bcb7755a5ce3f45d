import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { targetsOf } from '../../../src/subscriptions/witnesses/targets.ts'
import { startWitnesses, type WitnessesOptions } from '../../../src/subscriptions/witnesses/witnesses.ts'
import { notesIn, openCheckpoint, signCheckpoint } from '../../../src/transparency/checkpoint.ts'
import { emptyRoot } from '../../../src/transparency/merkle.ts'
import { makeSignerKey, readSignerKey } from '../../../src/transparency/note.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { receiving } from '../../support/listening.ts'
import { waitFor } from '../../support/waitFor.ts'

const signer = readSignerKey(makeSignerKey('catalog.example.com'))

/** A log that grows when the test says so. */
const growing = (targets: readonly (string | URL)[], every: Partial<WitnessesOptions['every']>) => {
  const log = { size: 0, seen: 0 }
  const witnesses = startWitnesses({
    targets: targetsOf(targets, nobody),
    every: { events: Infinity, milliseconds: Infinity, ...every },
    position: () => (log.size === 0 ? undefined : BigInt(log.size * 10)),
    size: async () => (log.seen = log.size),
    checkpoint: async () => ({ size: log.size, note: signCheckpoint({ size: log.size, root: emptyRoot }, signer) }),
    isLeader: () => true,
    logger: pino({ level: 'silent' }),
    interval: 5,
    pauses: { shortest: 5, longest: 40 },
  })
  onTestFinished(() => witnesses.close())
  return { log, witnesses }
}

const sizesIn = (notes: string): number[] => notesIn(notes).map((note) => openCheckpoint(note, [signer]).size)

const nobody = {
  userAgent: 'test',
  keys: [],
  consistency: async () => [],
  cosigned: { add: () => {}, best: () => undefined },
}

test('a file is given what there is at the start, and one more after so many events', async () => {
  const file = join(await temporaryFolder(), 'notes')
  const { log, witnesses } = growing([file], { events: 3 })
  log.size = 2
  await waitFor(() => expect(witnesses.states()).toMatchObject([{ name: file, size: 2 }]))
  log.size = 4
  await waitFor(() => expect(witnesses.states()).toMatchObject([{ size: 2 }]))
  log.size = 7
  await waitFor(() => expect(witnesses.states()).toMatchObject([{ size: 7 }]))
  expect(sizesIn(readFileSync(file, 'utf8'))).toEqual([2, 7])
})

test('a file that ends with a piece of a checkpoint, as after a power cut, is continued', async () => {
  const file = join(await temporaryFolder(), 'notes')
  const [whole, torn] = [1, 2].map((size) => signCheckpoint({ size, root: emptyRoot }, signer)) as [string, string]
  writeFileSync(file, whole + torn.slice(0, -40))
  const { log, witnesses } = growing([file], { events: 1 })
  log.size = 3
  await waitFor(() => expect(witnesses.states()).toMatchObject([{ size: 3 }]))
  log.size = 4
  await waitFor(() => expect(witnesses.states()).toMatchObject([{ size: 4 }]))
  expect(sizesIn(readFileSync(file, 'utf8'))).toEqual([1, 3, 4])
})

test('a checkpoint is due some time after the first event that the last one lacks', async () => {
  const file = join(await temporaryFolder(), 'notes')
  const { log, witnesses } = growing([file], { milliseconds: 30 })
  log.size = 1
  await waitFor(() => expect(witnesses.states()).toMatchObject([{ size: 1 }]))
  log.size = 2
  await waitFor(() => expect(witnesses.states()).toMatchObject([{ size: 2 }]))
  expect(sizesIn(readFileSync(file, 'utf8'))).toEqual([1, 2])
})

test('of a tree that is built again no checkpoint is due before it is larger than it was', async () => {
  const file = join(await temporaryFolder(), 'notes')
  const { log, witnesses } = growing([file], { milliseconds: 0 })
  log.size = 5
  await waitFor(() => expect(witnesses.states()).toMatchObject([{ size: 5 }]))
  log.size = 2
  await waitFor(() => expect(log.seen).toBe(2))
  log.size = 6
  await waitFor(() => expect(witnesses.states()).toMatchObject([{ size: 6 }]))
  expect(sizesIn(readFileSync(file, 'utf8'))).toEqual([5, 6])
})

test('an address that refuses is named and tried again, while others go on, and is offered the newest', async () => {
  const file = join(await temporaryFolder(), 'notes')
  const offered: { url: string | undefined; authorization: string | undefined; body: string }[] = []
  const { url: address } = await receiving((body, { url, headers: { authorization } }) => {
    offered.push({ url, authorization, body })
    return 503
  })
  const { port } = new URL(address)
  const { log, witnesses } = growing([file, new URL(`http://user:pass%20word@127.0.0.1:${port}/notes/`)], { events: 1 })
  const name = `http://127.0.0.1:${port}/notes/`
  log.size = 1
  await waitFor(() => expect(witnesses.states()[0]).toMatchObject({ size: 1 }))
  await waitFor(() => expect(witnesses.states()[1]?.failing?.tries).toBeGreaterThan(2))
  expect(witnesses.states()[1]).toMatchObject({ name, failing: { error: 'It answered 503.' } })
  expect(witnesses.states()[1]).not.toHaveProperty('size')
  log.size = 5
  await waitFor(() => expect(witnesses.states()[0]).toMatchObject({ size: 5 }))
  await waitFor(() => expect(sizesIn(offered.at(-1)?.body.replace(/^old 0\n\n/, '') ?? '')).toEqual([5]))
  const authorization = `Basic ${Buffer.from('user:pass word').toString('base64')}`
  expect(offered[0]).toMatchObject({ url: '/notes/add-checkpoint', authorization })
})

test('a file that cannot be written and an address where nobody is are told with their reasons', async () => {
  const folder = await temporaryFolder()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  server.close()
  const { log, witnesses } = growing([join(folder, 'missing', 'notes'), url], { events: 1 })
  log.size = 1
  await waitFor(() =>
    expect(witnesses.states().map(({ failing }) => failing?.error)).toEqual([
      expect.stringContaining('ENOENT'),
      expect.stringContaining('ECONNREFUSED'),
    ]),
  )
})
