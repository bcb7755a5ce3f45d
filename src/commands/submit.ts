import { randomUUID } from 'node:crypto'
import type { Members } from '../events/events.ts'
import type { Append } from '../events/eventStore.ts'
import type { KindDefinition, Problem } from '../kinds/defineKind.ts'
import type { ParsedRequest } from '../kinds/request/requestSchema.ts'
import { settle } from './cascade.ts'
import { idsOf, idsToLookUp, placeOf, resolveRequest } from './context.ts'
import type { Command } from './decide.ts'
import { DomainError, invalid, notFound } from './errors.ts'
import type { Entity } from './evolve.ts'
import {
  handleCommand,
  lookUpReferred,
  refusal,
  type Commands,
  type Precondition,
  type Result,
} from './handleCommand.ts'
import type { Cause } from './recording.ts'

/**
 * POST and PUT: creates, or with `Upsert` changes what is there. Answers when every read sees it.
 * @param own members that requests cannot set
 */
export const submit = async (
  commands: Commands,
  definition: KindDefinition,
  type: 'Create' | 'Upsert',
  request: ParsedRequest,
  cause: Cause,
  precondition?: Precondition,
  own: Members = {},
): Promise<Result> => {
  const unresolved = placeOf(definition, request)
  const ids = idsOf(unresolved, commands.kindNamed)
  const known = await lookUpReferred(commands, ids)
  const { location, members: requested, problems } = resolveRequest(unresolved, known, commands.kindNamed)
  const members = { ...requested, ...own }
  const command: Command =
    type === 'Create' ? { type, location, members } : { type, location, members, cleared: request.cleared }
  if (problems.length > 0) {
    const before = (await commands.lookup([location.id])).get(location.id)
    throw await refusal(commands, definition, before, command, known, problems, request.unreadable)
  }
  const subject = { kind: definition.name, ...location }
  const read = ids.includes(location.id) ? known : await commands.lookup([location.id])
  const entity = read.get(location.id)
  // What an ended life left below it must go before the next one begins, or it would appear as if it belonged there.
  if (entity?.status === 'gone') await settle(commands, [location.id])
  return finish(
    commands,
    await handleCommand(commands, definition, subject, command, cause, known, precondition, { entity }),
  )
}

/** PATCH and revert: the settable members become exactly these. */
export const replaceMembers = async (
  commands: Commands,
  definition: KindDefinition,
  entity: Entity,
  request: Pick<ParsedRequest, 'values' | 'problems' | 'unreadable'>,
  cause: Cause,
  precondition?: Precondition,
): Promise<Result> => {
  const unresolved = {
    definition,
    name: entity.name,
    values: request.values,
    place: {},
    problems: request.problems ?? [],
  }
  const known = await lookUpReferred(commands, idsToLookUp(unresolved, commands.kindNamed))
  const { members, problems } = resolveRequest(unresolved, known, commands.kindNamed)
  const command: Command = { type: 'Replace', members }
  if (problems.length > 0)
    throw await refusal(commands, definition, entity, command, known, problems, request.unreadable)
  return submitCommand(commands, definition, entity, command, cause, precondition, known)
}

/** Any command on an entity that is there. Answers when every read sees it. */
export const submitCommand = async (
  commands: Commands,
  definition: KindDefinition,
  entity: Entity,
  command: Command,
  cause: Cause,
  precondition?: Precondition,
  known: Map<string, Entity> = new Map(),
): Promise<Result> =>
  finish(commands, await handleCommand(commands, definition, entity, command, cause, known, precondition, { entity }))

export interface DeleteOptions {
  readonly recursive: boolean
  readonly hard: boolean
  /** Kinds whose entities can be children of this one. */
  readonly childKinds: readonly KindDefinition[]
}

/** Deletes the entity and what goes with it. Answers when nothing of it is visible any more. */
export const deleteEntity = async (
  commands: Commands,
  definition: KindDefinition,
  entity: Entity,
  options: DeleteOptions,
  cause: Cause,
  precondition?: Precondition,
): Promise<Result> => {
  if (!options.recursive) await mustBeEmpty(commands, entity, options)
  const command: Command = { type: options.hard ? 'HardDelete' : 'SoftDelete', deletion: randomUUID() }
  const result = await submitCommand(commands, definition, entity, command, cause, precondition)
  return { ...result, position: (await settle(commands, [entity.id])) ?? result.position }
}

const mustBeEmpty = async ({ tree }: Commands, entity: Entity, { hard, childKinds }: DeleteOptions): Promise<void> => {
  for (const kind of childKinds) {
    if (!kind.dependent && (await tree.hasChild(entity.id, kind.name, hard))) {
      throw new DomainError(
        'invalid',
        `${entity.kind} ${entity.fullyQualifiedName} is not empty: it has children of kind ${kind.name}. Add ?recursive=true to delete them too.`,
      )
    }
  }
}

/** Takes a soft deletion back, with all that it took. */
export const restoreEntity = async (
  commands: Commands,
  definition: KindDefinition,
  entity: Entity,
  cause: Cause,
  precondition?: Precondition,
): Promise<Result> => {
  const parent = entity.parent === undefined ? undefined : (await commands.lookup([entity.parent])).get(entity.parent)
  if (entity.status === 'deleted' && parent !== undefined && parent.status !== 'live') {
    throw invalid([
      { path: '/id', message: `its parent ${parent.kind} ${parent.fullyQualifiedName} is deleted: restore that first` },
    ])
  }
  const result = await submitCommand(commands, definition, entity, { type: 'Restore' }, cause, precondition)
  return { ...result, position: (await settle(commands, [entity.id])) ?? result.position }
}

/** Waits for the projections, and lets the cascade take what appeared below a parent that was deleted meanwhile. */
export const finish = async (commands: Commands, result: Result): Promise<Result> => {
  if (!result.changed) return result
  await commands.projected(result.position)
  const { entity, before } = result
  const appeared = entity.status === 'live' && (before === undefined || before.status !== 'live')
  if (!appeared) return result
  const parent = entity.parent === undefined ? undefined : (await commands.lookup([entity.parent])).get(entity.parent)
  const orphan = parent !== undefined && parent.status !== 'live'
  if (orphan || before?.status === 'deleted') await settle(commands, [entity.id])
  if (!orphan) return result
  throw invalid([
    {
      path: '',
      message: `the parent ${parent.kind} ${parent.fullyQualifiedName} was deleted meanwhile`,
    } satisfies Problem,
  ])
}

/** The entity with this id, live or soft-deleted as asked. @throws DomainError `not_found` */
export const existing = async (
  commands: Commands,
  kind: string,
  id: string,
  include: 'live' | 'any',
): Promise<Entity> => {
  const entity = (await commands.lookup([id])).get(id)
  const visible =
    entity !== undefined &&
    entity.kind === kind &&
    (entity.status === 'live' || (include === 'any' && entity.status === 'deleted'))
  if (!visible)
    throw notFound(
      `There is no ${kind} with the id ${id}${entity?.status === 'deleted' ? ': it is soft-deleted, add ?include=deleted to see it' : ''}.`,
    )
  return entity
}

const revisionAfter = ({ expected, events }: Append): bigint =>
  (typeof expected === 'bigint' ? expected : -1n) + BigInt(events.length)

/**
 * The same commands on paper: they are decided and refused like any other, their result is the state that they would lead
 * to, and nothing is written.
 */
export const onPaper = (commands: Commands): Commands => ({
  ...commands,
  log: {
    ...commands.log,
    append: async (appends) =>
      appends.map((append) => ({ ok: true as const, revision: revisionAfter(append), position: 0n })),
  },
  projected: async () => undefined,
})
