import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, ForksPoolWorker, type PoolOptions, type TestSpecification } from 'vitest/node'
import { patience } from './test/support/patience.ts'

/** What processes of the tests, and their threads, have compiled once. The built service keeps its own beside it. */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

/** What measures how long something computes, or how much memory it takes. */
const measures = /from '.*\/(processorTime|longestTurn|attack\/(turns|pings)|memory|measured|crowds)\.ts'/

const every = 'test/**/*.test.ts'

/** The checks of tools that have commands of their own, and the recipes of CONTRIBUTING.md, each built and tested. */
const tools = ['test/attack/*.test.ts', 'test/model/model.test.ts', 'test/recipes.test.ts']

/** Tests that measure run after the others, one at a time, each in a process of its own: all else would be measured too. */
const measuring = globSync(every, { exclude: tools }).filter((file) => measures.test(readFileSync(file, 'utf8')))

/** What takes minutes, longest first. */
const longest = [
  'test/console/console.test.ts',
  'test/projections/sqlite/readModels.test.ts',
  'test/e2e/terminal.test.ts',
  'test/e2e/readOnlyMedia.test.ts',
  'test/e2e/brokenLoad.test.ts',
  'test/e2e/longWork.test.ts',
  'test/e2e/badDays.test.ts',
  'test/http/everyKind.test.ts',
]

/** Begins with what takes longest: at the end, all but one processor would wait for it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const long = longest.flatMap((name) => sorted.filter(({ moduleId }) => moduleId.endsWith(`/${name}`)))
    return [...long, ...sorted.filter((file) => !long.includes(file))]
  }
}

/** Vitest says only that a process of the tests ended unexpectedly: this says with which exit code and signal. */
class ToldProcess extends ForksPoolWorker {
  /** The name of its pool: a process of another pool's name is not given a second file. */
  override readonly name = 'toldForks'
  private readonly told = (code: number | null, signal?: string | null): void => {
    process.stderr.write(`A process of the tests ended with exit code ${code} and signal ${signal}.\n`)
  }

  override async start(): Promise<void> {
    await super.start()
    this.off('exit', this.told)
    this.on('exit', this.told)
  }

  override async stop(): Promise<void> {
    this.off('exit', this.told)
    await super.stop()
  }
}

/** `npm test` runs the project `tests`, `npm run test:all` all of them. */
export default defineConfig({
  test: {
    ...patience,
    /** Node reads TypeScript itself; one process runs many files, and what they import is loaded once. */
    experimental: { viteModuleRunner: false },
    isolate: false,
    pool: { name: 'toldForks', createPoolWorker: (options: PoolOptions) => new ToldProcess(options) },
    // What ends a process of the tests from inside leaves a report.
    execArgv: [
      '--report-on-fatalerror',
      '--report-uncaught-exception',
      '--report-exclude-env',
      '--report-directory=data',
    ],
    // Many tests wait for processes of their own, for a browser or for the disk: one more than processors uses them up.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: { name: 'tests', include: [every], exclude: [...tools, ...measuring], sequence: { groupOrder: 0 } },
      },
      { extends: true, test: { name: 'tools', include: tools, isolate: true, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          name: 'measuring',
          include: measuring,
          isolate: true,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
