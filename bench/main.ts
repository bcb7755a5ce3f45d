import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { signToken } from '../src/api/auth/authenticate.ts'
import { beside } from './beside.ts'
import { shapeOf } from './catalog.ts'
import { NotThere, type Bench, type Section } from './context.ts'
import { ofSize, readOptions, type Options } from './options.ts'
import { cleanUp, startBare, startCatalog, temporaryFolder } from './processes.ts'
import { table, tableOfSizes, type Line } from './report.ts'
import { backup } from './sections/backup.ts'
import { bulkSections, loadAll } from './sections/bulk.ts'
import { day } from './sections/day.ts'
import { measureExternal, pairOf, type Pair } from './sections/external.ts'
import { feed } from './sections/feed.ts'
import { floor } from './sections/floor.ts'
import { history } from './sections/history.ts'
import { lifeSections } from './sections/life.ts'
import { odcs } from './sections/odcs.ts'
import { readSections } from './sections/reads.ts'
import { search } from './sections/search.ts'
import { writeSections } from './sections/writes.ts'

/** In the order in which they are taken: what changes much comes last. */
const sections: readonly Section[] = [
  lifeSections.start,
  floor,
  ...readSections,
  search,
  ...writeSections,
  ...bulkSections,
  backup,
  history,
  feed,
  odcs,
  day,
  lifeSections.remove,
  lifeSections.rebuild,
]

const begin = async (options: Options, lines: Line[], needsData: boolean, pair: Pair | undefined): Promise<Bench> => {
  const dataDir = options.folder ?? (await temporaryFolder())
  const catalog = await startCatalog(dataDir, { profile: options.profile, ...(pair && { env: pair.env }) })
  const secret = (await readFile(join(dataDir, 'jwt.secret'), 'utf8')).trim()
  const bench: Bench = {
    options,
    token: signToken(secret, { user: 'bench', roles: ['Admin'], ttl: 3600 }),
    dataDir,
    shape: shapeOf(needsData ? options.entities : 0),
    bare: await startBare(),
    catalog,
    add: (line) => {
      lines.push(line)
      const { operation, measured, value, ratio, cpu } = line
      const shown =
        measured === undefined
          ? value
          : `${Number.isNaN(measured.perSecond) ? '' : `${Math.round(measured.perSecond)}/s, `}p50 ${measured.p50.toFixed(2)}, p99 ${measured.p99.toFixed(2)} ms`
      process.stderr.write(
        `  ${operation}: ${shown}${ratio === undefined ? '' : `, ${ratio.toFixed(2)} of bare`}${cpu === undefined ? '' : `, CPU ${cpu.ours.toFixed(0)} µs against ${cpu.bare.toFixed(0)}`}\n`,
      )
    },
  }
  return bench
}

const take = async (bench: Bench, section: Section): Promise<void> => {
  process.stderr.write(`${section.title}\n`)
  try {
    if (section.blocks) return await section.measure(bench)
    const { worst, answers, failed } = await beside(bench, () => section.measure(bench))
    bench.add({
      operation: `${section.title}: worst stall of a GET beside it`,
      value: worst === undefined ? 'none was answered' : `${worst.toFixed(0)} ms`,
      note: `of ${answers}${failed === 0 ? '' : `; ${failed} more were not answered`}`,
    })
  } catch (error) {
    const missing = error instanceof NotThere
    bench.add({
      operation: section.title,
      value: missing ? 'not there' : 'FAILED',
      note: (error as Error).message.slice(0, 120),
    })
    if (!missing) process.exitCode = 1
  }
}

/** Names what a kept folder holds, so that it is loaded once. */
const loadedMark = ({ dataDir, options }: Bench): string => join(dataDir, `loaded-${options.entities}`)

const load = async (bench: Bench): Promise<void> => {
  if (existsSync(loadedMark(bench))) {
    process.stderr.write('the folder is loaded\n')
    return
  }
  process.stderr.write(`loading ${bench.shape.tables.length} tables\n`)
  await loadAll(bench)
  if (bench.options.folder !== undefined) await writeFile(loadedMark(bench), '')
}

/** What the files hold for each entity, all of its events and words included. */
const tellSizes = async ({ dataDir, options, add }: Bench): Promise<void> => {
  for (const name of ['log.db', 'readmodels.db', 'readmodels.search.db', 'readmodels.history.db']) {
    const sizes = await Promise.all(
      [name, `${name}-wal`].map(async (file) =>
        stat(join(dataDir, file)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    )
    const size = sizes.reduce((sum, each) => sum + each, 0)
    add({
      operation: `disk, ${name}`,
      value: `${(size / 2 ** 20).toFixed(0)} MiB`,
      note: `${(size / options.entities).toFixed(0)} bytes for each entity, with the write-ahead log`,
    })
  }
}

/** Measures everything that was asked for with one number of entities. */
const measure = async (options: Options, pair: Pair | undefined): Promise<Line[]> => {
  const chosen = sections.filter(({ name }) => options.only.length === 0 || options.only.includes(name))
  const lines: Line[] = []
  const needsData = pair !== undefined || chosen.some(({ loaded }) => loaded)
  const bench = await begin(options, lines, needsData, pair)
  if (needsData) await load(bench)
  if (needsData && pair === undefined) await tellSizes(bench)
  if (pair !== undefined) await measureExternal(bench, pair)
  else for (const section of chosen) await take(bench, section)
  await Promise.all([bench.catalog.stop(), bench.bare.stop()])
  return lines
}

const main = async (options: Options, pair: Pair | undefined): Promise<void> => {
  const begun = performance.now()
  const found = new Map<number, Line[]>()
  for (const size of options.sizes) {
    if (options.sizes.length > 1) process.stderr.write(`with ${size} entities\n`)
    found.set(size, await measure(ofSize(options, size), pair))
  }
  const tables = [...found.values()].map(table)
  if (found.size > 1) tables.push(tableOfSizes(found))
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
  process.stdout.write(
    `\n${tables.join('\n\n')}\n\nNode ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'CPU'}, ${options.connections} connections, ${minutes} minutes.\n`,
  )
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)))
const readArguments = (): { options: Options; pair: Pair | undefined } => {
  const options = readOptions(
    process.argv.slice(2),
    sections.map(({ name }) => name),
  )
  return { options, pair: options.external ? pairOf(process.env) : undefined }
}

try {
  const { options, pair } = readArguments()
  try {
    await main(options, pair)
  } finally {
    await cleanUp()
    await pair?.dispose()
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
