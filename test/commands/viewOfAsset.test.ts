import { describe, expect, test } from 'vitest'
import type { DomainError } from '../../src/commands/errors.ts'
import { entityId } from '../../src/kinds/names.ts'
import { write } from '../../src/commands/requests/createOrUpdate.ts'
import { kindNamed, kinds } from '../../src/kinds/registry/kinds.ts'
import { readRequest } from '../../src/kinds/request/requestSchema.ts'
import type { JsonObject } from '../../src/shared/json.ts'
import { causeOf, creating, openWriteSide, patching, removing, upserting, type Ask } from '../support/writeSide.ts'

const table = 'store.db.schema.pay'
const entity = { type: 'table', fullyQualifiedName: table }

const said: JsonObject = {
  schema: [{ name: 'salary', dataType: 'INT' }],
  semantics: [{ name: 'secret', rule: '{"in": ["secret", {"var": "description"}]}' }],
  sla: { retention: 'P3Y' },
}

/** A contract of a table that ann owns or not, and what she may view. */
const contracted = async (view: (kind: string) => 'yes' | 'no' | 'ifOwner', isOwned = false) => {
  const side = await openWriteSide({ caller: 'ann' })
  const ann = creating('user', 'ann', { email: 'ann@example.com' })
  await side.given(
    ann,
    creating('databaseService', 'store', { serviceType: 'Postgres' }),
    creating('database', 'store.db'),
    creating('databaseSchema', 'store.db.schema'),
    creating('table', table, { columns: [{ name: 'salary', dataType: 'INT' }], ...(isOwned && { owners: ['ann'] }) }),
    creating('dataContract', `${table}.c`, { entity }),
  )
  Object.assign(side.context.caller, { visibilityOf: view, incarnations: async () => [entityId('user', 'ann')] })
  const contract = entityId('table', table)
  const patch = (members: JsonObject) => side.when(patching('dataContract', contract, members))
  return { ...side, patch }
}

const only = (names: readonly string[]) => (kind: string) => (names.includes(kind) ? 'ifOwner' : 'yes')

describe('what a contract says of its asset is written by somebody who may view that', () => {
  test.each(Object.entries(said))('%s', async (name, value) => {
    for (const view of ['no', 'ifOwner'] as const) {
      const { patch } = await contracted((kind) => (kind === 'table' ? view : 'yes'))
      await patch({ [name]: value }).refused('forbidden', new RegExp(`change ${name} of dataContract ${table}\\.c`))
    }
    const { patch } = await contracted(only(['table']), true)
    await patch({ [name]: value }).makes(`Updated dataContract ${table}.c`)
  })

  test('also where the same request has other faults, and whether it is so or not', async () => {
    const { ask } = await contracted((kind) => (kind === 'table' ? 'no' : 'yes'))
    const refusals = ['salary', 'bonus'].map((column) => {
      const members = { schema: [{ name: column, dataType: 'INT' }], owners: ['nobody'] }
      return ask(patching('dataContract', entityId('table', table), members)).catch(
        (error: unknown) => (error as DomainError).problems,
      )
    })
    const problems = [expect.objectContaining({ path: '/owners/0' })]
    expect(await Promise.all(refusals)).toEqual([problems, problems])
  })

  test('what says nothing of it, or nothing else than before, is written by whoever may edit the contract', async () => {
    const { given, when, patch, context } = await contracted(() => 'yes')
    await given(patching('dataContract', entityId('table', table), said))
    Object.assign(context.caller, { visibilityOf: (kind: string) => (kind === 'table' ? 'no' : 'yes') })
    await patch({ ...said, termsOfUse: 'Be kind.' }).makes(`Updated dataContract ${table}.c`)
    await patch({ sla: null }).makes(`Updated dataContract ${table}.c`)
    await when(removing('dataContract', entityId('table', table))).makes(`SoftDeleted dataContract ${table}.c`)
  })

  test('rules read all that answers show of it, so whoever writes them may view all kinds', async () => {
    const { patch, context } = await contracted(() => 'yes')
    for (const { name } of kinds.filter(({ name }) => name !== 'table'))
      for (const view of ['no', 'ifOwner'] as const) {
        Object.assign(context.caller, { visibilityOf: (kind: string) => (kind === name ? view : 'yes') })
        await patch({ semantics: said['semantics'] ?? null }).refused('forbidden', /all kinds/)
      }
    await patch({ schema: said['schema'] ?? null }).makes(`Updated dataContract ${table}.c`)
  })

  test('rules of a document say what the tests of their names do, so whoever writes them may view test cases', async () => {
    const qualityRules = [{ rule: { name: 'secret' } }]
    const ruled: Ask = (context) => {
      const definition = kindNamed('dataContract')
      const parsed = readRequest(definition, { name: 'c', entity }, 'upsert')
      return write(context, { type: 'Upsert', definition, parsed, own: { qualityRules } }, causeOf())
    }
    for (const view of ['no', 'ifOwner'] as const) {
      const { when } = await contracted((kind) => (kind === 'testCase' ? view : 'yes'))
      await when(ruled).refused('forbidden', /may view testCase may change qualityRules/)
    }
    const { when } = await contracted(only(['user']))
    await when(ruled).makes(`Updated dataContract ${table}.c`)
  })

  test('a new contract, too', async () => {
    const { given, when, context } = await contracted(only(['table']))
    await given(removing('dataContract', entityId('table', table), { hard: true }))
    const opaque = { id: context.secretCodec.hideId(entityId('table', table)), type: 'table' }
    for (const writing of [creating, upserting])
      for (const [name, value] of Object.entries(said)) {
        const body = { entity: opaque, [name]: value }
        await when(writing('dataContract', `${table}.c`, body)).refused('forbidden', new RegExp(`change ${name} of`))
      }
  })
})
