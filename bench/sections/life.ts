import { call, type Bench, type Section } from '../context.ts'
import { deletedService } from '../catalog.ts'
import { indexForSearch } from './bulk.ts'
import { memoryOf, runCommand, startCatalog, temporaryFolder } from '../processes.ts'
import { whole } from '../report.ts'

const start: Section = {
  name: 'start',
  title: 'start and memory',
  loaded: false,
  measure: async (bench) => {
    const empty = await startCatalog(await temporaryFolder())
    bench.add({ operation: 'start on an empty folder', value: `${whole(empty.readyAfter)} ms` })
    bench.add({ operation: 'memory, idle and empty', value: `${whole(await memoryOf(empty))} MiB` })
    await empty.stop()
  },
}

const remove: Section = {
  name: 'delete',
  title: 'recursive delete',
  loaded: true,
  measure: async (bench) => {
    const count = bench.shape.tables.filter((fqn) => fqn.startsWith(`${deletedService}.`)).length
    const { milliseconds } = await call(
      bench,
      'DELETE',
      `/api/v1/services/databaseServices/name/${deletedService}?recursive=true`,
    )
    const page = (await call(bench, 'GET', `/api/v1/tables?limit=0&service=${deletedService}`)).json() as {
      paging: { total: number }
    }
    bench.add({
      operation: 'recursive delete of a service with half of the tables',
      value: `${(milliseconds / 1000).toFixed(2)} s`,
      note: `${whole(count)} tables, ${whole(count / (milliseconds / 1000))} entities/s; ${page.paging.total} still visible`,
    })
    await indexForSearch(bench, 'the delete', count)
    const { id } = (
      await call(bench, 'GET', `/api/v1/services/databaseServices/name/${deletedService}?include=deleted`)
    ).json()
    const restored = await call(bench, 'PUT', '/api/v1/services/databaseServices/restore', { id })
    bench.add({
      operation: 'its restore',
      value: `${(restored.milliseconds / 1000).toFixed(2)} s`,
      note: `${whole(count / (restored.milliseconds / 1000))} entities/s`,
    })
    await indexForSearch(bench, 'the restore', count)
  },
}

const restart = async (bench: Bench): Promise<void> => {
  bench.catalog = await startCatalog(bench.dataDir)
}

const rebuild: Section = {
  name: 'rebuild',
  title: 'rebuild and cold start',
  loaded: true,
  measure: async (bench) => {
    bench.add({
      operation: 'memory, loaded and after all of this',
      value: `${whole(await memoryOf(bench.catalog))} MiB`,
    })
    await bench.catalog.stop()
    const output = await runCommand(bench.dataDir, ['rebuild'])
    const [, events = '', seconds = '', rate = ''] =
      /from (\d+) events in ([\d.]+) s \((\d+) events\/s\)/.exec(output) ?? []
    bench.add({
      operation: 'rebuild of the read models',
      value: `${whole(Number(rate))} events/s`,
      note: `${whole(Number(events))} events in ${seconds} s`,
    })
    const started = performance.now()
    await runCommand(bench.dataDir, ['verify'])
    const verified = (performance.now() - started) / 1000
    bench.add({
      operation: 'verify of the read models',
      value: `${whole(Number(events) / verified)} events/s`,
      note: `${whole(Number(events))} events in ${verified.toFixed(1)} s`,
    })
    await restart(bench)
    bench.add({ operation: 'cold start, loaded', value: `${whole(bench.catalog.readyAfter)} ms` })
    bench.add({
      operation: 'memory, loaded and idle',
      value: `${whole(await memoryOf(bench.catalog))} MiB`,
      note: 'right after the start',
    })
  },
}

export const lifeSections = { start, remove, rebuild }
