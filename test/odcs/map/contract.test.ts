import { describe, expect, test } from 'vitest'
import { placeProblems } from '../../../src/odcs/placeProblems.ts'
import { chooseObject } from '../../../src/odcs/model/objects.ts'
import type { CurrentContract } from '../../../src/odcs/write/exportDocument.ts'
import type { Imported } from '../../../src/odcs/importDocument.ts'
import { parsePreview, validateDocument } from '../../../src/odcs/preview.ts'
import { isValidDocument } from '../../../src/odcs/read/check.ts'
import { readDocument } from '../../../src/odcs/read/readDocument.ts'
import type { ExportField, JsonObject } from '../../../src/odcs/model/types.ts'
import { odcsOperations } from '../../../src/odcs/worker.ts'
import { readYaml } from '../../../src/odcs/text/readYaml.ts'
import { MINIMAL, V2, V31 } from '../documents.ts'
import { exportDocument, exportJson, exportYaml, importDocument, type ImportOptions } from '../operations.ts'

function imported(text: string, options: Partial<ImportOptions> = {}): Imported {
  const result = importDocument(text, {
    contentType: 'yaml',
    objectName: text === V31 ? 'orders' : undefined,
    ...options,
  })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result
}

/** What an edit changes in the exported YAML, as lines. */
function edited(
  text: string,
  edit: (contract: CurrentContract) => void,
): { out: string; removed: string[]; added: string[] } {
  const { stored, contract } = imported(text)
  const current: CurrentContract = structuredClone(contract)
  edit(current)
  const input = { stored, contract: current }
  expect(isValidDocument('v3.1.0', exportDocument(input).document)).toBe(true)
  const out = exportYaml(input)
  const [before, after] = [text.split('\n'), out.split('\n')]
  return {
    out,
    removed: before.filter((line) => !after.includes(line)),
    added: after.filter((line) => !before.includes(line)),
  }
}

describe('import', () => {
  test('fills the members of a contract', () => {
    expect(imported(V31).contract).toEqual({
      displayName: 'Orders',
      description: 'One row for each order.\n\n**Limitations:**\nNo returns.\n\n**Usage:**\nReporting',
      entityStatus: 'Deprecated',
      schema: [
        {
          name: 'id',
          dataType: 'BIGINT',
          dataTypeDisplay: 'bigint',
          constraint: 'PRIMARY_KEY',
          primaryKey: true,
          unique: true,
          required: true,
        },
        { name: 'amount', dataType: 'DECIMAL', dataTypeDisplay: 'decimal(10,2)', displayName: 'Order amount' },
        {
          name: 'lines',
          dataType: 'ARRAY',
          arrayDataType: 'STRUCT',
          children: [{ name: 'sku', dataType: 'VARCHAR', dataTypeDisplay: 'varchar(18)' }],
        },
      ],
      sla: { refreshFrequency: 'P1D', latency: 'PT4H', availability: 99.9 },
      security: { policies: [{ accessPolicy: 'reader', identities: ['Manager'], access: 'read' }] },
    })
  })

  test('names people, rules, and what stays in the document only', () => {
    const { candidates, quality, warnings, stored } = imported(V31)
    expect(candidates).toEqual({ owners: ['ann'], reviewers: ['bob'], qualityExpectations: [] })
    expect(quality.map(({ path, column }) => [path, column])).toEqual([
      ['/schema/0/quality/0', undefined],
      ['/schema/0/properties/1/quality/0', 'amount'],
    ])
    expect(warnings.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/servers', '/support', '/slaProperties/3', '/schema/1']),
    )
    expect(stored).toEqual({ source: V31, contentType: 'yaml', version: 'v3.1.0', objectName: 'orders' })
  })

  test.each([
    ['active', 'Active'],
    ['Production', 'Active'],
    ['current', 'Active'],
    ['RETIRED', 'Deprecated'],
    ['deprecated', 'Deprecated'],
    ['in development', 'Draft'],
    ['proposed', 'Draft'],
    ['whatever', 'Draft'],
  ])('status %s is %s', (status, expected) => {
    expect(imported(MINIMAL.replace('draft', status)).contract.entityStatus).toBe(expected)
  })

  test.each<[string, string, object]>([
    ['an array of text', 'text[]', { dataType: 'ARRAY', arrayDataType: 'TEXT' }],
    ['an array of arrays', 'int[][]', { dataType: 'ARRAY', arrayDataType: 'ARRAY' }],
    ['an array of ClickHouse', 'Array(Nullable(Int32))', { dataType: 'ARRAY', arrayDataType: 'INT' }],
    ['an array of Spark', 'array<decimal(10,2)>', { dataType: 'ARRAY', arrayDataType: 'DECIMAL' }],
    ['bits of any number', 'bit varying(8)', { dataType: 'UNKNOWN' }],
    ['what ClickHouse stores in a special way', 'LowCardinality(Nullable(String))', { dataType: 'STRING' }],
    ['a state of ClickHouse', 'SimpleAggregateFunction(sum, UInt64)', { dataType: 'UINT' }],
    ['a byte of ClickHouse', 'Int8', { dataType: 'TINYINT' }],
    ['eight bytes of PostgreSQL', 'int8', { dataType: 'BIGINT' }],
    ['an instant of ClickHouse', "Nullable(DateTime64(3, 'UTC'))", { dataType: 'DATETIME' }],
    ['an instant of Oracle', 'TIMESTAMP(6) WITH LOCAL TIME ZONE', { dataType: 'TIMESTAMPZ' }],
    ['a large integer of DuckDB', 'HUGEINT', { dataType: 'LARGEINT' }],
    ['a type that is not known', 'constructor', { dataType: 'UNKNOWN' }],
    ['a text of at most 50 characters', 'varchar[50]', { dataType: 'VARCHAR' }],
  ])('the physical type of %s is read: %s', (_, type, expected) => {
    const { contract } = imported(`${MINIMAL}schema: [{name: t, properties: [{name: a, physicalType: "${type}"}]}]\n`)
    expect(contract.schema).toEqual([{ name: 'a', ...expected, dataTypeDisplay: type }])
  })

  test.each(['{property: frequency, value: often}', '{property: availability, value: 24, unit: h}'])(
    'a service level that cannot be read is reported, not stored: %s',
    (level) => {
      const { contract, warnings, stored } = imported(`${MINIMAL}slaProperties: [${level}]\n`)
      expect(contract.sla).toBeUndefined()
      expect(warnings).toEqual([{ path: '/slaProperties/0', message: expect.stringContaining('kept in the document') }])
      expect(odcsOperations.serviceLevels(stored)).toHaveLength(1)
      const sla = { refreshFrequency: 'P1D', availability: 99 }
      const { document } = exportDocument({ stored, contract: { ...contract, sla } })
      expect(document['slaProperties']).toEqual([
        readYaml(level).value,
        { property: 'frequency', value: '1', unit: 'd' },
        { property: 'availability', value: '99', unit: 'percent' },
      ])
    },
  )

  test('names a hundred of the columns that the asset lacks, and counts the others', () => {
    const properties = Array.from({ length: 300 }, (_, at) => ({ name: `c${at}`, logicalType: 'string' }))
    const schema = [{ name: 'wide', logicalType: 'object', properties }]
    const head = { apiVersion: 'v3.1.0', kind: 'DataContract', id: 'wide', version: '1.0.0', status: 'active' }
    const text = JSON.stringify({ ...head, schema })
    const result = importDocument(text, { contentType: 'json', assetColumns: [{ name: 'id' }] })
    expect(result).toMatchObject({ ok: false, unlisted: 200 })
    expect('problems' in result && result.problems).toHaveLength(100)
  })

  test('properties that the asset lacks are named; an asset without columns takes any', () => {
    const result = importDocument(V31, { contentType: 'yaml', objectName: 'orders', assetColumns: [{ name: 'id' }] })
    expect(!result.ok && result.problems.map(({ message }) => message)).toEqual([
      'the asset has no column or field "amount"',
      'the asset has no column or field "lines"',
    ])
    expect(imported(V31, { assetColumns: [] }).ok).toBe(true)
  })

  test('of a v2 document are named with the line where they stand', () => {
    const result = importDocument(V2, { contentType: 'yaml', assetColumns: [{ name: 'id' }] })
    const line = V2.split('\n').findIndex((text) => text.includes('- column: at')) + 1
    expect(!result.ok && result.problems).toEqual([
      { path: '/dataset/0/columns/0', line, column: 9, message: 'the asset has no column or field "at"' },
    ])
  })
})

