import fc, { examples } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import type { CatalogEvent, RecordedEvent } from '../../../src/events/events.ts'
import { entityId } from '../../../src/kinds/names.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import type { ListPage, ListQuery } from '../../../src/projections/entities/port.ts'
import { makeRowFold } from '../../../src/projections/projectors.ts'
import type { ReadModels } from '../../../src/projections/readModels/readModels.ts'
import type { TimelinePage, CurrentFilter } from '../../../src/projections/timeline/port.ts'
import { recordedEvent } from '../../support/events.ts'
import { applyBatch, labelsOf } from '../../support/projecting.ts'
import { freshWith, uuid, type MakeReadModels } from '../entities/contract/support.ts'
import { removedLabels, storedIn } from './removedLabels.ts'

/** A few entities that stand above, beside and within each other, and have names that sort oddly. */
const things = [
  { kind: 'container', name: 's1.a', parent: undefined },
  { kind: 'container', name: 's1.a.b', parent: 0 },
  { kind: 'container', name: 's1.a-b', parent: undefined },
  { kind: 'container', name: 's2."x.y".\u{1f600}', parent: undefined },
  { kind: 'container', name: 's2.\uffee', parent: undefined },
  { kind: 'table', name: 's3.d.e.t1', parent: undefined },
  { kind: 'table', name: 's3.d.e.t2', parent: undefined },
  { kind: 'table', name: 's3.d.f.t1', parent: undefined },
  { kind: 'dataProduct', name: 'p1', parent: undefined },
  { kind: 'dataContract', name: 's3.d.e.t1.c', parent: 5 },
].map((thing, index) => ({ ...thing, id: uuid(index), stream: `${thing.kind}-${uuid(index)}` }))

const owners = [uuid(101), uuid(102)]
const tags = [uuid(201), uuid(202)]
const outcomes = ['Success', 'Failed']
const statuses = ['Unprocessed', 'Approved', 'Draft']

const user = (id: string) => ({ id, type: 'user', fullyQualifiedName: `user ${id}` })
const tag = (id: string) => ({ id, type: 'tag', fullyQualifiedName: `c.${id}` })

/** What happens next to one of them: what cannot happen, as it is, does nothing. */
const step = fc.record({
  thing: fc.nat(things.length - 1),
  verb: fc.constantFrom(
    'change',
    'change',
    'change',
    'delete',
    'restore',
    'end',
    'vote',
    'asset',
    'noAsset',
    'validate',
  ),
  owners: fc.option(fc.subarray(owners), { nil: undefined }),
  tags: fc.option(fc.subarray(tags), { nil: undefined }),
  entityStatus: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
  pause: fc.nat(2),
  asset: fc.nat(2),
  outcome: fc.constantFrom(...outcomes),
})

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const membersOf = ({ owners: own, tags: labels, entityStatus }: Step) => ({
  ...(own && { owners: own.map(user) }),
  ...(labels && { tags: labels.map(tag) }),
  ...(entityStatus !== undefined && { entityStatus }),
})

const eventOf = (some: Step, status: 'none' | 'live' | 'deleted'): CatalogEvent | undefined => {
  const { kind, parent } = things[some.thing] as (typeof things)[number]
  const assets = [things[some.asset] as (typeof things)[number]].map(({ id, kind: type, name }) => ({
    id,
    type,
    fullyQualifiedName: name,
  }))
  if (status === 'none') {
    const above = parent === undefined ? undefined : things[parent]
    const reference = above && { id: above.id, type: above.kind, fullyQualifiedName: above.name }
    return {
      type: 'Created',
      data: { name: 'n', members: membersOf(some), ...(reference && { parent: reference }) },
    }
  }
  if (some.verb === 'end') return { type: 'HardDeleted', data: { deletion: uuid(900) } }
  if (status === 'deleted')
    return some.verb === 'restore' ? { type: 'Restored', data: { deletion: uuid(900) } } : undefined
  if (some.verb === 'delete') return { type: 'SoftDeleted', data: { deletion: uuid(900) } }
  if (some.verb === 'vote') return { type: 'Voted', data: { user: user(owners[0] as string), vote: 'votedUp' } }
  if (kind === 'dataProduct' && some.verb === 'asset') return { type: 'AssetsAdded', data: { assets } }
  if (kind === 'dataProduct' && some.verb === 'noAsset') return { type: 'AssetsRemoved', data: { assets } }
  if (kind === 'dataContract' && some.verb !== 'change')
    return { type: 'Validated', data: { result: { status: some.outcome } } }
  const unset = some.owners === undefined ? ['owners', 'description'] : []
  return { type: 'Updated', data: { set: { ...membersOf(some), description: `${some.pause}` }, unset } }
}

