import { expect, onTestFinished, test } from 'vitest'
import { startCascadeWorker } from '../../src/composition/cascadeWorker.ts'
import { StoreUnavailable } from '../../src/events/eventStore.ts'
import { entityId } from '../../src/kinds/names.ts'
import { creating, openWriteSide, type WriteSideOptions } from '../support/writeSide.ts'

const deletion = '3b241101-e2bb-4255-8caf-4136c566a962'

/** A glossary `g` with the term `g.t`, and a cascadeWorker that is told all that the log gives. */
const start = async (options: WriteSideOptions = {}) => {
  const side = await openWriteSide(options)
  const { context, log, given, find } = side
  await given(creating('glossary', 'g'), creating('glossaryTerm', 'g.t'))
  const cascadeWorker = startCascadeWorker({ ports: context, logger: { info: () => {}, warn: () => {} }, grace: 20 })
  const controller = new AbortController()
  const watching = (async () => {
    for await (const batch of log.subscribe({ after: undefined, signal: controller.signal })) cascadeWorker.saw(batch)
  })()
  onTestFinished(async () => {
    controller.abort()
    await watching
    await cascadeWorker.close()
  })
  const statusOf = async (kind: string, fqn: string) => (await find(kind, fqn))?.status
  return { ...side, statusOf }
}

test('a deletion that ended before its children were taken is finished', async () => {
  const { only, statusOf } = await start()
  await only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(() => statusOf('glossaryTerm', 'g.t')).toBe('deleted')
})

test('a restore that ended before its children were taken is finished', async () => {
  const { only, statusOf } = await start()
  await only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(() => statusOf('glossaryTerm', 'g.t')).toBe('deleted')
  await only('glossary', 'g', { type: 'Restore' })
  await expect.poll(() => statusOf('glossaryTerm', 'g.t')).toBe('live')
})

test('a child that appears below a deleted parent is taken, although the process that wrote it is gone', async () => {
  const { only, find, statusOf } = await start()
  const parent = await find('glossary', 'g')
  await only('glossary', 'g', { type: 'SoftDelete', deletion })
  await expect.poll(() => statusOf('glossaryTerm', 'g.t')).toBe('deleted')
  // Decided on what another process had read before, and never settled.
  const location = {
    id: entityId('glossaryTerm', 'g.late'),
    name: 'late',
    fullyQualifiedName: 'g.late',
    parent: {
      reference: { id: entityId('glossary', 'g'), type: 'glossary', fullyQualifiedName: 'g' },
      deleted: false,
      members: {},
      born: parent?.born ?? 0n,
    },
  }
  await only('glossaryTerm', 'g.late', { type: 'Create', location, members: {} })
  await expect.poll(() => statusOf('glossaryTerm', 'g.late')).toBe('deleted')
})

test('what cannot be finished while the store is away is finished when it is back', async () => {
  let away = false
  const { only, statusOf } = await start({
    change: (log) => ({
      ...log,
      append: (appends) => (away ? Promise.reject(new StoreUnavailable('away')) : log.append(appends)),
    }),
  })
  await only('glossary', 'g', { type: 'SoftDelete', deletion })
  away = true
  await expect.poll(() => statusOf('glossary', 'g')).toBe('deleted')
  away = false
  await expect.poll(() => statusOf('glossaryTerm', 'g.t')).toBe('deleted')
})