describe('service levels of several objects', () => {
  const objects = 'schema: [{name: lo_a, properties: [{name: id}]}, {name: lo_b, physicalName: T_B}]\n'
  const levels = [
    '{property: frequency, value: 1, unit: d, element: lo_a.id}',
    '{property: frequency, value: 7, unit: d, element: "x, t_b.id"}',
    '{property: retention, value: 3, unit: y, element: lo_b}',
    '{property: latency, value: 4, unit: h}',
    '{property: latency, value: 2, unit: h, element: lo_b}',
  ]
  const text = `${MINIMAL}${objects}slaProperties:\n${levels.map((level) => `  - ${level}\n`).join('')}`
  const of = (objectName: string, document = text) => imported(document, { objectName })

  test('are those of the chosen object: those that name it come before those that name none', () => {
    expect(of('lo_a').contract.sla).toEqual({ refreshFrequency: 'P1D', latency: 'PT4H' })
    expect(of('lo_b').contract.sla).toEqual({ refreshFrequency: 'P7D', latency: 'PT2H' })
    expect(['lo_a', 'lo_b'].map((name) => odcsOperations.serviceLevels(of(name).stored))).toEqual([
      [],
      ['retention', 'latency'],
    ])
  })

  test('are those of the object with that name, though it is the physical name of another', () => {
    const named = (physicalName: string) =>
      `${MINIMAL}schema: [{name: lo_a}, {name: lo_b, physicalName: ${physicalName}}]\nslaProperties: [${levels[0]}]\n`
    expect(of('lo_a', named('lo_a').replace('lo_a.id', 'lo_a')).contract.sla).toEqual({ refreshFrequency: 'P1D' })
    expect(of('lo_b', named('lo_a').replace('lo_a.id', 'lo_a')).contract.sla).toBeUndefined()
  })

  test('are about the element of the document where they name none', () => {
    const byDefault = `${text.replace(', element: lo_b}\n  - {property: latency, value: 4', '}\n  - {property: latency, value: 4')}slaDefaultElement: lo_b.id\n`
    expect(odcsOperations.serviceLevels(of('lo_a', byDefault).stored)).toEqual([])
    expect(of('lo_a', byDefault).contract.sla).toEqual({ refreshFrequency: 'P1D' })
    expect(of('lo_b', byDefault).contract.sla).toEqual({ refreshFrequency: 'P7D', latency: 'PT4H' })
  })

  test('stay as they are when one of another object is changed or added in the catalog', () => {
    const { stored, contract } = of('lo_b')
    const sla = { ...contract.sla, refreshFrequency: 'PT1H', availability: 99 }
    const input = { stored, contract: { ...contract, sla } }
    const changed = exportDocument(input).document['slaProperties'] as JsonObject[]
    const before = readYaml(`[${levels.join(', ')}]`).value as JsonObject[]
    expect(changed).toEqual([
      before[0],
      { ...before[1], value: 1, unit: 'h' },
      ...before.slice(2),
      { property: 'availability', value: '99', unit: 'percent', element: 'lo_b' },
    ])
    const again = of('lo_a', exportYaml(input))
    expect(again.contract.sla).toEqual({ refreshFrequency: 'P1D', latency: 'PT4H' })
  })
})

