import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { shippedRoles } from '../src/api/auth/policies.ts'
import { parsePolicies } from '../src/api/auth/policiesFile.ts'
import { commands as cli } from '../src/cli/commands.ts'
import { readConfig, unknownVariables, variables } from '../src/composition/settings/config.ts'
import { kinds } from '../src/kinds/registry/kinds.ts'
import { thorough } from './support/fastCheck.ts'
import { temporaryFolder } from './support/folders.ts'
import { adminToken, runCli, startBuilt, temporaryDataDir, testSecret, type RunningService } from './support/service.ts'
import { longEnough } from './support/patience.ts'
import { skippedWithoutPostgres, startPostgres } from './support/postgres.ts'

const root = resolve(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

const blocks = (language: string, text = readme): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block]) =>
    (block as string).trim(),
  )

/** The pages that have the tables of settings, commands and roles. */
const reference = ['settings', 'commands', 'access']
  .map((name) => readFileSync(join(root, `docs/reference/${name}.md`), 'utf8'))
  .join('\n')

const commands = blocks('sh')
const tour = blocks('sh', readFileSync(join(root, 'docs/tour.md'), 'utf8'))
const auditing = blocks('sh', readFileSync(join(root, 'docs/auditing.md'), 'utf8'))
const isCurl = (command: string): boolean => command.startsWith('curl ')

/** What a page takes for the reader's own dbt project. */
const project = {
  metadata: { adapter_type: 'duckdb', project_name: 'shop' },
  nodes: { 'model.shop.orders': { resource_type: 'model', database: 'shop', schema: 'main', name: 'orders' } },
}

describe('the commands of the README', () => {
  const folder = temporaryDataDir()
  let service: RunningService
  let token = ''

  beforeAll(async () => {
    service = await startBuilt(folder.path)
  })

  afterAll(async () => {
    await service.stop('SIGKILL')
    await folder.remove()
  })

  const run = (command: string) =>
    spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', command.replaceAll('http://127.0.0.1:8585', service.url)], {
      cwd: root,
      encoding: 'utf8',
      timeout: longEnough,
      maxBuffer: 256 * 1024 * 1024,
      env: {
        ...process.env,
        USER: 'reader',
        TOKEN: token,
        ADMIN: adminToken,
        CATALOG_DATA_DIR: folder.path,
        CATALOG_JWT_SECRET: testSecret,
      },
    })

  it('are all known to this test', () => {
    expect(commands.length).toBeGreaterThan(5)
    for (const command of commands.filter((each) => !isCurl(each) && !each.startsWith('export TOKEN='))) {
      expect(command).toMatch(/^npm (ci|start|test|run [\w:]+)( && npm (start|test|run [\w:]+))*$/)
    }
  })

  it('name scripts that exist', () => {
    const named = [...readme.matchAll(/npm (?:run (?:--silent )?)?(start|test|(?<=run (?:--silent )?)[\w:]+)/g)].map(
      ([, script]) => script as string,
    )
    expect(named).toEqual(expect.arrayContaining(['start', 'test', 'seed', 'catalog']))
    expect(named.filter((script) => scripts[script] === undefined)).toEqual([])
  })

  it('give a token', () => {
    const [command = ''] = commands.filter((each) => each.startsWith('export TOKEN='))
    const { status, stdout, stderr } = run(`${command}\necho "$TOKEN"`)
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('rror')])
    token = stdout.trim()
    expect(token).toMatch(/^ey[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  it.each(commands.filter(isCurl).map((command) => [command]))('%s', (command) => {
    const { status, stdout, stderr } = run(`${command} -w '\\n%{http_code}'`)
    expect([status, stderr]).toEqual([0, ''])
    const [code, ...body] = stdout.split('\n').toReversed()
    expect([code, body.join('\n')]).toEqual([expect.stringMatching(/^2\d\d$/), expect.stringContaining('warehouse')])
  })

  it.runIf(thorough)('those of the page for auditors work one after the other', () => {
    expect(auditing.length).toBeGreaterThan(8)
    for (const command of auditing) {
      const { status, stderr } = run(
        command
          .replaceAll(
            /\b(?=(?:checkpoint|key|witnessed)\.txt|log\.ndjson|evidence\.tar|evidence\/)/g,
            `${folder.path}/`,
          )
          .replace('tar -xzf', `tar -C ${folder.path} -xzf`),
      )
      expect([command, stderr, status]).toEqual([command, '', 0])
    }
  })

  it.runIf(thorough)('those of the tour work on what the seed loads', () => {
    const seeded = runCli(folder.path, ['seed', '--url', service.url], { CATALOG_BASE_URL: service.url })
    expect([seeded.code, seeded.stderr]).toEqual([0, expect.any(String)])
    expect(tour.filter(isCurl).length).toBeGreaterThan(5)
    for (const command of tour.filter(isCurl)) {
      const { status, stdout } = run(`${command} -w '\n%{http_code}'`)
      const [code, ...body] = stdout.split('\n').toReversed()
      expect([command, status, code]).toEqual([command, 0, expect.stringMatching(/^2\d\d$/)])
      expect([command, body.join('').length > 2, /"data":\[\]|"hits":\[\]/.test(body.join(''))]).toEqual([
        command,
        true,
        false,
      ])
    }
  })

  const ways = ['csv', 'dbt', 'odcs', 'openlineage', 'postgres'].map((way) => `loading/${way}.md`)
  const pages = ['clients.md', 'consuming.md', 'contracts.md', 'operating.md', ...ways]
  const withoutPostgres = skippedWithoutPostgres('docs/loading/postgres.md')
  const tested = pages.filter((page) => !(withoutPostgres && page === 'loading/postgres.md'))
  it.runIf(thorough).each(tested.map((page) => [page]))('and of docs/%s run as pasted, top to bottom', async (page) => {
    const own = await temporaryFolder()
    writeFileSync(join(own, 'manifest.json'), JSON.stringify(project))
    const postgres = page === 'loading/postgres.md' ? await startPostgres() : undefined
    onTestFinished(() => postgres?.stop())
    const script = blocks('sh', readFileSync(join(root, 'docs', page), 'utf8')).join('\n')
    expect(script).toContain('\n')
    const here = script
      .replaceAll(/\b(contract\.yaml|columns\.csv|load\.txt|events\.ndjson|contracts(?=[ /\n]))/g, (name) =>
        join(own, name),
      )
      .replaceAll('path/to/project/target', own)
      .replaceAll('postgres://reader@db.example.com/shop', postgres?.url ?? '')
      .replaceAll('BACKUP', join(own, 'backup'))
    // A stream goes on until it is left: three seconds are enough to see that it is one. All else is waited for.
    const strict = `curl() {
      case "$*" in
        */events/stream*) command curl --fail-with-body --max-time 3 "$@" || [ $? = 28 ] ;;
        *) command curl --fail-with-body "$@" ;;
      esac
    }\n${here}`
    const { status, stdout, stderr } = run(strict)
    expect([status, stdout.slice(-2000), stderr]).toEqual([0, expect.any(String), expect.not.stringContaining('rror')])
  })

  it('stand on pages that this test knows, or in blocks that ask for servers of their own', () => {
    const all = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    )
    const others = all.filter((name) => ![...pages, 'tour.md', 'auditing.md'].includes(name))
    const unknown = others.flatMap((name) =>
      blocks('sh', readFileSync(join(root, 'docs', name), 'utf8')).filter(
        (command) => !/docker compose|esdb:|^npm run bench$/.test(command),
      ),
    )
    expect(unknown).toEqual([])
  })
})

