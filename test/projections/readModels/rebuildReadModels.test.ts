import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteEventStore } from '../../../src/events/sqlite/store.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { checkpointAfter, type Projection } from '../../../src/projections/projection.ts'
import { replay } from '../../../src/projections/readModels/rebuildReadModels.ts'
import { makeRowFold } from '../../../src/projections/projectors.ts'
import { makeLabels } from '../../../src/projections/labels.ts'
import { openSqliteReadModels } from '../../../src/projections/embedded/readModels.ts'
import { appendOf, appendOk, collect, freshStream } from '../../support/events.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { applyBatch } from '../../support/projecting.ts'

test('a replay gives every projection all events, also where others have moved the first one on meanwhile', async () => {
  const folder = await temporaryFolder()
  const log = await openSqliteEventStore({ path: join(folder, 'log.db') })
  const readModels = await openSqliteReadModels({ path: join(folder, 'readModels.db') })
  const options = { log, readModels, kindNamed, progress: () => undefined }
  const append = async (): Promise<bigint> =>
    (await appendOk(log, appendOf(freshStream('glossary'), 'no_stream'))).position
  const first = await append()
  await replay(options, first)
  const second = await append()
  const events = await collect(log.readAll({ after: first }))
  const fold = makeRowFold(options)
  const batch = { events, position: second, rows: () => fold(events), labelsOf: makeLabels(log) }
  await applyBatch(readModels, batch, checkpointAfter(batch), [readModels.projections[0] as Projection])
  const third = await append()
  await replay(options, third)
  const { rows } = await readModels.activity({ limit: 10 })
  expect(rows.map(({ position }) => position).toSorted()).toEqual([first, second, third])
  expect((await readModels.treeLeaves())?.hashes.length).toBe(3 * 32)
  await readModels.close()
  await log.close()
})