/** A log with holes between its positions, in which several events share an instant. */
const logOf = (steps: readonly Step[]): RecordedEvent[] => {
  const states = things.map(() => ({ status: 'none' as 'none' | 'live' | 'deleted', revision: -1n }))
  let time = 1_700_000_000_000
  const log: RecordedEvent[] = []
  for (const some of steps) {
    const [thing, state] = [things[some.thing], states[some.thing]]
    const event = state && eventOf(some, state.status)
    if (thing === undefined || state === undefined || event === undefined) continue
    state.revision += 1n
    const next = { Created: 'live', Restored: 'live', SoftDeleted: 'deleted', HardDeleted: 'none' } as const
    state.status = event.type in next ? next[event.type as keyof typeof next] : state.status
    time += some.pause
    const { stream, name } = thing
    const place = { stream, name, revision: state.revision, position: BigInt(log.length * 7 + 3) }
    log.push(recordedEvent(event, { ...place, time: new Date(time).toISOString() }))
  }
  return log
}

const edges = [
  { rel: 'owners', target: owners[0] as string },
  { rel: 'tags', target: tags[0] as string },
  { rel: 'tags', target: tags[1] as string },
]

const query = fc.record({
  kind: fc.constantFrom('container', 'container', 'table', 'dataProduct', 'dataContract'),
  include: fc.constantFrom('non-deleted', 'deleted', 'all') satisfies fc.Arbitrary<ListQuery['include']>,
  scopes: fc.constantFrom([], [], ['s1'], ['s1.a'], ['s3.d', 's3.d.e'], ['s1', 's2'], ['nothing']),
  parent: fc.option(fc.constant(uuid(0)), { nil: undefined }),
  edges: fc.oneof(
    fc.subarray(edges),
    fc.constant([]),
    fc.constantFrom(...outcomes, 'none').map((target) => [{ rel: 'validation', target }]),
    fc.constant([{ rel: 'assets', target: uuid(1) }]),
    fc.constant([{ rel: 'assets', target: uuid(2) }]),
  ),
  entityStatus: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
  ids: fc.option(fc.subarray(things.map(({ id }) => id)), { nil: undefined, freq: 3 }),
  limit: fc.constantFrom(0, 1, 2, 100),
})

const pageOf = ({ rows, ...page }: ListPage): TimelinePage => ({
  ...page,
  keys: rows.map(({ fullyQualifiedName, id }) => ({ fullyQualifiedName, id })),
})

/** Ids of the events of logs that are void. */
const voids = new Set<string>()
export const isVoid = async ({ id }: RecordedEvent): Promise<boolean> => voids.has(id)

const applier = (readModels: ReadModels) => {
  const fold = makeRowFold({ readModels, kindNamed })
  return (events: readonly RecordedEvent[]): Promise<void> => {
    const position = events.at(-1)?.position ?? 0n
    return applyBatch(readModels, { events, position, rows: () => fold(events), labelsOf, isVoid })
  }
}

/** The page, the pages after it and those before its end, as they are asked for one after the other. */
const walks = async <P extends TimelinePage>(read: (some: Partial<ListQuery>) => Promise<P>): Promise<P[]> => {
  const pages = [await read({})]
  for (let last = pages[0]?.keys.at(-1); last !== undefined;) {
    const [after, before] = [await read({ after: last }), await read({ before: last })]
    pages.push(after, before)
    last = after.keys.at(-1)
  }
  return pages
}

const listings = (make: MakeReadModels, runs: number): void => {
  test('a list of an earlier moment is the one that was answered then, page by page, whatever it is narrowed by', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.array(query, { maxLength: 4 }), async (steps, queries) => {
        const { readModels, dispose } = await make()
        const apply = applier(readModels)
        const answered: { position: bigint; query: ListQuery; pages: TimelinePage[] }[] = []
        for (const event of logOf(steps)) {
          await apply([event])
          for (const some of queries) {
            const pages = await walks(async (more) => pageOf(await readModels.list({ ...some, ...more })))
            answered.push({ position: event.position, query: some, pages })
          }
        }
        for (const { position, query: some, pages } of answered)
          for (const later of [0n, 6n]) {
            const found = await walks((more) => readModels.listAsOf({ ...some, ...more, position: position + later }))
            expect(found).toEqual(pages)
          }
        await dispose()
      }),
      { numRuns: examples(runs) },
    )
  })
}

