import { describe, expect, it, onTestFinished } from 'vitest'
import { answered, as, schemaOfPg, useHttp, type Prepared } from './support.ts'

const roles = `roles:
  NoUsers:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: [view], kinds: [user] }
  OwnTables:
    - { effect: allow, operations: [view, search], kinds: ['*'] }
    - { effect: allow, operations: [edit, delete], kinds: [table], condition: isOwner }
  NoTables:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: [view, edit], kinds: [table] }
`

const nasty = '=HYPERLINK("http://evil"),;\nsecond | line "quoted"'

const table = (name: string, more: object = {}): [string, object] => [
  'tables',
  { name, databaseSchema: 'pg.db.s', ...more },
]

const made: NonNullable<Prepared['made']> = [
  ['users', { name: 'ann' }],
  ['users', { name: 'bob' }],
  ['domains', { name: 'sales' }],
  ['domains', { name: 'a|b.c' }],
  ['classifications', { name: 'PII', mutuallyExclusive: true }],
  ['tags', { name: 'Sensitive', classification: 'PII' }],
  ['tags', { name: 'None', classification: 'PII' }],
  ['glossaries', { name: 'Words' }],
  ['glossaryTerms', { name: 'Order', glossary: 'Words' }],
  ...schemaOfPg,
  table('t1', { description: nasty, displayName: "'+1", owners: ['ann'], tags: ['PII.Sensitive', 'Words.Order'] }),
  table('t2', { domains: ['sales', '"a|b.c"'] }),
  table('t3', { description: 'Three' }),
]

const http = useHttp({ policies: roles, made })

const csv = { 'content-type': 'text/csv' }
const head = 'name,fullyQualifiedName,displayName,description,owners,tags,terms,domains,version'

const exported = async (query = '', options = {}): Promise<string> =>
  (await http.get(`/v1/tables/export${query}`, options)) as unknown as string

const imported = async (text: string | Buffer, query = '', options: { token?: string } = {}) =>
  await http.put(`/v1/tables/import${query}`, text, { ...options, headers: csv })

const changed = async (body: object, query = '', options = {}) =>
  (await answered(200, http.call('POST', `/v1/tables/changes${query}`, body, options))).body

const get = (name: string) => http.get(`/v1/tables/name/pg.db.s.${name}?fields=owners,tags,domains`)

const takeBack = async ({ correlationId }: { correlationId: string }) =>
  (await answered(200, http.call('POST', `/v1/requests/${correlationId}/revert`))).body

const fqns = (list: { fullyQualifiedName?: string; tagFQN?: string }[] = []) =>
  list.map(({ fullyQualifiedName, tagFQN }) => fullyQualifiedName ?? tagFQN)

