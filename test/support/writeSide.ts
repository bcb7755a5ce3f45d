import { expect, onTestFinished } from 'vitest'
import type { Caller, Context } from '../../src/commands/caller.ts'
import { makeClock } from '../../src/commands/recording.ts'
import type { Command } from '../../src/commands/decide.ts'
import { DomainError, type DomainErrorCode } from '../../src/commands/errors.ts'
import type { Entity } from '../../src/commands/evolve.ts'
import type { Lookup } from '../../src/commands/lookup.ts'
import { chunkSize, execute, executeAll } from '../../src/commands/requests/execute.ts'
import { makeStreamQueue } from '../../src/commands/unitOfWork/streamQueue.ts'
import { change } from '../../src/commands/requests/change.ts'
import { remove, type Deletion, restore } from '../../src/commands/requests/remove.ts'
import { follow, editList, verbRequest, vote, type Verb } from '../../src/commands/requests/verbRequest.ts'
import { stateLineage } from '../../src/commands/requests/stateLineage.ts'
import { write } from '../../src/commands/requests/createOrUpdate.ts'
import { commit } from '../../src/commands/unitOfWork/unitOfWork.ts'
import { makeVerdicts } from '../../src/events/verdicts.ts'
import { consequenceOf } from '../../src/commands/unitOfWork/compensation.ts'
import { cascade } from '../../src/processes/cascade.ts'
import type { Request } from '../../src/commands/unitOfWork/request.ts'
import { readSchemaText } from '../../src/kinds/schemaText/readSchemaText.ts'
import { makeSecretCodec } from '../../src/composition/secretCodec.ts'
import { type EventType, type RecordedEvent, type Vote, parseStreamName } from '../../src/events/events.ts'
import type { EventStore } from '../../src/events/eventStore.ts'
import { decryptingLog } from '../../src/events/personal/sealing.ts'
import { openSqliteVault } from '../../src/events/personal/sqliteVault.ts'
import { openSqliteEventStore } from '../../src/events/sqlite/store.ts'
import { kindNamed, personalByKind } from '../../src/kinds/registry/kinds.ts'
import { buildFqn, entityId, splitFqn } from '../../src/kinds/names.ts'
import { readRequest } from '../../src/kinds/request/requestSchema.ts'
import { prefetchIn, lookupIn, referenceLookup } from '../../src/projections/entities/lookup.ts'
import { makeHierarchy } from '../../src/projections/entities/hierarchy.ts'
import { makeRowFold } from '../../src/projections/projectors.ts'
import { makeLabels } from '../../src/projections/labels.ts'
import { openSqliteReadModels } from '../../src/projections/embedded/readModels.ts'
import type { JsonObject } from '../../src/shared/json.ts'
import { collect } from './events.ts'
import { applyBatch, checkpointOf } from './projecting.ts'

export interface WriteSideOptions {
  /** What the machine's clock says; default: the real one. */
  readonly machine?: () => number
  readonly maxAppendSize?: number
  /** Changes the log that the write side sees. */
  readonly change?: (log: EventStore) => EventStore
  /** Name of a caller without an entity; default `ann`, whose entity is there without events. */
  readonly caller?: string
}

let requests = 0

/** A cause whose command nobody used before. */
export const causeOf = (user = 'ann') => ({
  user,
  correlationId: `correlation ${++requests}`,
  commandId: `command ${requests}`,
})

/** Makes a request on a write side. */
export type Ask = (context: Context & { caller: Caller }) => Request

const idOf = (kind: string, fqn: string): string => entityId(kind, fqn)

/** POST or PUT of an entity whose parent, if it has one, is what its FQN says. */
const writing =
  (type: 'Create' | 'Upsert') =>
  (kind: string, fqn: string, values: JsonObject = {}): Ask =>
  (context) => {
    const definition = kindNamed(kind)
    const names = splitFqn(fqn) as string[]
    const above = names.slice(0, -1)
    const parent = definition.parents.at(-1)
    const isNested = definition.parents.length > 1 && above.length > 1
    const body = {
      name: names.at(-1) as string,
      ...(parent !== undefined &&
        above.length > 0 && { [parent.field]: buildFqn(isNested ? above.slice(0, 1) : above) }),
      ...(isNested && { [definition.parents[0]?.field as string]: buildFqn(above) }),
      ...values,
    }
    const parsed = readRequest(definition, body, type === 'Create' ? 'create' : 'upsert')
    return write(context, { type, definition, parsed }, causeOf(context.caller.name))
  }

export const creating = writing('Create')
export const upserting = writing('Upsert')

/** PATCH: `null` clears. */
export const patching =
  (kind: string, fqn: string, members: JsonObject): Ask =>
  (context) =>
    change(
      context,
      {
        definition: kindNamed(kind),
        id: idOf(kind, fqn),
        read: () => readRequest(kindNamed(kind), members, 'patch'),
      },
      causeOf(context.caller.name),
    )

