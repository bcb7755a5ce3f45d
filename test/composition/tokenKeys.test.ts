import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeLogger } from '../../src/composition/logger.ts'
import { tokenKeysFor } from '../../src/composition/keys/tokenKeys.ts'
import { readConfig } from '../../src/composition/settings/config.ts'
import { ec } from '../api/support.ts'
import { actorOf, pem, sign } from '../api/tokens.ts'
import { temporaryFolder } from '../support/folders.ts'

const claims = { sub: 'ada', exp: Math.floor(Date.now() / 1000) + 600 }

const keysWith = (env: NodeJS.ProcessEnv) => tokenKeysFor(readConfig(env), makeLogger('silent'), () => undefined)

it('come from a file, and a mistake names it', async () => {
  const folder = await temporaryFolder()
  writeFileSync(join(folder, 'key.pem'), pem(ec))
  writeFileSync(join(folder, 'bad.pem'), 'nonsense')
  const withFile = (name: string) =>
    keysWith({ CATALOG_DATA_DIR: folder, CATALOG_JWT_PUBLIC_KEY_FILE: join(folder, name) })
  const keys = await withFile('key.pem')
  await expect(actorOf(sign(claims, ec.privateKey, { algorithm: 'ES256' }), { keys })).resolves.toBeDefined()
  for (const name of ['bad.pem', 'none.pem']) await expect(withFile(name)).rejects.toThrow(name)
  expect(existsSync(join(folder, 'jwt.secret'))).toBe(false)
})

it('are made on first start when none is configured: one secret, for its owner alone', async () => {
  const folder = join(await temporaryFolder(), 'data')
  const [keys] = await Promise.all([keysWith({ CATALOG_DATA_DIR: folder }), keysWith({ CATALOG_DATA_DIR: folder })])
  const file = join(folder, 'jwt.secret')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await expect(actorOf(sign(claims, readFileSync(file, 'utf8').trim()), { keys })).resolves.toBeDefined()
})
