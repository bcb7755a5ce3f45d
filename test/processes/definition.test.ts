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

const followed = Symbol('the events of all children stand, and no more of them are written')
type Step = readonly [asked: Ask, answer: string] | typeof followed

const recursive = { recursive: true }
const [deleted, restored] = [removing('glossary', 'g', recursive), restoring('glossary', 'g')]
const hidden = 'deleted deleted deleted deleted'
const live = 'live live live live'

const races: readonly (readonly [title: string, steps: readonly Step[], states: string])[] = [
  ['a deletion', [[deleted, 'done']], hidden],
  ['a deletion for good', [[removing('glossary', 'g', { ...recursive, hard: true }), 'done']], 'gone gone gone gone'],
  [
    'a restore before anything has followed',
    [
      [deleted, 'done'],
      [restored, 'done'],
    ],
    live,
  ],
  ['a restore', [[deleted, 'done'], followed, [restored, 'done']], live],
  [
    'a second deletion before the restore is followed',
    [[deleted, 'done'], followed, [restored, 'done'], [deleted, 'done']],
    hidden,
  ],
  [
    'something new below a deletion',
    [
      [deleted, 'done'],
      [creating('glossaryTerm', 'g.a.d'), 'invalid'],
    ],
    hidden,
  ],
  [
    'a change below a deletion',
    [
      [deleted, 'done'],
      [patching('glossaryTerm', 'g.a.b', { description: 'd' }), 'not_found'],
    ],
    hidden,
  ],
  [
    'an upsert below a deletion',
    [
      [deleted, 'done'],
      [upserting('glossaryTerm', 'g.a.b', { description: 'd' }), 'invalid'],
    ],
    hidden,
  ],
  [
    'a deletion below a deletion',
    [
      [deleted, 'done'],
      [removing('glossaryTerm', 'g.a.b'), 'not_found'],
    ],
    hidden,
  ],
  [
    'a restore below a deletion',
    [
      [deleted, 'done'],
      [restoring('glossaryTerm', 'g.a.b'), 'invalid'],
    ],
    hidden,
  ],
  [
    'a reference to what is below a deletion for good',
    [
      [removing('glossary', 'g', { ...recursive, hard: true }), 'done'],
      [creating('glossary', 'h', { tags: ['g.a.b'] }), 'invalid'],
    ],
    'gone gone gone gone',
  ],
  [
    'a reference to what is below a restore',
    [[deleted, 'done'], followed, [restored, 'done'], [creating('glossary', 'h', { tags: ['g.a.b'] }), 'done']],
    live,
  ],
  [
    'something new below a restore',
    [[deleted, 'done'], followed, [restored, 'done'], [creating('glossaryTerm', 'g.a.d'), 'done']],
    live,
  ],
  [
    'a change below a restore',
    [
      [deleted, 'done'],
      followed,
      [restored, 'done'],
      [patching('glossaryTerm', 'g.a.b', { description: 'd' }), 'done'],
    ],
    live,
  ],
  [
    'a deletion below a restore',
    [[deleted, 'done'], followed, [restored, 'done'], [removing('glossaryTerm', 'g.a', recursive), 'done']],
    'live deleted deleted deleted',
  ],
  [
    'a deletion without recursive of what is restored',
    [[deleted, 'done'], followed, [restored, 'done'], [removing('glossary', 'g'), 'invalid']],
    live,
  ],
  [
    'a restore above what was deleted on its own',
    [[removing('glossaryTerm', 'g.a.b'), 'done'], [deleted, 'done'], followed, [restored, 'done']],
    'live live deleted live',
  ],
  [
    'a restore above what was deleted with all below',
    [
      [removing('glossaryTerm', 'g.a', recursive), 'done'],
      [deleted, 'done'],
      [restored, 'done'],
    ],
    'live deleted deleted deleted',
  ],
  [
    'a deletion, a restore and a restore below it',
    [
      [removing('glossaryTerm', 'g.a', recursive), 'done'],
      [deleted, 'done'],
      [restored, 'done'],
      [restoring('glossaryTerm', 'g.a'), 'done'],
    ],
    live,
  ],
]

describe('answers and states are those of the order of the events, before children have theirs and after', () => {
  test.each(races)('%s', async (_, steps, states) => {
    const { ask, follow, hold, shown, written } = await open()
    hold()
    for (const step of steps) {
      if (step === followed) {
        await follow()
        hold()
      } else expect(await ask(step[0])).toBe(step[1])
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