const todays = (make: MakeReadModels, runs: number): void => {
  const still: CurrentFilter[] = [{ exists: true }, { owners: [owners[0] as string] }, { exists: true, owners }]
  test('what must still be so today is left out where it is not, and is not counted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50 }), query, fc.nat(50), async (steps, some, at) => {
        const { readModels, dispose } = await make()
        const log = logOf(steps)
        for (const event of log) await applier(readModels)([event])
        const position = log[at % Math.max(1, log.length)]?.position ?? 0n
        const all = await readModels.listAsOf({ ...some, limit: 100, position })
        const rows = await readModels.getMany(all.keys.map(({ id }) => id))
        for (const wanted of still) {
          const page = await readModels.listAsOf({ ...some, limit: 100, position, current: wanted })
          const kept = all.keys.filter(({ id }) => {
            const row = rows.get(id)
            const owned = row?.edges.some((edge) => edge.rel === 'owners' && wanted.owners?.includes(edge.target))
            const birth = log.find(({ stream, revision }) => stream.endsWith(id) && revision === row?.born)
            const isThere = row?.status !== 'gone' && birth !== undefined && birth.position <= position
            return (isThere || wanted.exists !== true) && (wanted.owners === undefined || owned)
          })
          expect(page.keys).toEqual(kept)
          expect(page.total).toBe(kept.length)
        }
        await dispose()
      }),
      { numRuns: examples(runs) },
    )
  })
}

/** Two trees of terms, and what is asked of them; children follow later, one after the other. */
const trees = ['g', 'g.a', 'g.a.b', 'g.c', 'h', 'h.a'].map((name) => {
  const kind = name.includes('.') ? 'glossaryTerm' : 'glossary'
  const id = entityId(kind, name)
  return { name, kind, id, stream: `${kind}-${id}` }
})

export type Term = (typeof trees)[number]
type Asked = 'live' | 'deleted' | 'gone'

const parentOf = ({ name }: Term): Term | undefined =>
  trees.find((each) => each.name === name.slice(0, Math.max(0, name.lastIndexOf('.'))))

export const turning = fc.record({
  term: fc.nat(trees.length - 1),
  verb: fc.constantFrom('delete', 'restore', 'end', 'create', 'follow', 'follow', 'follow', 'change'),
})

/** What an entity is by its own events. */
interface Written {
  status: Asked
  inherited: boolean
  revision: bigint
  /** Ids of the event that turned it last, and of that which ended its incarnation before. */
  turn: string
  ended: string
  /** Its incarnation, and that of its parent that it belongs to. */
  born: bigint
  above: bigint
}