describe('GET …/export and PUT …/import', () => {
  it('a list comes as CSV in which no cell is a formula, and comes back without a change', async () => {
    const { headers, body } = await http.call('GET', '/v1/tables/export')
    expect(headers.get('content-type')).toContain('text/csv')
    expect(headers.get('content-disposition')).toBe('attachment; filename="tables.csv"')
    expect(body).toBe(
      [
        head,
        `t1,pg.db.s.t1,''+1,"'=HYPERLINK(""http://evil""),;\nsecond | line ""quoted""",ann,PII.Sensitive,Words.Order,,0.1`,
        't2,pg.db.s.t2,,,,,,"sales|""a|b.c""",0.1',
        't3,pg.db.s.t3,,Three,,,,,0.1',
        '',
      ].join('\r\n'),
    )
    for (const query of ['', '?bom=true&separator=semicolon', '?asOf=2999-01-01T00:00:00Z'])
      expect(await imported(await exported(query))).toMatchObject({ processed: 3, unchanged: 3, data: [] })
    expect(await exported('?bom=true')).toBe(body)
    expect(Buffer.from(await (await fetchRaw('?bom=true')).arrayBuffer()).subarray(0, 3)).toEqual(
      Buffer.from([0xef, 0xbb, 0xbf]),
    )
  })

  const fetchRaw = (query: string) =>
    fetch(`${http.url}/api/v1/tables/export${query}`, {
      headers: { authorization: `Bearer ${as('a', 'Admin').token}` },
    })

  it('names that begin or end with a blank come back, and blanks around others are not part of them', async () => {
    for (const name of [' t4', 't5 ']) await http.post('/v1/tables', { name, databaseSchema: 'pg.db.s' })
    onTestFinished(async () => {
      for (const name of [' t4', 't5 '])
        await http.remove(`/v1/tables/name/${encodeURIComponent(`pg.db.s.${name}`)}?hardDelete=true`)
    })
    expect(await imported(await exported(''))).toMatchObject({ processed: 5, unchanged: 5 })
    expect(await imported('fullyQualifiedName,description\r\n pg.db.s.t3 ,Three\r\n')).toMatchObject({ unchanged: 1 })
  })

  it('filters and words narrow it', async () => {
    const names = (text: string) => text.split('\r\n').flatMap((line) => /^t\d/.exec(line) ?? [])
    expect(names(await exported('?owner=ann'))).toEqual(['t1'])
    expect(names(await exported('?q=three'))).toEqual(['t3'])
    expect(names(await exported('?q=three&owner=ann'))).toEqual([])
    expect(names(await exported('?q=*'))).toEqual(['t1', 't2', 't3'])
    await http.refuses('BAD_REQUEST', 'GET', '/v1/tables/export?q=(three')
    await http.refuses('BAD_REQUEST', 'GET', '/v1/tables/export?q=three&asOf=@1')
    await http.refuses('BAD_REQUEST', 'GET', '/v1/tables/export?separator=tab')
  })

  it('what was edited in a spreadsheet is shown first, then written as one request that is taken back whole', async () => {
    const before = await Promise.all(['t2', 't3'].map(get))
    const sheet =
      '\uFEFFfullyQualifiedName;Description;owners;tags;terms;version\r\n' +
      'pg.db.s.t2;"two\r\nlines; ""here""";bob|ann;;Words.Order;0,1\r\n' +
      ';;;;;\r\n' +
      'pg.db.s.t3;;;PII.None;;\r\n'
    const preview = await imported(sheet, '?dryRun=true')
    expect(preview).toMatchObject({ dryRun: true, status: 'success', processed: 2, changed: 2 })
    expect(preview.data).toMatchObject([
      {
        row: 2,
        fullyQualifiedName: 'pg.db.s.t2',
        outcome: 'changed',
        changes: [
          { column: 'description', before: '', after: 'two\nlines; "here"' },
          { column: 'owners', before: '', after: 'bob|ann' },
          { column: 'terms', before: '', after: 'Words.Order' },
        ],
      },
      {
        row: 4,
        changes: [
          { column: 'description', before: 'Three', after: '' },
          { column: 'tags', before: '', after: 'PII.None' },
        ],
      },
    ])
    expect(await Promise.all(['t2', 't3'].map(get))).toEqual(before)
    const done = await imported(sheet)
    expect(done.data).toEqual(preview.data)
    const [two, three] = await Promise.all(['t2', 't3'].map(get))
    expect([two.description, fqns(two.owners), fqns(two.tags)]).toEqual([
      'two\nlines; "here"',
      ['bob', 'ann'],
      ['Words.Order'],
    ])
    expect([three.description, fqns(three.tags)]).toEqual([undefined, ['PII.None']])
    expect(await takeBack(done)).toMatchObject({ status: 'success', data: [{}, {}] })
    const again = await Promise.all(['t2', 't3'].map(get))
    expect(again.map(({ description, owners, tags }) => [description, owners, tags])).toEqual(
      before.map(({ description, owners, tags }) => [description, owners, tags]),
    )
  })

  it('a row of another version is named and not written, and what is wrong is named by row and column', async () => {
    await http.patch('/v1/tables/name/pg.db.s.t3', { displayName: 'Drei' })
    const { version } = await get('t3')
    const result = await imported(
      [
        'name,fullyQualifiedName,displayName,tags,owners,version',
        `t3,pg.db.s.t3,Mine,,,0.1`,
        't1,pg.db.s.t1,One,PII.Sensitive|PII.None|No.Such,carl,',
        't2,pg.db.s.nothing,Two,,,',
        't1,pg.db.s.t1,One,,,',
        'other,pg.db.s.t2,Two,,,',
        't2,"pg.db"".s",Two,,,soon',
        't2,pg.db.s.t2',
      ].join('\n'),
    )
    expect(result).toMatchObject({ status: 'failure', changed: 0, failed: 7 })
    const told = result.data.map(({ row, outcome, errors }: { row: number; outcome: string; errors: object[] }) => [
      row,
      outcome,
      ...errors.map((error) => Object.values(error).join(': ')),
    ])
    expect(told[0]).toEqual([
      2,
      'conflict',
      expect.stringContaining(`at version ${version.toFixed(1)}, changed by admin`),
    ])
    expect(told[1]).toEqual([
      3,
      'refused',
      expect.stringMatching(/^owners: .*carl/),
      expect.stringMatching(/^tags: .*No\.Such/),
    ])
    expect(told.slice(2)).toEqual([
      [4, 'refused', 'There is no table pg.db.s.nothing.'],
      [5, 'refused', 'fullyQualifiedName: row 3 already changes this entity'],
      [6, 'refused', 'name: cannot be changed'],
      [7, 'refused', 'version: must be a version such as 0.3'],
      [8, 'refused', expect.stringContaining('has 2 cells, and the first row has 6')],
    ])
    expect((await get('t3')).displayName).toBe('Drei')
    const long = `pg.db.s.t2,"${'x,'.repeat(2 ** 19)}"`
    const beside = await imported(`fullyQualifiedName,displayName\n${long}\npg.db.s.t3,Trois\n`, '?dryRun=true')
    expect(beside).toMatchObject({ status: 'partialSuccess', changed: 1, failed: 1 })
    expect(beside.data[0]).toMatchObject({
      row: 2,
      fullyQualifiedName: 'pg.db.s.t2',
      errors: [{ message: 'may have at most 1048576 bytes and has 1048586: change it with PATCH' }],
    })
    const unchanged = await imported('fullyQualifiedName,displayName,version\npg.db.s.t3,Drei,0.1')
    expect(unchanged).toMatchObject({ status: 'success', unchanged: 1 })
  })

  it.each([
    ['empty', ''],
    ['not UTF-8', Buffer.from([0xff, 0xfe, 0x00])],
    ['open quotes', 'fullyQualifiedName,description\npg.db.s.t1,"never closed'],
    ['an unknown column', 'fullyQualifiedName,colour\npg.db.s.t1,red'],
    ['a column twice', 'fullyQualifiedName,tags,Tags\npg.db.s.t1,,'],
    ['no name', 'description\nx'],
    ['many columns without names', ','.repeat(900_000)],
    ['too many rows', `fullyQualifiedName\n${'x\n'.repeat(10_001)}`],
  ])('a file that is %s is refused as a whole', async (_, text) => {
    const sent = typeof text === 'string' ? text || ' ' : text
    await http.refuses('BAD_REQUEST', 'PUT', '/v1/tables/import', sent, { headers: csv })
  })
})

