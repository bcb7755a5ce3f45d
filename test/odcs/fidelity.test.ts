import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkFolder, checkText, formatReport } from '../../scripts/odcsFidelity.ts'
import { V2, V30, V31, V32 } from './documents.ts'

test.each([
  ['v3.2.0', V32],
  ['v3.1.0', V31],
  ['v3.0.1', V30],
  ['v2.2.2', V2],
])('every value of a %s document comes back', (version, text) => {
  const report = checkText('a.yaml', new TextEncoder().encode(text), 'yaml')
  expect(report).toMatchObject({ version, accepted: true, valid: true, faults: [] })
  expect(report.back).toBe(report.leaves)
  expect(formatReport([report])).toContain(String(report.leaves))
})

const shared = process.env['CATALOG_TEST_SHARED']
if (shared === undefined) console.warn('CATALOG_TEST_SHARED is not set: the collected ODCS documents are not tested')

describe.skipIf(shared === undefined)('the collected documents', () => {
  test('every value of every accepted document comes back, and every refusal has a reason', () => {
    const reports = checkFolder(join(shared ?? '', 'odcs', 'examples'))
    expect(reports.length).toBeGreaterThan(200)
    expect(reports.flatMap(({ file, faults }) => faults.map((fault) => `${file}: ${fault}`))).toEqual([])
  })
})
