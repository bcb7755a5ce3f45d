import { expect, test } from 'vitest'
import { pointInTime } from '../../../src/api/entities/answers/pointInTime.ts'
import { evolve } from '../../../src/commands/evolve.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { kindNamed, kinds } from '../../../src/kinds/registry/kinds.ts'
import { toRow } from '../../../src/projections/entities/entityRow.ts'
import { headOf } from '../../../src/projections/entities/row.ts'
import { makeHistory } from '../../../src/projections/past.ts'
import { makePastRows } from '../../../src/projections/timeline/pastRows.ts'
import { created } from '../../support/events.ts'

const id = entityId('glossary', 'g')
const stream = `glossary-${id}`
const event = { ...created({}, { stream, name: 'g', revision: 0n }), stream, revision: 0n, position: 5n }
const row = toRow(evolve(id, undefined, event), kindNamed('glossary'))
const log = {
  readStream: async function* () {
    yield event
  },
}
const pastRows = makePastRows({ log, history: makeHistory(log), kindNamed, statusAt: async () => undefined })
const notAsked = (): Promise<never> => Promise.reject(new Error('This is not asked here.'))

test.each(['deleted', 'gone'] as const)(
  'what reads show as %s, before its event is there, was live at a moment before that',
  async (status) => {
    const readModels = {
      get: async () => ({ ...row, status }),
      getMany: async () => new Map([[id, { ...row, status }]]),
      getHeads: async () => new Map([[id, { ...headOf(row), status }]]),
      getReferences: async () => new Map(status === 'gone' ? [] : [[id, { ...row, status }]]),
      getByFqn: notAsked,
      positionAt: notAsked,
      statusAt: notAsked,
      listAsOf: async () => ({
        keys: [{ id, fullyQualifiedName: 'g' }],
        total: 1,
        hasBefore: false,
        hasAfter: false,
      }),
    }
    const then = pointInTime({ kinds, readModels, pastRows }, { position: 7n })
    expect((await then.getReferences([id])).get(id)?.status).toBe('live')
    const query = { kind: 'glossary', include: 'non-deleted', scopes: [], edges: [], limit: 10 } as const
    const [listed] = (await then.list(query)).rows
    expect(JSON.parse(listed?.shownAlways ?? '{}')).toMatchObject({ deleted: false })
  },
)