describe('the object', () => {
  const read = readDocument(V31, 'yaml')
  const document = read.ok ? read.document : {}

  test.each([
    [{ objectName: 'CUSTOMERS' }, 1],
    [{ entityName: 'orders' }, 0],
    [{ entityName: 'ord' }, 0],
    [{ objectName: 'customers', entityName: 'orders' }, 1],
  ])('%j', (choice, index) => {
    expect(chooseObject(document, choice)).toMatchObject({ ok: true, index })
  })

  test('names the available ones when it cannot be chosen', () => {
    for (const choice of [{ objectName: 'nope' }, { entityName: 'nope' }]) {
      expect(chooseObject(document, choice)).toMatchObject({
        ok: false,
        problem: { message: expect.stringContaining('available are orders, customers') },
      })
    }
  })

  test('is not needed when there is none', () => {
    expect(chooseObject({}, { entityName: 'x' })).toEqual({ ok: true })
  })
})

describe('export', () => {
  test('an unchanged JSON text comes back to the byte, and a changed one as its values', () => {
    const text =
      '{\n  "apiVersion": "v3.1.0", "kind": "DataContract", "id": "a", "version": "1", "status": "draft",\n  "price": {"priceAmount": 1.0}, "customProperties": [{"property": "p", "value": 0.12345678901234567890123}]\n}\n'
    const { stored, contract } = imported(text, { contentType: 'json' })
    expect(exportJson({ stored, contract })).toBe(text)
    expect(exportJson({ stored, contract: { ...contract, entityStatus: 'Active' } })).toContain('"status":"active"')
  })

  test('a status that still fits is not touched, another one is', () => {
    expect(edited(V31, (contract) => void (contract.entityStatus = 'Deprecated')).out).toBe(V31)
    const { removed, added } = edited(V31, (contract) => void (contract.entityStatus = 'Active'))
    expect(removed).toEqual(['status: retired   # kept as written'])
    expect(added).toEqual(['status: active   # kept as written'])
  })

  test('a new description becomes the purpose; an edited block goes back where it came from', () => {
    expect(edited(V31, (contract) => void (contract.description = 'New'))).toMatchObject({
      added: ['  purpose: New'],
      removed: ['  purpose: One row for each order.', '  limitations: No returns.', '  usage: Reporting'],
    })
    const without = 'P\n\n**Limitations:**\nL'
    const { out } = edited(V31, (contract) => void (contract.description = without))
    expect(out).toContain('description:\n  purpose: P\n  limitations: L\nservers:')
    expect(edited(V31, (contract) => delete contract.description).out).not.toContain('description:')
    const { added } = edited(V31, (contract) =>
      Object.assign(contract, { description: contract.description?.replace('Reporting', 'Anything') }),
    )
    expect(added).toEqual(['  usage: Anything'])
  })

  test('a changed type touches that property only', () => {
    const { removed, added } = edited(V31, ({ schema }) => void (schema![0]!.dataType = 'INT'))
    expect(removed).toEqual(['        physicalType: bigint'])
    expect(added).toEqual(['        physicalType: int'])
  })

  test('a column that says the same under another name was renamed, and keeps everything else', () => {
    const { removed, added } = edited(V31, ({ schema }) => void (schema![1]!.name = 'total'))
    expect(removed).toEqual(['      - name: amount'])
    expect(added).toEqual(['      - name: total'])
  })

  test('a new column in the place of another takes over nothing of it', () => {
    const ssn =
      '{name: ssn, logicalType: string, physicalName: SSN_RAW, classification: restricted, tags: [pii], quality: [{type: text, name: format}]}'
    const text = `${MINIMAL}schema: [{name: t, properties: [{name: id, logicalType: integer}, ${ssn}]}]\n`
    const { out } = edited(text, ({ schema }) => void (schema![1] = { name: 'nickname', dataType: 'STRING' }))
    expect(out).toBe(text.replace(ssn, '{name: nickname, logicalType: string}'))
  })

  test('a changed constraint keeps the other truths', () => {
    const { out } = edited(V31, ({ schema }) => {
      schema![0]!.constraint = 'UNIQUE'
      delete schema![0]!.primaryKey
    })
    expect(out).toContain(
      '        primaryKey: false\n        primaryKeyPosition: 1\n        required: true\n        unique: true',
    )
  })

  test.each([
    ['a constraint that was left out takes nothing back', { required: true, unique: true }, 'false true true'],
    ['nothing that is left out holds', {}, 'false false false'],
    ['a constraint holds without its truth', { constraint: 'NOT_NULL', unique: true }, 'false true true'],
    ['what may be null is not required', { constraint: 'NULL', required: true }, 'false false false'],
  ])('the truths of a column are those of the catalog: %s', (_, truths, expected) => {
    const { out } = edited(V31, ({ schema }) => {
      const { constraint: _, required: __, unique: ___, primaryKey: ____, ...column } = schema![0]!
      schema![0] = { ...column, ...truths }
    })
    const [id] = (readYaml(out).value as { schema: { properties: JsonObject[] }[] }).schema[0]!.properties
    expect([id!['primaryKey'], id!['required'], id!['unique']].join(' ')).toBe(expected)
  })

  test.each(['required', 'unique', 'primaryKey'])('a column stays %s without its constraint', (truth) => {
    const text = `${MINIMAL}schema: [{name: t, properties: [{name: id, logicalType: integer, ${truth}: true}]}]\n`
    const { removed, added } = edited(text, ({ schema }) => void delete schema![0]!.constraint)
    expect([removed, added]).toEqual([[], []])
  })

  test('columns come and go, all other objects and comments stay', () => {
    const { out } = edited(V31, ({ schema }) => {
      schema!.splice(1, 1)
      schema!.push({ name: 'extra', dataType: 'TIMESTAMPZ', description: 'd', constraint: 'NOT_NULL' })
    })
    expect(out).not.toContain('Order amount')
    expect(out).toMatch(
      /- name: extra\n +logicalType: timestamp\n +physicalType: timestampz\n +description: d\n +required: true/,
    )
    expect(out).toContain('# the key')
    expect(out).toContain('- name: customers')
  })

  test('service levels keep what they carry beside the value', () => {
    const { out } = edited(V31, ({ sla }) => {
      sla!.refreshFrequency = 'PT6H'
      delete sla!.latency
      sla!['support'] = 'weekdays'
    })
    expect(out).toContain('  - property: frequency\n    value: 6\n    valueExt: 1\n    unit: h\n    element: orders.id')
    expect(out).not.toContain('latency')
    expect(imported(out, { objectName: 'orders' }).contract.sla).toEqual({
      refreshFrequency: 'PT6H',
      availability: 99.9,
      support: 'weekdays',
    })
  })

  test('members that ODCS does not have are kept as a custom property and come back', () => {
    const more = {
      semantics: [{ name: 'r', rule: 'a > 0' }],
      termsOfUse: 'Be nice',
      extension: { 'odd key': [null, { '': 1 }] },
      effectiveFrom: 1,
      sourceUrl: 'u',
    }
    const { out } = edited(V31, (contract) => {
      Object.assign(contract, more)
      contract.security = { ...contract.security, dataClassification: null }
    })
    const again = imported(out, { objectName: 'orders' })
    expect(again.contract).toMatchObject({
      ...more,
      security: { policies: [{ accessPolicy: 'reader' }], dataClassification: null },
    })
    expect(exportYaml({ stored: again.stored, contract: again.contract })).toBe(out)
  })

  test('of roles with one name, an edit changes its own', () => {
    const roles = ['read', 'write', 'admin'].map(
      (access) => `{role: r, access: ${access}, secondLevelApprovers: ${access} board}`,
    )
    const text = `${MINIMAL}roles: [${roles.join(', ')}]\n`
    const { out } = edited(text, (contract) => {
      const [first, second] = contract.security!['policies'] as JsonObject[]
      contract.security = { policies: [first!, { ...second!, access: 'change' }] }
    })
    expect(out).toBe(text.replace('access: write', 'access: change').replace(`, ${roles[2]}`, ''))
  })

  describe('a custom property holds only while it says what the standard’s member says', () => {
    const policy = { accessPolicy: 'writer', identities: ['ann', 'ben'], access: 'write', rowFilters: ['a'] }
    const security = { policies: [policy, 7], dataClassification: 'high' }
    const text = `${MINIMAL}roles: [{role: reader}, {role: writer, secondLevelApprovers: Board}]\nslaProperties: [{property: latency, value: 4, unit: h}]\n`
    const sla = { latency: '4 hours', refreshFrequency: 'every morning' }
    const { out } = edited(text, (contract) => void Object.assign(contract, { security, sla }))

    test('the roles are those of the policies, as far as they can say it', () => {
      expect(readYaml(out).value).toMatchObject({
        roles: [{ role: 'writer', secondLevelApprovers: 'Board', firstLevelApprovers: 'ann, ben', access: 'write' }],
        slaProperties: [{ property: 'latency', value: '4 hours' }],
      })
      expect(imported(out).contract).toMatchObject({ security, sla })
    })

    test.each([{ policies: [] }, { policies: ['x'] }, {}])('what roles cannot say at all comes back: %j', (none) => {
      const without = edited(text, (contract) => void (contract.security = none)).out
      expect(without).not.toContain('role: ')
      expect(imported(without).contract.security).toEqual(none)
    })

    test('edited roles and service levels win, and the rest stays', () => {
      const changed = out.replace('access: write', 'access: admin').replace('4 hours', '6 hours')
      expect(changed).not.toBe(out)
      const { contract, stored } = imported(changed)
      expect(contract.security).toEqual({
        policies: [{ accessPolicy: 'writer', identities: ['ann, ben'], access: 'admin' }],
        dataClassification: 'high',
      })
      expect(contract.sla).toEqual({ latency: 'PT6H', refreshFrequency: 'every morning' })
      const later = { ...contract, sla: { ...contract.sla, availability: 99 } }
      expect(imported(exportYaml({ stored, contract: later })).contract.sla).toEqual(later.sla)
    })
  })

  test('people who are known are laid over the team, the others stay', () => {
    const { stored, contract } = imported(V31)
    const known = { ...stored, resolved: { owners: ['ann'] } }
    const { document } = exportDocument({ stored: known, contract: { ...contract, owners: ['eve'] } })
    expect(document['team']).toEqual({
      members: [
        { username: 'bob', role: 'Reviewer' },
        { username: 'cid', role: 'Data Scientist', dateIn: '2022-08-02' },
        { username: 'eve', role: 'owner' },
      ],
    })
  })

  test('people whose names differ only in case are others', () => {
    const { stored, contract } = imported(V31)
    const known = { ...stored, resolved: { owners: ['ann'] } }
    const { document } = exportDocument({ stored: known, contract: { ...contract, owners: ['Ann'] } })
    expect(document).toMatchObject({ team: { members: expect.arrayContaining([{ username: 'Ann', role: 'owner' }]) } })
    expect(JSON.stringify(document['team'])).not.toContain('"ann"')
  })

  test.each([
    ['qualityExpectations', '[a.b, nope, {c: 1}]'],
    ['qualityExpectations', 'see wiki'],
    ['qualityExpectations', '[]'],
    ['semantics', '[]'],
    ['semantics', '{length: {toString: 1}}'],
  ])('an unchanged custom property %s: %s stays', (property, value) => {
    const text = `${MINIMAL}customProperties: [{property: ${property}, value: ${value}}]\n`
    const { stored, contract } = imported(text)
    const known = { ...stored, resolved: { qualityExpectations: value.startsWith('[a.b') ? ['a.b'] : [] } }
    // The catalog keeps no empty list.
    const { semantics: _, ...kept } = contract
    const current = { ...kept, qualityExpectations: known.resolved.qualityExpectations }
    expect(exportYaml({ stored: known, contract: current })).toBe(text)
  })

  test('a tag of a column that had been deleted for good before comes back', () => {
    const tags = [{ id: '00000000-0000-5000-8000-000000000000', type: 'tag', fullyQualifiedName: 'PII.S', life: 3 }]
    const contract = { schema: [{ name: 'a', dataType: 'STRING', tags }] }
    expect(imported(exportYaml({ contract })).contract.schema).toMatchObject([{ tags }])
  })

  test.each(['[]', '[pii]'])('an unchanged custom property columnTags: %s of a property stays', (value) => {
    const text = `${MINIMAL}schema: [{name: t, properties: [{name: a, customProperties: [{property: columnTags, value: ${value}}]}, {name: b}]}]\n`
    const { stored, contract } = imported(text)
    const schema = [contract.schema![0]!, { ...contract.schema![1]!, description: 'D' }]
    expect(exportYaml({ stored, contract: { ...contract, schema } })).toContain('columnTags')
    expect(exportYaml({ stored, contract })).toBe(text)
  })

  test('expectations that came or went in the catalog are laid over those of the document', () => {
    const { stored, contract } = imported(
      `${MINIMAL}customProperties: [{property: qualityExpectations, value: [a, b, nope]}]\n`,
    )
    const known = { ...stored, resolved: { qualityExpectations: ['a', 'b', 'of a rule'] } }
    const laid = (qualityExpectations: string[]) =>
      exportDocument({ stored: known, contract: { ...contract, qualityExpectations } }).document['customProperties']
    expect(laid(['b', 'of a rule', 'c'])).toEqual([{ property: 'qualityExpectations', value: ['b', 'nope', 'c'] }])
    expect(laid([])).toEqual([{ property: 'qualityExpectations', value: ['nope'] }])
  })

  test('a removed display name is gone from the document; a contract without one has its name', () => {
    expect(edited(V31, (contract) => delete contract.displayName)).toMatchObject({
      removed: ['name: Orders'],
      added: [],
    })
    expect(exportDocument({ contract: { name: 'c', displayName: 'C' } }).document['name']).toBe('C')
  })

  test('an owner who is removed keeps the membership that has ended', () => {
    const text = `${MINIMAL}team:\n  members:\n    - {username: ann, role: owner, dateOut: "2021-01-01"}\n    - {username: ann, role: owner}\n`
    const { stored, contract } = imported(text)
    const { document } = exportDocument({ stored: { ...stored, resolved: { owners: ['ann'] } }, contract })
    expect(document['team']).toEqual({ members: [{ username: 'ann', role: 'owner', dateOut: '2021-01-01' }] })
  })

  test.each([
    ['2099-12-31', true],
    ['9999-12-31', true],
    ['2023-12-31', false],
    ['31.12.2023', false],
    ['12/31/2099', false],
    ['2099-02-30', false],
    ['soon', false],
  ])('an owner who leaves on %s is one: %s, and an export adds nobody', (dateOut, isOwner) => {
    const text = `${MINIMAL}team:\n  members:\n    - {username: ann, role: owner, dateOut: "${dateOut}"}\n`.replace(
      'v3.1.0',
      'v3.0.2',
    )
    const { candidates, stored, contract } = imported(
      text.replace('{username', '{name: A, username').replace('team:\n  members:', 'team:'),
    )
    expect(candidates.owners).toEqual(isOwner ? ['ann'] : [])
    const resolved = { ...stored, resolved: { owners: ['ann'] } }
    const { document } = exportDocument({ stored: resolved, contract: { ...contract, owners: ['ann'] } })
    expect(document['team']).toMatchObject([{ username: 'ann' }])
    expect(document['team']).toHaveLength(1)
  })

  test('an owner is one until the day of leaving, by the time of the import', () => {
    const text = `${MINIMAL}team: {members: [{username: ann, role: owner, dateOut: "2026-06-01"}]}\n`
    const ownersAt = (time: number) => imported(text, { time }).candidates.owners
    expect(ownersAt(Date.UTC(2026, 4, 31, 23, 59))).toEqual(['ann'])
    expect(ownersAt(Date.UTC(2026, 5, 1))).toEqual([])
  })

  test('fields leave parts out', () => {
    const { stored, contract } = imported(V31)
    const { document } = exportDocument({ stored, contract, fields: ['schema'] })
    expect(Object.keys(document)).not.toEqual(expect.arrayContaining(['roles']))
    expect(document).not.toHaveProperty('slaProperties')
    expect(document['schema']).toHaveLength(2)
    expect(document['team']).toEqual({ members: [{ username: 'cid', role: 'Data Scientist', dateIn: '2022-08-02' }] })
    expect(exportDocument({ stored, contract, fields: ['sla'] }).document).not.toHaveProperty('schema')
  })

  test.each([
    ['security', { security: { consumers: [{ name: 'ann' }] } }],
    ['sla', { sla: { timezone: 'UTC' } }],
    ['extension', { extension: { cost: 1 } }],
  ] as const)('fields leave out what is kept of %s as a custom property', (field, more) => {
    const { stored, contract } = imported(MINIMAL)
    const changed = { ...contract, ...more } as CurrentContract
    const customIn = (fields: ExportField[]) =>
      exportDocument({ stored, contract: changed, fields }).document['customProperties']
    expect(customIn([field])).toMatchObject([{ property: field }])
    expect(customIn(['schema'])).toBeUndefined()
  })

  test('a contract that never was a document', () => {
    const contract: CurrentContract = {
      id: 'x-y',
      name: 'c',
      version: 0.2,
      entityStatus: 'Active',
      description: 'D',
      owners: ['ann'],
      reviewers: ['bob'],
      domain: 'sales',
      schema: [
        { name: 'a', dataType: 'INT', constraint: 'PRIMARY_KEY' },
        { name: 'b', dataType: 'GEOGRAPHY' },
      ],
      sla: { refreshFrequency: 'P1D', latency: 'PT1H30M', availability: 99 },
    }
    const { document } = exportDocument({ contract, entityName: 'orders' })
    expect(isValidDocument('v3.1.0', document)).toBe(true)
    expect(document).toMatchObject({
      apiVersion: 'v3.1.0',
      kind: 'DataContract',
      id: 'x-y',
      name: 'c',
      version: '0.2',
      status: 'active',
      domain: 'sales',
      description: { purpose: 'D' },
      schema: [
        {
          name: 'orders',
          properties: [
            { name: 'a', logicalType: 'integer', primaryKey: true },
            { name: 'b', logicalType: 'string', physicalType: 'geography' },
          ],
        },
      ],
      slaProperties: [
        { property: 'frequency', value: '1', unit: 'd' },
        { property: 'latency', value: 'PT1H30M' },
        { property: 'availability', value: '99' },
      ],
      team: {
        members: [
          { username: 'ann', role: 'owner' },
          { username: 'bob', role: 'reviewer' },
        ],
      },
    })
    const again = imported(JSON.stringify(document), { contentType: 'json' })
    expect(again.contract.sla).toEqual(contract.sla)
  })
})