describe('the tables of the reference', () => {
  const rows = [...reference.matchAll(/^\| (`CATALOG_[^|]*)\|([^|]*)\|/gm)].map(([, names = '', defaults = '']) => ({
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
    defaults: [...defaults.matchAll(/`([^`]+)`/g)].map(([, value]) => value as string),
  }))

  it('tell every variable and no other', () => {
    const told = rows.flatMap(({ names }) => names)
    expect(unknownVariables(Object.fromEntries(told.map((name) => [name, 'x'])))).toEqual([])
    expect(told.toSorted()).toEqual(variables.toSorted())
  })

  it('tell the defaults as they are', () => {
    const given = rows.filter(({ defaults }) => defaults.length > 0)
    expect(given.length).toBeGreaterThan(4)
    for (const { names, defaults } of given) {
      expect([names, defaults.length]).toEqual([names, names.length])
      const env = Object.fromEntries(names.map((name, index) => [name, defaults[index]]))
      expect([names, readConfig(env)]).toEqual([names, readConfig({})])
    }
  })

  it('tell the roles, the commands, and policies that can be used', () => {
    const table = (heading: string) =>
      [...(reference.split(`# ${heading}`)[1]?.split('\n# ')[0] ?? '').matchAll(/^\| `?([a-zA-Z]+)/gm)].map(
        ([, first]) => first as string,
      )
    expect(
      table('Who may do what')
        .filter((name) => name !== 'Role')
        .toSorted(),
    ).toEqual(Object.keys(shippedRoles(kinds)).toSorted())
    const known = [...new Set(Object.keys(cli).map((name) => name.split(' ')[0]))]
    const headings = ['Exit', 'npm']
    const told = table('Commands').filter((name) => !headings.includes(name))
    expect([...new Set(told)].toSorted()).toEqual(known.toSorted())
    const policies = blocks('yaml', reference).filter((text) => text.startsWith('roles:'))
    expect(policies.map((text) => Object.keys(parsePolicies(text, kinds).roles).length > 0)).toEqual(
      policies.map(() => true),
    )
  })

  it('are linked from a README that is short', () => expect(readme.split('\n').length).toBeLessThanOrEqual(121))

  it('and all other links of the README lead to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)]
      .map(([, target]) => target as string)
      .filter((target) => !/^https?:/.test(target))
    const missing = links.filter((target) => spawnSync('test', ['-e', join(root, target)]).status !== 0)
    expect(missing).toEqual([])
  })
})