describe('POST …/changes', () => {
  it('a selection gets and loses what is said, and is taken back whole', async () => {
    const ids = (await Promise.all(['t1', 't2'].map(get))).map(({ id }) => id)
    const body = { ids, set: { description: 'Same' }, add: { owners: ['bob'] }, remove: { tags: ['PII.Sensitive'] } }
    const preview = await changed(body, '?dryRun=true')
    expect(preview).toMatchObject({ dryRun: true, changed: 2 })
    expect(preview.data[0].changes).toEqual([
      { column: 'description', before: nasty, after: 'Same' },
      { column: 'owners', before: 'ann', after: 'ann|bob' },
      { column: 'tags', before: 'PII.Sensitive', after: '' },
    ])
    const done = await changed(body)
    expect(done.data).toEqual(preview.data)
    const one = await get('t1')
    expect([one.description, fqns(one.owners), fqns(one.tags)]).toEqual(['Same', ['ann', 'bob'], ['Words.Order']])
    expect(await changed(body)).toMatchObject({ changed: 0, unchanged: 2 })
    expect(await takeBack(done)).toMatchObject({ status: 'success' })
    const back = await get('t1')
    expect([back.description, fqns(back.owners), fqns(back.tags).toSorted()]).toEqual([
      nasty,
      ['ann'],
      ['PII.Sensitive', 'Words.Order'],
    ])
  })

  it('what changed after a preview, not by a vote, is a conflict where its position is the condition, of a spreadsheet too', async () => {
    const preview = async (method: string, path: string, body: unknown, options = {}) => {
      const { headers } = await answered(200, http.call(method, `/v1/tables/${path}?dryRun=true`, body, options))
      return `?unchangedSince=${headers.get('catalog-position')}`
    }
    const ids = (await Promise.all(['t1', 't2', 't3'].map(get))).map(({ id }) => id)
    const body = { ids, set: { description: 'Mine' } }
    const seen = await preview('POST', 'changes', body)
    const theirs = await changed({ ids: [ids[0]], set: { description: 'Theirs' } })
    await answered(200, http.call('PUT', `/v1/tables/${ids[1]}/vote`, { updatedVoteType: 'votedUp' }))
    const done = await changed(body, seen)
    expect(done).toMatchObject({ changed: 2, failed: 1, data: [{ outcome: 'conflict' }, {}, {}] })
    expect(done.data[0].errors[0].message).toMatch(/changed after the preview/)
    expect(await changed(body, seen)).toMatchObject({ unchanged: 2, failed: 1 })

    const sheet = 'fullyQualifiedName,description\npg.db.s.t1,Theirs\npg.db.s.t2,Edited\n'
    const known = await preview('PUT', 'import', sheet, { headers: csv })
    const later = await changed({ ids: [ids[0]], set: { description: 'Theirs again' } })
    const sent = await imported(sheet, known)
    expect(sent).toMatchObject({ changed: 1, failed: 1, data: [{ row: 2, outcome: 'conflict' }, { row: 3 }] })
    expect((await get('t1')).description).toBe('Theirs again')
    for (const each of [sent, later, done, theirs]) await takeBack(each)
    for (const since of ['then', '999999999999'])
      await http.refuses('BAD_REQUEST', 'POST', `/v1/tables/changes?unchangedSince=${since}`, body)
    await http.refuses('BAD_REQUEST', 'PUT', '/v1/tables/import?unchangedSince=999999999999', sheet, { headers: csv })
  })

  it('what a filter finds only before or only after a preview is a conflict, and nothing else is left out or added', async () => {
    await http.post('/v1/databaseSchemas', { name: 'moving', database: 'pg.db' })
    onTestFinished(() => http.remove('/v1/databaseSchemas/name/pg.db.moving?recursive=true&hardDelete=true'))
    const names = ['leaves', 'enters', 'stays', 'edited', 'deleted']
    for (const name of names) await http.post('/v1/tables', { name, databaseSchema: 'pg.db.moving' })
    const contract = (name: string) =>
      http.post('/v1/dataContracts', {
        name: 'k',
        entity: { type: 'table', fullyQualifiedName: `pg.db.moving.${name}` },
      })
    const path = '/v1/tables/name/pg.db.moving.'
    await contract('enters')
    const filter = '?databaseSchema=pg.db.moving&contracted=false'
    const body = { set: { description: 'Mine' } }
    const preview = await answered(200, http.call('POST', `/v1/tables/changes${filter}&dryRun=true`, body))
    expect(preview.body).toMatchObject({ processed: 4, changed: 4 })
    const seen = `${filter}&unchangedSince=${preview.headers.get('catalog-position')}`
    expect((await changed(body, `${seen}&dryRun=true`)).data).toEqual(preview.body.data)

    await contract('leaves')
    await http.remove('/v1/dataContracts/name/pg.db.moving.enters.k')
    await http.patch(`${path}edited`, { displayName: 'Theirs' })
    await http.remove(`${path}deleted`)
    const done = await changed(body, seen)
    expect(
      done.data
        .map(({ outcome, fullyQualifiedName }: Record<string, string>) => `${outcome} ${fullyQualifiedName}`)
        .toSorted(),
    ).toEqual([
      'changed pg.db.moving.stays',
      ...['deleted', 'edited', 'enters', 'leaves'].map((name) => `conflict pg.db.moving.${name}`),
    ])
    expect(done).toMatchObject({ processed: 5, changed: 1, failed: 4 })
    for (const name of names)
      expect([name, (await http.get(`${path}${name}?include=all`)).description]).toEqual([
        name,
        name === 'stays' ? 'Mine' : undefined,
      ])
    expect(await changed(body, seen)).toMatchObject({ unchanged: 1, failed: 4 })
    await http.patch(`${path}enters`, body.set)
    expect(await changed(body, seen)).toMatchObject({ unchanged: 2, failed: 3 })
    for (const query of [`${seen}&q=enters`, `${filter}&unchangedSince=999999999999`])
      await http.refuses('BAD_REQUEST', 'POST', `/v1/tables/changes${query}`, body)
  })

  it('what is added and removed at once is there afterwards', async () => {
    const { id } = await get('t1')
    const body = { ids: [id], add: { owners: ['bob', 'ann'] }, remove: { owners: ['ann'], tags: ['PII.None'] } }
    const { body: preview } = await answered(200, http.call('POST', '/v1/tables/changes?dryRun=true', body))
    const [owners] = preview.data[0].changes.filter(({ column }: { column: string }) => column === 'owners')
    expect(owners.after.split('|').toSorted()).toEqual(['ann', 'bob'])
  })

  it('everything that filters or words find is meant where no ids are said, and what refuses does not hold up others', async () => {
    const put = { add: { tags: ['PII.None'] } }
    const filtered = await changed(put, '?owner=ann&dryRun=true')
    expect(filtered).toMatchObject({ processed: 1, failed: 1, status: 'failure' })
    expect(filtered.data[0].errors).toHaveLength(1)
    const all = await changed(put, '?q=*')
    expect(all).toMatchObject({ status: 'partialSuccess', processed: 3, changed: 2, failed: 1 })
    expect(await takeBack(all)).toMatchObject({ status: 'success' })
    expect(await changed(put, '?domain=nowhere')).toMatchObject({ processed: 0, status: 'success' })
    expect(await changed({ ...put, ids: [] })).toMatchObject({ processed: 0 })
    const missing = '00000000-0000-4000-8000-000000000000'
    expect(await changed({ ...put, ids: [missing] })).toMatchObject({ failed: 1, data: [{ outcome: 'refused' }] })
  })

  it('ids and filters together are refused, since one of them would be ignored', async () => {
    const body = { ids: [(await get('t1')).id], set: { description: 'Everything' } }
    const { errors } = await http.refuses('BAD_REQUEST', 'POST', '/v1/tables/changes?owner=bob&q=x', body)
    expect(errors).toEqual([{ path: '/ids', message: 'select what to change either by ids or by owner, q' }])
  })

  it.each(['', '?dryRun=true', '?include=all'])(
    'without ids, words and filters (%s) nothing is changed',
    async (query) => {
      const body = { set: { description: 'Everything' } }
      const refused = await http.refuses('BAD_REQUEST', 'POST', `/v1/tables/changes${query}`, body)
      expect(JSON.stringify(refused)).toContain('select what to change by ids')
      expect((await get('t1')).description).not.toBe('Everything')
    },
  )

  it('words select what matches as they are written, and a preview finds what is changed', async () => {
    const put = { set: { description: 'Tariff' } }
    for (const name of ['tariff_a', 'tarif_b']) await http.post('/v1/tables', { name, databaseSchema: 'pg.db.s' })
    for (const [q, total] of [
      ['tariff', 1],
      ['tarrif', 0],
    ] as const) {
      expect(await changed(put, `?q=${q}&dryRun=true`)).toMatchObject({ processed: total })
      expect((await http.get(`/v1/tables?q=${q}`)).paging.total).toBe(total)
      expect((await exported(`?q=${q}`)).match(/s\.tarif+_/g) ?? []).toEqual(total === 1 ? ['s.tariff_'] : [])
    }
    const { hits } = await http.get('/v1/search/query?q=tarrif')
    expect(hits.hits.map(({ fuzzy }: { fuzzy?: boolean }) => fuzzy)).toEqual([true])
    for (const name of ['tariff_a', 'tarif_b']) await http.remove(`/v1/tables/name/pg.db.s.${name}?hardDelete=true`)
  })

  it.each(['', ' ', '\n', '\u3000'])(
    'words that say nothing (%j) select nothing, whatever is sent beside them',
    async (q) => {
      const selected = `q=${encodeURIComponent(q)}&include=non-deleted`
      for (const [method, path, body] of [
        ['POST', `changes?${selected}`, { set: { description: 'Everything' } }],
        ['POST', `changes?${selected}&owner=bob`, { set: { description: 'Everything' } }],
        ['GET', `export?${selected}`, undefined],
      ] as const) {
        const { errors } = await http.refuses('BAD_REQUEST', method, `/v1/tables/${path}`, body)
        expect(errors).toEqual([{ path: '?q', message: expect.stringContaining('must not be empty') }])
      }
      expect((await get('t1')).description).not.toBe('Everything')
    },
  )

  it.each([
    { set: { name: 'x' } },
    { set: { owners: 'ann' } },
    { add: { description: 'x' } },
    { ids: ['t1'] },
    { ids: {} },
  ])('%j is refused', async (body) => {
    await http.refuses('BAD_REQUEST', 'POST', '/v1/tables/changes', body)
  })

  it('of many that change one entity at a time nothing is lost', async () => {
    const { id } = await get('t2')
    const names = ['PII.Sensitive', 'Words.Order']
    await Promise.all([
      changed({ ids: [id], add: { tags: names.slice(0, 1) } }),
      changed({ ids: [id], add: { terms: names.slice(1) } }),
      changed({ ids: [id], add: { owners: ['ann'] } }),
      changed({ ids: [id], add: { owners: ['bob'] } }),
    ])
    const { tags, owners } = await get('t2')
    expect([fqns(tags).toSorted(), fqns(owners).toSorted()]).toEqual([names, ['ann', 'bob']])
  })
})