describe('a second import', () => {
  const first = imported(V31)
  const current = { stored: first.stored, contract: { ...first.contract, termsOfUse: 'Mine', entityStatus: 'Active' } }
  const incoming = `${MINIMAL}name: New\nslaProperties: [{property: latency, value: 9, unit: d}]\nschema: [{name: orders, properties: [{name: id}]}]\n`

  test('merge keeps what is absent from it, with lists replaced whole and service levels one by one', () => {
    const { contract, stored } = imported(incoming, { mode: 'merge', current })
    expect(contract).toMatchObject({
      displayName: 'New',
      entityStatus: 'Draft',
      termsOfUse: 'Mine',
      schema: [{ name: 'id' }],
      sla: { latency: 'P9D', refreshFrequency: 'P1D', availability: 99.9 },
    })
    expect(contract.security).toEqual(first.contract.security)
    expect(stored.source).toContain('tenant: Shop')
    const { description } = imported(`${incoming}description: {usage: All}\n`, { mode: 'merge', current }).contract
    expect(description).toBe('One row for each order.\n\n**Limitations:**\nNo returns.\n\n**Usage:**\nAll')
    expect(stored.source).not.toContain('name: customers')
    expect(stored.version).toBe('v3.1.0')
  })

  test('merge replaces a custom property by one of the very name alone', () => {
    const text = (properties: string) => `${MINIMAL}customProperties: [${properties}]\n`
    const before = imported(text('{property: Env, value: prod}, {property: env, value: dev}'))
    const merged = imported(text('{property: ENV, value: test}, {property: env, value: new}'), {
      mode: 'merge',
      current: { stored: before.stored, contract: before.contract },
    })
    const { document } = exportDocument({ stored: merged.stored, contract: merged.contract })
    expect(document['customProperties']).toEqual([
      { property: 'ENV', value: 'test' },
      { property: 'env', value: 'new' },
      { property: 'Env', value: 'prod' },
    ])
  })

  test.each([undefined, 'orders', 'customers'])(
    'merge of a document without objects keeps them, chosen: %s',
    (named) => {
      const assetColumns = [{ name: 'id' }]
      const { contract, stored } = imported(`${MINIMAL}name: New\n`, {
        mode: 'merge',
        current,
        objectName: named,
        assetColumns,
      })
      expect(contract.schema).toEqual(imported(V31, { objectName: named ?? 'orders' }).contract.schema)
      expect(contract.displayName).toBe('New')
      expect(stored.objectName).toBe(named ?? 'orders')
    },
  )

  test('names the members that the merged document states, also those that it states in custom properties', () => {
    const custom = 'customProperties: [{property: termsOfUse, value: Mine}, {property: owners, value: [ann]}]\n'
    const stated = (text: string) => imported(`${MINIMAL}${text}`, { mode: 'merge', current }).stated
    expect(stated('')).toEqual(['entityStatus'])
    expect(stated(`roles: []\nteam: {name: t}\n${custom}`)).toEqual(['entityStatus', 'security', 'termsOfUse'])
    expect(stated('schema: []\nteam: []\n')).toEqual([
      'entityStatus',
      'schema',
      'owners',
      'reviewers',
      'qualityExpectations',
    ])
  })

  test('what it states replaces what the catalog kept as a custom property', () => {
    const security = { policies: [{ accessPolicy: 'writer', identities: ['ann', 'ben'] }], dataClassification: 'high' }
    const sla = { refreshFrequency: 'every morning', latency: 'soon', timezone: 'UTC' }
    const kept = { stored: imported(MINIMAL).stored, contract: { ...imported(MINIMAL).contract, security, sla } }
    const text = `${MINIMAL}roles: [{role: analyst}]\nslaProperties: [{property: frequency, value: on demand}, {property: ly, value: 2, unit: d}]\n`
    const { contract, stored } = imported(text, { mode: 'merge', current: kept })
    expect(contract.security).toEqual({ policies: [{ accessPolicy: 'analyst' }], dataClassification: 'high' })
    expect(contract.sla).toEqual({ latency: 'P2D', timezone: 'UTC' })
    expect(exportYaml({ stored, contract })).not.toMatch(/every morning|soon|writer/)
  })

  test.each(['merge', 'replace'] as const)('%s keeps the object that the contract is about', (mode) => {
    const text = `${MINIMAL}schema: [{name: asset, properties: [{name: a}]}, {name: v2, properties: [{name: b}]}]\n`
    const entityName = 'asset'
    const { stored, contract } = imported(text, { objectName: 'v2' })
    const again = (incoming: string) => imported(incoming, { mode, current: { stored, contract }, entityName })
    expect(again(text)).toMatchObject({
      isExport: true,
      stored: { objectName: 'v2' },
      contract: { schema: [{ name: 'b' }] },
    })
    expect(again(text.replace('v2', 'v3')).contract.schema).toMatchObject([{ name: 'a' }])
    expect(again(`${text}# another comment\n`).isExport).toBe(false)
    const ofOther = { mode, current: { stored, contract }, entityName, objectName: 'asset' }
    expect(imported(text, ofOther).isExport).toBe(false)
  })

  test('merge of rules at the top makes them those of the object that the contract keeps', () => {
    const quality = 'quality: [{type: text, name: one, description: d}]\n'
    const assetColumns = [{ name: 'another' }]
    const options: Partial<ImportOptions> = { mode: 'merge', current, objectName: undefined, assetColumns }
    const { stored, contract, quality: rules, warnings } = imported(`${MINIMAL}${quality}`, options)
    expect(rules.filter(({ column }) => column === undefined)).toMatchObject([
      { path: '/schema/0/quality/0', rule: { name: 'one' } },
    ])
    expect(contract.schema).toEqual(first.contract.schema)
    expect(exportDocument({ stored, contract }).document['customProperties']).toHaveLength(2)
    expect(warnings.filter(({ path }) => path.includes('quality'))).toEqual([])
    const again = imported(`${MINIMAL}${quality}`, { ...options, current: { stored, contract } })
    expect(again.quality).toEqual(rules)
  })

  test('rules at the top of a document without objects are kept as a custom property, with a warning', () => {
    const { warnings } = imported(`${MINIMAL}quality: [{type: text, description: d}]\n`)
    expect(warnings).toEqual([{ path: '/quality', message: expect.stringContaining('custom property') }])
  })

  test('merge makes no document that is too long to be read again', () => {
    const text = (name: string) =>
      `${MINIMAL}customProperties: [{property: ${name}, value: ${'x'.repeat(3_000_000)}}]\n`
    const { stored, contract } = imported(text('p1'))
    const merge = { contentType: 'yaml', mode: 'merge', current: { stored, contract } } as const
    expect(importDocument(text('p1'), merge)).toMatchObject({ ok: true })
    const message = expect.stringMatching(/could not be read again: .*larger than.*mode=replace/)
    expect(importDocument(text('p2'), merge)).toMatchObject({ ok: false, problems: [{ path: '', message }] })
  })

  test('a document whose values v3.1.0 keeps deeper than can be read is refused', () => {
    const documentOf = (levels: number) => {
      const own = `${'['.repeat(levels)}${']'.repeat(levels)}`
      const servers = `servers: [{server: s, type: custom, own: ${own}}]\n`
      return `${MINIMAL.replace('v3.1.0', 'v3.0.2')}${servers}`
    }
    const deep = (levels: number) => importDocument(documentOf(levels), { contentType: 'yaml' })
    const { stored, contract } = deep(123) as Imported
    expect(importDocument(exportJson({ stored, contract }), { contentType: 'json' })).toMatchObject({ ok: true })
    const problems = [{ message: expect.stringContaining('nested deeper') }]
    expect(deep(124)).toMatchObject({ ok: false, problems })
    expect(parsePreview(documentOf(124))).toMatchObject({ ok: true, problems })
    expect(validateDocument(documentOf(124), 'yaml', {}, [])).toMatchObject({ ok: false, problems })
  })

  test('labels of the contract that the document does not have are in each export', () => {
    const text = `${MINIMAL}domain: shop\ntags: [a]\n`
    const { stored, contract } = imported(text)
    const labelled = { ...contract, tags: ['a', 'PII.S'], domain: 'Sales' }
    const again = imported(text, { current: { stored, contract: labelled } })
    const exported = (current: CurrentContract) => exportDocument({ stored: again.stored, contract: current }).document
    expect(exported(labelled)).toMatchObject({ domain: 'Sales', tags: ['a', 'PII.S'] })
    expect(exported({ ...contract, tags: ['PII.S'] })).toMatchObject({ domain: 'shop', tags: ['PII.S'] })
    const shared = imported(text, { current: { stored, contract: { ...contract, domain: 'shop' } } })
    expect(exportDocument({ stored: shared.stored, contract }).document).not.toHaveProperty('domain')
  })

  test('replace takes it as it is', () => {
    const { contract, stored } = imported(incoming, { mode: 'replace', current })
    expect(contract).not.toHaveProperty('termsOfUse')
    expect(contract.sla).toEqual({ latency: 'P9D' })
    expect(stored.source).toBe(incoming)
  })

  test('merging the same text changes nothing', () => {
    const again = imported(V31, { mode: 'merge', current: { stored: first.stored, contract: first.contract } })
    expect(again.stored).toEqual(first.stored)
  })
})