/** A log in which children follow what turned above, and what each was by definition after each of its events. */
export const turnedLog = (steps: readonly { term: number; verb: string }[]) => {
  const log: RecordedEvent[] = []
  const moments: { position: bigint; statuses: ReadonlyMap<string, Asked> }[] = []
  /** By what was asked of it alone. */
  const asked = new Map<string, Asked>()
  const written = new Map<string, Written>()
  const statusOf = (term: Term): Asked => {
    const [own, parent] = [asked.get(term.name) ?? 'gone', parentOf(term)]
    const above = parent === undefined ? 'live' : statusOf(parent)
    return [own, above].includes('gone') ? 'gone' : [own, above].includes('deleted') ? 'deleted' : 'live'
  }
  const append = (term: Term, event: CatalogEvent, status: Asked, cause?: string): void => {
    const before = written.get(term.name)
    const revision = (before?.revision ?? -1n) + 1n
    const { stream, name, id } = term
    const made = recordedEvent(event, { stream, revision, name, position: BigInt(log.length * 3 + 1) })
    log.push({ ...made, metadata: { ...made.metadata, ...(cause !== undefined && { causationId: cause }) } })
    const turn = event.type === 'Updated' ? (before?.turn ?? id) : made.id
    const above = written.get(parentOf(term)?.name ?? '')?.born ?? 0n
    const born = event.type === 'Created' ? { born: revision, above } : { born: 0n, above, ...before }
    const ended = event.type === 'HardDeleted' ? made.id : (before?.ended ?? '')
    written.set(name, {
      ...born,
      status,
      inherited: cause !== undefined && status === 'deleted',
      revision,
      turn,
      ended,
    })
    if (cause === undefined && event.type !== 'Updated') asked.set(name, status)
  }
  const followOne = (among: readonly Term[]): boolean => {
    for (const term of among) {
      const [own, above] = [written.get(term.name), written.get(parentOf(term)?.name ?? '')]
      if (own === undefined || above === undefined || own.status === 'gone') continue
      const isOfFormer = own.above !== above.born
      const status = isOfFormer ? 'gone' : above.status
      const isBehind = status === 'live' ? own.inherited : own.status === 'live' || status === 'gone'
      if (!isBehind) continue
      const deletion = uuid(900)
      const events: Record<Asked, CatalogEvent> = {
        live: { type: 'Restored', data: { deletion } },
        deleted: { type: 'SoftDeleted', data: { deletion, inherited: true } },
        gone: { type: 'HardDeleted', data: { deletion } },
      }
      append(term, events[status], status, isOfFormer ? above.ended : above.turn)
      return true
    }
    return false
  }
  const note = (): void => {
    moments.push({
      position: log.at(-1)?.position ?? 0n,
      statuses: new Map(trees.map((term) => [term.id, statusOf(term)])),
    })
  }
  const create = (term: Term): void => {
    const above = parentOf(term)
    const parent = above && { id: above.id, type: above.kind, fullyQualifiedName: above.name }
    append(term, { type: 'Created', data: { name: 'n', members: {}, ...(parent && { parent }) } }, 'live')
  }
  const ask = (term: Term, verb: string): void => {
    const status = written.get(term.name)?.status
    const deletion = uuid(900)
    if (verb === 'change' && status === 'live')
      append(term, { type: 'Updated', data: { set: { entityStatus: 'Draft' }, unset: [] } }, 'live')
    if (verb === 'delete' && status === 'live') append(term, { type: 'SoftDeleted', data: { deletion } }, 'deleted')
    if (verb === 'restore' && status === 'deleted' && asked.get(term.name) === 'deleted')
      append(term, { type: 'Restored', data: { deletion } }, 'live')
    if (verb === 'create' && status === 'gone') create(term)
    if (verb !== 'end' || status === 'gone') return
    append(term, { type: 'HardDeleted', data: { deletion } }, 'gone')
    for (const { name } of trees) if (name.startsWith(`${term.name}.`)) asked.set(name, 'gone')
  }
  for (const term of trees) {
    create(term)
    note()
  }
  for (const { term: index, verb } of steps) {
    const deleted = verb === 'restore' ? trees.filter(({ name }) => asked.get(name) === 'deleted') : []
    const term = (deleted[index % deleted.length] ?? trees[index]) as Term
    const tree = trees.filter(({ name }) => name[0] === term.name[0])
    if (verb === 'follow') followOne(tree)
    else {
      // What is changed gets its own events first; what stands below it may never get them.
      const own = tree.filter(({ name }) => term.name === name || term.name.startsWith(`${name}.`))
      while (followOne(own)) note()
      const above = parentOf(term)
      if (above === undefined || statusOf(above) === 'live') ask(term, verb)
    }
    note()
  }
  while (followOne(trees)) note()
  note()
  return { log, moments }
}

const inherited = (make: MakeReadModels, runs: number): void => {
  test('what stands below a deletion went, and came back, with it, whenever its own event came', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turning, { maxLength: 30 }), fc.nat(5), async (steps, size) => {
        const { readModels, dispose } = await make()
        const { log, moments } = turnedLog(steps)
        const apply = applier(readModels)
        for (let at = 0; at < log.length; at += size + 1) await apply(log.slice(at, at + size + 1))
        for (const { position, statuses } of moments)
          for (const kind of ['glossary', 'glossaryTerm'])
            for (const scopes of [[], ['g'], ['h'], ['g.a']])
              for (const include of ['non-deleted', 'deleted', 'all'] as const) {
                const known = trees.filter(({ id, name, ...term }) => {
                  const below = scopes.every((scope) => name.startsWith(`${scope}.`))
                  const status = statuses.get(id) ?? 'gone'
                  const wanted = include === 'all' || status === (include === 'deleted' ? 'deleted' : 'live')
                  return below && term.kind === kind && status !== 'gone' && wanted
                })
                const keys = known.map(({ name, id }) => ({ fullyQualifiedName: name, id }))
                const some = { kind, include, scopes, edges: [], position }
                const page = await readModels.listAsOf({ ...some, limit: 10 })
                expect([position, page.keys, page.total]).toEqual([position, keys, keys.length])
              }
        for (const { position, statuses } of moments)
          for (const term of trees.filter(({ name }) => name.includes('.'))) {
            const key = { kind: term.kind, fullyQualifiedName: term.name, id: term.id }
            const found = (await readModels.statusesAt([key], position)).get(term.id)
            if (found !== undefined)
              expect([term.name, position, found.status]).toEqual([term.name, position, statuses.get(term.id)])
          }
        await dispose()
      }),
      { numRuns: examples(runs) },
    )
  })
}

