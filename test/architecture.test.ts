import { basename, dirname, join, relative, resolve } from 'node:path'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { kinds } from '../src/kinds/registry/kinds.ts'
import { budgets, weigh } from './support/budgets.ts'
import { importsOf, repository, sources } from './support/sources.ts'

const root = join(repository, 'src')

const files = [...sources.keys()]

const textOf = (file: string): string => sources.get(file) as string

const homeOf = (file: string): string => file.split('/')[0] as string

/** What each part may use beside itself and `shared`. ARCHITECTURE.md draws the same arrows. */
const arrows: Record<string, readonly string[]> = {
  shared: [],
  kinds: ['events'],
  events: ['stores'],
  stores: [],
  odcs: [],
  transparency: [],
  commands: ['events', 'kinds'],
  projections: [
    'events',
    'kinds',
    'stores',
    'transparency',
    'commands/evolve.ts',
    'commands/changes.ts',
    'commands/lookup.ts',
  ],
  processes: ['events', 'kinds', 'commands', 'projections'],
  subscriptions: ['events', 'kinds', 'stores', 'projections', 'transparency'],
  api: ['events', 'kinds', 'commands', 'projections', 'odcs', 'subscriptions', 'transparency'],
  composition: [
    'events',
    'kinds',
    'stores',
    'commands',
    'processes',
    'projections',
    'odcs',
    'subscriptions',
    'api',
    'transparency',
  ],
  cli: ['events', 'kinds', 'commands', 'projections', 'composition', 'stores', 'api', 'transparency', 'odcs'],
}

describe('imports point one way', () => {
  it.each(files)('%s', (file) => {
    const home = homeOf(file)
    const allowed = [home, 'shared', ...(arrows[home] ?? [])]
    const strange = importsOf(file).filter(
      (target) => !allowed.some((to) => target === to || target.startsWith(`${to}/`)),
    )
    expect(strange).toEqual([])
  })

  it('no folder may use what none of its files uses', () => {
    const unused = Object.entries(arrows).flatMap(([home, targets]) => {
      const used = files.filter((file) => homeOf(file) === home).flatMap(importsOf)
      return targets
        .filter((to) => !used.some((target) => target === to || target.startsWith(`${to}/`)))
        .map((to) => `${home} -> ${to}`)
    })
    expect(unused).toEqual([])
  })

  it('holds for every folder of src', () => {
    expect([...new Set(files.map(homeOf))].toSorted()).toEqual(Object.keys(arrows).toSorted())
  })
})

/** The bundle of the console must hold nothing of the service but what both share. */
it('the console imports code of src from `shared` alone, besides types', () => {
  const imports = readdirSync(join(repository, 'console'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .flatMap((file) => readFileSync(join(repository, 'console', file), 'utf8').split('\n'))
    .filter((line) => /^import (?!type )/.test(line))
    .flatMap((line) => /from '(?:\.\.\/)+src\/([^']+)'/.exec(line)?.[1] ?? [])
  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((target) => !target.startsWith('shared/'))).toEqual([])
})

describe('what the stores and all that works with them throw can be told from what a store failed with', () => {
  const homes = ['commands', 'events', 'projections', 'shared', 'stores', 'subscriptions', 'transparency']
  it.each(files.filter((file) => homes.includes(homeOf(file))))('%s', (file) => {
    const code = textOf(file)
    expect(code.match(/(?<!abstract )class \w+ extends Error\b/g)).toBeNull()
  })
})

it('an error is named as its class', () => {
  const named = files.flatMap((file) => [
    ...textOf(file).matchAll(/class (\w+) extends [^}]*?override readonly name[^=]*= '(\w+)'/g),
  ])
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter(([, of, name]) => of !== name).map(([text]) => text)).toEqual([])
})

it('no program reads lines of JSON by what ends lines at separators of Unicode, too', () => {
  const programs = ['src', 'clients', 'examples', 'scripts'].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|m?js|py)$/.test(file) && !/node_modules|dist/.test(file))
      .map((file) => join(folder, file)),
  )
  expect(programs).toContain('clients/evidence/verify.py')
  const reading = programs.filter((file) =>
    /'node:readline|\.(?:readLines|splitlines|iter_lines)\(/.test(readFileSync(join(repository, file), 'utf8')),
  )
  expect(reading).toEqual([])
})

