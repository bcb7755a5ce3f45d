import { expect, test } from 'vitest'
import type { Api } from '../../../src/api/deps.ts'
import { pointInTime } from '../../../src/api/entities/answers/pointInTime.ts'
import { entityAt, versionAt } from '../../../src/api/entities/reads/moment.ts'
import { evolve } from '../../../src/commands/evolve.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { toRow } from '../../../src/projections/entities/entityRow.ts'
import { headOf } from '../../../src/projections/entities/row.ts'
import { makeHistory } from '../../../src/projections/history.ts'
import type { StatusSpan } from '../../../src/projections/timeline/port.ts'
import { newEvent } from '../../support/events.ts'

const kind = 'glossaryTerm'
const fullyQualifiedName = 'g.t'
const id = entityId(kind, fullyQualifiedName)
const stream = `${kind}-${id}`
const parent = { id: entityId('glossary', 'g'), type: 'glossary', fullyQualifiedName: 'g' }
const created = newEvent(
  { type: 'Created', data: { name: 't', members: {}, parent } },
  { stream, name: fullyQualifiedName, revision: 0n },
)
const event = { ...created, stream, revision: 0n, position: 5n }
const row = toRow(evolve(id, undefined, event), kindNamed(kind))
const log = {
  readStream: async function* () {
    yield event
  },
}
const notAsked = (): Promise<never> => Promise.reject(new Error('This is not asked here.'))

/** A term whose only event is its creation: its status in the read models now, and in the timeline at position 7. */
const storesOf = (now: 'live' | 'deleted' | 'gone', then: StatusSpan) => {
  const statusesAt = async () => new Map([[id, then]])
  const readModels = {
    get: async () => ({ ...row, status: now }),
    getMany: async () => new Map([[id, { ...row, status: now }]]),
    getHeads: async () => new Map([[id, { ...headOf(row), status: now }]]),
    getReferences: async () => new Map(now === 'gone' ? [] : [[id, { ...row, status: now }]]),
    statusesAt,
    listAsOf: async () => ({ keys: [{ id, fullyQualifiedName }], total: 1, hasBefore: false, hasAfter: false }),
  }
  return { readModels, history: makeHistory(log) } as object as Api
}

const pointAt7 = (...statuses: Parameters<typeof storesOf>) => pointInTime(storesOf(...statuses), { position: 7n })

test.each([
  ['deleted', 'live'],
  ['gone', 'live'],
  ['live', 'deleted'],
] as const)('an entity that is %s now without an event of its own was %s at a moment before', async (now, status) => {
  const then = pointAt7(now, { status, from: 6n, to: 8n })
  expect((await then.get(id))?.status).toBe(status)
  expect((await then.getReferences([id])).get(id)?.status).toBe(status)
  expect((await then.childrenOf([parent.id], kind, 10)).map(({ row: child }) => child.status)).toEqual([status])
  const [listed] = (await then.list({ kind, include: 'all', scopes: [], edges: [], limit: 10 })).rows
  expect(JSON.parse(listed?.shownAlways ?? '{}')).toMatchObject({ deleted: status === 'deleted' })
})

test('as of its version an entity is what it was then; the version is what its own event made', async () => {
  const api = {
    ...storesOf('live', { status: 'deleted', from: 5n, to: 8n }),
    runner: { position: () => 9n, shownPosition: notAsked, waitFor: notAsked, projects: () => true },
    commands: { waitForCascadesUpTo: async () => undefined },
    log: { head: notAsked },
  } as object as Api
  expect((await entityAt(api, { kind, id }, { version: 1 }))?.entity.status).toBe('deleted')
  expect((await versionAt(api, { kind, id }, 1))?.entity.status).toBe('live')
})
