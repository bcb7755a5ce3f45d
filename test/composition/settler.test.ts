import { expect, onTestFinished, test } from 'vitest'
import { startSettler } from '../../src/composition/settler.ts'
import { submit, submitCommand } from '../../src/commands/submit.ts'
import { handleCommand } from '../../src/commands/handleCommand.ts'
import type { Commands } from '../../src/commands/handleCommand.ts'
import { StoreUnavailable } from '../../src/events/eventStore.ts'
import { entityId } from '../../src/kinds/names.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { causeOf, openWriteSide, type WriteSideOptions } from '../support/writeSide.ts'

const glossary = kindNamed('glossary')
const term = kindNamed('glossaryTerm')
const deletion = '3b241101-e2bb-4255-8caf-4136c566a962'

const statusOf = async (commands: Commands, kind: string, fqn: string): Promise<string | undefined> => {
  const id = entityId(kind, fqn)
  return (await commands.lookup([id])).get(id)?.status
}

/** A glossary `g` with the term `g.t`, and a settler that is told all that the log gives. */
const start = async (options: WriteSideOptions = {}) => {
  const side = await openWriteSide(options)
  const { commands, log } = side
  const { entity } = await submit(commands, glossary, 'Create', { name: 'g', values: {}, cleared: [] }, causeOf())
  const place = { glossary: { fullyQualifiedName: 'g' } }
  const make = (name: string) => submit(commands, term, 'Create', { name, values: place, cleared: [] }, causeOf())
  const { entity: child } = await make('t')
  const settler = startSettler({ commands, logger: { info: () => {}, warn: () => {} }, grace: 20 })
  const controller = new AbortController()
  const watching = (async () => {
    for await (const batch of log.subscribe({ after: undefined, signal: controller.signal })) settler.saw(batch)
  })()
  onTestFinished(async () => {
    controller.abort()
    await watching
    await settler.close()
  })
  return { ...side, parent: entity, child }
}

test('a deletion that ended before its children were taken is finished', async () => {
  const { commands, parent } = await start()
  await submitCommand(commands, glossary, parent, { type: 'SoftDelete', deletion }, causeOf())
  await expect.poll(() => statusOf(commands, 'glossaryTerm', 'g.t')).toBe('deleted')
})

test('a restore that ended before its children were taken is finished', async () => {
  const { commands, parent } = await start()
  const { entity } = await submitCommand(commands, glossary, parent, { type: 'SoftDelete', deletion }, causeOf())
  await expect.poll(() => statusOf(commands, 'glossaryTerm', 'g.t')).toBe('deleted')
  await submitCommand(commands, glossary, entity, { type: 'Restore' }, causeOf())
  await expect.poll(() => statusOf(commands, 'glossaryTerm', 'g.t')).toBe('live')
})

test('a child that appears below a deleted parent is taken, although the process that wrote it is gone', async () => {
  const { commands, parent, project } = await start()
  await submitCommand(commands, glossary, parent, { type: 'SoftDelete', deletion }, causeOf())
  await expect.poll(() => statusOf(commands, 'glossaryTerm', 'g.t')).toBe('deleted')
  // Decided on what another process had read before, and never settled.
  const location = {
    id: entityId('glossaryTerm', 'g.late'),
    name: 'late',
    fullyQualifiedName: 'g.late',
    parent: {
      reference: { id: parent.id, type: 'glossary', fullyQualifiedName: 'g' },
      deleted: false,
      members: {},
      born: parent.born,
    },
  }
  const command = { type: 'Create', location, members: {} } as const
  await handleCommand(commands, term, { kind: 'glossaryTerm', ...location }, command, causeOf(), new Map())
  await project()
  await expect.poll(() => statusOf(commands, 'glossaryTerm', 'g.late')).toBe('deleted')
})

test('what cannot be finished while the store is away is finished when it is back', async () => {
  let away = false
  const { commands, parent } = await start({
    change: (log) => ({
      ...log,
      append: (appends) => (away ? Promise.reject(new StoreUnavailable('away')) : log.append(appends)),
    }),
  })
  await submitCommand(commands, glossary, parent, { type: 'SoftDelete', deletion }, causeOf())
  away = true
  await expect.poll(() => statusOf(commands, 'glossary', 'g')).toBe('deleted')
  away = false
  await expect.poll(() => statusOf(commands, 'glossaryTerm', 'g.t')).toBe('deleted')
})