describe('parse and validate', () => {
  test('a preview names the objects, and the problems of a document that cannot be imported', () => {
    expect(parsePreview(V31)).toMatchObject({
      ok: true,
      name: 'Orders',
      version: '1.10.0',
      status: 'retired',
      schemaObjects: ['orders', 'customers'],
      hasMultipleObjects: true,
      problems: [],
    })
    expect(parsePreview(V2)).toMatchObject({
      ok: true,
      name: 'my quantum',
      schemaObjects: ['tbl'],
      hasMultipleObjects: false,
      apiVersion: 'v2.2.2',
    })
    expect(parsePreview(MINIMAL.replace('status: draft\n', ''))).toMatchObject({
      ok: true,
      status: undefined,
      problems: [{ path: '', line: 1, message: 'needs the member "status"' }],
    })
    expect(parsePreview('a: [')).toMatchObject({ ok: false })
    expect(parsePreview(MINIMAL.replace('v3.1.0', 'v3.3.0'))).toMatchObject({
      ok: false,
      problems: [{ path: '/apiVersion' }],
    })
  })

  test('thousands of service levels and secrets that are not shown make few warnings, which count them', () => {
    const list = (item: string) => `[${Array.from({ length: 5000 }, () => item).join(', ')}]`
    const levels = `slaProperties: ${list('{property: y, value: 1}')}\n`
    const secrets = `customProperties: ${list('{property: password, value: abc}')}\n`
    const preview = parsePreview(`${MINIMAL}${levels}${secrets}`)
    const warnings = preview.ok ? preview.warnings : []
    expect(warnings).toHaveLength(102)
    expect(warnings.slice(100)).toMatchObject([
      { path: '', message: '4900 more passwords, keys or tokens were left out' },
      { path: '/slaProperties/0', message: expect.stringContaining('it is kept in the document, as are 4999 more') },
    ])
  })

  test('a preview says at which line something stands that an import would keep in the document only', () => {
    const kept = `${MINIMAL}price:\n  priceAmount: 9.95\n`
    const line = kept.split('\n').indexOf('price:') + 1
    expect(parsePreview(kept)).toMatchObject({
      ok: true,
      problems: [],
      warnings: [{ path: '/price', line, column: 1 }],
    })
    const old = `${MINIMAL.replace('v3.1.0', 'v3.0.2')}slaProperties:\n  - {property: y, value: 1, foo: 1}\n`
    expect(parsePreview(old)).toMatchObject({
      warnings: [
        { path: '/slaProperties/0/foo', line: 7, column: 34 },
        { path: '/slaProperties/0', line: 7, column: 5 },
      ],
    })
  })

  test('validation counts what the asset lacks and lists differing types', () => {
    const columns = [
      { name: 'id', dataType: 'VARCHAR' },
      { name: 'lines', dataType: 'ARRAY', children: [{ name: 'sku', dataType: 'INT' }] },
    ]
    expect(validateDocument(V31, 'yaml', { objectName: 'orders' }, columns)).toEqual({
      ok: true,
      passed: 2,
      failed: 1,
      total: 3,
      failedFields: ['amount'],
      typeMismatchFields: ['id: expected BIGINT, got VARCHAR', 'lines.sku: expected VARCHAR, got INT'],
    })
  })

  test('validation compares the items of arrays, and what stands in objects', () => {
    const document =
      `${MINIMAL}schema:\n  - name: o\n    properties:\n      - {name: tags, logicalType: array, items: {logicalType: string}}\n` +
      `      - {name: s, logicalType: object, properties: [{name: a, logicalType: integer}, {name: b, logicalType: date}]}\n`
    const columns = [
      { name: 'tags', dataType: 'ARRAY', arrayDataType: 'INT' },
      { name: 's', dataType: 'STRUCT', children: [{ name: 'a', dataType: 'INT' }] },
    ]
    expect(validateDocument(document, 'yaml', {}, columns)).toMatchObject({
      passed: 2,
      failed: 0,
      typeMismatchFields: ['tags: expected ARRAY<STRING>, got ARRAY<INT>', 's.b: expected DATE, got nothing'],
    })
  })

  test('validation takes decimals of Avro for the numbers that they are, and for bytes', () => {
    const names = ['a', 'b', 'c', 'd']
    const types = ['logicalType: number', 'physicalType: bytes', 'logicalType: string', 'logicalType: boolean']
    const document = `${MINIMAL}schema:\n  - name: o\n    properties:\n${names.map((name, at) => `      - {name: ${name}, ${types[at]}}\n`).join('')}`
    const columns = (dataTypeDisplay: string) => names.map((name) => ({ name, dataType: 'BYTES', dataTypeDisplay }))
    const typeMismatchFields = ['d: expected BOOLEAN, got BYTES']
    expect(validateDocument(document, 'yaml', {}, columns('union<null, decimal(10,2)>'))).toMatchObject({
      typeMismatchFields,
    })
    expect(validateDocument(document, 'yaml', {}, columns('Md5'))).toMatchObject({
      typeMismatchFields: ['a: expected NUMBER, got BYTES', ...typeMismatchFields],
    })
  })
})

test('a problem of a member kept as a custom property is placed at that custom property', () => {
  const label = '{ property: columnTags, value: [{ fullyQualifiedName: a.b }] }'
  const text =
    `${MINIMAL}customProperties:\n  - { property: own, value: 1 }\n  - { property: semantics, value: [{ name: r }] }\n` +
    `schema:\n  - name: o\n    properties:\n      - name: p\n        logicalType: array\n        items:\n` +
    `          properties:\n            - name: q\n              customProperties:\n                - ${label}\n`
  const wrong = ['/semantics/0/name', '/schema/0/children/0/tags/0'].map((path) => ({ path, message: 'm' }))
  expect(placeProblems(text, 'yaml', {}, wrong)).toMatchObject([
    { path: '/customProperties/1/value/0/name', line: 8 },
    { path: '/schema/0/properties/0/items/properties/0/customProperties/0/value/0', line: 18 },
  ])
})