export const removing =
  (kind: string, fqn: string, options: Partial<Pick<Deletion, 'hard' | 'recursive' | 'forbiddenKinds'>> = {}): Ask =>
  (context) =>
    remove(
      context,
      {
        definition: kindNamed(kind),
        id: idOf(kind, fqn),
        hard: false,
        recursive: false,
        forbiddenKinds: [],
        ...options,
      },
      causeOf(context.caller.name),
    )

export const restoring =
  (kind: string, fqn: string, kept: readonly string[] = []): Ask =>
  (context) =>
    restore(
      context,
      { definition: kindNamed(kind), id: idOf(kind, fqn), forbiddenKinds: kept.map(kindNamed) },
      causeOf(context.caller.name),
    )

const doing =
  (make: (context: Context & { caller: Caller }, to: Pick<Verb, 'definition' | 'id'>) => Verb) =>
  (kind: string, fqn: string): Ask =>
  (context) =>
    verbRequest(make(context, { definition: kindNamed(kind), id: idOf(kind, fqn) }), causeOf(context.caller.name))

export const voting = (kind: string, fqn: string, wanted: Vote): Ask =>
  doing((context, to) => vote(context, to, wanted))(kind, fqn)

export const following = (kind: string, fqn: string, user: string, type: 'Add' | 'Remove' = 'Add'): Ask =>
  doing((context, to) => follow(context, to, type, idOf('user', user)))(kind, fqn)

export const adding = (kind: string, fqn: string, assets: readonly [type: string, fqn: string][]): Ask =>
  doing((context, to) =>
    editList(
      context,
      to,
      assets.map(([type, fullyQualifiedName]) => ({ type, fullyQualifiedName })),
      { type: 'Add', list: 'assets' },
    ),
  )(kind, fqn)

/** States the lineage of an asset: one upstream. */
export const stating =
  (type: string, fullyQualifiedName: string, [fromType, fromFqn]: readonly [string, string], source = 'manual'): Ask =>
  (context) =>
    stateLineage(
      context,
      {
        asset: { id: idOf(type, fullyQualifiedName), type, fullyQualifiedName },
        source,
        early: source !== 'manual',
        readsAsset: false,
        edges: [{ from: { id: idOf(fromType, fromFqn), type: fromType, fullyQualifiedName: fromFqn } }],
        mayState: () => undefined,
      },
      causeOf(context.caller.name),
    )

/** Lets something happen right before an append that begins with an event of this type, once. */
export const before = (type: EventType, happens: () => Promise<unknown>) => {
  let done = false
  return (log: EventStore): EventStore => ({
    ...log,
    append: async (appends) => {
      if (!done && appends[0]?.events[0]?.type === type) {
        done = true
        await happens()
      }
      return log.append(appends)
    },
  })
}

/** Lets something happen right before the next append, which may be another one then. */
export const beforeNextAppend = (context: { log: EventStore }, happen: () => Promise<unknown>): void => {
  const { append } = context.log
  const next: EventStore['append'] = async (appends) => {
    context.log = { ...context.log, append }
    await happen()
    return append(appends)
  }
  context.log = { ...context.log, append: next }
}

/** A log that takes appends whatever has happened elsewhere in it. */
export const unconditional = (log: EventStore): EventStore => ({
  ...log,
  conditional: false,
  append: (appends) => log.append(appends.map(({ stream, expected, events }) => ({ stream, expected, events }))),
})

/** The two sorts of logs, as options of a write side, by what they do with an append whose condition does not hold. */
export const engines: Readonly<Record<string, WriteSideOptions>> = {
  'where the log refuses': {},
  'where the log cannot refuse': { change: unconditional },
}

/** `done`, or the code with which it was refused. */
export const outcomeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'done',
    ({ code, message }: { code?: string; message: string }) => code ?? message,
  )

/** An event in one line: `SoftDeleted glossaryTerm g.a (inherited)`. */
export const lineOf = ({ type, data, metadata: { kind, fullyQualifiedName } }: RecordedEvent): string =>
  `${type} ${kind} ${fullyQualifiedName}${'inherited' in data ? ' (inherited)' : ''}`

const turns: ReadonlySet<EventType> = new Set(['SoftDeleted', 'HardDeleted', 'Restored'])

/** Shows an entity of the user `ann` to requests that found none. */
const withCaller =
  (lookup: Lookup): Lookup =>
  async (ids) => {
    const found = await lookup(ids)
    const id = idOf('user', 'ann')
    if (!ids.includes(id) || found.has(id)) return found
    const user = { id, kind: 'user', fullyQualifiedName: 'ann', status: 'live', born: 0n, revision: 0n, members: {} }
    return new Map([...found, [id, user as unknown as Entity]])
  }

