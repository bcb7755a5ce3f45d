import { randomUUID } from 'node:crypto'
import type { RecordedEvent } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { settle } from '../cascade.ts'
import type { Context } from '../caller.ts'
import { DomainError, notFound } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import type { Cause } from '../recording.ts'
import { appearances, goneMeanwhile, type Plan, type Precondition, type Request } from '../taking/take.ts'

export interface Removal {
  readonly definition: KindDefinition
  readonly id: string
  readonly hard: boolean
  readonly recursive: boolean
  /** Kinds whose entities can be children of this one and count as such: without `recursive` there must be none. */
  readonly childKinds: readonly KindDefinition[]
  /** Kinds below that the caller may not delete. */
  readonly spared: readonly KindDefinition[]
}

/** Deletes an entity and what goes with it. */
export const remove = (context: Context, removal: Removal, cause: Cause, precondition?: Precondition): Request => {
  const { definition, id, hard } = removal
  const deletion = randomUUID()
  return {
    cause,
    target: { kind: definition.name, id },
    ids: [id],
    precondition,
    plan: async (known): Promise<Plan> => {
      const before = known.get(id)
      if (before === undefined || before.status === 'gone' || (before.status === 'deleted' && !hard))
        throw notFound(goneMeanwhile)
      precondition?.(before)
      const command = { type: hard ? 'HardDelete' : 'SoftDelete', deletion } as const
      const forbidden = await lookBelow(context, removal, before)
      return {
        definition,
        subject: before,
        before,
        command,
        parent: before.parent,
        ...(forbidden.length > 0 && unlessBelow(before, forbidden)),
      }
    },
  }
}

/**
 * Makes sure that nothing stands below that must not be taken.
 * @returns the kinds of which nothing may come below from now on
 * @throws DomainError when something stands there
 */
const lookBelow = async (context: Context, removal: Removal, entity: Entity): Promise<readonly KindDefinition[]> => {
  const { recursive, hard, childKinds, spared } = removal
  const forbidden = recursive ? spared : childKinds
  if (forbidden.length === 0) return forbidden
  // What a restore has not brought back yet stands there too.
  await settle(context, [entity.id])
  for (const kind of forbidden) {
    if (
      recursive
        ? await context.tree.hasBelow(entity, kind.name, hard)
        : await context.tree.hasChild(entity.id, kind.name, hard)
    )
      throw recursive ? notAllowed(kind, hard) : notEmpty(entity, kind)
  }
  return forbidden
}

const notEmpty = (entity: Entity, kind: KindDefinition): DomainError =>
  new DomainError(
    'invalid',
    `${entity.kind} ${entity.fullyQualifiedName} is not empty: it has children of kind ${kind.name}. Add ?recursive=true to delete them too.`,
  )

const notAllowed = (kind: KindDefinition, hard: boolean): DomainError =>
  new DomainError(
    'forbidden',
    `Your roles do not allow ${hard ? 'hardDelete' : 'delete'} on ${kind.name}, and there are some below it.`,
  )

const unlessBelow = ({ fullyQualifiedName }: Entity, kinds: readonly KindDefinition[]): Pick<Plan, 'unless'> => {
  const names = new Set(kinds.map(({ name }) => name))
  const happened = ({ metadata }: RecordedEvent): boolean =>
    names.has(metadata.kind) && metadata.fullyQualifiedName.startsWith(`${fullyQualifiedName}.`)
  return { unless: { types: appearances, happened } }
}
