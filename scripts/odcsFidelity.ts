import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { contractKind, kindNamed } from '../src/kinds/registry/kinds.ts'
import { readRequest } from '../src/kinds/request/requestSchema.ts'
import { exportDocument, exportJson, exportYaml } from '../src/odcs/write/exportDocument.ts'
import { importDocument, type Imported } from '../src/odcs/importDocument.ts'
import { lostLeaves } from './odcsLeaves.ts'
import { objectNames } from '../src/odcs/model/objects.ts'
import v310 from '../src/odcs/schemas/odcs-json-schema-v3.1.0.json' with { type: 'json' }
import { inspectDocument } from '../src/odcs/read/readDocument.ts'
import { readYaml } from '../src/odcs/text/readYaml.ts'
import { fromStored, sourceOf } from '../src/odcs/map/stored.ts'
import {
  isObject,
  objectsIn,
  sameText,
  toJson,
  toPlainJson,
  type ContentType,
  type Json,
  type JsonObject,
} from '../src/odcs/model/types.ts'

/** Of all imports and exports: a report says the same on every day. */
const time = Date.UTC(2026, 0, 1)

const uri = fullFormats.uri as (text: string) => boolean

/** The official schema with every format asserted; addresses may have a template in them, as in the standard's examples. */
const passes = new Ajv2019({
  strict: false,
  formats: { ...fullFormats, uri: (text) => uri(text.replaceAll(/[{}]/g, '')) },
}).compile<JsonObject>(v310)

const contractDefinition = kindNamed(contractKind)
const nobody = '00000000-0000-5000-8000-000000000000'

/** What became of one document. */
export interface FileReport {
  file: string
  version: string
  /** Does the index say that it is a good document? Unknown without an index. */
  good?: boolean
  accepted: boolean
  valid: boolean
  leaves: number
  back: number
  /** Everything that is wrong with the round trip; empty when it is whole. */
  faults: string[]
  refusal?: string
}

/** Imports a text, exports it as JSON and YAML, imports that again, and compares. */
export function checkText(file: string, text: Uint8Array, contentType: ContentType): FileReport {
  const { read, problems } = inspectDocument(text, contentType)
  const refused = {
    file,
    version: read?.version ?? 'other',
    accepted: false,
    valid: false,
    leaves: 0,
    back: 0,
    faults: [],
  }
  const [problem] = problems
  if (problem || !read)
    return { ...refused, refusal: `${problem?.path ?? ''} ${problem?.message ?? ''} (line ${problem?.line ?? 1})` }
  const { document, version } = read
  const [objectName] = objectNames(document)
  const imported = importDocument(text, { contentType, objectName, time })
  if (!imported.ok)
    return { ...refused, faults: imported.problems.map(({ path, message }) => `refused late: ${path} ${message}`) }
  const refusals = refusedMembers(imported.contract)
  const { document: exported } = exportDocument({ stored: imported.stored, contract: imported.contract, time })
  const valid = passes(toPlainJson(exported))
  const { leaves, lost } = lostLeaves(document, exported)
  const faults = [...refusals, ...lost.map((path) => `lost: ${path}`), ...againFaults(imported, objectName)]
  if (!valid) faults.push('the export is not valid v3.1.0')
  if (!sameText(columnNames(document), columnNames(exported))) faults.push('the columns of the objects are others')
  if (toJson(exported).includes('"password":') || JSON.stringify(imported).includes('"password":'))
    faults.push('a password was kept')
  return { file, version, accepted: true, valid, leaves, back: leaves - lost.length, faults }
}

/** The names of the objects of a document, each with those of its columns. */
const columnNames = (document: JsonObject): Json[][] => {
  const { dataset } = document
  const objects = objectsIn(document['schema'] ?? (isObject(dataset) ? dataset['tables'] : dataset))
  return objects.map(({ name, table = name ?? null, properties, columns = properties }) => [
    table,
    ...objectsIn(columns).map((column) => column['column'] ?? column['name'] ?? null),
  ])
}

