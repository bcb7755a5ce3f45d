import { describe, expect, test } from 'vitest'
import { entityId } from '../../src/kinds/names.ts'
import type { Entity } from '../../src/commands/evolve.ts'
import type { JsonObject } from '../../src/shared/json.ts'
import { change, revertingChanges } from '../../src/commands/requests/change.ts'
import { kindNamed, kinds } from '../../src/kinds/registry/kinds.ts'
import { causeOf, creating, openWriteSide, patching, removing, upserting, type Ask } from '../support/writeSide.ts'

const above = [
  creating('databaseService', 's', { serviceType: 'Mysql' }),
  creating('database', 's.d'),
  creating('databaseSchema', 's.d.c'),
  creating('classification', 'c'),
  creating('tag', 'c.a'),
]
const name = 's.d.c.t'

const address: JsonObject = {
  name: 'address',
  dataType: 'STRUCT',
  children: [
    { name: 'street', dataType: 'STRING' },
    { name: 'city', dataType: 'STRING' },
  ],
}
/** What a loader knows of a table, each time it runs. */
const loaded: JsonObject = { columns: [{ name: 'id', dataType: 'INT' }, address] }

/** What a steward wrote to it. */
const described: JsonObject = {
  columns: [
    { name: 'id', dataType: 'INT', description: 'The key.', displayName: 'Id', tags: ['c.a'] },
    { ...address, children: [{ name: 'street', dataType: 'STRING', description: 'With number.' }] },
  ],
}

const openTable = async () => {
  const side = await openWriteSide()
  await side.given(...above, creating('table', name, loaded), patching('table', name, described))
  const columns = async () => (await side.find('table', name))?.members['columns'] as JsonObject[]
  return { ...side, columns }
}