describe('a user and a team of the same name', () => {
  const owners = ['user', 'team'].map((type) => ({ type, fullyQualifiedName: '"twins.of"' }))
  const typesOf = async () =>
    (await get('twins')).owners?.map(({ type, name }: { type: string; name: string }) => `${type} ${name}`)

  const makeTwins = async (): Promise<string> => {
    for (const path of ['users', 'teams']) await http.call('PUT', `/v1/${path}`, { name: 'twins.of' })
    const { id } = await http.post('/v1/tables', { name: 'twins', databaseSchema: 'pg.db.s', owners })
    onTestFinished(() => http.remove(`/v1/tables/${id}?hardDelete=true`))
    return id
  }

  it('are told apart in spreadsheets, where a cell that was not edited changes nothing', async () => {
    await makeTwins()
    const text = await exported('?q=twins')
    expect(text).toContain(',"""user:twins.of""|""team:twins.of""",')
    expect(await imported(text)).toMatchObject({ processed: 1, unchanged: 1 })
    const described = text.replace('pg.db.s.twins,,,', 'pg.db.s.twins,,Described,')
    expect((await imported(described)).data[0].changes.map(({ column }: { column: string }) => column)).toEqual([
      'description',
    ])
    expect(await typesOf()).toEqual(['user twins.of', 'team twins.of'])
    const owned = (cell: string) => imported(`fullyQualifiedName,owners\npg.db.s.twins,${cell}`)
    expect(await owned('team:twins.of')).toMatchObject({ changed: 1 })
    expect(await typesOf()).toEqual(['team twins.of'])
    for (const cell of ['twins.of', 'team:twins.of', '"""team:twins.of"""', 'twins.of|team:twins.of'])
      expect(await owned(cell)).toMatchObject({ unchanged: 1 })
    expect(await owned('user:twins.of|ann|team:twins.of')).toMatchObject({ changed: 1 })
    expect(await typesOf()).toEqual(['user twins.of', 'user ann', 'team twins.of'])
  })

  it('are told apart from a team that is called like the user with the type', async () => {
    const ids = [await makeTwins()]
    await http.call('PUT', '/v1/teams', { name: 'user:twins.of' })
    const set = { owners: ['team:user:twins.of'] }
    expect(await changed({ ids, set })).toMatchObject({ changed: 1 })
    const text = (await exported('?q=twins')).replace(/,[\d.]+\r\n$/, ',\r\n')
    expect(await changed({ ids, set: { owners: ['user:twins.of'] } })).toMatchObject({ changed: 1 })
    expect(await typesOf()).toEqual(['user twins.of'])
    expect(await imported(text)).toMatchObject({ changed: 1 })
    expect(await typesOf()).toEqual(['team user:twins.of'])
  })

  it('are added and removed one by one, and a name that may mean either is refused', async () => {
    const ids = [await makeTwins()]
    expect(await changed({ ids, add: { owners: ['ann'] } })).toMatchObject({ changed: 1 })
    expect(await typesOf()).toEqual(['user twins.of', 'team twins.of', 'user ann'])
    for (const body of [{ remove: { owners: ['twins.of'] } }, { set: { owners: ['twins.of'] } }]) {
      const { data } = await changed({ ids, ...body })
      expect(data[0].errors).toEqual([
        { column: 'owners', message: expect.stringMatching(/\(user, team\): say which one, such as/) },
      ])
    }
    expect(await changed({ ids, remove: { owners: ['user:twins.of', 'ann'] } })).toMatchObject({ changed: 1 })
    expect(await typesOf()).toEqual(['team twins.of'])
    expect(await changed({ ids, add: { owners: ['team:twins.of'] } })).toMatchObject({ unchanged: 1 })
    expect(await changed({ ids, add: { owners: ['user:twins.of'] } })).toMatchObject({ changed: 1 })
    expect(await typesOf()).toEqual(['team twins.of', 'user twins.of'])
  })
})