// The contract must pass the checks that an import over HTTP makes of it.
const refusedMembers = (contract: Imported['contract']): string[] => {
  const body = JSON.parse(JSON.stringify({ ...contract, name: 'contract', entity: { id: nobody, type: 'table' } }))
  const { problems } = readRequest(contractDefinition, body, 'create')
  return problems.map(({ path, message }) => `the contract made of it is refused: ${path} ${message}`)
}

// What was exported, as JSON or YAML, must come back as exactly that.
function againFaults(imported: Imported, objectName: string | undefined): string[] {
  const input = { stored: imported.stored, contract: imported.contract, time }
  const { document } = exportDocument(input)
  const { document: stored, original } = fromStored(imported.stored)
  const faults = sameText(document, stored) ? [] : ['an unchanged contract is not exported as it was imported']
  const yaml = exportYaml(input)
  const back = imported.stored.contentType === 'json' ? exportJson(input) : yaml
  if (imported.stored.version === 'v3.1.0' && sameText(original, document) && back !== sourceOf(imported.stored)) {
    faults.push('an unchanged text did not come back as it was')
  }
  if (!sameText(readYaml(yaml).value, document)) faults.push('the YAML export differs from the JSON export')
  for (const [contentType, text] of [
    ['json', toJson(document)],
    ['yaml', yaml],
  ] as const) {
    const again = importDocument(text, { contentType, objectName, time, current: input })
    if (!again.ok)
      return [
        ...faults,
        ...again.problems.map(({ path, message }) => `the ${contentType} export is refused: ${path} ${message}`),
      ]
    if (!again.isExport) faults.push(`the import of its own ${contentType} export is a change`)
    if (toJson(again.contract) !== toJson(imported.contract))
      faults.push(`the contract differs after a second import of ${contentType}`)
    if (!sameText(exportDocument({ stored: again.stored, contract: again.contract, time }).document, document))
      faults.push(`the second ${contentType} export differs`)
  }
  return faults
}

/** Reads the index of a folder of documents: may a file be accepted, as far as it says? */
export function readIndex(folder: string): Map<string, { result: string; as31: string; intent: string }> {
  const rows = new Map<string, { result: string; as31: string; intent: string }>()
  let text: string
  try {
    text = readFileSync(join(folder, 'index.tsv'), 'utf8')
  } catch {
    return rows
  }
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const names = head.split('\t')
  for (const line of lines) {
    const cells = line.split('\t')
    const cell = (name: string): string => cells[names.indexOf(name)] ?? ''
    rows.set(cell('file'), { result: cell('result'), as31: cell('valid_as_3.1.0'), intent: cell('author_intent') })
  }
  return rows
}

/** Runs every YAML and JSON document below a folder through {@link checkText}. */
export function checkFolder(folder: string): FileReport[] {
  const index = readIndex(folder)
  return filesBelow(folder).map((path) => {
    const file = relative(folder, path)
    const report = checkText(file, readFileSync(path), path.endsWith('.json') ? 'json' : 'yaml')
    const row = index.get(file)
    if (!row) return report
    const isV2 = report.version.startsWith('v2')
    const unsupported = report.refusal?.includes('is not supported') ?? false
    const mayAccept = row.result === 'valid' || row.as31 === 'yes' || (isV2 && row.intent === 'valid')
    report.good = mayAccept
    const mayRefuse = row.result === 'invalid' || row.intent === 'invalid' || unsupported
    if (report.accepted && !mayAccept) report.faults.push('accepted, which its index row does not support')
    if (!report.accepted && !mayRefuse) report.faults.push('refused, which its index row does not support')
    return report
  })
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name)
      if (statSync(path).isDirectory()) return filesBelow(path)
      return /\.(ya?ml|json)$/.test(name) ? [path] : []
    })
}

