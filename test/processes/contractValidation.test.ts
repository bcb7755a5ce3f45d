import { expect, test } from 'vitest'
import { makeContractValidation, type ContractValidationOptions } from '../../src/processes/contractValidation.ts'
import { entityId } from '../../src/kinds/names.ts'
import type { ReadModels } from '../../src/projections/readModels/readModels.ts'
import { LogAhead } from '../../src/commands/errors.ts'
import { StoreFailed, StoreUnavailable } from '../../src/stores/errors.ts'
import { stillHeld } from '../support/garbage.ts'
import { creating, openWriteSide, patching, removing, restoring, type Ask } from '../support/writeSide.ts'

const semantics = [{ name: 'has an owner', rule: '{"!!":[{"var":"owners"}]}' }]

const idOf = (topic: string): string => entityId('topic', topic)
const contractOf = (topic: string): string => entityId('dataContract', idOf(topic))

const contract = (topic: string, values = {}): Ask =>
  creating('dataContract', `${topic}.c`, {
    entity: { type: 'topic', fullyQualifiedName: topic },
    entityStatus: 'Active',
    ...values,
  })

const changing = (topic: string, description = 'changed'): Ask => patching('topic', topic, { description })

interface Situation {
  /** The contracts are made with these. */
  readonly values?: object
  /** Called before each check. @throws what the check fails with */
  readonly checking?: (contract: string) => void
  readonly change?: (readModels: ReadModels) => Partial<ReadModels>
}

/** Topics `k.a` and `k.b` with Active contracts, the first with a rule; all that was until then is known. */
const open = async ({ values = {}, checking = () => {}, change = () => ({}) }: Situation = {}) => {
  const side = await openWriteSide()
  await side.given(
    creating('messagingService', 'k', { serviceType: 'Kafka' }),
    creating('user', 'bob', { email: 'bob@example.com' }),
    creating('user', 'eve', { email: 'eve@example.com' }),
    ...['k.a', 'k.b'].map((topic) => creating('topic', topic, { partitions: 1, owners: ['bob'] })),
    contract('k.a', { semantics, ...values }),
    contract('k.b', values),
  )
  let known = (await side.events()).length
  const checked: string[] = []
  const logged: string[] = []
  let status = 'Success'
  const check: ContractValidationOptions['check'] = async ({ id, version }, asset) => {
    checked.push(id)
    checking(id)
    return { status, promises: [], contractVersion: version / 10, assetVersion: Number(asset.revision) }
  }
  const validation = makeContractValidation({
    readModels: { ...side.readModels, ...change(side.readModels) },
    check,
    logger: {
      warn: (_: object, message: string) => void logged.push(`warn: ${message}`),
      error: (_: object, message: string) => void logged.push(`error: ${message}`),
    } as ContractValidationOptions['logger'],
    progress: () => undefined,
  })
  const trackNew = async (): Promise<void> => {
    const events = await side.events()
    for (const event of events.slice(known)) validation.track(event)
    known = events.length
  }
  return {
    ...side,
    ...validation,
    checked,
    logged,
    trackNew,
    says: (next: string): void => void (status = next),
    /** What happens, and then the work. @returns contracts in order of the checks */
    after: async (...asked: Ask[]): Promise<string[]> => {
      await side.given(...asked)
      await trackNew()
      checked.length = 0
      await validation.work(side.context)
      return [...checked]
    },
    validated: async (): Promise<string[]> =>
      (await side.lines()).filter((line) => line.startsWith('Validated')).map((line) => line.split(' ').at(-1) ?? ''),
  }
}

const [a, b] = ['k.a', 'k.b'].map(contractOf) as [string, string]

test.each([new TypeError('a bug'), new StoreFailed('a row that cannot be read')])(
  'a contract whose validation fails inside does not hold back the others: %s',
  async (failure) => {
    const checking = (id: string): void => {
      if (id === a) throw failure
    }
    const { after, validated, logged, open: left } = await open({ checking })
    expect(await after(changing('k.a'), changing('k.b'))).toEqual([a, b])
    expect([await validated(), logged]).toEqual([['k.b.c'], ['error: a contract cannot be validated']])
    expect(left()).toEqual([])
  },
)

test.each([
  ['the store can be reached', new StoreUnavailable('down')],
  ['the clock is right', new LogAhead(Date.now(), 0)],
])('contracts are validated in order once %s again, and are open until then', async (_, failure) => {
  let isAway = true
  const checking = (): void => {
    if (isAway) throw failure
  }
  const { after, validated, work, context, checked, logged, events, open: left } = await open({ checking })
  await expect(after(changing('k.a'), changing('k.b'))).rejects.toThrow(failure)
  const changes = (await events()).slice(-2).map(({ position }) => position)
  expect([left(), checked]).toEqual([changes, [a]])
  isAway = false
  await work(context)
  expect([await validated(), left(), logged]).toEqual([['k.a.c', 'k.b.c'], [], []])
})

test('an event that is tracked again makes no second result, and none older than what is known', async () => {
  const { after, validated, track, events, open: left, work, context } = await open()
  await after(changing('k.a'))
  const change = (await events()).find(({ stream, type }) => stream === `topic-${idOf('k.a')}` && type === 'Updated')
  if (change === undefined) throw new Error('There is no change.')
  track(change)
  expect(left()).toEqual([change.position])
  await work(context)
  expect(await validated()).toEqual(['k.a.c'])
  track({ ...change, position: 1000n })
  track(change)
  expect(left()).toEqual([1000n])
})

