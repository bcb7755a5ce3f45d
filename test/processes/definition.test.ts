import { describe, expect, onTestFinished, test } from 'vitest'
import { execute } from '../../src/commands/requests/execute.ts'
import type { Ask } from '../support/writeSide.ts'
import { creating, openWriteSide, patching, removing, restoring, upserting } from '../support/writeSide.ts'
import { entityId } from '../../src/kinds/names.ts'
import { startIntegrity } from '../../src/processes/integrity.ts'
import { makePending } from '../../src/projections/entities/pending.ts'
import { settledReads } from '../../src/projections/entities/settledReads.ts'
import { collect, newEvent } from '../support/events.ts'

const kindOf = (fqn: string): string => (fqn.includes('.') ? 'glossaryTerm' : 'glossary')
const fqns = ['g', 'g.a', 'g.a.b', 'g.a.c']
const idOf = (fqn: string): string => entityId(kindOf(fqn), fqn)

/** A glossary with three terms, on a log that this process has to itself; children follow only when they are let. */
const open = async () => {
  const side = await openWriteSide()
  const { context, log, readModels } = side
  const { waitForPosition } = context
  const { statusMismatches } = context.hierarchy
  let told: bigint | undefined
  let gate = Promise.resolve()
  let letThem = (): void => undefined
  context.waitForPosition = async (position) => {
    const events = await collect(log.readAll({ after: told }))
    told = events.at(-1)?.position ?? told
    integrity.observe({ events, position })
    await waitForPosition(position)
  }
  context.hierarchy.statusMismatches = async (...asked) => {
    await gate
    return statusMismatches(...asked)
  }
  const pending = makePending(readModels, { entities: context.position, search: context.position })
  const reads = { ...readModels, ...settledReads(readModels, pending) }
  const integrity = startIntegrity({
    ports: { ...context, hierarchy: { ...context.hierarchy } },
    pending,
    reads,
    check: async () => ({}),
    logger: { warn: () => {}, error: () => {} },
    alone: true,
    currentTerm: () => 1,
    checkpoint: { read: async () => undefined, write: async () => undefined },
    timeout: 1,
  })
  await integrity.begin()
  const release = (): void => letThem()
  onTestFinished(() => {
    release()
    return integrity.close()
  })
  const ask = (asked: Ask) => {
    const requests = { ...integrity.requests, caller: context.caller }
    return execute(requests, asked(requests)).then(
      () => 'done',
      ({ code }: { code: string }) => code,
    )
  }
  const statusesIn = async (from: Pick<typeof reads, 'getHeads'>) => {
    const rows = await from.getHeads(fqns.map(idOf))
    return fqns.map((fqn) => rows.get(idOf(fqn))?.status ?? 'none').join(' ')
  }
  const follow = async (): Promise<void> => {
    release()
    await expect.poll(() => pending.size()).toBe(0)
  }
  for (const fqn of fqns) await ask(creating(kindOf(fqn), fqn))
  return {
    ...side,
    ask,
    follow,
    hold: (): void => {
      gate = new Promise((resolve) => (letThem = resolve))
    },
    /** What reads give, by definition. */
    shown: () => statusesIn(reads),
    /** What the events of each say. */
    written: () => statusesIn(readModels),
  }
}

const recursive = { recursive: true }
const [deleted, restored] = [removing('glossary', 'g', recursive), restoring('glossary', 'g')]
const hidden = 'deleted deleted deleted deleted'
const live = 'live live live live'

/** What is asked of a name. */
const verbs: Readonly<Record<string, (fqn: string) => Ask>> = {
  delete: (fqn) => removing(kindOf(fqn), fqn, recursive),
  'delete for good': (fqn) => removing(kindOf(fqn), fqn, { ...recursive, hard: true }),
  'delete alone': (fqn) => removing(kindOf(fqn), fqn),
  restore: (fqn) => restoring(kindOf(fqn), fqn),
  create: (fqn) => creating(kindOf(fqn), fqn),
  patch: (fqn) => patching(kindOf(fqn), fqn, { description: 'd' }),
  put: (fqn) => upserting(kindOf(fqn), fqn, { description: 'd' }),
  'refer to': (fqn) => creating('glossary', 'h', { tags: [fqn] }),
}

/**
 * What is asked, with the answer if that is a refusal, and what the four of them are then. Where it is followed, the events
 * of all children stand, and no more of them are written.
 */
const races = `
delete g: ${hidden}
delete for good g: gone gone gone gone
delete g, restore g: ${live}
delete g, follow, restore g: ${live}
delete g, follow, restore g, delete g: ${hidden}
delete g, create g.a.d (invalid): ${hidden}
delete g, patch g.a.b (not_found): ${hidden}
delete g, put g.a.b (invalid): ${hidden}
delete g, delete alone g.a.b (not_found): ${hidden}
delete g, restore g.a.b (invalid): ${hidden}
delete for good g, refer to g.a.b (invalid): gone gone gone gone
delete g, follow, restore g, refer to g.a.b: ${live}
delete g, follow, restore g, create g.a.d: ${live}
delete g, follow, restore g, patch g.a.b: ${live}
delete g, follow, restore g, delete g.a: live deleted deleted deleted
delete g, follow, restore g, delete alone g (invalid): ${live}
delete alone g.a.b, delete g, follow, restore g: live live deleted live
delete g.a, delete g, restore g: live deleted deleted deleted
delete g.a, delete g, restore g, restore g.a: ${live}
`

