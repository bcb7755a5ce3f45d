import fc, { examples } from '../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { CurrentContract } from '../../src/odcs/write/exportDocument.ts'
import { isValidDocument } from '../../src/odcs/read/check.ts'
import { toJson, type JsonObject } from '../../src/odcs/model/types.ts'
import type { ContractColumn } from '../../src/odcs/model/contract.ts'
import { columnDataTypes } from '../../src/shared/columnTypes.ts'
import { readJson } from '../../src/odcs/text/readJson.ts'
import { readYaml } from '../../src/odcs/text/readYaml.ts'
import { V2, V30, V31 } from './documents.ts'
import { secretPlaces } from '../../src/odcs/read/serverSecrets.ts'
import { exportDocument, exportYaml, importDocument } from './operations.ts'

const texts = [
  '',
  'x',
  'null',
  '1.0',
  'yes',
  '2022-01-01',
  '- a',
  '#c',
  ': x',
  '*a',
  '&b',
  '!t',
  'a\nb\n',
  ' lead',
  'trail ',
  'q\'"',
  '| ',
  'ü\u2028',
]
const text = fc.constantFrom(...texts)
const anything = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }))
const number = fc.double({ noDefaultInfinity: true, noNaN: true })
const dataType = fc.constantFrom(...columnDataTypes)
const constraint = fc.constantFrom('NULL', 'NOT_NULL', 'UNIQUE', 'PRIMARY_KEY')
const some = { requiredKeys: [] as [] }

const column: fc.Arbitrary<ContractColumn> = fc
  .record(
    {
      name: fc.string({ minLength: 1, maxLength: 8 }),
      dataType,
      dataTypeDisplay: fc.constantFrom('varchar(3)', 'text[]', 'odd type'),
      arrayDataType: dataType,
      description: text,
      constraint,
      extension: anything,
    },
    { requiredKeys: ['name', 'dataType'] },
  )
  .chain((made) =>
    fc
      .array(dataType, { maxLength: 2 })
      .map((types) => ({ ...made, children: types.map((type, index) => ({ name: `c${index}`, dataType: type })) })),
  )

/** One edit: the top-level members of the document it may touch, and what it does. */
interface Edit {
  touches: string[]
  apply: (contract: CurrentContract) => void
}

const set = (
  touches: string[],
  values: fc.Arbitrary<Partial<Record<keyof CurrentContract, unknown>>>,
): fc.Arbitrary<Edit> => values.map((value) => ({ touches, apply: (contract) => void Object.assign(contract, value) }))

const onColumns = (edit: fc.Arbitrary<(columns: ContractColumn[]) => void>): fc.Arbitrary<Edit> =>
  edit.map((change) => ({ touches: ['schema'], apply: (contract) => change((contract.schema ??= [])) }))

const edits: fc.Arbitrary<Edit> = fc.oneof(
  set(['status'], fc.record({ entityStatus: fc.constantFrom('Draft', 'Active', 'Deprecated') })),
  set(['description'], fc.record({ description: fc.option(text, { nil: undefined }) })),
  set(['name'], fc.record({ displayName: text })),
  set(
    ['slaProperties', 'customProperties'],
    fc.record({
      sla: fc.record(
        { refreshFrequency: text, latency: fc.oneof(text, number), availability: number, 'x y': anything },
        some,
      ),
    }),
  ),
  set(
    ['roles', 'customProperties'],
    fc.record({
      security: fc.oneof(
        fc.dictionary(text, anything),
        fc.record({ policies: fc.array(fc.oneof(fc.record({ accessPolicy: text }), anything)) }),
      ),
    }),
  ),
  set(
    ['customProperties'],
    fc.record(
      {
        extension: fc.dictionary(fc.string(), anything),
        semantics: fc.array(
          fc.record({ name: fc.constantFrom('r', 's'), rule: text, enabled: fc.boolean() }, { requiredKeys: ['name'] }),
        ),
        termsOfUse: text,
        effectiveFrom: fc.integer(),
        qualityExpectations: fc.array(text),
      },
      some,
    ),
  ),
  set(['team'], fc.record({ owners: fc.array(text), reviewers: fc.array(text) })),
  onColumns(column.map((made) => (columns) => void columns.unshift(made))),
  onColumns(fc.nat(5).map((at) => (columns) => void columns.splice(at, 1))),
  onColumns(fc.constant((columns) => void columns.reverse())),
  onColumns(
    fc
      .tuple(
        fc.nat(5),
        fc.record(
          {
            name: fc.constant('renamed'),
            dataType,
            constraint,
            description: text,
            dataTypeDisplay: text,
            tags: fc.array(fc.record({ fullyQualifiedName: text })),
            precision: fc.nat(),
          },
          some,
        ),
      )
      .map(
        ([at, change]) =>
          (columns) =>
            void (columns[at] && Object.assign(columns[at], change)),
      ),
  ),
)

