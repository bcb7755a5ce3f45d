import { readFile, writeFile } from 'node:fs/promises'
import { compareDocuments, type BreakingChange } from '../odcs/compareDocuments.ts'
import { chooseObject } from '../odcs/model/objects.ts'
import { readDocument, type ReadDocument } from '../odcs/read/readDocument.ts'
import { upgrade } from '../odcs/upgrade/upgrade.ts'
import type { ContentType, Problem } from '../odcs/model/types.ts'
import { escapeHtml, printable } from '../shared/escape.ts'
import { print, UsageError, type CliCommand } from './command/command.ts'
import { givenToken, readAnswer, sendRequest } from './client/apiClient.ts'
import { withoutTrailingSlashes } from '../shared/returnPath.ts'

const typeOf = (name: string): ContentType => (name.endsWith('.json') ? 'json' : 'yaml')

const readFrom = async (path: string): Promise<Buffer> =>
  readFile(path).catch((error: unknown) => {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  })

interface Compared {
  readonly failedFields: readonly string[]
  readonly typeMismatchFields: readonly string[]
}

const catalogContract = async (address: string, token: string | undefined) => {
  const url = withoutTrailingSlashes(address)
  const { entity, odcs } = (await readAnswer(await sendRequest(`${url}?fields=odcs`, token))) as object as {
    entity: { id: string; type: string; name: string }
    odcs?: { objectName?: string }
  }
  const document = await (await sendRequest(`${url}/odcs`, token)).text()
  const base = /^.*\/v1\/dataContracts(?=\/)/.exec(url)?.[0]
  if (base === undefined) throw new UsageError('--against must be the address of a contract: …/api/v1/dataContracts/…')
  return {
    document,
    /** Columns of the object of a document that the asset lacks or has with another type. */
    mismatches: async (
      { source, contentType, document: read }: ReadDocument,
      object = odcs?.objectName,
    ): Promise<readonly string[]> => {
      const chosen = chooseObject(upgrade(read).document, { objectName: object, entityName: entity.name })
      if (!chosen.ok) return [chosen.problem.message]
      const target = {
        entityId: entity.id,
        entityType: entity.type,
        ...(object !== undefined && { objectName: object }),
      }
      const answer = await sendRequest(`${base}/odcs/validate/yaml?${new URLSearchParams(target)}`, token, {
        method: 'POST',
        headers: { 'content-type': `application/${contentType}` },
        body: source,
      })
      const { failedFields, typeMismatchFields } = (await readAnswer(answer)) as object as Compared
      return [...failedFields.map((name) => `has no column or field ${name}`), ...typeMismatchFields]
    },
  }
}

interface CheckOptions {
  readonly against?: string | undefined
  readonly object?: string | undefined
  readonly token?: string | undefined
}

const check = async (file: string, { against, object, token }: CheckOptions): Promise<DocumentReport> => {
  const read = readDocument(await readFrom(file), typeOf(file))
  if (!read.ok) return { file, problems: read.problems, unlisted: read.unlisted }
  const upgraded = upgrade(read.document)
  if (upgraded.unfit !== undefined) return { file, problems: read.placed([upgraded.unfit]) }
  if (against === undefined) return { file, problems: [] }
  const catalog = /^https?:\/\//.test(against) ? await catalogContract(against, token) : undefined
  const before = catalog === undefined ? await readFrom(against) : catalog.document
  const earlier = readDocument(before, catalog === undefined ? typeOf(against) : 'json')
  if (!earlier.ok) throw new Error(`${against} is not a contract that can be compared: ${earlier.problems[0]?.message}`)
  return {
    file,
    problems: [],
    changes: compareDocuments(upgrade(earlier.document).document, upgraded.document),
    mismatches: await catalog?.mismatches(read, object),
  }
}

