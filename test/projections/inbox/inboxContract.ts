import { expect, test } from 'vitest'
import type { CatalogEvent, RecordedEvent } from '../../../src/events/events.ts'
import { buildFqn, entityId } from '../../../src/kinds/names.ts'
import { contractKind } from '../../../src/kinds/registry/kinds.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import { recordedEvent } from '../../support/events.ts'
import { applyBatch, labelsOf } from '../../support/projecting.ts'
import type { MakeReadModels } from '../entities/contract/support.ts'

const idOf = (name: string): string => entityId('user', buildFqn([name]))
const person = (name: string) => ({ id: idOf(name), type: 'user', fullyQualifiedName: name })
const [ann, bob, eve] = ['ann', 'bob', 'eve'].map(person) as [object, object, object]

const create = (owners: object[], parent?: object): CatalogEvent =>
  ({ type: 'Created', data: { name: 'n', members: { owners }, ...(parent && { parent }) } }) as CatalogEvent
const change = (set: object, unset: string[] = []) => ({ type: 'Updated', data: { set, unset } }) as CatalogEvent
const describe = change({ description: 'd' })
/** What takes back that somebody follows, or no longer does. */
const followers = (...set: object[]) =>
  ({
    type: 'Updated',
    data: { set: set.length > 0 ? { followers: set } : {}, unset: set.length > 0 ? [] : ['followers'] },
  }) as CatalogEvent
const giveTo = (...owners: object[]) => ({ type: 'Updated', data: { set: { owners }, unset: [] } }) as CatalogEvent
const followedBy = (user: object) => ({ type: 'FollowerAdded', data: { user } }) as CatalogEvent
const leftBy = (user: object) => ({ type: 'FollowerRemoved', data: { user } }) as CatalogEvent
const judged = (status: string, more = {}) =>
  ({ type: 'Validated', data: { result: { status }, ...more } }) as CatalogEvent
const deletion = '00000000-0000-4000-8000-000000000000'
const turned = (type: 'SoftDeleted' | 'Restored' | 'HardDeleted', inherited?: true): CatalogEvent => ({
  type,
  data: { deletion, ...(inherited && { inherited }) },
})

