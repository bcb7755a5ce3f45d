import { expect, onTestFinished, test } from 'vitest'
import { startIntegrity } from '../../src/processes/integrity.ts'
import { makePending } from '../../src/projections/entities/pending.ts'
import { hidingId } from '../../src/commands/overtaken/hiding.ts'
import { StoreUnavailable } from '../../src/events/eventStore.ts'
import { entityId } from '../../src/kinds/names.ts'
import { creating, openWriteSide, removing, unconditional, type WriteSideOptions } from '../support/writeSide.ts'

const deletion = '3b241101-e2bb-4255-8caf-4136c566a962'

/** A glossary `g` with the term `g.t`. */
const open = async (options: WriteSideOptions = {}) => {
  const side = await openWriteSide(options)
  await side.given(creating('glossary', 'g'), creating('glossaryTerm', 'g.t'))
  const statusOf = async (kind: string, fqn: string) => (await side.find(kind, fqn))?.status
  return { ...side, statusOf }
}

type Side = Awaited<ReturnType<typeof open>>

/** Where requests carry their own deletions down, as on a log that several processes write. */
const startOn = (
  { context, readModels }: Pick<Awaited<ReturnType<typeof openWriteSide>>, 'context' | 'readModels'>,
  graces: { readonly grace: number; readonly hidingGrace: number },
) =>
  startIntegrity({
    ports: context,
    pending: makePending(readModels),
    reads: readModels,
    logger: { info: () => {}, warn: () => {} },
    alone: false,
    ...graces,
  })

/** Begins to tell a integrity all that the log gives, from its beginning on. */
const watch = (side: Side): void => {
  const { log } = side
  const integrity = startOn(side, { grace: 20, hidingGrace: 60 })
  const controller = new AbortController()
  const watching = (async () => {
    for await (const batch of log.subscribe({ after: undefined, signal: controller.signal })) integrity.saw(batch)
  })()
  onTestFinished(async () => {
    controller.abort()
    await watching
    await integrity.close()
  })
}

/** Both. */
const start = async (options: WriteSideOptions = {}): Promise<Side> => {
  const side = await open(options)
  watch(side)
  return side
}

/** Lets a request for a deletion for good end right after it has hidden the glossary. */
const hideAndEnd = async ({ context, ask, project }: Side): Promise<void> => {
  const { projected } = context
  context.projected = async () => {
    context.projected = projected
    throw new StoreUnavailable('the process has ended')
  }
  await expect(ask(removing('glossary', 'g', { hard: true }))).rejects.toThrow('the process has ended')
  context.projected = projected
  await project()
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

test('what a request has hidden, and left so when its process ended, is brought back', async () => {
  const side = await open({ change: unconditional })
  await side.given(removing('glossaryTerm', 'g.t', { hard: true }))
  await hideAndEnd(side)
  expect(await side.statusOf('glossary', 'g')).toBe('deleted')
  watch(side)
  await expect.poll(() => side.statusOf('glossary', 'g')).toBe('live')
  const [hiding, revealed] = (await side.events()).slice(-2)
  expect([hiding?.type, revealed?.type]).toEqual(['SoftDeleted', 'Restored'])
  expect(revealed?.metadata).toMatchObject({
    user: hiding?.metadata.user,
    correlationId: hiding?.metadata.correlationId,
    causationId: hiding?.id,
  })
})

test('what was hidden before the process began to look is brought back too, and what was deleted to stay is not', async () => {
  const side = await openWriteSide({ change: unconditional })
  const { given, only, find } = side
  await given(...['g', 'h', 'i'].map((name) => creating('glossary', name)))
  await given(removing('glossary', 'h'), removing('glossary', 'i', { hard: true }))
  await only('glossary', 'g', { type: 'SoftDelete', deletion: hidingId() })
  const integrity = startOn(side, { grace: 20, hidingGrace: 20 })
  onTestFinished(() => integrity.close())
  integrity.lookEverywhere()
  await expect.poll(async () => (await find('glossary', 'g'))?.status).toBe('live')
  expect([(await find('glossary', 'h'))?.status, (await find('glossary', 'i'))?.status]).toEqual(['deleted', 'gone'])
})
