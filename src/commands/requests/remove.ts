import { randomUUID } from 'node:crypto'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { childKinds } from '../../kinds/registry/kinds.ts'
import type { Context } from '../caller.ts'
import { DomainError, forbidden } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import type { Cause } from '../recording.ts'
import type { Reads } from '../unitOfWork/reads.ts'
import { requestOn, type Precondition, type Request } from '../unitOfWork/request.ts'
import { waitForDescendants, waitForReads } from './execute.ts'

export interface Deletion {
  readonly definition: KindDefinition
  readonly id: string
  readonly hard: boolean
  readonly recursive: boolean
  /** Whether it may be deleted with its parent, and then gets a deletion of its own. */
  readonly inherited?: true
  /** Kinds that prevent a recursive deletion. */
  readonly forbiddenKinds: readonly KindDefinition[]
}

export const remove = (context: Context, removal: Deletion, cause: Cause, precondition?: Precondition): Request => {
  const { definition, id, hard } = removal
  const deletion = randomUUID()
  const accepts = ({ status, inherited }: Entity): boolean =>
    status === 'live' || (status === 'deleted' && (hard || (removal.inherited === true && inherited)))
  return requestOn({ definition, id, cause, precondition, accepts }, async (before, reads) => {
    await mustBeDeletable(context, removal, before, reads)
    const isGuarded = forbiddenBelow(removal).length > 0 && context.verdicts !== undefined
    // A hard delete cannot be compensated, so a log that cannot check conditions gets a soft delete first.
    const isFinal = hard && before.status === 'live' && isGuarded
    return { command: { type: hard && !isFinal ? 'HardDelete' : 'SoftDelete', deletion }, isFinal }
  })
}

/** Kinds that must have no entity below the one to delete. */
const forbiddenBelow = ({ recursive, forbiddenKinds, definition }: Deletion): readonly KindDefinition[] =>
  recursive ? forbiddenKinds : childKinds(definition.name).filter(({ dependent }) => !dependent)

/** Checks that no descendant prevents the deletion. @throws DomainError when one does */
const mustBeDeletable = async (context: Context, removal: Deletion, entity: Entity, reads: Reads): Promise<void> => {
  const { recursive, hard } = removal
  if (forbiddenBelow(removal).length === 0) return
  await waitForReads(context, entity)
  // Descendants that a restore has yet to reach count as well.
  if (!context.showsPending && entity.restored !== undefined) await waitForDescendants(context, entity)
  for (const kind of forbiddenBelow(removal)) {
    const exists = recursive
      ? await reads.hierarchy.hasDescendant(entity, kind.name, hard)
      : await reads.hierarchy.hasChild(entity.id, kind.name, hard)
    if (exists) throw recursive ? notAllowed(hard ? 'hardDelete' : 'delete', kind) : notEmpty(entity, kind)
  }
}

const notEmpty = (entity: Entity, kind: KindDefinition): DomainError =>
  new DomainError(
    'invalid',
    `${entity.kind} ${entity.fullyQualifiedName} is not empty: it has children of kind ${kind.name}. Add ` +
      '?recursive=true to delete them too.',
  )

const notAllowed = (operation: 'delete' | 'hardDelete' | 'restore', { name }: KindDefinition): DomainError =>
  forbidden(`Your roles do not allow ${operation} on ${name}, and there are some below it.`)

/** @param restoration with the kinds of descendants that the caller may not restore */
export const restore = (
  context: Context,
  {
    definition,
    id,
    forbiddenKinds,
  }: Pick<Deletion, 'definition' | 'id'> & { forbiddenKinds: readonly KindDefinition[] },
  cause: Cause,
  precondition?: Precondition,
): Request =>
  requestOn({ definition, id, cause, precondition, accepts: ({ status }) => status !== 'gone' }, async (before) => {
    const isDeleted = before.status === 'deleted'
    const forbidden = isDeleted ? await firstRestored(context, before, forbiddenKinds) : undefined
    if (forbidden !== undefined) throw notAllowed('restore', forbidden)
    // A repeated request, after a lost answer, also waits until everything is restored.
    if (!isDeleted) await context.waitForCascades([before])
    return { command: { type: 'Restore' } }
  })

/** The first of these kinds that would come back with a deleted entity. */
export const firstRestored = async (
  context: Context,
  entity: Entity,
  kinds: readonly KindDefinition[],
): Promise<KindDefinition | undefined> => {
  // Descendants that the deletion has yet to reach are deleted with it and would be restored with it.
  if (kinds.length > 0) await waitForDescendants(context, entity)
  for (const kind of kinds) if (await context.hierarchy.restoresDescendant(entity, kind.name)) return kind
  return undefined
}