test('what happened to an asset before its contract was made is no change for that contract', async () => {
  const { after, validated, given, events, track, work, context } = await open()
  await given(creating('topic', 'k.c', { partitions: 1 }), changing('k.c'), contract('k.c'))
  for (const event of await events()) track(event)
  await work(context)
  expect(await validated()).toEqual([])
  expect(await after(changing('k.c', 'changed again'))).toEqual([contractOf('k.c')])
  expect(await validated()).toEqual(['k.c.c'])
})

test('a change of the outcome is recorded, with the change of the asset as its cause', async () => {
  const { after, events, says } = await open()
  await after(changing('k.b'))
  says('Failed')
  await after(changing('k.b', 'again'))
  const [change, result] = (await events()).slice(-2)
  expect(result).toMatchObject({
    type: 'Validated',
    data: { result: { status: 'Failed' } },
    metadata: { user: 'system', causationId: change?.id, correlationId: change?.metadata.correlationId },
  })
})

test('each contract is validated once for many changes of tests: of its asset, or that it expects', async () => {
  const { after, given, events } = await open()
  const testCase = (name: string): Ask =>
    creating('testCase', name, { testDefinition: 'any', testSuite: 's', entityLink: '<#E::table::w.d.s.t>' })
  await given(
    creating('databaseService', 'w', { serviceType: 'Postgres' }),
    creating('database', 'w.d'),
    creating('databaseSchema', 'w.d.s'),
    creating('table', 'w.d.s.t', { columns: [] }),
    creating('testDefinition', 'any', { entityType: 'TABLE', testPlatforms: ['dbt'] }),
    creating('testSuite', 's'),
    contract('w.d.s.t', { entity: { type: 'table', fullyQualifiedName: 'w.d.s.t' } }),
  )
  const own = entityId('dataContract', entityId('table', 'w.d.s.t'))
  expect(await after(testCase('one'), testCase('two'), testCase('three'))).toEqual([own])
  await after(patching('dataContract', idOf('k.a'), { qualityExpectations: ['w.d.s.t.one', 'w.d.s.t.two'] }))
  const described = ['one', 'two'].map((name) => patching('testCase', `w.d.s.t.${name}`, { description: 'd' }))
  expect(await after(...described, changing('k.b'))).toEqual([own, a, b])
  const [cause, , result] = (await events()).slice(-4)
  expect(result).toMatchObject({ type: 'Validated', metadata: { causationId: cause?.id } })
})

test('a list of contracts that cannot be read does not hold back those of assets that change', async () => {
  const { after, validated } = await open({
    change: () => ({ list: () => Promise.reject(new StoreFailed('damaged')) }),
  })
  await expect(after(removing('user', 'eve'), changing('k.a'), changing('k.b'))).rejects.toThrow('damaged')
  expect(await validated()).toEqual(['k.a.c', 'k.b.c'])
})

test('a contract that cannot be read does not hold back others whose rules are asked again', async () => {
  const { after, logged } = await open({
    values: { semantics },
    change: ({ getMany }) => ({
      getMany: async (ids) => {
        const rows = await getMany(ids)
        const row = rows.get(a)
        return row === undefined ? rows : new Map([...rows, [a, { ...row, shownOnRequest: 'broken' }]])
      },
    }),
  })
  await after(removing('user', 'bob'))
  expect(await after()).toEqual([b])
  expect(logged).toEqual(['error: a contract cannot be validated'])
})

const turns: [string, Ask[]][] = [
  ['deleted', [removing('user', 'bob')]],
  ['restored', [removing('user', 'bob'), restoring('user', 'bob')]],
  ['hard-deleted', [removing('user', 'bob', { hard: true })]],
]

test.each(turns)(
  'rules are asked again when what an asset refers to is %s, also behind a failure',
  async (_, asked) => {
    let failures = 1
    const {
      after,
      work,
      context,
      checked,
      open: left,
    } = await open({
      change: ({ list }) => ({
        list: (...query) => (failures-- > 0 ? Promise.reject(new StoreUnavailable('down')) : list(...query)),
      }),
    })
    await expect(after(...asked)).rejects.toThrow('down')
    expect(left()).toHaveLength(1)
    await work(context)
    expect(left()).toHaveLength(1)
    await work(context)
    expect([checked, left()]).toEqual([[a], []])
  },
)

test('nothing is asked again when what no asset with rules refers to is deleted', async () => {
  const { after } = await open()
  await after(removing('user', 'eve'))
  expect(await after()).toEqual([])
})

test('a contract makes up for changes of its asset when it becomes Active or is restored, and for nothing else', async () => {
  const { after, validated } = await open()
  await after(changing('k.a'))
  const draft = patching('dataContract', idOf('k.a'), { entityStatus: 'Draft' })
  const active = patching('dataContract', idOf('k.a'), { entityStatus: 'Active' })
  await after(draft, active, patching('dataContract', idOf('k.b'), { description: 'other' }))
  expect(await validated()).toEqual(['k.a.c'])
  await after(draft, changing('k.a', 'again'), active)
  expect(await validated()).toEqual(['k.a.c', 'k.a.c'])
  await after(removing('dataContract', idOf('k.a')), changing('k.a', 'more'), restoring('dataContract', idOf('k.a')))
  expect(await validated()).toEqual(['k.a.c', 'k.a.c', 'k.a.c'])
})

test('of changes that wait for their validation nothing is held that it does not need', async () => {
  const { track, given, events } = await open()
  await given(changing('k.a'), changing('k.b'))
  const held = (await events()).slice(-2).map((event) => {
    track(event)
    return new WeakRef(event.data)
  })
  expect(await stillHeld(held)).toBe(0)
})
