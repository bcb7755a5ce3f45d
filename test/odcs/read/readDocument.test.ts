import { describe, expect, test } from 'vitest'
import { parsePreview } from '../../../src/odcs/preview.ts'
import { readDocument } from '../../../src/odcs/read/readDocument.ts'
import type { JsonObject, Problem } from '../../../src/odcs/model/types.ts'
import { stringify } from 'yaml'
import { readJson } from '../../../src/odcs/text/readJson.ts'
import { readYaml } from '../../../src/odcs/text/readYaml.ts'
import { MINIMAL, V2, V30, V31 } from '../documents.ts'

const problemsOf = (text: string | Uint8Array, type: 'json' | 'yaml' = 'yaml'): Problem[] => {
  const read = readDocument(text, type)
  return read.ok ? [] : read.problems
}
const refused = (text: string | Uint8Array, type: 'json' | 'yaml' = 'yaml'): string =>
  problemsOf(text, type)[0]?.message ?? 'accepted'

describe('good documents', () => {
  test.each([
    ['v3.1.0', V31],
    ['v3.0.1', V30],
    ['v2.2.2', V2],
  ])('%s is told and read', (version, text) => {
    expect(readDocument(text, 'yaml')).toMatchObject({ ok: true, version })
  })

  test('large integers keep their digits', () => {
    const read = readDocument(V31, 'yaml')
    expect(
      read.ok && JSON.stringify(read.document, (_k, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v)),
    ).toContain('18446744073709551615n')
  })

  const numberIn = (source: string, contentType: 'json' | 'yaml') => {
    const text =
      contentType === 'yaml'
        ? `${MINIMAL}price: {priceAmount: ${source}}\n`
        : '{"apiVersion":"v3.1.0","kind":"DataContract","id":"a","version":"1","status":"active",' +
          `"price":{"priceAmount":${source}}}`
    const read = readDocument(text, contentType)
    return read.ok ? (read.document['price'] as JsonObject)['priceAmount'] : read.problems
  }

  describe.each(['json', 'yaml'] as const)('numbers in %s', (contentType) => {
    test.each(['1e-400', '-0.0001e-330'])('%s is refused instead of being read as 0', (source) =>
      expect(numberIn(source, contentType)).toMatchObject([
        { path: '/price/priceAmount', message: expect.stringContaining(`${source} is not a number`) as string },
      ]),
    )

    test.each([
      ['5e-324', 5e-324],
      ['0.0e-400', 0],
      ['1.50E+2', 150],
      ['12345678901234567890', 12345678901234567890n],
    ])('%s is read', (source, value) => expect(numberIn(source, contentType)).toBe(value))
  })

  test.each(['json', 'yaml'] as const)('U+007F in a text is read in %s', (contentType) => {
    const text = JSON.stringify({ ...(readYaml(MINIMAL).value as JsonObject), name: 'a\u007fb' })
    expect(readDocument(text, contentType)).toMatchObject({ ok: true, document: { name: 'a\u007fb' } })
  })

  test('hexadecimal and octal integers keep their digits, too', () => {
    expect(numberIn('0x20000000000001', 'yaml')).toBe(2n ** 53n + 1n)
    expect(numberIn('0o17', 'yaml')).toBe(15)
  })

  test('a byte order mark is taken off, dates stay text, YAML 1.1 is not obeyed', () => {
    const text = new TextEncoder().encode(
      `\ufeff%YAML 1.1\n---\n${MINIMAL}contractCreatedTs: 2022-11-15 02:59:43\ntenant: no\n`,
    )
    const read = readDocument(text, 'yaml')
    expect(read.ok && read.document).toMatchObject({ contractCreatedTs: '2022-11-15 02:59:43', tenant: 'no' })
  })

  test('an integer is a number, too', () => {
    const read = readDocument(`${MINIMAL}price: {priceAmount: !!float 3}\n`, 'yaml')
    expect(read.ok && read.document['price']).toEqual({ priceAmount: 3 })
  })

  test('folded text indented like its key is read with a warning', () => {
    const read = readDocument(`${MINIMAL}description:\n  purpose: "one\n  two"\n  usage: x\n`, 'yaml')
    expect(read).toMatchObject({
      ok: true,
      document: { description: { purpose: 'one two', usage: 'x' } },
      warnings: [{ message: expect.stringContaining('line 8') }],
    })
  })

  test('so is one in a list, and what stands after it is found at its place', () => {
    const read = readDocument(`${MINIMAL}tags:\n- ["one\n\n  two"]\n- 3\n`, 'yaml')
    expect(read).toMatchObject({
      ok: false,
      problems: [
        { path: '/tags/0', line: 7 },
        { path: '/tags/1', line: 10, column: 3 },
      ],
    })
  })

  test('a top-level quality list is accepted', () => {
    expect(refused(`${MINIMAL}quality:\n- {type: sql, dimension: accuracy, description: d}\n`)).toBe('accepted')
  })

  test('a password is left out of document and text, the layout stays', () => {
    const read = readDocument(V2, 'yaml')
    expect(read.ok && read.document).not.toHaveProperty('password')
    expect(read.ok && read.source).toBe(V2.replace('password: s3cret\n', ''))
    expect(read.ok && read.warnings.map(({ path }) => path)).toContain('/password')
  })

  test.each(['{"a": 1, password: x, b: 2}', 'customProperties: [{property: password, value: s3cret}]'])(
    'a password is left out of %s too',
    (extra) => {
      const flow = extra.startsWith('{')
        ? V2.replace('price: {', 'price: {').replace('password: s3cret', '"password" : s3cret')
        : `${MINIMAL}${extra}\n`
      const read = readDocument(flow, 'yaml')
      expect(read.ok && read.source).not.toContain('s3cret')
    },
  )

  test('keys and tokens of servers are left out, and names that only sound so are kept', () => {
    const hidden = ['dbPassword', 'api_key', 'Client Secret', 'accessToken', 'sasToken', 'AccountKey', 'credentials']
    const shown = ['primaryKey', 'tokens', 'secretary', 'account', 'passage']
    const properties = [...hidden, ...shown].map((property) => ({ property, value: `value of ${property}` }))
    const server = { server: 's', type: 'custom', host: 'h', customProperties: properties }
    const read = readDocument(`${MINIMAL}servers: ${JSON.stringify([server])}\n`, 'yaml')
    expect(read.ok && read.warnings).toHaveLength(hidden.length)
    const text = read.ok ? JSON.stringify([read.document, read.source]) : ''
    expect(hidden.filter((name) => text.includes(`value of ${name}`))).toEqual([])
    expect(shown.filter((name) => !text.includes(`value of ${name}`))).toEqual([])
  })

  const addresses: Readonly<Record<string, string>> = {
    'postgres://u:s3cret@h/': 'postgres://u@h/',
    'jdbc:postgresql://u:s3cret@h:5432/db': 'jdbc:postgresql://u@h:5432/db',
    'postgres://u:s3/c@re?t@h/db': 'postgres://u@h/db',
    'https://h/p?user=u&password=s3cret&x=1': 'https://h/p?user=u&password=&x=1',
    'jdbc:sqlserver://h:1433;databaseName=d;password=s3cret': 'jdbc:sqlserver://h:1433;databaseName=d;password=',
    'jdbc:oracle:thin:scott/s3cret@//h:1521/x': 'jdbc:oracle:thin:scott@//h:1521/x',
    'Server=h;User Id=a;Password=s3 &#x;': 'Server=h;User Id=a;Password=;',
    'AccountName=a;AccountKey=s3==;EndpointSuffix=e': 'AccountName=a;AccountKey=;EndpointSuffix=e',
    'https://h/c?sv=1&sig=s3%3D&se=2': 'https://h/c?sv=1&sig=&se=2',
    'host=h password=s3 dbname=d': 'host=h password= dbname=d',
  }

  test.each(Object.entries(addresses))('%s is kept without its secret, the layout stays', (address, kept) => {
    const yaml = (value: string) =>
      `${MINIMAL}servers:\n  - server: s # ours\n    type: custom\n    host: ${value} # there\n` +
      `    customProperties:\n      - {property: url, value: "${value}"}\n`
    const read = readDocument(yaml(address), 'yaml')
    expect(read.ok && read.source).toBe(yaml(kept))
    expect(read.ok && read.document).toMatchObject({
      servers: [{ host: kept, customProperties: [{ property: 'url', value: kept }] }],
    })
    expect(read.ok && read.warnings.map(({ path }) => path)).toEqual([
      '/servers/0/host',
      '/servers/0/customProperties/0/value',
    ])
    const json = readDocument(
      JSON.stringify(read.ok && { ...read.document, servers: [{ server: 's', type: 'custom', host: address }] }),
      'json',
    )
    expect(json.ok && [json.source.includes(JSON.stringify(kept)), json.source.includes('s3')]).toEqual([true, false])
  })

  test.each([
    ['kafka://u:s3@h:9092,kafka://v:s3@h2:9092', 'kafka://u@h:9092,kafka://v@h2:9092'],
    ['h:6380,password=s3,ssl=True', 'h:6380,password=,ssl=True'],
    ['{"user": "a", "password": "s\\"3"}', '{"user": "a", "password": }'],
  ])('each secret in the list %s is left out', (address, kept) => {
    const read = readDocument(
      `${MINIMAL}servers: [{server: s, type: custom, host: ${JSON.stringify(address)}}]`,
      'yaml',
    )
    expect(read.ok && read.document['servers']).toEqual([{ server: 's', type: 'custom', host: kept }])
  })

  const inServer = (members: string) => `servers: [{server: s, type: kafka, host: h, ${members}}]`
  const auth = 'customProperties: [{property: auth, value: {user: a, list: [{name: password, value: s3cret}]}}]'
  const within: readonly [string, string, string][] = [
    ['a member of a server', inServer('auth: {user: a, password: s3cret}'), '/servers/0/auth/password'],
    ['a server', inServer(auth), '/servers/0/customProperties/0/value/list/0'],
    ['the document', auth, '/customProperties/0/value/list/0'],
    [
      'a role of a server',
      inServer('roles: [{role: r, customProperties: [{property: password, value: s3cret}]}]'),
      '/servers/0/roles/0/customProperties/0',
    ],
    ['a schema object', `schema: [{name: o, ${auth}}]`, '/schema/0/customProperties/0/value/list/0'],
    [
      'a property',
      'schema: [{name: o, properties: [{name: a, customProperties: [{property: url, value: "x://u:s3cret@h"}]}]}]',
      '/schema/0/properties/0/customProperties/0/value',
    ],
  ]
  test.each(within)('a secret at any depth in %s is left out, and told', (_, members, path) => {
    const read = readDocument(`${MINIMAL.replace('v3.1.0', 'v3.0.2')}${members}\n`, 'yaml')
    expect(read.ok && read.warnings.map((warning) => warning.path)).toEqual([path])
    expect(JSON.stringify(read)).not.toContain('s3cret')
  })

  test('names that only sound like secrets, truths and references to secrets are kept', () => {
    const value = {
      passwordPolicy: 'long',
      tokenization: 'none',
      secretName: 'db',
      hasPassword: true,
      password: '${vault:db/orders#password}',
      api_key: '{{ api_key }}',
      url: 'postgres://u:${DB_PASSWORD}@h/?password=${env:P}',
      condition: 'token = other and signature is null',
    }
    const text = `${MINIMAL}customProperties: ${JSON.stringify([{ property: 'auth', value }])}\n`
    expect(readDocument(text, 'yaml')).toMatchObject({ source: text, warnings: [] })
  })

  test.each(['https://h:443/p@v1', 'https://h/a:b@c', 'postgres://u@h:5432/d', 'h:5432', 'https://h/p?keyspace=k'])(
    'the address %s, which has no secret, is kept as it is',
    (address) => {
      const read = readDocument(`${MINIMAL}servers:\n  - {server: s, type: custom, host: "${address}"}\n`, 'yaml')
      expect(read.ok && read.document['servers']).toEqual([{ server: 's', type: 'custom', host: address }])
      expect(read.ok && read.warnings).toEqual([])
    },
  )
})