/** Events are judged after they were appended, unless the log has checked them before. */
type Verdict = 'void' | 'checked'

export type TermEvent = readonly [Term, CatalogEvent, cause?: number | undefined, verdict?: Verdict | undefined]

/** A log in which each event may name an earlier one as its cause. */
export const causedLog = (events: readonly TermEvent[]): RecordedEvent[] => {
  const causes: string[] = []
  return events.map(([{ stream, name }, event, cause, verdict], at) => {
    const revision = BigInt(events.slice(0, at).filter(([{ stream: other }]) => other === stream).length)
    const made = recordedEvent(event, { stream, revision, name, position: BigInt(at) })
    causes.push(made.id)
    if (verdict === 'void') voids.add(made.id)
    const isChange = event.type === 'Created' || event.type === 'Updated'
    const metadata = {
      ...made.metadata,
      ...((isChange ? verdict !== 'checked' : verdict === 'void') && { condition: { dependencies: [] } }),
      ...(cause !== undefined && { causationId: causes[cause] as string }),
    }
    return { ...made, metadata }
  })
}

export const [root, middle, leaf] = trees as [Term, Term, Term]
export const bornBelow = (term: Term, { id, kind, name }: Term): TermEvent => [
  term,
  { type: 'Created', data: { name: 'n', members: {}, parent: { id, type: kind, fullyQualifiedName: name } } },
]
const gone = (term: Term, cause?: number): TermEvent => [
  term,
  { type: 'HardDeleted', data: { deletion: uuid(900) } },
  cause,
]
export const deletedWith = (term: Term, cause?: number): TermEvent => [
  term,
  { type: 'SoftDeleted', data: { deletion: uuid(900), ...(cause !== undefined && { inherited: true }) } },
  cause,
]
export const restored = (term: Term, cause?: number): TermEvent => [
  term,
  { type: 'Restored', data: { deletion: uuid(900) } },
  cause,
]
export const born = [
  [root, { type: 'Created', data: { name: 'g', members: {} } }] as TermEvent,
  bornBelow(middle, root),
]

/**
 * Trees whose deletion ended when not all that stands below had its own event of it: what it does, and what a term was after
 * each event of the log. `+` makes a term below what stands above, `-` deletes it, `--` for good, `^` restores it, and
 * `~Draft` changes it; `<2` names the event that is the cause, `!` marks what is void, `=` what the log has checked.
 */
