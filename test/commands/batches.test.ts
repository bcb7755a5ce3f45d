import { describe, expect, test } from 'vitest'
import { executeAll } from '../../src/commands/requests/execute.ts'
import { forDryRun } from '../../src/commands/unitOfWork/streamQueue.ts'
import { StoreUnavailable } from '../../src/events/eventStore.ts'
import type { ConditionDecision } from '../../src/events/verdicts.ts'
import { collect } from '../support/events.ts'
import {
  beforeNextAppend,
  causeOf,
  creating,
  engines,
  openWriteSide,
  removing,
  unconditional,
  upserting,
} from '../support/writeSide.ts'

const storage = creating('storageService', 's', { serviceType: 'S3' })
const ofBob = { owners: [{ type: 'user', fullyQualifiedName: 'bob' }] }

describe.each(Object.entries(engines))('requests of a batch that build upon each other %s', (_, options) => {
  /** The lines of the log since `given`. */
  const open = async (size?: number) => {
    const side = await openWriteSide({ ...options, ...(size !== undefined && { maxAppendSize: size }) })
    await side.given(storage, creating('user', 'bob'))
    return { ...side, made: async () => (await side.lines()).slice(2) }
  }

  test('each find what those before them have made', async () => {
    const { askAll, made, find } = await open()
    const names = ['s.a', 's.a.b', 's.a.b.c', 's.a.d', 's.e']
    const { summaries } = await askAll(names.map((name) => upserting('container', name)))
    expect(summaries.map((one) => 'result' in one)).toEqual(names.map(() => true))
    expect(await made()).toEqual(names.map((name) => `Created container ${name}`))
    const [above, below] = [await find('container', 's.a'), await find('container', 's.a.b')]
    expect(below?.parent).toBe(above?.id)
  })

  test('leave no child where the parent was too large', async () => {
    const { askAll, made } = await open(3000)
    const large = upserting('container', 's.a', { description: 'x'.repeat(5000) })
    const { summaries } = await askAll([large, upserting('container', 's.a.b'), upserting('container', 's.c')])
    expect(summaries).toMatchObject([{ error: { code: 'too_large' } }, { error: { code: 'invalid' } }, { result: {} }])
    expect(await made()).toEqual(['Created container s.c'])
  })

  test('leave a child of what is there where a change of the parent was too large', async () => {
    const { askAll, made } = await open(3000)
    const large = upserting('container', 's.a', { description: 'x'.repeat(5000) })
    const { summaries } = await askAll([upserting('container', 's.a'), large, upserting('container', 's.a.b')])
    expect(summaries.map((one) => 'result' in one)).toEqual([true, false, true])
    expect(await made()).toEqual(['Created container s.a', 'Created container s.a.b'])
  })

  test('are not said to be unchanged where what they repeat was too large', async () => {
    const { askAll, made } = await open(3000)
    const large = upserting('container', 's.a', { description: 'x'.repeat(5000) })
    const { summaries } = await askAll([large, large])
    expect(summaries).toMatchObject([{ error: { code: 'too_large' } }, { error: { code: 'too_large' } }])
    expect(await made()).toEqual([])
  })

  test('leave no child where the parent was refused because of what came meanwhile', async () => {
    const { ask, askAll, context, find } = await open()
    beforeNextAppend(context, () => ask(removing('user', 'bob', { hard: true, recursive: true })))
    const { summaries } = await askAll([upserting('container', 's.a', ofBob), upserting('container', 's.a.b')])
    expect(summaries).toMatchObject([{ error: { code: 'invalid' } }, { error: { code: 'invalid' } }])
    expect((await find('container', 's.a'))?.status ?? 'gone').toBe('gone')
    expect(await find('container', 's.a.b')).toBeUndefined()
  })

  test('are not refused a name that was to be taken by what was too large', async () => {
    const { given, askAll, made } = await open(3000)
    await given(
      creating('messagingService', 'm', { serviceType: 'Kafka' }),
      creating('storageService', 'm', { serviceType: 'S3' }),
      creating('topic', 'm.a', { partitions: 1 }),
      creating('container', 'm.a'),
    )
    const contract = (type: string, description: string) =>
      upserting('dataContract', 'm.a.c', { entity: { type, fullyQualifiedName: 'm.a' }, description })
    const { summaries } = await askAll([contract('topic', 'x'.repeat(5000)), contract('container', 'y')])
    expect(summaries).toMatchObject([{ error: { code: 'too_large' } }, { result: {} }])
    expect((await made()).slice(4)).toEqual(['Created dataContract m.a.c'])
  })
})

test('where the verdict on one of a batch cannot be told, only that one fails', async () => {
  const { context, given, askAll, lines } = await openWriteSide({ change: unconditional })
  await given(storage)
  const { verdicts } = context as typeof context & { verdicts: ConditionDecision }
  let asked = 0
  const away = new StoreUnavailable('away')
  context.verdicts = {
    ...verdicts,
    eventAt: (...event) => (asked++ === 0 ? Promise.reject(away) : verdicts.eventAt(...event)),
  }
  const names = ['s.a', 's.b', 's.c']
  const { summaries } = await askAll(names.map((name) => upserting('container', name)))
  expect(summaries).toMatchObject([{ error: away }, { result: { changed: true } }, { result: { changed: true } }])
  expect((await lines()).slice(1)).toEqual(names.map((name) => `Created container ${name}`))
})

test('a dry run of several units of work foresees what those before have made', async () => {
  const { context, given } = await openWriteSide()
  await given(storage)
  const paper = forDryRun(context)
  // A child of what is yet to be appended begins another unit.
  const requests = ['s.a', 's.a.b', 's.a'].map((name) => upserting('container', name)(paper))
  const { summaries, position } = await executeAll(paper, requests)
  expect(summaries).toMatchObject([true, true, false].map((changed) => ({ result: { changed } })))
  expect(position).toBeUndefined()
})

test('requests of a batch that share a cause are told apart by their events, and by their outcomes', async () => {
  const { context, given } = await openWriteSide()
  await given(storage)
  const cause = causeOf()
  const requests = ['s.a', 's.b'].map((name) => ({ ...upserting('container', name)(context), cause, name }))
  const { summaries } = await executeAll(context, requests)
  expect(summaries.map(({ request }) => request.name)).toEqual(['s.a', 's.b'])
  const causes = (await collect(context.log.readAll())).slice(-2).map(({ metadata }) => metadata.causationId)
  expect(causes).toEqual([`${cause.commandId}:0`, `${cause.commandId}:1`])
})