/** The write side on stores in memory, with the kinds of the catalog. */
export const openWriteSide = async (options: WriteSideOptions = {}) => {
  const { machine, maxAppendSize, change: changed = (log) => log, caller: name = 'ann' } = options
  const vault = openSqliteVault({ path: ':memory:', readOnly: false })
  const log = decryptingLog(
    openSqliteEventStore({ path: ':memory:', ...(maxAppendSize !== undefined && { maxAppendSize }) }),
    { vault, personal: personalByKind },
  )
  const readModels = await openSqliteReadModels({ path: ':memory:' })
  onTestFinished(async () => {
    await readModels.close()
    await log.close()
  })
  const fold = makeRowFold({ readModels, kindNamed })
  const labelsOf = makeLabels(log)
  const lookup = lookupIn(readModels, kindNamed)
  let position: bigint | undefined
  let applied = Promise.resolve()
  /** Projects what there is, batch after batch as the runner does. */
  const project = (): Promise<void> =>
    (applied = applied.then(async () => {
      const events = await collect(log.readAll({ after: await checkpointOf(readModels) }))
      const last = events.at(-1)
      if (last === undefined) return
      await applyBatch(readModels, { events, position: last.position, rows: () => fold(events), labelsOf })
      position = last.position
    }))
  /** Tests may put something between the write side and its stores. */
  const context: { -readonly [K in keyof Context]: Context[K] } & { caller: Caller } = {
    log: changed(log),
    lookup: options.caller === undefined ? withCaller(lookup) : lookup,
    refer: referenceLookup(readModels, kindNamed),
    prefetch: prefetchIn(readModels, kindNamed),
    hierarchy: { ...makeHierarchy(readModels, kindNamed) },
    secretCodec: makeSecretCodec('a key of 32 bytes for these tests'),
    vault,
    readSchema: async (text) => readSchemaText(text),
    clock: makeClock(machine),
    position: () => position,
    waitForPosition: project,
    streamQueue: makeStreamQueue(chunkSize),
    showsPending: false,
    verdicts: undefined,
    waitForCascades: async () => {
      await project()
      return cascade(behind(), await turnedIds())
    },
    waitForCascadesUpTo: async () => undefined,
    caller: {
      name,
      visibilityOf: () => 'yes',
      incarnations: async () => [],
    },
  }
  if (!context.log.conditional)
    Object.assign(context, { verdicts: makeVerdicts(context.log), streamQueue: makeStreamQueue() })
  /** What is written behind requests depends on nothing but the log. */
  const behind = () => ({ ...context, streamQueue: makeStreamQueue(), verdicts: undefined })
  const events = (): Promise<RecordedEvent[]> => collect(log.readAll())
  /** All that was ever deleted or restored: whatever followed may not have been followed itself. */
  const turnedIds = async (): Promise<string[]> => {
    const turned = (await events()).filter(({ type }) => turns.has(type))
    return [...new Set(turned.map(({ stream }) => parseStreamName(stream).id))]
  }
  const lines = async (): Promise<string[]> => (await events()).map(lineOf)
  const ask = (asked: Ask) => execute(context, asked(context))
  return {
    context,
    log,
    readModels,
    project,
    events,
    lines,
    ask,
    askAll: (asked: readonly Ask[]) =>
      executeAll(
        context,
        asked.map((one) => one(context)),
      ),
    find: async (kind: string, fqn: string): Promise<Entity | undefined> =>
      (await context.lookup([idOf(kind, fqn)])).get(idOf(kind, fqn)),
    /** One step alone, as far as a cascade, or a process that died, may have come. */
    only: async (kind: string, fqn: string, command: Command, cause = causeOf()): Promise<void> => {
      const target = { kind, id: idOf(kind, fqn) }
      const definition = kindNamed(kind)
      await commit(context, {
        cause,
        target,
        ids: [target.id],
        resolve: (reads) => {
          const subject = { ...target, fullyQualifiedName: fqn }
          return { definition, subject, before: reads.own(target.id), command, isConsequence: true }
        },
      })
      await project()
    },
    /** What the integrity process does, from the beginning of the log on. */
    settle: async (): Promise<void> => {
      for (const event of await events()) {
        const consequence = consequenceOf(context, event, (await context.verdicts?.isVoid(event)) === true)
        if (consequence !== undefined) await context.waitForPosition((await commit(behind(), consequence)).position)
      }
      await project()
      await cascade(behind(), [...new Set((await events()).map(({ stream }) => parseStreamName(stream).id))])
    },
    given: async (...asked: Ask[]): Promise<void> => {
      for (const one of asked) await ask(one)
    },
    /** when(request).makes(events), or .refused(code), which makes none. */
    when: (asked: Ask) => {
      const run = async () => {
        const before = (await lines()).length
        const outcome = await ask(asked).then(
          (result) => ({ result }),
          (error: unknown) => ({ error }),
        )
        return { outcome, made: (await lines()).slice(before) }
      }
      return {
        makes: async (...expected: string[]) => {
          const { outcome, made } = await run()
          if ('error' in outcome) throw outcome.error
          expect(made).toEqual(expected)
          return outcome.result
        },
        refused: async (code: DomainErrorCode, message: RegExp = /./) => {
          const { outcome, made } = await run()
          const error = 'error' in outcome ? outcome.error : undefined
          expect(error).toBeInstanceOf(DomainError)
          expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string })
          expect(made).toEqual([])
        },
      }
    },
  }
}