const overtaken = `
took late is back from when that was
  middle: root+ middle+:live root-:deleted root^:live middle-<2:live middle^<3:live

was told of when the next one had begun is deleted with that
  middle: root+ middle+:live root-:deleted root^:live root-:deleted middle-<2:deleted

was told of before the next one begins is deleted with that
  leaf: root+ middle+ leaf+:live root-:deleted root^:live middle-<3:live leaf-<5:live root-:deleted

was told of when the next one had begun is live when that has ended
  middle: root+ middle+:live root-:deleted root^:live root-:deleted middle-<2:deleted root^:live middle^<3:live

was told of before the next one begins is live when that has ended, told or not
  middle: root+ middle+:live root-:deleted root^:live middle-<2:live root-:deleted root^:live middle^<6:live

never told of was deleted all the same
  leaf: root+ middle+ leaf+:live root-:deleted root^:live leaf-:deleted

told the one above it of was deleted with that
  leaf: root+ middle+ leaf+:live root-:deleted middle-<3:deleted root^:live middle^<5:live

told it of together with a change of what stands in between, which needs no verdict, was deleted with that
  leaf: root+ middle+ leaf+:live root-:deleted middle~Draft=:deleted middle~Approved=:deleted middle~Draft=:deleted
  leaf-<3:deleted

never told of was deleted until it was gone
  middle: root+ middle+:live root-:deleted root--:gone middle--<3:gone

told of when it was gone was deleted until then
  middle: root+ middle+:live root-:deleted root--:gone middle-<2:gone middle--<3:gone

did not take because it was deleted before stays deleted
  leaf: root+ middle+ leaf+:live middle-:deleted leaf-<3:deleted root-:deleted root^:deleted

took, and that had ended before the next one began, was live in between
  middle: root+ middle+:live root-:deleted middle-<2:deleted root^:live root-:deleted root^:live middle^<6:live

took, with what stands below it, and that had ended before the next one began, was live in between
  leaf: root+ middle+ leaf+:live root-:deleted middle-<3:deleted leaf-<4:deleted root^:live root-:deleted root^:live
  middle^<8:live leaf^<9:live

took, and that was told of its end too late, is live when the next one has ended
  middle: root+ middle+:live root-:deleted middle-<2:deleted root^:live root-:deleted middle^<4:deleted root^:live

that was void did not take was live all the time
  middle: root+ middle+:live root-!:live root^<2:live

took, and that had ended before it was gone, was live in between
  middle: root+ middle+:live root-:deleted middle-<2:deleted root^:live root--:gone middle--<5:gone

took was deleted from when that was, also where a void change of it and its compensation stand in between
  middle: root+ middle+:live root-:deleted middle~Draft:deleted middle~Approved<3:deleted middle-<2:deleted

took was deleted from when that was, also where a void deletion of its own and its compensation stand in between
  middle: root+ middle+:live root-:deleted middle-!:deleted middle^<3:deleted middle-<2:deleted

never told of was deleted from when that was, also where a void deletion of its own is compensated after it ended
  middle: root+ middle+:live root-:deleted middle-own!:deleted root^:deleted middle^<3:live

never told of was deleted until it ended, also below a void deletion that is compensated after it ended
  leaf: root+ middle+ leaf+:live root-:deleted middle-own!:deleted root^:live middle^<4:live

never told of was deleted all the same, also where a void change of it and its compensation stand in between
  middle: root+ middle+:live root-:deleted middle~Draft:deleted middle~Approved<3:deleted root^:live

took stays deleted while a void change of it is compensated after it was told
  middle: root+ middle+:live root-:deleted middle~Draft:deleted middle-<2:deleted middle^<3:deleted
  middle~Approved<3:deleted middle-<3:deleted root^:live middle^<8:live

took stays deleted, and then gone, while a void change of it is compensated after what stands above was gone
  leaf: root+ middle+ leaf+:live middle-:deleted root--:gone leaf~Draft:gone leaf-<3:gone leaf^<5:gone
  leaf~Approved<5:gone leaf-<5:gone middle--<4:gone leaf--<10:gone

took, and whose restore was void, stays deleted, where it is told after the compensation
  middle: root+ middle+:live root-:deleted root^!:deleted root-again<3:deleted middle-<2:deleted

took, and whose restore was void, stays deleted, where it was told before the compensation
  middle: root+ middle+:live root-:deleted root^!:deleted middle-<2:deleted root-again<3:deleted

took, and whose restore was void, stays deleted, with what stands below, until it is restored, told in between
  leaf: root+ middle+ leaf+:live root-:deleted root^!:deleted middle-<3:deleted root-again<4:deleted leaf-<5:deleted
  root^:live middle^<8:live leaf^<9:live

never told of was deleted until a request deleted it for good
  leaf: root+ middle+ leaf+:live root-:deleted leaf--:gone

did not take because it was made later, though void, is deleted until it is gone
  middle: root+ root- middle+:deleted middle--<2:gone

did not take because it was made later, below what was not yet told of it, is deleted until it is gone
  leaf: root+ middle+ root- leaf+:deleted middle-<2:deleted leaf--<3:gone

did not take because it was made later, below a void deletion, is deleted until it is gone, also when that is undone
  leaf: root+ middle+ root- middle-own! leaf+:deleted middle^<3:deleted leaf--<4:gone middle-<2:gone

for good did not take because it was made later, though void, never was
  middle: root+ root-- middle+:gone middle--<2:gone root+:gone middle+:live

for good did not take because it was made below what was created again is live
  leaf: root+ root-- root+ middle+ leaf+:live leaf-!:deleted leaf^<5:live

that was void did not take because it was made later is live
  middle: root+ middle+:live leaf+:live middle--:gone root-!:gone middle+:live root^<4:live
`

/** What `-own` deletes is deleted by another request, and `-again` takes a void restore back. */
const stepPattern = /^(root|middle|leaf)(\+|--|-own|-again|-|\^|~\w+)(?:<(\d+))?([!=])?(?::(live|deleted|gone))?$/

const named: Readonly<Record<string, Term>> = { root, middle, leaf }

