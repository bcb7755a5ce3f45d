import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkText } from '../../scripts/odcsFidelity.ts'
import { toJson, type JsonObject } from '../../src/odcs/model/types.ts'
import { thorough } from '../support/fastCheck.ts'
import { documentsOf } from './randomDocuments.ts'

const bundled = join(import.meta.dirname, '../../src/odcs/schemas')
const shared = process.env['CATALOG_TEST_SHARED']
const schemas = [
  ...['v3.2.0', 'v3.1.0', 'v3.0.2', 'v3.0.1', 'v3.0.0'].map((version) => [version, bundled] as const),
  ...(shared === undefined ? [] : ['v2.2.2', 'v2.2.1']).map(
    (version) => [version, join(shared ?? '', 'odcs/schemas')] as const,
  ),
]

describe('any valid document is imported, its export is valid and has every value, and importing that is not a change', () => {
  test.each(schemas)('of %s', (version, folder) => {
    const text = readFileSync(join(folder, `odcs-json-schema-${version}.json`), 'utf8')
    const make = documentsOf(version, JSON.parse(text) as JsonObject, 'documents')
    for (let left = thorough ? 200 : 10; left > 0; left--) {
      const document = toJson(make())
      const { accepted, valid, refusal, faults } = checkText('random', Buffer.from(document), 'json')
      expect({ accepted, valid, refusal, faults }, document).toEqual({ accepted: true, valid: true, faults: [] })
    }
  })
})