describe('problems', () => {
  test.each([
    ['requred: true, quality: [{type: text, description: d}]', ['/requred']],
    ['servers: [], requred: true, physicalType: int', ['/servers', '/requred']],
    ['quality: [{type: text, descrption: d, name: q}], physicalType: int', ['/quality/0/descrption']],
    ['items: {logicalType: string, requred: true}, physicalType: int', ['/items/requred']],
  ])('of a typo in the items of an array name nothing that is right: %s', (members, paths) => {
    const items = `{logicalType: array, ${members}}`
    const text = `${MINIMAL}schema: [{name: o, properties: [{name: p, logicalType: array, items: ${items}}]}]\n`
    expect(problemsOf(text).map(({ path }) => path)).toEqual(paths.map((at) => `/schema/0/properties/0/items${at}`))
  })

  test('all are named at once, with path, line and column', () => {
    const text =
      MINIMAL.replace('"1"', '1.0') +
      'customDomain: x\nowner:\n  name: ann\nschema:\n- name: t\n  properties:\n  - {name: a, isNullable: true}\n  - {name: b, logicalType: strng}\n'
    expect(problemsOf(text)).toEqual([
      { path: '/version', line: 4, column: 10, message: 'must be a text; found 1; put it in quotes: "1.0"' },
      { path: '/customDomain', line: 6, column: 15, message: expect.stringContaining('customProperties') },
      { path: '/owner', line: 7, column: 1, message: expect.stringContaining('"owner" is not known') },
      {
        path: '/schema/0/properties/0/isNullable',
        line: 12,
        column: 27,
        message: expect.stringContaining('"isNullable" is not known in v3.1.0'),
      },
      {
        path: '/schema/0/properties/1/logicalType',
        line: 13,
        column: 28,
        message: expect.stringContaining('must be one of string'),
      },
    ])
  })

  test.each([
    ['a text begins that is empty', '', { path: '', line: 1, column: 1 }],
    ['a quote opens that is never closed', `${MINIMAL}name: "Orders\ntenant: x\n`, { line: 6, column: 7 }],
  ])('name the line where %s', (_, text, first) => expect(problemsOf(text)[0]).toMatchObject(first))

  test('a version without its v is told all that are supported', () => {
    expect(refused(MINIMAL.replace('v3.1.0', '"3.1.0"'))).toContain('must be one of v3.2.0, v3.1.0, v3.0.2')
  })

  test.each(['v3.3.0', 'v4.0.0', '3.3.0', 'v2.1.0', 'latest'])(
    'version %s is refused, naming the supported ones',
    (version) => {
      expect(refused(MINIMAL.replace('v3.1.0', version))).toMatch(
        /not supported; supported are v3\.2\.0, v3\.1\.0, .*v2\.2\.0/,
      )
    },
  )

  test.each([
    ['dataContractSpecification: 1.1.0\nid: a\ninfo: {title: t}\n', 'the Data Contract Specification,'],
    ['apiVersion: v1.0.0\nkind: DataProduct\nid: a\nstatus: active\n', 'the Open Data Product Standard (ODPS),'],
    [
      'schema: https://opendataproducts.org/v4.1/schema/odps.yaml\nversion: 4.1\nproduct: {details: {}}\n',
      'the Open Data Product Specification (ODPS),',
    ],
  ])('a document of another format is told by name: %j', (text, name) => {
    expect(refused(text)).toContain(`this is a document of ${name} not of ODCS: convert it first`)
  })

  test.each([
    ['a v2 document without dataset', 'uuid: x\nstatus: current\nversion: 1.0.0\n', 'dataset'],
    ['neither shape', 'hello: world\n', 'not a data contract'],
    ['a list', '- a\n', 'a list'],
    ['nothing', '', 'empty'],
    ['comments only', '# hi\n', 'empty'],
    ['duplicate keys', `${MINIMAL}id: b\n`, 'twice'],
    [
      'duplicate object names',
      `${MINIMAL}schema: [{name: t}, {name: t}]\n`,
      'schema object name "t" stands here twice',
    ],
    [
      'duplicate property names',
      `${MINIMAL}schema: [{name: t, properties: [{name: p}, {name: p}]}]\n`,
      'property name "p"',
    ],
    [
      'duplicate nested names',
      `${MINIMAL}schema: [{name: t, properties: [{name: p, items: {properties: [{name: q}, {name: q}]}}]}]\n`,
      'property name "q"',
    ],
    ['several documents', `${MINIMAL}---\n${MINIMAL}`, 'second one begins here'],
    ['tabs', 'a:\n\tb: 1\n', 'Tabs'],
    ['NUL', `${MINIMAL}name: "\0"\n`, 'U+0000'],
    ['a function tag', `${MINIMAL}name: !!js/function "x"\n`, 'unknown or unfit tag'],
    ['a binary tag', `${MINIMAL}name: !!binary "x"\n`, 'unknown or unfit tag'],
    ['__proto__', `${MINIMAL}__proto__: {a: 1}\n`, 'not allowed'],
    ['__proto__ below', `${MINIMAL}customProperties: [{property: a, value: {__proto__: 1}}]\n`, 'not allowed'],
    ['merge keys', `${MINIMAL}price: &p {priceUnit: a}\ndescription:\n  <<: *p\n`, 'merge keys'],
    ['an alias to itself', `${MINIMAL}price: &p {priceUnit: *p}\n`, 'contains itself'],
    ['an alias to nowhere', `${MINIMAL}price: *p\n`, 'no anchor'],
    ['infinity', `${MINIMAL}price: {priceAmount: .inf}\n`, 'not a number'],
    ['half a surrogate', `${MINIMAL}name: "\\ud800"\n`, 'surrogate'],
    ['an integer that is none', `${MINIMAL}price: {priceAmount: !!int 1.5}\n`, 'unknown or unfit tag'],
    ['a key that is not a text', `${MINIMAL}? [a]\n: b\n`, 'plain text'],
  ])('%s', (_name, text, message) => {
    expect(refused(text)).toContain(message)
  })

  test('UTF-16 and broken UTF-8', () => {
    expect(refused(Buffer.from(`\ufeff${MINIMAL}`, 'utf16le'))).toContain('UTF-16')
    expect(refused(Buffer.from(MINIMAL, 'utf16le'))).toContain('UTF-16')
    expect(refused(Uint8Array.of(0x61, 0x3a, 0x20, 0xff))).toContain('UTF-8')
  })

  test.each([
    ['{"a":1,"a":2}', 'twice'],
    ['{"__proto__":{}}', 'not allowed'],
    ['{"a":', 'too early'],
    ['{"a":1', 'too early'],
    ['{"a":1, ', 'too early'],
    ['[1\n', 'too early'],
    ['{"a":1} x', 'goes on'],
    ['{"a":1,}', 'double quotes'],
    ['{"a":"\\ud800"}', 'surrogate'],
    ['{"a":"\n"}', 'control character'],
    ['{"a":1e999}', 'too large'],
    ['[1]', 'a list'],
    ['"x"', 'single value'],
  ])('JSON %s', (text, message) => {
    expect(refused(text, 'json')).toContain(message)
  })
})