const stepOf = (text: string): { readonly event: TermEvent; readonly was: 'live' | 'deleted' | 'gone' | undefined } => {
  const [, name = '', verb = '', by, mark, was] = stepPattern.exec(text) ?? expect.fail(`${text} is not a step`)
  const term = named[name] as Term
  const cause = by === undefined ? undefined : Number(by)
  const deletion = uuid(verb === '-own' ? 901 : 900)
  const above = parentOf(term)
  const events: Readonly<Record<string, TermEvent>> = {
    '+': above === undefined ? (born[0] as TermEvent) : bornBelow(term, above),
    '-': deletedWith(term, cause),
    '--': gone(term, cause),
    '-own': [term, { type: 'SoftDeleted', data: { deletion } }, cause],
    '-again': [term, { type: 'SoftDeleted', data: { deletion } }, cause],
    '^': restored(term, cause),
  }
  const change: TermEvent = [
    term,
    { type: 'Updated', data: { set: { entityStatus: verb.slice(1) }, unset: [] } },
    cause,
  ]
  const [, event] = events[verb] ?? change
  const verdict = mark === '!' ? 'void' : mark === '=' ? 'checked' : undefined
  return { event: [term, event, cause, verdict], was: was as 'live' | 'deleted' | 'gone' | undefined }
}

const stories = overtaken
  .trim()
  .split('\n\n')
  .map((story) => {
    const [title = '', ...lines] = story.split('\n')
    const [of = '', ...steps] = lines.join(' ').trim().split(/:? +/)
    return { title, of: named[of] as Term, steps: steps.map(stepOf) }
  })