const bases = [V31, V30, V2].map((source) => {
  const imported = importDocument(source, { contentType: 'yaml', objectName: source === V31 ? 'orders' : 'tbl' })
  if (!imported.ok) throw new Error('refused')
  return { imported, exported: exportDocument({ stored: imported.stored, contract: imported.contract }).document }
})

const changedMembers = (before: JsonObject, after: JsonObject): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (member) => toJson(before[member] ?? null) !== toJson(after[member] ?? null),
  )

test('whatever is edited, the export is valid v3.1.0 and touches only the members that were edited', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...bases),
      fc.array(edits, { minLength: 1, maxLength: 4 }),
      ({ imported, exported }, list) => {
        const contract: CurrentContract = structuredClone(imported.contract)
        for (const { apply } of list) apply(contract)
        const { document } = exportDocument({ stored: imported.stored, contract })
        expect(isValidDocument('v3.1.0', document)).toBe(true)
        const touched = new Set(list.flatMap(({ touches }) => touches))
        expect(changedMembers(exported, document).filter((member) => !touched.has(member))).toEqual([])
      },
    ),
    { numRuns: examples(500) },
  )
})

/** Columns that edits have given the same name, and the one member name that no request can set either. */
const isExpected = (message: string): boolean =>
  message.includes('twice') || message === 'the member name "__proto__" is not allowed'

describe.each(['constructor', 'prototype', 'toString', 'hasOwnProperty'])('an extension with a member %s', (member) => {
  test.each(bases)('comes back from an export as itself', ({ imported }) => {
    const contract = { ...imported.contract, extension: { [member]: { [member]: 1 } } }
    const { document } = exportDocument({ stored: imported.stored, contract })
    for (const contentType of ['yaml', 'json'] as const) {
      const text = contentType === 'yaml' ? exportYaml({ stored: imported.stored, contract }) : toJson(document)
      const again = importDocument(text, { contentType, objectName: imported.stored.objectName })
      expect(again.ok && again.contract.extension).toEqual(contract.extension)
    }
  })
})

test.each(['yaml', 'json'] as const)(
  'a member __proto__ is refused by its name in %s, and read as what it is',
  (type) => {
    const [{ imported }] = bases as [(typeof bases)[0]]
    const extension = JSON.parse('{"__proto__":{"x":1}}') as JsonObject
    const contract = { ...imported.contract, extension }
    const { document } = exportDocument({ stored: imported.stored, contract })
    const text = type === 'yaml' ? exportYaml({ stored: imported.stored, contract }) : toJson(document)
    const { value, faults } = type === 'yaml' ? readYaml(text) : readJson(text)
    expect(toJson(value)).toBe(toJson(document))
    expect(faults.map(({ message }) => message)).toEqual(['the member name "__proto__" is not allowed'])
  },
)

test('an edited export is the same as YAML, comes back as itself, and is not a change of its contract', () => {
  fc.assert(
    fc.property(fc.constantFrom(...bases), fc.array(edits, { minLength: 1, maxLength: 3 }), ({ imported }, list) => {
      const contract: CurrentContract = structuredClone(imported.contract)
      for (const { apply } of list) apply(contract)
      const current = { stored: imported.stored, contract }
      const { document } = exportDocument(current)
      // Secrets of a document are not kept, so that it does not come back as itself.
      fc.pre(secretPlaces(document).length === 0)
      const yaml = exportYaml(current)
      expect(toJson(readYaml(yaml).value)).toBe(toJson(document))
      const { objectName } = imported.stored
      const again = importDocument(yaml, { contentType: 'yaml', objectName, current })
      if (again.ok) {
        expect(again.isExport).toBe(true)
        expect(toJson(exportDocument({ stored: again.stored, contract: again.contract }).document)).toBe(
          toJson(document),
        )
      } else expect(again.problems.map(({ message }) => message).filter((message) => !isExpected(message))).toEqual([])
    }),
    { numRuns: examples(200) },
  )
})