/** What reads the clock of the machine, and why it is not that of the log (`Clock.time`) or `performance.now`. */
const machineClock: Record<string, string> = {
  'commands/recording.ts': 'makes the clock of the log of it',
  'composition/session.ts': 'makes the clock of the log of it',
  'shared/uuids.ts': 'ids that are new, in about their order',
  'api/auth/authenticate.ts': 'tokens end by it',
  'api/auth/sessions.ts': 'tokens end by it',
  'api/auth/openIdConnect.ts': 'tokens end by it',
  'api/auth/tokenRoutes.ts': 'tokens end by it',
  'api/requests/requestRoutes.ts': 'tokens end by it',
  'subscriptions/feed/eventStream.ts': 'tokens end by it',
  'subscriptions/webhooks/send.ts': 'others compare it with their clocks',
  'events/eventstoredb/connection.ts': 'gRPC takes deadlines by it',
  'subscriptions/webhooks/delivery.ts': 'is told to people',
  'subscriptions/witnesses/witnesses.ts': 'is told to people',
  'composition/service.ts': 'is told to people',
  'cli/audit/watch.ts': 'is told to people',
  'cli/audit/evidence/export.ts': 'is told to people',
  'cli/status.ts': 'says how far the log is ahead of it',
  'cli/seedCommand.ts': 'the days of made-up runs',
  'cli/disk/backup.ts': 'names copies',
  'projections/mongo/generations.ts': 'processes that share a store have no other clock for hours and days',
  'projections/mongo/mongoLease.ts': 'processes that share a store have no other clock for hours and days',
  'projections/mongo/source.ts': 'processes that share a store have no other clock for hours and days',
  'projections/mongo/writes.ts': 'processes that share a store have no other clock for hours and days',
}

it('the clock of the machine, which may be set back, is read only where a reason for it is given', () => {
  const reading = files.filter((file) => /\bDate\.now\b|\bnew Date\(\)/.test(textOf(file)))
  expect(reading.toSorted()).toEqual(Object.keys(machineClock).toSorted())
})

it('no query joins fully: SQLite compares each row of one side with each of the other then', () =>
  expect(files.filter((file) => /\bFULL (?:OUTER )?JOIN\b/.test(textOf(file)))).toEqual([]))

