import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { Context } from '../caller.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import type { Cause } from '../recording.ts'
import type { Head } from '../lookup.ts'
import { allFollowed } from '../unitOfWork/deciding.ts'
import type { Precondition, Request } from '../unitOfWork/request.ts'

export interface Restoration {
  readonly definition: KindDefinition
  readonly id: string
  /** Kinds below that the caller may not restore. */
  readonly kept: readonly KindDefinition[]
}

export const restore = (
  context: Context,
  { definition, id, kept }: Restoration,
  cause: Cause,
  precondition?: Precondition,
): Request => ({
  cause,
  target: { kind: definition.name, id },
  ids: [id],
  precondition,
  resolve: async (reads) => {
    const before = reads.own(id)
    if (before === undefined || before.status === 'gone') throw notFound(`There is no ${definition.name} ${id}.`)
    await reads.load({ referred: before.parent === undefined ? [] : [before.parent] })
    const parent = reads.get(before.parent ?? '')
    if (before.status === 'deleted') {
      mustBeLive(parent)
      await mustBeAllowed(context, before, kept)
      // Who asks again, because the first answer was lost, is not told that all is there before it is.
    } else await context.followed([before])
    return { definition, subject: before, before, command: { type: 'Restore' }, parent: before.parent }
  },
})

const mustBeLive = (parent: Head | undefined): void => {
  if (parent === undefined || parent.status === 'live') return
  throw invalid([
    { path: '/id', message: `its parent ${parent.kind} ${parent.fullyQualifiedName} is deleted: restore that first` },
  ])
}

const mustBeAllowed = async (context: Context, entity: Entity, kept: readonly KindDefinition[]): Promise<void> => {
  if (kept.length === 0) return
  // What the deletion has not reached yet goes with it, and would come back with it.
  await allFollowed(context, entity)
  for (const kind of kept) {
    if (await context.tree.comesBack(entity, kind.name))
      throw new DomainError(
        'forbidden',
        `Your roles do not allow restore on ${kind.name}, and there are some below it.`,
      )
  }
}
