import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SingleBar } from 'cli-progress'
import { signToken } from '../../api/auth/authenticate.ts'
import type { Config } from '../../composition/config.ts'
import { files } from '../../composition/engines.ts'
import { makeClient, SeedError } from './client.ts'
import type { CliCommand } from '../command.ts'
import { localUrl, readSettings } from '../settings.ts'

const seeder = 'amara_almeida'

const secretOf = ({ jwt, dataDir }: Config): string => {
  const path = join(dataDir, files.jwtSecret)
  if (jwt.secret !== undefined) return jwt.secret
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  throw new SeedError(
    `${path} is missing. Start the service first, set CATALOG_DATA_DIR to its folder, or give a token with --token.`,
  )
}

/** Signs a token for each user once. */
const signer = (config: Config): ((user: string | undefined) => string) => {
  const secret = secretOf(config)
  const { issuer, audience, rolesClaim } = config.jwt
  const known = new Map<string, string>()
  return (user = seeder) => {
    const roles = user === seeder ? ['Admin'] : ['DataConsumer']
    const token = known.get(user) ?? signToken(secret, { user, roles, ttl: 3600, issuer, audience, rolesClaim })
    known.set(user, token)
    return token
  }
}

/** Loads the demo company through the public API. */
export const seed: CliCommand = {
  usage:
    '[--url http://127.0.0.1:8585] [--token TOKEN]\n\nWith --token everything is done in the name of its user, ' +
    'and nobody votes.',
  options: { url: { type: 'string' }, token: { type: 'string' } },
  run: async ({ url, token }) => {
    const { companySteps, sizeOf } = await import('./company.ts')
    const { load } = await import('./load.ts')
    const config = readSettings(process.env, 'tokens')
    const given = typeof token === 'string'
    const client = makeClient({
      url: typeof url === 'string' ? url.replace(/\/+$/, '') : localUrl(config),
      tokenOf: given ? () => token : signer(config),
    })
    const steps = companySteps().filter((step) => !(given && step.title === 'votes'))
    const total = steps.reduce((sum, step) => sum + sizeOf(step), 0)
    const bar = new SingleBar({
      format: '{bar} {percentage}% | {value}/{total} | {title}',
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    })
    bar.start(total, 0, { title: '' })
    const begun = performance.now()
    try {
      await load(client, steps, { advance: (title, count) => bar.increment(count, { title }) })
    } finally {
      bar.stop()
    }
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    process.stdout.write(
      `Loaded in ${seconds} s:\n${steps.map((step) => `  ${String(sizeOf(step)).padStart(5)} ${step.title}`).join('\n')}\n`,
    )
    return 0
  },
}
