import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CatalogEvent } from '../../../src/events/events.ts'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { rebuildReadModels, replay } from '../../../src/projections/readModels/rebuildReadModels.ts'
import { openSqliteReadModels } from '../../../src/projections/embedded/readModels.ts'
import { appendOk, newEvent } from '../../support/events.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { checkpointOf } from '../../support/projecting.ts'

const id = entityId('glossary', 'g')
const deletion = { deletion: id }

it('read models that are built again list the past as those did that followed the log', async () => {
  const folder = await temporaryFolder()
  const log = await openSqliteEventStore({ path: join(folder, 'log.db') })
  const readModels = await openSqliteReadModels({ path: join(folder, 'readModels.db') })
  const options = { log, readModels, kindNamed, progress: () => undefined }
  const owners = [{ id: entityId('user', 'ann'), type: 'user', fullyQualifiedName: 'ann' }]
  const events: CatalogEvent[] = [
    { type: 'Created', data: { name: 'g', members: { owners } } },
    { type: 'SoftDeleted', data: deletion },
    { type: 'Restored', data: deletion },
    { type: 'Updated', data: { set: {}, unset: ['owners'] } },
    { type: 'HardDeleted', data: deletion },
    { type: 'Created', data: { name: 'g', members: {} } },
  ]
  const stream = `glossary-${id}`
  const positions: bigint[] = []
  let previousHash: string | undefined
  for (const [index, event] of events.entries()) {
    const revision = BigInt(index)
    const made = newEvent(event, { stream, name: 'g', revision, ...(previousHash !== undefined && { previousHash }) })
    previousHash = made.metadata.hash
    const expected = index === 0 ? 'no_stream' : revision - 1n
    positions.push((await appendOk(log, { stream, expected, events: [made] })).position)
    await replay(options, positions.at(-1))
  }
  const listed = () =>
    Promise.all(
      positions.flatMap((position) =>
        (['non-deleted', 'deleted', 'all'] as const).flatMap((include) =>
          [[], [{ rel: 'owners', target: owners[0]?.id as string }]].map(async (edges) => {
            const page = await readModels.listAsOf({ kind: 'glossary', include, scopes: [], edges, limit: 5, position })
            return [page.total, page.keys.length]
          }),
        ),
      ),
    )
  const followed = await listed()
  expect(followed.map(([total]) => total)).toEqual([
    1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0,
  ])
  expect(await rebuildReadModels(options)).toBe(events.length)
  expect(await listed()).toEqual(followed)
  const [row] = [await readModels.get(id)]
  expect(await rebuildReadModels(options)).toBe(events.length)
  expect([await listed(), await readModels.get(id)]).toEqual([followed, row])
  expect(await checkpointOf(readModels)).toBe(positions.at(-1))
  await readModels.close()
  await log.close()
})
