import { parse, stringify } from 'yaml'
import { warmUp } from './check.ts'
import { exportDocument, exportJson, exportYaml } from './exportDocument.ts'
import { importDocument } from './importDocument.ts'
import { objectNames } from './objects.ts'
import { parsePreview } from './preview.ts'
import { inspectDocument } from './readDocument.ts'

/** One line of a measurement; `ratio` is the speed against the `yaml` library doing the bare parse or stringify of the same text. */
export interface BenchRow {
  operation: string
  documentsPerSecond: number
  megabytesPerSecond: number
  ratio: number
}

/** Measures import, preview and export of a YAML document, each for about `milliseconds`, by the median of the runs. */
export function benchOdcs(text: string, milliseconds = 1_000): BenchRow[] {
  warmUp()
  const [objectName] = objectNames(inspectDocument(text, 'yaml').document ?? {})
  const imported = importDocument(text, { contentType: 'yaml', objectName })
  if (!imported.ok) throw new Error(imported.problems[0]?.message ?? 'refused')
  const input = { stored: imported.stored, contract: imported.contract }
  const { document } = exportDocument(input)
  const parsing = median(() => parse(text), milliseconds)
  const writing = median(() => stringify(document), milliseconds)
  const edited = { ...input, contract: { ...input.contract, entityStatus: input.contract.entityStatus === 'Active' ? 'Draft' : 'Active' } }
  const row = (operation: string, bare: number, work: () => unknown): BenchRow => {
    const time = median(work, milliseconds)
    return { operation, documentsPerSecond: 1_000 / time, megabytesPerSecond: text.length / 1_000 / time, ratio: bare / time }
  }
  return [
    row('import', parsing, () => importDocument(text, { contentType: 'yaml', objectName })),
    row('parse', parsing, () => parsePreview(text, 'yaml')),
    row('export as YAML', writing, () => exportYaml(input)),
    row('export as JSON', writing, () => exportJson(input)),
    row('export of an edited contract as JSON', writing, () => exportJson(edited)),
  ]
}

function median(work: () => unknown, milliseconds: number): number {
  const times: number[] = []
  const end = performance.now() + milliseconds
  do {
    const start = performance.now()
    work()
    times.push(performance.now() - start)
  } while (performance.now() < end)
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0
}
