import { standsBelow } from '../../events/appendCondition.ts'
import { isBehind, parseStreamName } from '../../events/events.ts'
import { isWork } from '../../events/verbs.ts'
import { descendantKinds } from '../../kinds/registry/kinds.ts'
import { conflict } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import type { Ports } from '../ports.ts'
import type { Reads } from '../unitOfWork/reads.ts'

/** What somebody else has changed, and by whom. */
type Work = Pick<Entity, 'id' | 'kind' | 'fullyQualifiedName' | 'parent' | 'updatedBy'>

export type OthersWork = ReturnType<typeof watchOthers>

/** Notes from now on what other requests change, which this one must not take along. */
export const watchOthers = ({ log, position }: Pick<Ports, 'log' | 'position'>, ownCorrelationId: string) => {
  const since = position()
  const found: Work[] = []
  let read = since
  const all = async (): Promise<readonly Work[]> => {
    if (!isBehind(read, position())) return found
    for await (const event of log.readAll({ after: read })) {
      // Several may read at the same time.
      if (!isBehind(read, event.position)) continue
      read = event.position
      const { fullyQualifiedName, user, correlationId } = event.metadata
      if (correlationId === ownCorrelationId || !isWork(event)) continue
      const parent = event.type === 'Created' ? event.data.parent?.id : undefined
      found.push({ ...parseStreamName(event.stream), fullyQualifiedName, parent, updatedBy: user })
    }
    return found
  }
  return {
    /** Position from which on it is noted. */
    since,
    /** All that was noted up to what reads show. */
    all,
    /** Makes it a condition that nobody else works on an entity or below it. @throws DomainError `conflict` */
    mustBeAbsent: async ({ id, kind, fullyQualifiedName: below }: Entity, reads: Reads): Promise<void> => {
      const kinds = descendantKinds(kind).map(({ name }) => name)
      reads.recordUntouched(kinds, below)
      const work = (await all()).find((one) => one.id === id || standsBelow(one, { kinds, below }))
      if (work === undefined) return
      const what = work.id === id ? 'It' : `${work.kind} ${work.fullyQualifiedName} below it`
      throw conflict(`${what} has just been changed, by ${work.updatedBy}.`)
    },
  }
}