/** Which entities lists had at any time. */
export const timelineContract = (name: string, make: MakeReadModels, { runs = 60 } = {}): void => {
  const fresh = freshWith(make)
  describe(`${name}: the timeline`, () => {
    listings(make, runs)
    todays(make, runs)
    inherited(make, runs)
    removedLabels(make, applier, runs)

    const inBatches = stories.flatMap(({ title, ...story }) => [1, 2, 10].map((size) => [title, story, size] as const))
    test.each(inBatches)(
      'what a deletion %s',
      async (_, { of: { kind, name: fullyQualifiedName, id }, steps }, size) => {
        const readModels = await fresh()
        const log = causedLog(steps.map(({ event }) => event))
        // Some come again, as after a crash.
        for (let at = 0; at < log.length; at += size)
          await applier(readModels)(log.slice(Math.max(0, at - 2), at + size))
        const shown: unknown[] = []
        for (const { position } of log) {
          const list = { kind, scopes: [], edges: [], position, limit: 10, ids: [id] }
          const deleted = await readModels.listAsOf({ ...list, include: 'deleted' })
          const live = await readModels.listAsOf({ ...list, include: 'non-deleted' })
          const found = (await readModels.statusesAt([{ kind, fullyQualifiedName, id }], position)).get(id)
          shown.push([found?.status, live.total, live.keys.length, deleted.total, deleted.keys.length])
        }
        const counts = { live: [1, 1, 0, 0], deleted: [0, 0, 1, 1], gone: [0, 0, 0, 0] }
        expect(shown).toEqual(steps.map(({ was }) => [was, ...counts[was ?? 'gone']]))
      },
    )

    test('what had been deleted and restored is listed behind many that came later, however many they are', async () => {
      const readModels = await fresh()
      const termNamed = (name: string): Term => {
        const [kind, id] = ['glossaryTerm', entityId('glossaryTerm', name)]
        return { kind, name, id, stream: `${kind}-${id}` }
      }
      const [first, last] = [termNamed('g.a'), termNamed('g.z')]
      const events = [
        born[0] as TermEvent,
        bornBelow(first, root),
        bornBelow(last, root),
        deletedWith(last),
        restored(last),
      ]
      const later = Array.from({ length: 219 }, (_, at) => bornBelow(termNamed(`g.n${at}`), root))
      await applier(readModels)(causedLog([...events, ...later]))
      const position = BigInt(events.length - 1)
      const after = { fullyQualifiedName: 'g.b', id: '' }
      for (const query of [{ scopes: [] }, { scopes: [], after }, { scopes: ['g'], after }])
        for (let limit = 2; limit <= 12; limit += 1) {
          const list = { kind: last.kind, include: 'non-deleted', edges: [], position, limit } as const
          const names = (await readModels.listAsOf({ ...list, ...query })).keys.map((key) => key.fullyQualifiedName)
          expect([query, limit, names]).toEqual([query, limit, 'after' in query ? ['g.z'] : ['g.a', 'g.z']])
        }
    })

    test('what is stored does not depend on the batches in which it came, also where events come again', async () => {
      const logs = fc.oneof(
        fc.array(step, { maxLength: 40 }).map(logOf),
        fc.array(turning, { maxLength: 40 }).map((steps) => turnedLog(steps).log),
      )
      await fc.assert(
        fc.asyncProperty(logs, fc.nat(7), fc.nat(5), async (log, size, again) => {
          const [whole, inBatches] = [await make(), await make()]
          await applier(whole.readModels)(log)
          for (let at = 0; at < log.length; at += size + 1)
            await applier(inBatches.readModels)(log.slice(Math.max(0, at - again), at + size + 1))
          const [parted, single] = [await inBatches.readModels.stored(), await whole.readModels.stored()]
          expect(await storedIn(parted, ['timeline'])).toEqual(await storedIn(single, ['timeline']))
          await whole.dispose()
          await inBatches.dispose()
        }),
        { numRuns: examples(2 * runs) },
      )
    })

    test.each([
      ['deleted', 'deleted', deletedWith],
      ['deleted for good', 'gone', gone],
    ] as const)('a void change below what was %s leaves nothing in lists', async (_, status, ended) => {
      const readModels = await fresh()
      const [target] = owners as [string]
      const owned = { set: { owners: [user(target)] }, unset: [] }
      const log = causedLog([
        ...born,
        ended(root),
        [middle, { type: 'Updated', data: owned }],
        [middle, { type: 'Updated', data: { set: {}, unset: ['owners'] } }, 3],
        ended(middle, 2),
      ])
      await applier(readModels)(log.slice(0, 4))
      await applier(readModels)(log.slice(4))
      const list = { kind: middle.kind, scopes: [], edges: [{ rel: 'owners', target }], limit: 10 }
      const then = { ...list, position: 3n }
      const shown = async (include: 'deleted' | 'non-deleted') =>
        (await readModels.listAsOf({ ...then, include })).total
      expect([await shown('non-deleted'), status === 'gone' ? await shown('deleted') : 0]).toEqual([0, 0])
    })

    test('a contract is where its newest validation puts it', async () => {
      const readModels = await fresh()
      const thing = things.findIndex(({ kind }) => kind === 'dataContract')
      const some = { thing, owners: undefined, tags: undefined, entityStatus: undefined, asset: 0, pause: 0 }
      const log = logOf(['none', ...outcomes].map((outcome): Step => ({ ...some, verb: 'validate', outcome })))
      await applier(readModels)(log)
      const query = { kind: 'dataContract', include: 'all', scopes: [], limit: 0 } as const
      for (const { position } of log)
        for (const [index, target] of ['none', ...outcomes].entries()) {
          const { total } = await readModels.listAsOf({ ...query, edges: [{ rel: 'validation', target }], position })
          expect(total).toBe(log[index]?.position === position ? 1 : 0)
        }
    })

    test.each([
      ['in scopes of their own', (index: number) => `s.d${index % 30}.e.t${index}`],
      ['among the others', (index: number) => `s.d.e.t${index % 30}_${index}`],
    ])('what was there is found among names that came later, %s, forwards and backwards', async (_, nameOf) => {
      const readModels = await fresh()
      const apply = applier(readModels)
      const many = Array.from({ length: 3000 }, (__, index) => ({ id: uuid(1000 + index), name: nameOf(index) }))
      const late = new Set(many.filter((_, index) => index % 30 > 1 && index % 30 < 28))
      const ordered = [...many.filter((thing) => !late.has(thing)), ...late]
      const created = { type: 'Created', data: { name: 'n', members: {} } } as const
      const log = ordered.map(({ id, name }, index) =>
        recordedEvent(created, { stream: `table-${id}`, name, position: BigInt(index) }),
      )
      await apply(log)
      const position = BigInt(many.length - late.size - 1)
      const past = { kind: 'table', include: 'non-deleted', scopes: [], edges: [], position } as const
      const all = await readModels.listAsOf({ ...past, limit: 3000 })
      expect(all.total).toBe(many.length - late.size)
      expect(all.keys.length).toBe(all.total)
      for (const limit of [7, 150]) {
        const pages = [await readModels.listAsOf({ ...past, limit })]
        for (let page = pages[0]; page?.hasAfter === true; page = pages.at(-1))
          pages.push(await readModels.listAsOf({ ...past, limit, after: page.keys.at(-1) }))
        expect(pages.flatMap(({ keys }) => keys)).toEqual(all.keys)
        const back = [await readModels.listAsOf({ ...past, limit, before: all.keys.at(-1) })]
        for (let page = back[0]; page?.hasBefore === true; page = back.at(-1))
          back.push(await readModels.listAsOf({ ...past, limit, before: page.keys[0] }))
        expect(back.toReversed().flatMap(({ keys }) => keys)).toEqual(all.keys.slice(0, -1))
      }
    })
  })
}