describe('whoever may not see or do everything', () => {
  it('has opaque ids in the place of names that are hidden from him, and they mean the same when they come back', async () => {
    const nobody = as('eve', 'NoUsers')
    const text = await exported('', nobody)
    expect(text).not.toMatch(/ann|bob/)
    expect(await imported(text, '', nobody)).toMatchObject({ status: 'success', changed: 0 })
    const [opaque = ''] = /[0-9a-f-]{36}/.exec(text) ?? []
    const sheet = `fullyQualifiedName,owners\npg.db.s.t3,${opaque}`
    expect(await imported(sheet, '', nobody)).toMatchObject({ status: 'success', changed: 1 })
    expect(fqns((await get('t3')).owners)).toEqual(['ann'])
  })

  it('changes only what he may', async () => {
    await imported('fullyQualifiedName,owners\npg.db.s.t3,bob')
    const own = as('ann', 'OwnTables')
    const result = await changed({ set: { displayName: 'Own' } }, '?service=pg', own)
    expect(result.status).toBe('partialSuccess')
    const refused = result.data.filter(({ outcome }: { outcome: string }) => outcome === 'refused')
    for (const { fullyQualifiedName } of result.data) {
      const { owners, displayName } = await get(fullyQualifiedName.replace('pg.db.s.', ''))
      const isOwn = fqns(owners).includes('ann')
      expect([fullyQualifiedName, displayName === 'Own']).toEqual([fullyQualifiedName, isOwn])
    }
    expect(
      refused.every(({ errors }: { errors: { message: string }[] }) => /owners/.test(errors[0]?.message ?? '')),
    ).toBe(true)
    const none = as('eve', 'NoTables')
    await http.refuses('FORBIDDEN', 'POST', '/v1/tables/changes', {}, none)
    await http.refuses('FORBIDDEN', 'GET', '/v1/tables/export', undefined, none)
    const viewer = as('vic', 'DataConsumer')
    await http.refuses('FORBIDDEN', 'PUT', '/v1/tables/import', head, { ...viewer, headers: csv })
  })
})

it('a sweep of somebody who may delete only what is his deletes nothing where others own some of it', async () => {
  await http.post('/v1/databaseSchemas', { name: 'swept', database: 'pg.db' })
  await http.post('/v1/tables', { name: 'mine', databaseSchema: 'pg.db.swept', owners: ['ann'] })
  await http.post('/v1/tables', { name: 'other', databaseSchema: 'pg.db.swept' })
  const sweep = (...seen: string[]) =>
    http.call('POST', '/v1/tables/sweep', { scope: 'pg.db.swept', seen }, as('ann', 'OwnTables'))
  expect((await sweep('pg.db.swept.mine')).status).toBe(403)
  const { data } = (await answered(200, sweep('pg.db.swept.other'))).body
  expect(data).toMatchObject([{ fullyQualifiedName: 'pg.db.swept.mine', outcome: 'deleted' }])
})
