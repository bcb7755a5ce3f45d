import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCosignatures } from '../../../src/subscriptions/witnesses/targets.ts'
import { signCheckpoint } from '../../../src/transparency/checkpoint.ts'
import { emptyRoot } from '../../../src/transparency/merkle.ts'
import { makeSignerKey, readSignerKey } from '../../../src/transparency/note.ts'
import { temporaryFolder } from '../../support/folders.ts'

const signer = readSignerKey(makeSignerKey('catalog.example.com'))
const noteOf = (size: number): string => signCheckpoint({ size, root: emptyRoot }, signer)
/** A line as a witness writes it: the id of its key, and something that differs each time. */
const lineOf = (name: string, id: number, time: number): string =>
  `— ${name} ${Buffer.concat([Buffer.alloc(4, id), Buffer.alloc(72, time)]).toString('base64')}`

test('a witness has one line in a checkpoint, its newest, however often it cosigned', async () => {
  const kept = openCosignatures(join(await temporaryFolder(), 'cosigned'))
  const [note, next] = [noteOf(1), noteOf(2)]
  kept.add(note, [lineOf('one', 1, 1), lineOf('two', 2, 1)])
  kept.add(note, [lineOf('one', 1, 2)])
  expect(kept.best()).toBe(`${note}${lineOf('one', 1, 2)}\n${lineOf('two', 2, 1)}\n`)
  kept.add(next, [lineOf('one', 1, 3)])
  expect(kept.best()).toContain(note)
  kept.add(next, [lineOf('two', 2, 3)])
  expect(kept.best()).toBe(`${next}${lineOf('one', 1, 3)}\n${lineOf('two', 2, 3)}\n`)
})
