import { streamName, type RecordedEvent } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { Context } from '../caller.ts'
import { conflict, ForgetPending, notFound } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import { complete } from './execute.ts'
import type { Cause } from '../recording.ts'
import { commit } from '../unitOfWork/unitOfWork.ts'
import { requestOn, type Precondition, type Result } from '../unitOfWork/request.ts'
import { personalMembers } from '../../kinds/perKind.ts'
import { keysToDestroy, keysUsedIn } from '../../events/personal/sealing.ts'
import type { Vault } from '../../events/personal/vault.ts'

/** Incarnations of a name whose values are erased: `present` is the one that has the name now. */
export const lives = ['present', 'former', 'all'] as const

export type Lives = (typeof lives)[number]

/** Keys of the values of the present incarnation, and of the former ones. */
const keysOfLives = async (log: Context['log'], stream: string) => {
  const keys = { present: new Set<string>(), former: new Set<string>() }
  for await (const event of log.readStream(stream)) {
    if (event.type === 'Created') {
      keys.former = new Set([...keys.former, ...keys.present])
      keys.present = new Set()
    }
    for (const key of keysUsedIn(event)) keys.present.add(key)
  }
  return keys
}

/** The keys that are not destroyed, including the one that stands for values in plain text. */
const notDestroyed = async (vault: Pick<Vault, 'keys'>, keys: Iterable<string>): Promise<string[]> => {
  const found = await vault.keys([...keys])
  return [...keys].filter((id) => found.get(id)?.length !== 0)
}

/**
 * The keys to destroy, and whether present values are erased too.
 * @throws DomainError `conflict` if `wanted` is missing but needed, or if incarnations share a key
 */
const erasureOf = async (
  { log, vault }: Context,
  stream: string,
  { status, fullyQualifiedName }: Entity,
  wanted: Lives | undefined,
) => {
  if (status === 'gone') {
    if (wanted === 'present') throw notFound('Nobody has the name now.')
    return { keys: await vault.retire(stream), present: true }
  }
  const { present, former } = await keysOfLives(log, stream)
  const readable = await notDestroyed(vault, former)
  if (wanted === 'former') {
    mustShareNoKey(stream, former, present)
    return { keys: readable, present: false }
  }
  if (wanted === undefined && readable.length > 0)
    throw conflict(
      `Somebody else had the name ${fullyQualifiedName} before. Say whose values are to be erased: lives=present, ` +
        'lives=former or lives=all.',
    )
  const keys = await vault.retire(stream)
  if (wanted === 'all' || readable.length === 0) return { keys, present: true }
  mustShareNoKey(stream, present, former)
  return { keys: keys.filter((key) => !former.has(key)), present: true }
}

const mustShareNoKey = (stream: string, erased: ReadonlySet<string>, kept: ReadonlySet<string>): void => {
  if (keysToDestroy({ stream, data: { keys: [...erased] } }).some((key) => kept.has(key)))
    throw conflict(
      'Values of who has the name now and of who had it before were written with one key, or in plain text by ' +
        'versions up to 0.2.0: only lives=all erases them.',
    )
}

interface ForgetRequest {
  readonly definition: KindDefinition
  readonly id: string
  /** Default: all, if nobody else has the name now. */
  readonly lives?: Lives | undefined
}

/**
 * Erases the personal values of an entity, present and past: appends the event, then destroys the keys.
 * @throws ForgetPending if the keys are still to be destroyed, which {@link finishForgetting} does
 */
export const forget = async (
  context: Context,
  { definition, id, lives: wanted }: ForgetRequest,
  cause: Cause,
  precondition?: Precondition,
): Promise<Result> => {
  const stream = streamName(definition.name, id)
  let keys: readonly string[] = []
  const request = requestOn({ definition, id, cause, precondition, accepts: () => true }, async (before) => {
    // Repeated with each attempt, so that keys made meanwhile are destroyed too.
    const erasure = await erasureOf(context, stream, before, wanted)
    keys = erasure.keys
    return { command: { type: 'Forget', erased: erasure.present ? [...personalMembers(definition)] : [], keys } }
  })
  const result = await commit(context, request)
  // First of all, since the log already says that they are destroyed.
  await context.vault.destroy(stream, keysToDestroy({ stream, data: { keys } })).catch((error: unknown) => {
    throw new ForgetPending(error)
  })
  return complete(context, result)
}

/**
 * Destroys keys that the log reports as destroyed but that still exist: after a crash or a failure, or after an older copy
 * of the keys was put back.
 * @param forgotten events, among them those that report it
 */
export const finishForgetting = async (
  vault: Pick<Vault, 'keys' | 'destroy'>,
  forgotten: AsyncIterable<RecordedEvent> | Iterable<RecordedEvent>,
): Promise<void> => {
  for await (const event of forgotten) {
    if (event.type !== 'Forgotten') continue
    await vault.destroy(event.stream, await notDestroyed(vault, keysToDestroy(event)))
  }
}