const uuid = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`
const thing = (number: number): string => `thing-${uuid(number)}`

/** Who did what to which entity, and whose inbox has it. */
const story: [stream: string, user: string, event: CatalogEvent, readers: string][] = [
  [thing(1), 'eve', create([ann]), 'ann'],
  [thing(1), 'ann', describe, ''],
  [thing(1), 'eve', describe, 'ann'],
  [thing(1), 'bob', followedBy(bob), ''],
  [thing(1), 'eve', describe, 'ann bob'],
  [thing(1), 'ann', giveTo(eve), 'bob eve'],
  [thing(1), 'bob', giveTo(ann), 'ann eve'],
  [`${contractKind}-${uuid(2)}`, 'bob', create([], { id: uuid(1), type: 'thing', fullyQualifiedName: 't' }), ''],
  [`${contractKind}-${uuid(2)}`, 'system', judged('Success'), ''],
  [`${contractKind}-${uuid(2)}`, 'system', judged('Failed'), 'ann bob'],
  [`${contractKind}-${uuid(2)}`, 'eve', change({ incident: {} }), 'ann bob'],
  [`${contractKind}-${uuid(2)}`, 'eve', change({}, ['incident']), 'ann bob'],
  [`${contractKind}-${uuid(2)}`, 'eve', change({ description: 'd' }), ''],
  [`${contractKind}-${uuid(2)}`, 'system', judged('Failed', { late: true }), ''],
  [`${contractKind}-${uuid(2)}`, 'system', judged('Failed', { run: 'late' }), ''],
  [`${contractKind}-${uuid(2)}`, 'system', judged('Failed', { run: 'late', incident: {} }), 'ann bob'],
  [thing(1), 'bob', leftBy(bob), ''],
  [`${contractKind}-${uuid(2)}`, 'system', judged('Failed'), 'ann'],
  [thing(1), 'eve', turned('SoftDeleted', true), ''],
  [thing(1), 'eve', turned('Restored', true), ''],
  [thing(1), 'eve', turned('SoftDeleted'), 'ann'],
  [thing(1), 'eve', turned('Restored'), 'ann'],
  [thing(1), 'eve', turned('HardDeleted', true), ''],
  [thing(3), 'eve', create([bob]), 'bob'],
  [thing(3), 'bob', followedBy(ann), ''],
  [thing(3), 'eve', turned('HardDeleted'), 'ann bob'],
  [thing(3), 'eve', create([eve]), ''],
  [thing(3), 'bob', describe, 'eve'],
  [thing(4), 'eve', create([]), ''],
  [thing(4), 'bob', followedBy(bob), ''],
  [thing(4), 'bob', followers(), ''],
  [thing(4), 'eve', describe, ''],
  [thing(4), 'ann', followers(ann, bob), 'bob'],
  [thing(4), 'eve', describe, 'ann bob'],
]

const log = (): RecordedEvent[] => {
  const revisions = new Map<string, bigint>()
  return story.map(([stream, user, event], at) => {
    const revision = (revisions.get(stream) ?? -1n) + 1n
    revisions.set(stream, revision)
    const made = recordedEvent(event, { stream, revision, name: stream, position: BigInt(at * 2 + 1) })
    return { ...made, metadata: { ...made.metadata, user } }
  })
}

const positionsFor = (name: string): bigint[] =>
  story.flatMap(([, , , readers], at) => (readers.split(' ').includes(name) ? [BigInt(at * 2 + 1)] : []))

const apply = async (readModels: ReadModels, events: RecordedEvent[]): Promise<void> => {
  const position = (events.at(-1) as RecordedEvent).position
  await applyBatch(readModels, { events, position, rows: async () => [], labelsOf })
}

export const inboxContract = (name: string, make: MakeReadModels): void => {
  for (const size of [1, 2, 5, story.length])
    test(`${name}: each is told what concerns him, in batches of ${size}, also when they come again`, async () => {
      const { readModels, reopen, dispose } = await make()
      const events = log()
      const batches: RecordedEvent[][] = []
      for (let at = 0; at < events.length; at += size) batches.push(events.slice(at, at + size))
      for (const batch of batches) await apply(readModels, batch)
      const expectTold = async (from: ReadModels): Promise<void> => {
        for (const one of ['ann', 'bob', 'eve', 'system'])
          expect(await from.inbox({ incarnations: [idOf(one)], limit: 100, oldestFirst: true }), one).toEqual(
            positionsFor(one),
          )
      }
      await expectTold(readModels)
      const again = reopen === undefined ? readModels : await reopen()
      for (const batch of [events.slice(3, 9), events.slice(5), events]) await apply(again, batch)
      await expectTold(again)
      await dispose()
    })

  test(`${name}: an inbox of several lives is read page by page, in either direction`, async () => {
    const { readModels, dispose } = await make()
    await apply(readModels, log())
    const lives = ['ann', 'bob'].map(idOf)
    const all = [...new Set(['ann', 'bob'].flatMap(positionsFor))].toSorted((a, b) => (a < b ? -1 : 1))
    const oldest = await readModels.inbox({ incarnations: lives, limit: 3, oldestFirst: true })
    expect(oldest).toEqual(all.slice(0, 3))
    expect(
      await readModels.inbox({ incarnations: lives, limit: 100, oldestFirst: true, after: oldest.at(-1) }),
    ).toEqual(all.slice(3))
    const newest = await readModels.inbox({ incarnations: lives, limit: 3 })
    expect(newest).toEqual(all.toReversed().slice(0, 3))
    expect(await readModels.inbox({ incarnations: lives, limit: 100, before: newest.at(-1) })).toEqual(
      all.toReversed().slice(3),
    )
    expect(await readModels.inbox({ incarnations: [], limit: 3 })).toEqual([])
    await dispose()
  })
}