describe('an upsert', () => {
  test('keeps what was written to elements, at any depth, and adds and takes out elements', async () => {
    const { ask, columns } = await openTable()
    await ask(
      upserting('table', name, { columns: [{ name: 'new', dataType: 'INT' }, ...(loaded['columns'] as JsonObject[])] }),
    )
    expect(await columns()).toMatchObject([
      { name: 'new', ordinalPosition: 1 },
      { name: 'id', ordinalPosition: 2, description: 'The key.', tags: [{ fullyQualifiedName: 'c.a' }] },
      { name: 'address', children: [{ name: 'street', description: 'With number.' }, { name: 'city' }] },
    ])
    await ask(upserting('table', name, { columns: [address] }))
    expect(await columns()).toMatchObject([{ name: 'address', ordinalPosition: 1 }])
  })

  test('counts positions again that nobody gave, and keeps those that were given', async () => {
    const { ask, given, columns } = await openTable()
    const places = async () => (await columns()).map((column) => `${column['name']} ${column['ordinalPosition']}`)
    const column = (each: string, ordinalPosition?: number) => ({
      name: each,
      dataType: 'INT',
      ...(ordinalPosition !== undefined && { ordinalPosition }),
    })
    await given(upserting('table', name, { columns: [column('a'), column('b', 1), column('c'), column('d', 9)] }))
    expect(await places()).toEqual(['a 2', 'b 1', 'c 3', 'd 9'])
    await ask(upserting('table', name, { columns: [column('c'), column('a'), column('d'), column('e')] }))
    expect(await places()).toEqual(['c 1', 'a 2', 'd 9', 'e 10'])
  })

  test('of a contract keeps the positions of its columns: there none is counted', async () => {
    const { ask, given, find } = await openWriteSide()
    const promised = { name: 'id', dataType: 'INT', ordinalPosition: 1 }
    await given(...above, creating('table', name, loaded))
    const entity = { type: 'table', fullyQualifiedName: name }
    const contract = (schema: JsonObject) => upserting('dataContract', `${name}.k`, { entity, schema: [schema] })
    await given(contract(promised))
    await ask(contract({ name: 'id', dataType: 'INT', description: 'The key.' }))
    expect((await find('dataContract', entityId('table', name)))?.members['schema']).toMatchObject([promised])
  })

  test('of another type that has nested columns, too, keeps these', async () => {
    const { ask, given, columns } = await openTable()
    await given(upserting('table', name, { columns: [address] }))
    for (const dataType of ['RECORD', 'UNKNOWN', 'STRUCT'])
      await ask(upserting('table', name, { columns: [{ name: 'address', dataType }] }))
    expect(await columns()).toMatchObject([{ dataType: 'STRUCT', children: address.children }])
  })

  test('of another type of a column keeps what people wrote to it, and nothing that described the type', async () => {
    const { ask, given, columns } = await openTable()
    const typed = {
      id: { precision: 10, scale: 2, dataTypeDisplay: 'numeric(10,2)' },
      list: { arrayDataType: 'STRING' },
    }
    const list = { name: 'list', dataType: 'ARRAY', ...typed.list }
    await given(upserting('table', name, { columns: [{ name: 'id', dataType: 'INT', ...typed.id }, address, list] }))
    const retyped = ['id', 'address', 'list'].map((each) => ({ name: each, dataType: 'BOOLEAN' }))
    await ask(upserting('table', name, { columns: retyped }))
    const [id, ...others] = await columns()
    expect(id).toMatchObject({ dataType: 'BOOLEAN', description: 'The key.', displayName: 'Id' })
    for (const member of ['precision', 'scale', 'dataTypeDisplay']) expect(id).not.toHaveProperty(member)
    for (const other of others)
      for (const member of ['children', 'arrayDataType']) expect(other).not.toHaveProperty(member)
  })

  test('that says the same again makes no event, also where a tag is gone', async () => {
    const { when, given } = await openTable()
    await given(upserting('table', name, loaded))
    await when(upserting('table', name, loaded)).makes()
    await given(removing('tag', 'c.a', { hard: true }))
    await when(upserting('table', name, loaded)).makes()
  })

  test('clears members of elements with null, and lists with an empty one', async () => {
    const { ask, columns } = await openTable()
    const id = { name: 'id', dataType: 'INT', description: null, tags: [] }
    await ask(
      upserting('table', name, {
        columns: [id, { ...address, children: [{ name: 'street', dataType: 'STRING', description: null }] }],
      }),
    )
    expect(await columns()).toEqual([
      { name: 'id', dataType: 'INT', displayName: 'Id', ordinalPosition: 1, fullyQualifiedName: `${name}.id` },
      {
        name: 'address',
        dataType: 'STRUCT',
        ordinalPosition: 2,
        fullyQualifiedName: `${name}.address`,
        children: [
          { name: 'street', dataType: 'STRING', ordinalPosition: 1, fullyQualifiedName: `${name}.address.street` },
        ],
      },
    ])
  })

  test('does so for each of many', async () => {
    const { askAll, columns } = await openTable()
    await askAll([upserting('table', name, loaded), upserting('table', 's.d.c.u', loaded)])
    expect((await columns())[0]).toMatchObject({ description: 'The key.' })
  })

  test.each([{ isPartitioned: false }, { isPartitioned: null }, {}])(
    'of an object keeps the columns that it does not name: %j',
    async (dataModel) => {
      const { given, ask, find } = await openWriteSide()
      const columns = [{ name: 'a', dataType: 'INT', description: 'Said.' }]
      const container = (model: JsonObject) => upserting('container', 's.c', { dataModel: model })
      await given(creating('storageService', 's', { serviceType: 'S3' }), container({ isPartitioned: true, columns }))
      await ask(container(dataModel))
      expect((await find('container', 's.c'))?.members['dataModel']).toMatchObject({ columns })
      await ask(container({ ...dataModel, columns: null }))
      expect((await find('container', 's.c'))?.members['dataModel']).not.toHaveProperty('columns')
    },
  )

  test('keeps fields of a schema that it does not name, and the words of those that its text has', async () => {
    const { given, ask, find } = await openWriteSide()
    const text = (type: string) => ({
      schemaType: 'Avro',
      schemaText: `{"type":"record","name":"R","fields":[{"name":"a","type":"${type}"}]}`,
    })
    const topic = (messageSchema: JsonObject) => upserting('topic', 'm.t', { messageSchema })
    await given(creating('messagingService', 'm', { serviceType: 'Kafka' }), topic(text('int')))
    const field = { name: 'a', dataType: 'INT', description: 'Said.' }
    await given(
      patching('topic', 'm.t', {
        messageSchema: { ...text('int'), schemaFields: [{ name: 'R', dataType: 'RECORD', children: [field] }] },
      }),
    )
    await ask(topic(text('long')))
    expect((await find('topic', 'm.t'))?.members['messageSchema']).toMatchObject({
      schemaFields: [{ name: 'R', children: [{ name: 'a', dataType: 'LONG', description: 'Said.' }] }],
    })
    await ask(topic({ schemaType: 'None' }))
    expect((await find('topic', 'm.t'))?.members['messageSchema']).toEqual({ schemaType: 'None' })
  })
})