/** The report as a table, one row for each version, with every refusal and every fault below it. */
export function formatReport(reports: readonly FileReport[]): string {
  const rows = [
    ['version', 'documents', 'accepted', 'exported valid', 'leaf values in', 'leaf values back', 'with faults'],
  ]
  for (const [version, group] of [...Map.groupBy(reports, ({ version }) => version)].sort())
    rows.push(rowOf(version, group))
  rows.push(rowOf('all', reports))
  const widths = rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => (row[column] ?? '').length))) ?? []
  const table = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
  const refused = reports.flatMap(({ file, refusal }) =>
    refusal === undefined ? [] : [`refused  ${file}: ${refusal}`],
  )
  const faults = reports.flatMap(({ file, faults }) => faults.map((fault) => `FAULT  ${file}: ${fault}`))
  return [...table, '', ...refused, ...faults].join('\n')
}

function rowOf(name: string, group: readonly FileReport[]): string[] {
  const sum = (count: (report: FileReport) => number): string =>
    String(group.reduce((total, report) => total + count(report), 0))
  return [
    name,
    String(group.length),
    sum(({ accepted }) => Number(accepted)),
    sum(({ valid }) => Number(valid)),
    sum(({ leaves }) => leaves),
    sum(({ back }) => back),
    sum(({ faults }) => Number(faults.length > 0)),
  ]
}

const begin = '<!-- conformance -->'
const end = '<!-- /conformance -->'

/** What the documentation says of these documents, one row for each version, as Markdown. */
export function conformanceTable(reports: readonly FileReport[]): string {
  const versions = Map.groupBy(
    reports.filter(({ version }) => version !== 'other'),
    ({ version }) => version,
  )
  const row = (version: string, group: readonly FileReport[]): string => {
    const accepted = group.filter((report) => report.accepted)
    const sum = (count: (report: FileReport) => number) => accepted.reduce((total, report) => total + count(report), 0)
    const good = group.filter((report) => report.good ?? report.accepted).length
    const [values, kept] = [sum(({ leaves }) => leaves), sum(({ back }) => back)].map((n) => n.toLocaleString('en'))
    const valid = sum((report) => Number(report.valid))
    return `| ${version} | ${group.length} | ${good} | ${accepted.length} | ${values} | ${kept} | ${valid} |`
  }
  return [
    '| Version | Documents | Good ones | Accepted | Values in them | Values kept | Valid exports |',
    '|---|---|---|---|---|---|---|',
    ...[...versions]
      .sort()
      .reverse()
      .map(([version, group]) => row(version, group)),
    row('all', [...versions.values()].flat()),
  ].join('\n')
}

/** Writes the table into a page, or says whether the page has it already. */
const tableInPage = (path: string, table: string, write: boolean): boolean => {
  const page = readFileSync(path, 'utf8')
  const [before = '', rest = ''] = page.split(`${begin}\n`)
  const [, after = ''] = rest.split(end)
  const wanted = `${before}${begin}\n${table}\n${end}${after}`
  if (write) writeFileSync(path, wanted)
  return write || page === wanted
}

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { page: { type: 'string' }, write: { type: 'boolean', default: false } },
  })
  const [folder] = positionals
  if (folder === undefined) {
    console.error('usage: npm run odcs:fidelity -- <folder of ODCS documents> [--page <file with the table> [--write]]')
    return 2
  }
  const reports = checkFolder(folder)
  console.log(formatReport(reports))
  if (reports.length === 0) console.error(`no .yaml, .yml or .json file below ${folder}`)
  const isTold = values.page === undefined || tableInPage(values.page, conformanceTable(reports), values.write)
  if (!isTold) console.error(`the table in ${values.page} is another one: run this again with --write`)
  return isTold && reports.length > 0 && reports.every(({ faults }) => faults.length === 0) ? 0 : 1
}

const [, script] = process.argv
if (script !== undefined && import.meta.url === pathToFileURL(script).href) process.exitCode = main()