describe('answers and states are those of the order of the events, before children have theirs and after', () => {
  test.each(races.trim().split('\n'))('%s', async (race) => {
    const [steps = '', states] = race.split(': ')
    const { ask, follow, hold, shown, written } = await open()
    hold()
    for (const step of steps.split(', ')) {
      if (step === 'follow') {
        await follow()
        hold()
        continue
      }
      const [, verb = '', fqn = '', answer = 'done'] = /^(.+) (g\S*)(?: \((\w+)\))?$/.exec(step) ?? []
      expect([step, await ask((verbs[verb] ?? expect.fail(`${step} is not a step`))(fqn))]).toEqual([step, answer])
    }
    expect(await shown()).toBe(states)
    await follow()
    expect(await written()).toBe(states)
    expect(await shown()).toBe(states)
  })
})

test('what is below a deletion is deleted, however a former version made the id of its event', async () => {
  const { context, log, follow, hold, shown, written } = await open()
  hold()
  const stream = `glossary-${idOf('g')}`
  const [before] = await collect(log.readStream(stream))
  const event = { type: 'SoftDeleted', data: { deletion: '3b241101-e2bb-4255-8caf-4136c566a962' } } as const
  const previousHash = before?.metadata.hash as string
  const events = [newEvent(event, { stream, name: 'g', revision: 1n, version: 2, previousHash })]
  await log.append([{ stream, expected: 0n, events }])
  await context.waitForPosition((await log.head()) as bigint)
  expect(await shown()).toBe(hidden)
  await follow()
  expect(await written()).toBe(hidden)
})

test('a child has one event for each deletion, caused by that above it, whoever asked for it before', async () => {
  const { ask, events, follow, hold } = await open()
  hold()
  await ask(deleted)
  await ask(patching('glossaryTerm', 'g.a.b', { description: 'd' }))
  await follow()
  const all = await events()
  const [root, ...below] = all.filter(({ type }) => type === 'SoftDeleted')
  expect(below.map(({ metadata }) => metadata.fullyQualifiedName).toSorted()).toEqual(['g.a', 'g.a.b', 'g.a.c'])
  const [a] = below.filter(({ metadata }) => metadata.fullyQualifiedName === 'g.a')
  for (const { metadata } of below) {
    expect(metadata.correlationId).toBe(root?.metadata.correlationId)
    expect(metadata.causationId).toBe(metadata.fullyQualifiedName === 'g.a' ? root?.id : a?.id)
  }
})

test('a deletion without recursive that waited for a restore to be written is refused, whatever the read models show', async () => {
  const { ask, context, written } = await open()
  await ask(deleted)
  const { append } = context.log
  const both: Promise<string>[] = []
  context.log.append = async (appends) => {
    context.log.append = append
    both.push(ask(removing('glossary', 'g')))
    return append(appends)
  }
  both.push(ask(restored))
  await expect.poll(() => both.length).toBe(2)
  expect((await Promise.all(both)).toSorted()).toEqual(['done', 'invalid'])
  await expect.poll(written).toBe(live)
})

test('a deletion without recursive that waited takes nothing that a deletion above hid, which is taken back meanwhile', async () => {
  const { ask, context, follow, hold, readModels, written } = await open()
  hold()
  const { append } = context.log
  const waiting: Promise<string>[] = []
  context.log.append = async (appends) => {
    context.log.append = append
    waiting.push(ask(removing('glossaryTerm', 'g.a')))
    const outcomes = await append(appends)
    await ask(deleted)
    return outcomes
  }
  const { countSettled } = readModels
  readModels.countSettled = async (...asked) => {
    readModels.countSettled = countSettled
    const count = await countSettled(...asked)
    await ask(restored)
    return count
  }
  await ask(patching('glossaryTerm', 'g.a', { description: 'd' }))
  expect(await Promise.all(waiting)).toEqual(['not_found'])
  await ask(restored)
  await follow()
  expect(await written()).toBe(live)
})

test('a change that waited for another one finds restored what was deleted and restored meanwhile', async () => {
  const { ask, context, follow, hold, written } = await open()
  hold()
  const { append } = context.log
  const waiting: Promise<string>[] = []
  context.log.append = async (appends) => {
    context.log.append = append
    await ask(deleted)
    await follow()
    hold()
    await ask(restored)
    waiting.push(ask(patching('glossaryTerm', 'g.a', { description: 'e' })))
    return append(appends)
  }
  await ask(patching('glossaryTerm', 'g.a', { description: 'd' }))
  expect(await Promise.all(waiting)).toEqual(['done'])
  await follow()
  expect(await written()).toBe(live)
})