test('a patch replaces a list whole', async () => {
  const { ask, columns } = await openTable()
  await ask(patching('table', name, loaded))
  expect((await columns())[0]).not.toHaveProperty('description')
})

test('a description of a field comes back with the text before, also where the later text said the same', async () => {
  const { ask } = await openWriteSide()
  const text = (doc: string) => ({
    schemaType: 'Avro',
    schemaText: `{"type":"record","name":"R","fields":[{"name":"a","type":"int","doc":"${doc}"}]}`,
  })
  const described = (description: string) => [{ name: 'R', children: [{ name: 'a', description }] }]
  const patched = async (messageSchema: JsonObject) => (await ask(patching('topic', 'm.t', { messageSchema }))).entity
  await ask(creating('messagingService', 'm', { serviceType: 'Kafka' }))
  await ask(creating('topic', 'm.t', { messageSchema: text('old') }))
  const field = (description: string) => [
    { name: 'R', dataType: 'RECORD', children: [{ name: 'a', dataType: 'INT', description }] },
  ]
  const old = await patched({ ...text('old'), schemaFields: field('E-mail') })
  const later = await patched({ ...text('E-mail'), schemaFields: field('E-mail') })
  expect(later.members['messageSchema']).toMatchObject({ schemaFields: described('E-mail') })
  const reverting: Ask = (context) => {
    const definition = kindNamed('topic')
    const read = (entity: Entity) => revertingChanges(context, { definition, old, entity })
    return change(context, { definition, id: entityId('topic', 'm.t'), read }, causeOf())
  }
  const { entity } = await ask(reverting)
  expect(entity.members['messageSchema']).toEqual(old.members['messageSchema'])
  const chosen = await patched({ ...text('new'), schemaFields: field('old') })
  expect(chosen.members['messageSchema']).toMatchObject({ schemaFields: described('old') })
})

test('elements are told apart by name wherever the definition of a kind gives them one', () => {
  const found = kinds.flatMap(({ name: kind, fields }) =>
    Object.keys(fields).flatMap((member) => (fields[member]?.elements === undefined ? [] : [`${kind}.${member}`])),
  )
  expect(found.toSorted()).toEqual([
    'apiEndpoint.requestSchema',
    'apiEndpoint.responseSchema',
    'container.dataModel',
    'dataContract.schema',
    'dataContract.semantics',
    'glossaryTerm.references',
    'mlmodel.mlFeatures',
    'mlmodel.mlHyperParameters',
    'pipeline.tasks',
    'searchIndex.fields',
    'table.columns',
    'testCase.parameterValues',
    'testDefinition.parameterDefinition',
    'topic.messageSchema',
  ])
})
