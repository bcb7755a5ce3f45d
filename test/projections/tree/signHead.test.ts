import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CheckpointError, signAndRecordHead, signHead } from '../../../src/projections/tree/signHead.ts'
import { makeLogTree } from '../../../src/projections/tree/tree.ts'
import { openCheckpoint, signCheckpoint } from '../../../src/transparency/checkpoint.ts'
import { emptyRoot } from '../../../src/transparency/merkle.ts'
import { makeSignerKey, readSignerKey } from '../../../src/transparency/note.ts'
import { temporaryFolder } from '../../support/folders.ts'

const tree = makeLogTree({ treeTiles: async () => new Map(), treeLeaves: async () => undefined })

const newSigner = () => readSignerKey(makeSignerKey('catalog.example.com'))

const keysIn = (folder: string, signer = newSigner()) => ({
  signer,
  keys: [signer],
  lastSignedFile: join(folder, 'signed'),
  cosignedFile: join(folder, 'cosigned'),
})

test('a reader signs the head and leaves no file; whoever records it has it on disk', async () => {
  const folder = await temporaryFolder()
  const keys = keysIn(folder)
  const { note } = await signHead(tree, keys)
  expect(openCheckpoint(note, keys.keys)).toMatchObject({ size: 0, root: emptyRoot })
  expect(readdirSync(folder)).toEqual([])
  expect((await signAndRecordHead(tree, keys)).note).toBe(note)
  expect(readFileSync(keys.lastSignedFile, 'utf8')).toBe(note)
})

const headOf = (signer: ReturnType<typeof newSigner>) => signCheckpoint({ size: 0, root: emptyRoot }, signer)

test.each([
  ['of a key that is not known', () => headOf(newSigner()), 'None of the keys given'],
  ['that was changed', (own: string) => own.replace('\n0\n', '\n1\n'), 'does not hold'],
  ['that is not a note', () => 'nothing', 'not a signed note'],
])('a last signed head %s lets nothing be signed, and says what to do', async (_, make, reason) => {
  const keys = keysIn(await temporaryFolder())
  const last = make(headOf(keys.signer))
  writeFileSync(keys.lastSignedFile, last)
  for (const sign of [signHead, signAndRecordHead]) {
    const error = await sign(tree, keys).catch((found: unknown) => found)
    expect(error).toBeInstanceOf(CheckpointError)
    const { message } = error as Error
    expect(message).toContain(reason)
    expect(message).toContain(`${keys.lastSignedFile}`)
    expect(message).toContain('If the key was rotated, restart the service')
  }
  expect(readFileSync(keys.lastSignedFile, 'utf8')).toBe(last)
})
