import * as exporting from '../../src/odcs/write/exportDocument.ts'
import * as importing from '../../src/odcs/importDocument.ts'

/** Of all imports and exports that do not say another. */
const time = Date.UTC(2026, 0, 1)

type Timed<Options extends { time: number }> = Omit<Options, 'time'> & Partial<Pick<Options, 'time'>>

export type ImportOptions = Omit<Timed<importing.ImportOptions>, 'current'> & {
  current?: Timed<NonNullable<importing.ImportOptions['current']>>
}

export const importDocument = (text: string, { current, ...options }: ImportOptions) =>
  importing.importDocument(text, { time, ...options, current: current && { time, ...current } })

type ExportInput = Timed<Parameters<typeof exporting.exportDocument>[0]>

export const exportDocument = (input: ExportInput) => exporting.exportDocument({ time, ...input })
export const exportYaml = (input: ExportInput) => exporting.exportYaml({ time, ...input })
export const exportJson = (input: ExportInput) => exporting.exportJson({ time, ...input })
