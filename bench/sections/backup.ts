import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench, Section } from '../context.ts'
import { median, run, type Call, type Measured } from '../load.ts'
import { runMeasured, temporaryFolder } from '../processes.ts'
import { whole } from '../report.ts'
import { newTables } from './writes.ts'

const rounds = 3

/** What copying took while others wrote. */
interface Copied {
  readonly bytes: number
  readonly seconds: number
  /** The most that one copy held, in bytes. */
  readonly memory: number
}

const copyOnce = async ({ dataDir }: Bench): Promise<Copied> => {
  const folder = await temporaryFolder()
  const begun = performance.now()
  const { memory = Number.NaN } = await runMeasured(dataDir, ['backup', folder])
  const seconds = (performance.now() - begun) / 1000
  const { size } = await stat(join(folder, 'log.db'))
  await rm(folder, { recursive: true })
  return { bytes: size, seconds, memory }
}

/** Copies over and over until the others have written. */
const copyBeside = async (bench: Bench, writing: Promise<Measured>): Promise<Copied[]> => {
  let isOver = false
  const over = writing.finally(() => (isOver = true))
  const copied: Copied[] = []
  while (!isOver) copied.push(await copyOnce(bench))
  await over
  return copied
}

/** Creates alone and beside a backup, by turns, so that whatever else the machine does hits both. */
export const backup: Section = {
  name: 'backup',
  title: 'backup',
  loaded: true,
  measure: async (bench) => {
    const creates: Call = { method: 'POST', requests: await newTables(bench, 'saved') }
    const { connections, seconds } = bench.options
    const write = () => run({ url: bench.catalog.url, token: bench.token, connections }, creates, seconds)
    await write()
    const alone: Measured[] = []
    const beside: Measured[] = []
    const copied: Copied[] = []
    for (let round = 0; round < rounds; round++) {
      alone.push(await write())
      const writing = write()
      copied.push(...(await copyBeside(bench, writing)))
      beside.push(await writing)
    }
    const [usual, meanwhile] = [median(alone), median(beside)]
    const last = copied.at(-1) as Copied
    bench.add({
      operation: 'create (durable) beside a backup',
      measured: meanwhile,
      note: `${(meanwhile.perSecond / usual.perSecond).toFixed(2)} of ${whole(usual.perSecond)} without it`,
    })
    bench.add({
      operation: 'backup beside them',
      value: `${last.seconds.toFixed(1)} s`,
      note: `${whole(last.bytes / 2 ** 20)} MiB; at most ${whole(Math.max(...copied.map(({ memory }) => memory)) / 2 ** 20)} MiB of memory`,
    })
  },
}
