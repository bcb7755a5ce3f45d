import { expect, test } from 'vitest'
import { entityId } from '../../src/kinds/names.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import { stateLineage } from '../../src/commands/requests/stateLineage.ts'
import { upstreamIn } from '../../src/commands/statements.ts'
import type { Members, Reference } from '../../src/events/events.ts'
import {
  causeOf,
  creating,
  openWriteSide,
  patching,
  removing,
  restoring,
  upserting,
  type Ask,
} from '../support/writeSide.ts'

const table = 'store.db.schema.sales'

const base = [
  creating('databaseService', 'store', { serviceType: 'Postgres' }),
  creating('database', 'store.db'),
  creating('databaseSchema', 'store.db.schema'),
  creating('table', table, { columns: [] }),
]

const term = [
  creating('glossary', 'G', { description: 'Words.' }),
  creating('glossaryTerm', 'G.Revenue', { description: 'Money.' }),
]

const tag = [
  creating('classification', 'G', { description: 'Labels.' }),
  creating('tag', 'G.Revenue', { description: 'Money.' }),
]

const services = [
  creating('dashboardService', 'prod', { serviceType: 'Looker' }),
  creating('messagingService', 'prod', { serviceType: 'Kafka' }),
]

const dashboard = creating('dashboard', 'prod.orders')

const topic = creating('topic', 'prod.orders', { partitions: 1 })

const user = creating('user', 'finance', { email: 'finance@example.com' })

const team = creating('team', 'finance')

const owned = upserting('table', table, { owners: ['finance'] })

const tagged = upserting('table', table, {
  tags: ['G.Revenue'],
  columns: [{ name: 'amount', dataType: 'INT', tags: [{ tagFQN: 'G.Revenue' }] }],
})

/** States that the table comes from what has this name. */
const from =
  (fullyQualifiedName: string, source = 'manual'): Ask =>
  (context) =>
    stateLineage(
      context,
      {
        asset: { id: entityId('table', table), type: 'table', fullyQualifiedName: table },
        source,
        edges: [{ from: { fullyQualifiedName } }],
        readsAsset: false,
        mayState: () => undefined,
      },
      causeOf(),
    )

type Side = Awaited<ReturnType<typeof openWriteSide>>

const membersOf = async ({ find }: Side): Promise<Members> => (await find('table', table))?.members ?? {}

const typesOf = async (side: Side, member: string): Promise<string[]> =>
  ((await membersOf(side))[member] as unknown as readonly Reference[]).map(({ type }) => type)

const upstreams = async ({ context }: Side): Promise<string[]> => {
  const id = entityId('lineage', entityId('table', table))
  const edges = Object.values(upstreamIn((await context.lookup([id])).get(id)?.members)).flat()
  return edges.map(({ from: { type } }) => type)
}

test('a name that entities of two kinds have is refused with what to give instead', async () => {
  const { given, when } = await openWriteSide()
  await given(...base, ...term, ...tag, ...services, topic, dashboard, user, team)
  await when(owned).refused(
    'invalid',
    /^\/owners\/0: finance is the name of several entities \(user, team\): .*type.*id/,
  )
  const several = /^\/tags\/0: G\.Revenue is the name of several entities \(tag, glossaryTerm\): .*type.*source.*id/
  await when(patching('table', table, { tags: ['G.Revenue'] })).refused('invalid', several)
  await when(tagged).refused('invalid', / \(and 1 more\)$/)
  await when(from('prod.orders')).refused('invalid', /^\/edges\/0\/from: .* \(topic, dashboard\)/)
  const contract = { name: 'contract', entity: 'prod.orders' }
  await when(creating('dataContract', 'prod.orders.contract', contract)).refused('invalid', /^\/entity: .*topic, dash/)
})

test('a repeated request means what it meant before somebody else took the name', async () => {
  const side = await openWriteSide()
  await side.given(...base, ...term, ...services, dashboard, team, tagged, owned, from('prod.orders'))
  await side.given(...tag, topic, user)
  await side.when(tagged).makes()
  await side.when(owned).makes()
  await side.when(patching('table', table, { tags: ['G.Revenue'] })).makes()
  await side.when(from('prod.orders')).makes()
  expect(await typesOf(side, 'tags')).toEqual(['glossaryTerm'])
  expect(await typesOf(side, 'owners')).toEqual(['team'])
  expect(await upstreams(side)).toEqual(['dashboard'])
  await side.when(from('prod.orders', 'another')).refused('invalid', /several/)
})

test('of a table whose parent is given by its id, too', async () => {
  const side = await openWriteSide()
  const parent = { id: entityId('databaseSchema', 'store.db.schema') }
  const byId = upserting('table', table, { owners: ['finance'], databaseSchema: parent })
  await side.given(...base, team, byId, user)
  await side.when(byId).makes()
  expect(await typesOf(side, 'owners')).toEqual(['team'])
})

test('what a request refers to in both ways it has to name', async () => {
  const { given, when } = await openWriteSide()
  const both = ['user', 'team'].map((type) => ({ type, fullyQualifiedName: 'finance' }))
  await given(...base, user, team, patching('table', table, { owners: both }))
  await when(owned).refused('invalid', /several/)
})

test('a former life of one of them decides nothing', async () => {
  const { given, when } = await openWriteSide()
  await given(...base, team, owned, removing('team', 'finance', { hard: true }), team, user)
  await when(owned).refused('invalid', /several/)
})

test('the live one is meant, not the one that is soft-deleted', async () => {
  const side = await openWriteSide()
  await side.given(...base, ...services, topic, dashboard, removing('topic', 'prod.orders'), from('prod.orders'))
  expect(await upstreams(side)).toEqual(['dashboard'])
  await side.given(restoring('topic', 'prod.orders'), removing('dashboard', 'prod.orders'))
  await side.when(from('prod.orders', 'another')).makes(expect.stringMatching(/^LineageStated/) as string)
  await side.given(removing('topic', 'prod.orders'))
  await side.when(from('prod.orders', 'third')).refused('invalid', /several/)
})

test('a fully qualified name comes before a name without its quotes', async () => {
  const side = await openWriteSide()
  await side.given(...base, ...services, topic, creating('dataProduct', '"prod.orders"', { description: 'All.' }))
  await side.given(from('prod.orders'))
  expect(await upstreams(side)).toEqual(['topic'])
})

test('an entity that the caller may not view does not share its name', async () => {
  const side = await openWriteSide()
  await side.given(...base, user, team)
  Object.assign(side.context.caller, { visibilityOf: (kind: string) => (kind === 'user' ? 'no' : 'yes') })
  await side.given(owned)
  expect(await typesOf(side, 'owners')).toEqual(['team'])
  expect(kindNamed('table').fields['owners']?.references?.kinds).toEqual(['user', 'team'])
})

test('a reference whose name and id are those of two entities is refused for that', async () => {
  const side = await openWriteSide({ caller: 'ann' })
  await side.given(creating('user', 'ann'), creating('user', 'bob'))
  const both = { id: entityId('user', 'ann'), type: 'user', fullyQualifiedName: 'bob' }
  const refused = /user bob with the id .* does not exist: nothing has both this name and this id/
  await side.when(creating('glossary', 'G', { owners: [both] })).refused('invalid', refused)
})