export const contractCheck: CliCommand = {
  usage:
    'FILE [--against URL|FILE] [--object NAME] [--token TOKEN] [--junit FILE] [--markdown FILE]\n\n' +
    'Checks an ODCS document. --against compares it with an earlier version: a file, or the URL of a contract in a\n' +
    'running catalog (…/api/v1/dataContracts/ID or …/dataContracts/name/FQN), whose asset is checked too, by the schema\n' +
    'object that the contract was imported from, or --object.\n' +
    'The token can also be in CATALOG_TOKEN. Exit codes: 0 the contract is fine; 1 it is invalid, has breaking changes\n' +
    'or does not match the asset; 2 the command is wrong.',
  words: 1,
  texts: ['against', 'object', 'token', 'junit', 'markdown'],
  needs: { object: 'against', token: 'against' },
  run: async ({ texts, words: [file] }) => {
    const { against, object, junit, markdown } = texts
    if (file === undefined) throw new UsageError('Name the FILE to check.')
    const report = await check(file, { against, object, token: givenToken(texts) })
    if (junit !== undefined) await writeFile(junit, reportAsJunit(report))
    if (markdown !== undefined) await writeFile(markdown, reportAsMarkdown(report))
    return print(reportAsLines(report), hasFailed(report) ? 1 : 0)
  },
}

interface DocumentReport {
  readonly file: string
  readonly problems: readonly Problem[]
  /** Number of further problems. */
  readonly unlisted?: number | undefined
  /** Compared with an earlier version; absent without one. */
  readonly changes?: readonly BreakingChange[] | undefined
  /** Columns that the asset lacks or has with another type; absent without a catalog. */
  readonly mismatches?: readonly string[] | undefined
}

interface Finding {
  readonly name: string
  readonly message: string
}

const findingsOf = ({ file, problems, changes = [], mismatches = [] }: DocumentReport): Finding[] => [
  ...problems.map(({ path, line, message }) => ({
    name: `${file}${line === undefined ? '' : `:${line}`} ${path}`.trimEnd(),
    message,
  })),
  ...changes.map(({ subject, message }) => ({ name: subject, message })),
  ...mismatches.map((message) => ({ name: 'asset', message })),
]

const hasFailed = (report: DocumentReport): boolean => findingsOf(report).length > 0

const summaryOf = ({ problems, unlisted = 0, changes = [], mismatches = [] }: DocumentReport): string => {
  if (problems.length > 0) return `not a valid contract: ${problems.length + unlisted} problem(s)`
  const said = [
    ...(changes.length > 0 ? [`${changes.length} breaking change(s)`] : []),
    ...(mismatches.length > 0 ? [`${mismatches.length} difference(s) from the asset`] : []),
  ]
  return said.length === 0 ? 'valid, nothing is broken' : said.join(', ')
}

const reportAsLines = (report: DocumentReport): string[] => [
  `${report.file}: ${summaryOf(report)}`,
  ...findingsOf(report).map(({ name, message }) => `  FAIL  ${name}: ${message}`),
]

/** A code span of Markdown, in which nothing is markup: its fence is longer than any in the text. */
const codeSpan = (text: string): string => {
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${printable(text)} ${fence}`
}

const reportAsMarkdown = (report: DocumentReport): string =>
  [
    `### Data contract ${codeSpan(report.file)}`,
    '',
    `${hasFailed(report) ? ':x:' : ':white_check_mark:'} ${summaryOf(report)}`,
    '',
    ...findingsOf(report).map(({ name, message }) => `- :x: ${codeSpan(name)}: ${codeSpan(message)}`),
    '',
  ].join('\n')

const escaped = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- XML may not have them
  escapeHtml(text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd'))

/** JUnit XML: one test case for each finding, and one for the document itself. */
const reportAsJunit = (report: DocumentReport): string => {
  const { file, problems } = report
  const caseOf = (name: string, failure?: string): string => {
    const begin = `    <testcase classname="${escaped(file)}" name="${escaped(name)}"`
    return failure === undefined ? `${begin}/>` : `${begin}><failure message="${escaped(failure)}"/></testcase>`
  }
  const findings = findingsOf(report)
  const lines = [
    caseOf('is a valid contract', problems.length > 0 ? summaryOf(report) : undefined),
    ...findings.map(({ name, message }) => caseOf(name, message)),
  ]
  const failures = findings.length + (problems.length > 0 ? 1 : 0)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${escaped(file)}" tests="${lines.length}" failures="${failures}">`,
    ...lines,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
