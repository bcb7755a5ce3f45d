import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readStatus } from '../../src/cli/status.ts'
import { readConfig } from '../../src/composition/settings/config.ts'
import { auditKeysText, readAuditKeys } from '../../src/composition/keys/auditKeys.ts'
import { signCheckpoint } from '../../src/transparency/checkpoint.ts'
import { makeSignerKey, readSignerKey } from '../../src/transparency/note.ts'
import { signSuccession } from '../../src/transparency/succession.ts'
import { storesFor } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { startInProcess } from '../support/running.ts'

const setUp = async (env: Record<string, string> = {}) => {
  const folder = await temporaryFolder()
  const stores = { ...storesFor(folder), ...env }
  const keyFile = join(folder, 'audit.key')
  /** Starts the service once more. @returns what it warns of keys */
  const start = async (): Promise<string[]> => {
    const warnings: string[] = []
    const logger = pino(
      { level: 'warn' },
      { write: (line) => warnings.push((JSON.parse(line) as { msg: string }).msg) },
    )
    const service = await startInProcess(stores, folder, logger)
    await service.close()
    return warnings.filter((text) => text.includes('signed'))
  }
  const told = async () => (await readStatus(readConfig({ CATALOG_DATA_DIR: folder, ...stores }))).eventStore.problems
  const keys = () => readAuditKeys(readFileSync(keyFile, 'utf8'))
  const replace = () => writeFileSync(keyFile, `${makeSignerKey('somebody.else')}\n`)
  return { folder, keyFile, start, told, keys, replace, file: join(folder, 'audit.pub') }
}

test('a start warns of a key that took the place of another without a rotation, until the former one is known', async () => {
  const { keyFile, start, told, keys, replace, file } = await setUp()
  expect(await start()).toEqual([])
  const former = keys().signer
  expect(readFileSync(file, 'utf8').trim()).toBe(former.text)
  replace()
  for (const time of ['first', 'second']) {
    const warnings = await start()
    expect(warnings, time).toHaveLength(1)
    expect(warnings[0]).toContain(`signed by the key ${former.name}+${former.id} before, as ${file} says`)
    expect(await told()).toEqual(warnings)
  }
  appendFileSync(keyFile, `${former.text}\n`)
  expect(await start()).toEqual([])
  expect(await told()).toEqual([])
  expect(readFileSync(file, 'utf8').trim()).toBe(keys().signer.text)
})

test('a key file that was lost and made anew is warned of too', async () => {
  const { keyFile, start } = await setUp()
  await start()
  rmSync(keyFile)
  expect(await start()).toEqual([expect.stringContaining('Put the former file back')])
  expect(existsSync(keyFile)).toBe(true)
})

test('a rotation is not a reason to warn, and the log remembers it where the data folder does not', async () => {
  const { keyFile, start, keys, replace, file } = await setUp()
  await start()
  const present = keys()
  const next = readSignerKey(makeSignerKey(present.signer.name))
  const successions = [signSuccession(next, present.signer)]
  writeFileSync(keyFile, auditKeysText({ signer: next, keys: [next, ...present.keys], successions }))
  expect(await start()).toEqual([])
  rmSync(file)
  replace()
  expect(await start()).toEqual([
    expect.stringMatching(new RegExp(`by the key ${next.name}\\+${next.id} before, as the log at position \\d+ says`)),
  ])
})

test('the file of a witness remembers who signed where nothing else does', async () => {
  const witness = join(await temporaryFolder(), 'witness.txt')
  const { start, keys, replace, file } = await setUp({ CATALOG_AUDIT_WITNESS: witness })
  await start()
  writeFileSync(witness, signCheckpoint({ size: 1, root: Buffer.alloc(32) }, keys().signer))
  expect(await start()).toEqual([])
  rmSync(file)
  replace()
  expect(await start()).toEqual([
    expect.stringContaining(`signed by another key before, as the newest checkpoint of the witness ${witness}`),
  ])
})
