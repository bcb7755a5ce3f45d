import type { AppendCondition } from '../../events/eventStore.ts'
import { sameJson } from '../../shared/json.ts'
import type { Members } from '../../events/events.ts'
import type { Context } from '../caller.ts'
import { DomainError } from '../errors.ts'
import type { Known } from '../lookup.ts'
import { loadEntities } from '../unitOfWork/reads.ts'
import type { Request, Result } from '../unitOfWork/request.ts'
import { decideAll } from '../unitOfWork/unitOfWork.ts'

const entityIdOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1)

/** Ids of what a result's append depended on. */
export const conditionIds = ({ conditions }: Result): string[] =>
  conditions.flatMap(({ streams = [] }) => streams.map(entityIdOf))

/** Did an event before this position break the condition? @param now what it is about, as it is when that is reached */
const isBroken = async (
  { log }: Pick<Context, 'log'>,
  { after = -1n, types, streams = [], isBrokenBy = () => true }: AppendCondition,
  now: Known,
  position: bigint,
): Promise<boolean> => {
  for (const stream of streams) {
    if ((now.get(entityIdOf(stream))?.position ?? -1n) <= after) continue
    for await (const event of log.readStream(stream, { backwards: true })) {
      if (event.position <= after) break
      if (event.position < position && types.has(event.type) && isBrokenBy(event)) return true
    }
  }
  return false
}

/**
 * Why a request is refused after all: what it read of others had changed before the log took its events, and on what is
 * there now it would not be decided so.
 */
export const refusedSince = async (
  context: Context,
  request: Request,
  result: Result,
  now: Known,
): Promise<DomainError | undefined> => {
  const { before, entity, position, conditions } = result
  const broken = await Promise.all(conditions.map((condition) => isBroken(context, condition, now, position)))
  if (!broken.includes(true)) return undefined
  const { ids, referred = [] } = request
  const loaded = await loadEntities(context, { whole: ids.filter((id) => id !== entity.id), referred })
  if (before === undefined) loaded.absent.add(entity.id)
  else loaded.known.set(entity.id, before)
  const [decided] = await decideAll(context, [request], loaded)
  const refused = decided?.refused
  if (refused === undefined || refused instanceof DomainError) return refused
  throw refused
}

/** The members as they would be without what a result changed; what has been changed again since stays. */
export const membersWithout = ({ before, entity }: Result, present: Members): Members => {
  const members = { ...present }
  for (const name of new Set([...Object.keys(before?.members ?? {}), ...Object.keys(entity.members)])) {
    const was = before?.members[name]
    if (sameJson(was, entity.members[name]) || !sameJson(present[name], entity.members[name])) continue
    if (was === undefined) delete members[name]
    else members[name] = was
  }
  return members
}
