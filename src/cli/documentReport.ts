import type { DocumentChange, Problem } from '../odcs/index.ts'

/** What a check of a contract document came to. */
export interface DocumentReport {
  readonly file: string
  readonly problems: readonly Problem[]
  /** Compared with an earlier version; absent without one. */
  readonly changes?: readonly DocumentChange[] | undefined
  /** What the asset lacks or has otherwise; absent without a catalog. */
  readonly mismatches?: readonly string[] | undefined
}

interface Finding {
  readonly name: string
  readonly message: string
  readonly failed: boolean
}

const findingsOf = ({ file, problems, changes = [], mismatches = [] }: DocumentReport): Finding[] => [
  ...problems.map(({ path, line, message }) => ({
    name: `${file}${line === undefined ? '' : `:${line}`} ${path}`.trimEnd(),
    message,
    failed: true,
  })),
  ...changes.map(({ breaking, subject, message }) => ({ name: subject, message, failed: breaking })),
  ...mismatches.map((message) => ({ name: 'asset', message, failed: true })),
]

export const hasFailed = (report: DocumentReport): boolean => findingsOf(report).some(({ failed }) => failed)

const summaryOf = ({ problems, changes = [], mismatches = [] }: DocumentReport): string => {
  if (problems.length > 0) return `not a valid contract: ${problems.length} problem(s)`
  const breaking = changes.filter((change) => change.breaking).length
  const said = [
    ...(breaking > 0 ? [`${breaking} breaking change(s)`] : []),
    ...(mismatches.length > 0 ? [`${mismatches.length} thing(s) that the asset does not have so`] : []),
    ...(changes.length > breaking ? [`${changes.length - breaking} other change(s)`] : []),
  ]
  return said.length === 0 ? 'valid, nothing changed' : said.join(', ')
}

export const reportAsText = (report: DocumentReport): string =>
  [
    `${report.file}: ${summaryOf(report)}`,
    ...findingsOf(report).map(({ name, message, failed }) => `  ${failed ? 'FAIL' : 'note'}  ${name}: ${message}`),
  ].join('\n')

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

export const reportAsMarkdown = (report: DocumentReport): string => {
  const findings = findingsOf(report)
  const rows = findings.map(
    ({ name, message, failed }) =>
      `| ${failed ? ':x:' : ':information_source:'} | \`${cell(name)}\` | ${cell(message)} |`,
  )
  return [
    `### Data contract \`${report.file}\``,
    '',
    `${hasFailed(report) ? ':x:' : ':white_check_mark:'} ${summaryOf(report)}`,
    ...(rows.length === 0 ? [] : ['', '| | What | |', '|---|---|---|', ...rows]),
    '',
  ].join('\n')
}

const escaped = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- XML may not have them
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')

/** JUnit XML: one test case for each finding, and one for the document itself. */
export const reportAsJunit = (report: DocumentReport): string => {
  const { file, problems } = report
  const own = { name: 'is a valid contract', message: `${problems.length} problems`, failed: problems.length > 0 }
  const cases = [own, ...findingsOf(report)]
  const failures = cases.filter(({ failed }) => failed).length
  const lines = cases.map(({ name, message, failed }) => {
    const begin = `    <testcase classname="${escaped(file)}" name="${escaped(name)}"`
    if (failed) return `${begin}><failure message="${escaped(message)}"/></testcase>`
    return `${begin}/>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${escaped(file)}" tests="${cases.length}" failures="${failures}">`,
    ...lines,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