describe('a kind has its name at home alone', () => {
  const names = kinds.map((kind) => kind.name)
  const quoted = new RegExp(`['"\`](${names.join('|')})['"\`]`)
  const outside = files.filter((file) => !['kinds', 'odcs'].includes(homeOf(file)))
  it.each(outside)('%s', (file) => {
    const code = textOf(file)
      .replaceAll(/^\s*(\/?\*|\/\/).*$/gm, '')
      .replaceAll(/(name: '\w+',\s+)?\bin(:| ===) ('path' \| )?'query'|query(\.get|Parameter)\(\s*'\w+'/g, '')
    expect(code.split('\n').filter((line) => quoted.test(line))).toEqual([])
  })
})

/** A projection in each engine stands beside its port, and a folder may have an index. */
const anywhere = ['index.ts', 'sqlite.ts', 'mongo.ts']

/** Names that several files have, with the part that each of them plays. */
const parts: Readonly<Record<string, string>> = {
  'connection.ts': 'the connection to one server',
  'errors.ts': 'what a part of the service throws',
  'lists.ts': 'lists, of the present or the past',
  'lookup.ts': 'the port that finds entities, and what the read models do for it',
  'port.ts': 'what a read model is asked',
  'read.ts': 'reading in one engine',
  'readModels.ts': 'the read models, their port and one engine',
  'reads.ts': 'reading in one engine',
  'search.ts': 'searching in one engine',
  'store.ts': 'the log in one engine',
  'tables.ts': 'the tables of a projection',
  'webhookStore.ts': 'where webhooks are kept, its port and one engine',
  'worker.ts': 'the beginning of a thread',
}

describe('the tree shows the architecture', () => {
  const folders = [...new Set(files.map((file) => dirname(file)))]

  it('has at most twenty files in a folder', () => {
    const counts = folders.map((folder) => ({ folder, files: files.filter((file) => dirname(file) === folder).length }))
    expect(counts.filter(({ files: count }) => count > 20)).toEqual([])
  })

  it('gives two files the same name only where they play the same part', () => {
    const names = files.map((file) => basename(file)).filter((name) => !anywhere.includes(name))
    const shared = new Set(names.filter((name, at) => names.indexOf(name) !== at))
    expect([...shared].filter((name) => parts[name] === undefined)).toEqual([])
    expect(Object.keys(parts).filter((name) => !shared.has(name))).toEqual([])
  })

  it('begins threads in files that are there', () => {
    const modules = files.flatMap((file) =>
      [...textOf(file).matchAll(/new URL\('(\.\/[^']+)', import\.meta\.url\)/g)].map(
        ([, module]) => `${relative(root, resolve(dirname(join(root, file)), module as string))}.ts`,
      ),
    )
    expect(modules.length).toBeGreaterThan(0)
    expect(modules.filter((module) => !files.includes(module))).toEqual([])
  })

  it('is described by ARCHITECTURE.md, part by part', () => {
    const page = readFileSync(join(repository, 'ARCHITECTURE.md'), 'utf8')
    const described = [...page.matchAll(/^src\/(\S+?) {2,}\S/gm)].map(([, folder]) => folder as string)
    expect(described.toSorted()).toEqual(Object.keys(arrows).toSorted())
  })
})

describe('src gets lighter: nothing is added to test/budgets.json, and `npm run weigh` takes out what is gone', () => {
  const now = weigh()
  const within = <T>(there: readonly T[], allowed: readonly T[]): void => {
    expect(
      there.filter((each) => !allowed.includes(each)),
      'new',
    ).toEqual([])
    expect(
      allowed.filter((each) => !there.includes(each)),
      'gone: run `npm run weigh`',
    ).toEqual([])
  }

  it('has no more lines', () => expect(now.lines).toBeLessThanOrEqual(budgets.lines))

  it('has no new circle of imports', () => {
    within(now.circles.flat().toSorted(), budgets.circles.flat().toSorted())
    for (const circle of now.circles)
      expect(budgets.circles.filter((allowed) => circle.every((file) => allowed.includes(file)))).toHaveLength(1)
  })

  it('has no new pair of folders that import each other', () => within(now.mutualFolders, budgets.mutualFolders))

  it('exports no further name from two files', () => {
    within(Object.keys(now.exportedTwice), Object.keys(budgets.exportedTwice))
    for (const [name, count] of Object.entries(now.exportedTwice))
      expect(count, name).toBeLessThanOrEqual(budgets.exportedTwice[name] as number)
  })

  it('names types by words of the glossary, the API or the dictionary of the field (test/support/dictionary.txt)', () =>
    within(now.foreignWords, budgets.foreignWords))
})

describe('the glossary', () => {
  it('has at most twenty-five terms, each explained', () => {
    const terms = readFileSync(join(repository, 'docs/glossary.md'), 'utf8').matchAll(
      /^\| (?!Term)([\w ]+) \| \S.{20,} \|$/gm,
    )
    const names = [...terms].map(([, term]) => term as string)
    expect(names.length).toBeGreaterThan(20)
    expect(names.length).toBeLessThanOrEqual(25)
    expect(names).toEqual([...new Set(names)])
  })
})

describe('a start of the service loads what every catalog needs', () => {
  const loadPattern = /^(?:import|export)\b(?!\s+type\b)[^'"]*?from\s+'([^']+)'/gm

  /** Files of ours, relative to src, and packages that are loaded before a file runs. */
  const loadedBy = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    for (const [, target = ''] of textOf(file).matchAll(loadPattern)) {
      if (target.startsWith('.') && !target.endsWith('.json'))
        loadedBy(relative(root, resolve(dirname(join(root, file)), target)), seen)
      else seen.add(target)
    }
    return seen
  }

  it.each([
    ['mongodb', 'a store that is chosen by a setting'],
    ['@grpc/grpc-js', 'a store that is chosen by a setting'],
    ['openid-client', 'who signs in elsewhere'],
    ['rate-limiter-flexible', 'who limits callers'],
    ['yaml', 'documents of contracts, and policies'],
    ['ajv/dist/2019.js', 'documents of contracts'],
    ['json-logic-engine', 'rules of contracts'],
    ['protobufjs', 'schema texts, and a store that is chosen by a setting'],
    ['pino-pretty', 'lines for people'],
    ['node:http', 'nobody: whoever imports it as a module loads all that it exports, a client of WebSockets, too'],
  ])('%s is loaded when it is needed, for %s', (name) => {
    const all = loadedBy('cli/serve.ts')
    expect(all).toContain('express')
    expect(all).not.toContain(name)
  })
})
