import { describe, expect, test } from 'vitest'
import { entityId } from '../../src/kinds/names.ts'
import {
  beforeNextAppend,
  creating,
  engines,
  openWriteSide,
  removing,
  upserting,
  type Ask,
} from '../support/writeSide.ts'

const assets = [
  creating('messagingService', 'shop', { serviceType: 'Kafka' }),
  creating('storageService', 'shop', { serviceType: 'S3' }),
  creating('topic', 'shop.orders', { partitions: 1 }),
  creating('container', 'shop.orders'),
]

const writing = (write: typeof creating, type: string): Ask =>
  write('dataContract', 'shop.orders.contract', { entity: { type, fullyQualifiedName: 'shop.orders' } })

const ofTopic = writing(creating, 'topic')

const ofContainer = writing(creating, 'container')

const created = 'Created dataContract shop.orders.contract'

describe.each(Object.entries(engines))('two contracts never have one name %s', (_, options) => {
  /** Types of the assets whose contract of that name is there. */
  const held = async ({ context }: Awaited<ReturnType<typeof openWriteSide>>): Promise<string[]> => {
    const idOf = (type: string) => entityId('dataContract', entityId(type, 'shop.orders'))
    const types = ['topic', 'container']
    const found = await context.lookup(types.map(idOf))
    return types.filter((type) => (found.get(idOf(type))?.status ?? 'gone') !== 'gone')
  }

  test('the second is told whose the name is', async () => {
    const { given, when } = await openWriteSide(options)
    await given(...assets, ofTopic)
    await when(ofContainer).refused('already_exists', /shop\.orders\.contract.* topic shop\.orders/)
    await when(writing(upserting, 'container')).refused('invalid', / topic shop\.orders/)
    await when(writing(upserting, 'topic')).makes()
    const other = { entity: { type: 'container', fullyQualifiedName: 'shop.orders' } }
    await when(creating('dataContract', 'shop.orders.other', other)).makes('Created dataContract shop.orders.other')
  })

  test('one that is soft-deleted keeps its name, one that is hard-deleted does not', async () => {
    const { ask, given, when } = await openWriteSide(options)
    await given(...assets, ofTopic)
    await ask(removing('topic', 'shop.orders', { recursive: true }))
    await when(ofContainer).refused('already_exists', / topic shop\.orders/)
    await ask(removing('topic', 'shop.orders', { recursive: true, hard: true }))
    await when(ofContainer).makes(created)
  })

  test.each([
    ['create', creating, 'already_exists'],
    ['upsert', upserting, 'invalid'],
  ])('two that come at the same time: the later one is refused (%s)', async (...[, write, code]) => {
    const side = await openWriteSide(options)
    await side.given(...assets)
    beforeNextAppend(side.context, () => side.ask(ofTopic))
    await expect(side.ask(writing(write, 'container'))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/ topic shop\.orders/) as string,
    })
    expect(await held(side)).toEqual(['topic'])
  })

  test('nor do two of one batch', async () => {
    const side = await openWriteSide(options)
    await side.given(...assets)
    const { summaries } = await side.askAll([ofTopic, ofContainer])
    expect(summaries.map((one) => ('result' in one ? 'done' : (one.error as { code: string }).code))).toEqual([
      'done',
      'already_exists',
    ])
    expect(await held(side)).toEqual(['topic'])
  })
})
