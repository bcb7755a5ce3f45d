import { describe, expect, it } from 'vitest'
import { defineKind } from '../../src/kinds/definitions/commonMembers.ts'
import { field } from '../../src/kinds/members/fields.ts'
import {
  assetKinds,
  contractedKinds,
  contractKind,
  descendantKinds,
  kindNamed,
  kinds,
  storedKinds,
  lineageKind,
  principalKind,
} from '../../src/kinds/registry/kinds.ts'
import { assetColumns, columnPaths } from '../../src/kinds/members/assetColumns.ts'
import { promisable } from '../../src/shared/columnTypes.ts'
import { readRequest } from '../../src/kinds/request/requestSchema.ts'
import { checkKinds } from '../support/checkKinds.ts'

const names = kinds.map((kind) => kind.name)

describe('the registry', () => {
  it('puts parents first', () => {
    for (const kind of kinds) {
      for (const parent of kind.parents.flatMap((each) => each.kinds))
        expect(names.indexOf(parent)).toBeLessThanOrEqual(names.indexOf(kind.name))
    }
  })

  it('finds kinds by name', () => {
    expect(kindNamed('table').path).toBe('tables')
    expect(() => kindNamed('constructor')).toThrow('There is no kind constructor')
  })

  it('knows what can stand below a kind', () => {
    const below = (name: string) =>
      descendantKinds(name)
        .map((kind) => kind.name)
        .toSorted()
    expect(below('databaseService')).toEqual([
      'dataContract',
      'database',
      'databaseSchema',
      'lineage',
      'query',
      'storedProcedure',
      'table',
      'testCase',
    ])
    expect(below('container')).toEqual(['container', 'dataContract', 'lineage'])
    expect(below('classification')).toEqual(['tag'])
    expect(below('glossary')).toEqual(['glossaryTerm'])
    expect(below('domain')).toEqual(['domain'])
    expect(below('user')).toEqual([])
  })

  it('knows assets, contracts and principals', () => {
    const data = kinds.flatMap(({ name, traits }) => (traits.dataAsset ? [name] : [])).toSorted()
    expect(data).toEqual(expect.arrayContaining(['apiEndpoint', 'container', 'database', 'table', 'topic']))
    expect(assetKinds.toSorted()).toEqual(data)
    for (const other of ['databaseService', 'dataProduct', 'glossaryTerm', 'testCase', 'user']) {
      expect(data).not.toContain(other)
    }
    expect(contractedKinds.toSorted()).toEqual([...data, 'dataProduct'].toSorted())
    expect(kindNamed('dataProduct').fields['assets']?.references?.kinds.toSorted()).toEqual(data)
    expect(kindNamed(contractKind).behaviour.identity).toBe('parent')
    expect(kindNamed(principalKind).traits.principal).toBe(true)
  })

  it('gives the verbs to the kinds that have them', () => {
    const having = (trait: 'bulk' | 'followers' | 'votes' | 'assets' | 'labels') =>
      kinds
        .filter((kind) => kind.traits[trait])
        .map((kind) => kind.name)
        .toSorted()
    const data = [...assetKinds]
    expect(having('bulk')).toEqual(
      [
        ...data,
        'apiService',
        'dashboardService',
        'databaseService',
        'messagingService',
        'mlmodelService',
        'pipelineService',
        'searchService',
        'storageService',
      ].toSorted(),
    )
    expect(having('followers')).toEqual([...data, 'dataProduct', 'domain', 'glossary', 'glossaryTerm'].toSorted())
    expect(having('votes')).toEqual(having('followers'))
    expect(having('assets')).toEqual(['dataProduct'])
    expect(having('labels')).toEqual(['glossaryTerm', 'tag'])
    expect(kinds.filter((kind) => kind.dependent).map((kind) => kind.name)).toEqual([
      'testCase',
      contractKind,
      lineageKind,
    ])
    expect(kinds.filter((kind) => kind.maxLimit !== 1000).map((kind) => [kind.name, kind.maxLimit])).toEqual([
      ['apiEndpoint', 1_000_000],
    ])
  })

  it('starts with test definitions that are valid and have names of their own', () => {
    const kind = kindNamed('testDefinition')
    for (const starter of kind.seeds)
      expect(readRequest(kind, starter, 'create')).toMatchObject({ name: starter['name'], problems: [] })
    const starters = kind.seeds.map((starter) => starter['name'])
    expect(new Set(starters).size).toBe(starters.length)
    expect(starters).toEqual(
      expect.arrayContaining([
        'columnValuesToBeUnique',
        'columnValuesToBeNotNull',
        'columnValuesToBeBetween',
        'tableRowCountToEqual',
      ]),
    )
  })
})