describe('hostile texts', () => {
  test('JSON nested 20,000 deep', () => {
    expect(refused('['.repeat(20_000), 'json')).toMatch(/deeper than 128/)
    expect(refused('{"a":'.repeat(20_000), 'json')).toMatch(/deeper than 128/)
  })

  // The three lists and mappings around the value count.
  const nested = (depth: number, open: string, close: string): string =>
    `{"customProperties": [{"property": "a", "value": ${open.repeat(depth - 3)}${close.repeat(depth - 3)}}]}`

  test.each([
    ['lists', '[', ']'],
    ['mappings', '{"a":', '}'],
  ])('%s are read 128 deep and no deeper, in YAML as in JSON', (_, open, close) => {
    const inside = (depth: number) => nested(depth, open, close).replace(':}', ':1}')
    for (const [depth, faults] of [
      [128, []],
      [129, ['nested deeper than 128 levels']],
    ] as const) {
      const { value } = JSON.parse(inside(depth)).customProperties[0]
      const block = { customProperties: [{ property: 'a', value }] }
      const texts = [inside(depth), stringify(block), stringify(block, { indentSeq: false })]
      for (const text of texts) expect(readYaml(text).faults.map(({ message }) => message)).toEqual(faults)
      expect(readJson(inside(depth)).faults.map(({ message }) => message)).toEqual(faults)
    }
  })

  test('an alias bomb stops early', () => {
    const bomb = `a0: &a0 [x]\n${Array.from({ length: 30 }, (_line, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(',')}]`).join('\n')}`
    expect(refused(bomb)).toContain('aliases make this document too large')
  })

  test('no more than a hundred problems are named, and the others are counted', () => {
    const text = MINIMAL + Array.from({ length: 1_000 }, (_line, n) => `k${n}: v`).join('\n')
    const read = readDocument(text, 'yaml')
    expect(!read.ok && [read.problems.length, read.unlisted]).toEqual([100, 900])
    const preview = parsePreview(text)
    expect(preview.ok && preview.problems.at(-1)).toEqual({ path: '', message: 'and 900 more problems' })
  })

  test('a text of more tokens than the bound is not read to its end', () => {
    expect(refused(`[${','.repeat(2_100_000)}]`)).toBe('has more than 2000000 tokens')
  })

  test('one text of five megabytes is read, one byte more than the bound is not', () => {
    expect(refused(`${MINIMAL}name: ${'x'.repeat(5_000_000)}\n`)).toBe('accepted')
    expect(refused('x'.repeat(5 * 1024 * 1024 + 1))).toContain('larger than')
  })
})