describe('definitions that do not fit together', () => {
  const make = (name: string, more = {}) => defineKind({ name, path: `${name}s`, description: '', ...more })
  const base = [make('user'), make('team'), make('domain'), make('tag'), make('glossaryTerm')]
  const parents = [{ field: 'above', kinds: ['top'] }]

  it('are fine when they do, and those of the catalog do', () => {
    expect(() => checkKinds([...base, make('top'), make('low', { parents })])).not.toThrow()
    expect(() => checkKinds(storedKinds)).not.toThrow()
  })

  it.each<[string, ReturnType<typeof make>[]]>([
    ['kind user is defined twice', [make('user', { path: 'others' })]],
    ['path users is used twice', [make('other', { path: 'users' })]],
    ['its name is not made of letters alone', [make('a-b')]],
    ['x: friend names an unknown kind nobody', [make('x', { fields: { friend: field.reference('', ['nobody']) } })]],
    ['x: parent above names an unknown kind top', [make('x', { parents })]],
    ['x: it comes before its parent top', [make('x', { parents }), make('top')]],
    ['x: its parent top has no root to take over', [make('top'), make('x', { parents, ancestors: ['root'] })]],
    ['x: note would be lost by a patch', [make('x', { fields: { note: field.text('', { shown: 'only-request' }) } })]],
    [
      'x: note is required and has a default',
      [make('x', { fields: { note: field.text('', { required: true, default: 'a' }) } })],
    ],
    ['x: version is a member of every entity', [make('x', { fields: { version: field.text('') } })]],
    ['x: owner stands for owners and is a member itself', [make('x', { fields: { owner: field.text('') } })]],
    [
      'x: note is both a member and computed',
      [
        make('x', {
          fields: { note: field.boolean('') },
          computed: { note: { from: 'related', rel: 'owners', shown: 'request' } },
        }),
      ],
    ],
    [
      'x: low names an unknown kind nobody',
      [make('x', { computed: { low: { from: 'count', kind: 'nobody', shown: 'always' } } })],
    ],
    ['x: a data asset must be an asset', [make('x', { traits: { dataAsset: true } })]],
    ['x: its parent is its identity, but it has none', [make('x', { behaviour: { identity: 'parent' } })]],
  ])('say so: %s', (mistake, more) => expect(() => checkKinds([...base, ...more])).toThrow(mistake))
})

describe('the columns of an asset', () => {
  const columns = [{ name: 'a', dataType: 'INT', children: [] }]
  const named = (members: object) => assetColumns(members as never).map((column) => column.name)

  it('are its columns, those of its files, its fields or its features', () => {
    expect(assetColumns({ columns })).toEqual(columns)
    expect(named({ dataModel: { columns } })).toEqual(['a'])
    expect(named({ fields: columns })).toEqual(['a'])
    expect(named({ mlFeatures: columns })).toEqual(['a'])
    expect(named({})).toEqual([])
  })

  it('say what their arrays hold, and no types but those of columns', () => {
    const tags = { name: 'tags', dataType: 'ARRAY', dataTypeDisplay: 'text[]', arrayDataType: 'TEXT' }
    expect(assetColumns({ columns: [tags] })).toEqual([tags])
    expect(assetColumns({ fields: [{ name: 'a', children: columns }] })).toEqual([
      { name: 'a', children: [{ name: 'a', children: [] }] },
    ])
    expect(assetColumns({ mlFeatures: [{ name: 'a', dataType: 'integer' }] })).toEqual([{ name: 'a' }])
  })

  const endpoint = {
    requestSchema: { schemaFields: [{ name: 'Asked', dataType: 'RECORD', children: columns }] },
    responseSchema: {
      schemaFields: [
        { name: 'Order', dataType: 'RECORD', children: columns },
        { name: 'Empty', dataType: 'RECORD', children: [] },
        { name: 'b', dataType: 'STRING' },
      ],
    },
  }

  it.each([
    ['of any other name', 'any', ['b', 'a', 'a', 'Asked', 'Order', 'Empty']],
    ['that no document names', undefined, ['b', 'a', 'a', 'Asked', 'Order', 'Empty']],
    ['of the name of a record at the top of a schema', 'order', ['b', 'a', 'Order']],
    ['of the name of a record without fields', 'Empty', ['b', 'Empty']],
  ])('can be promised of an object %s', (_, object, expected) =>
    expect(promisable(assetColumns(endpoint), object).map(({ name }) => name)).toEqual(expected),
  )

  it('are named in lineage without the record at the top', () =>
    expect(columnPaths(endpoint).map(({ name }) => name)).toEqual(['b', 'a', 'a']))
})
