import { randomUUID } from 'node:crypto'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { finishCascades } from '../cascade.ts'
import type { Context } from '../caller.ts'
import { DomainError, notFound } from '../errors.ts'
import { hidingId, isBroughtBack } from '../overtaken/hiding.ts'
import type { Entity } from '../evolve.ts'
import type { Cause } from '../recording.ts'
import type { Reads } from '../unitOfWork/reads.ts'
import type { Plan, Precondition, Request } from '../unitOfWork/request.ts'
import { goneMeanwhile } from '../unitOfWork/deciding.ts'

export interface Removal {
  readonly definition: KindDefinition
  readonly id: string
  readonly hard: boolean
  readonly recursive: boolean
  /** Kinds whose entities can be children of this one and count as such: without `recursive` there must be none. */
  readonly childKinds: readonly KindDefinition[]
  readonly spared: readonly KindDefinition[]
}

export const remove = (context: Context, removal: Removal, cause: Cause, precondition?: Precondition): Request => {
  const { definition, id, hard } = removal
  const forbidden = forbiddenBelow(removal)
  const deletion = randomUUID()
  const hiding = hidingId()
  return {
    cause,
    target: { kind: definition.name, id },
    ids: [id],
    precondition,
    resolve: async (reads): Promise<Plan> => {
      const before = reads.own(id)
      if (before === undefined || before.status === 'gone' || (before.status === 'deleted' && !hard))
        throw notFound(goneMeanwhile)
      precondition?.(before)
      await lookBelow(context, removal, before, reads)
      const plan = { definition, subject: before, before, parent: before.parent }
      const hides = hard && before.status === 'live' && forbidden.length > 0 && !context.log.conditional
      const command = hides
        ? ({ type: 'SoftDelete', deletion: hiding } as const)
        : hard
          ? ({ type: 'HardDelete', deletion } as const)
          : ({ type: 'SoftDelete', deletion, ...sparing(context, forbidden) } as const)
      return {
        ...plan,
        command,
        ...(forbidden.length > 0 && {
          confirm: () =>
            hides
              ? mustBeFree(context.tree, removal, before, true)
              : mustHaveBeenFree(context, removal, { id: deletion, of: before }),
        }),
        ...(hides && { next: remove(context, removal, cause, unlessHiddenBy(hiding, precondition)) }),
      }
    },
  }
}

/** What a request demands of an entity it demands no more of one that it has hidden. */
const unlessHiddenBy =
  (deletion: string, precondition: Precondition | undefined): Precondition =>
  (entity) => {
    if (entity?.deletion !== deletion) precondition?.(entity)
  }

/** Kinds of which nothing may stand below what is deleted. */
const forbiddenBelow = ({ recursive, spared, childKinds }: Removal): readonly KindDefinition[] =>
  recursive ? spared : childKinds

/** Where the log cannot look below, the deletion says what it must not take, to whoever may have to finish it. */
const sparing = ({ log }: Context, forbidden: readonly KindDefinition[]): { sparing?: string[] } =>
  forbidden.length > 0 && !log.conditional ? { sparing: forbidden.map(({ name }) => name) } : {}

/** Makes sure that nothing stands below that must not be taken. @throws DomainError when something does */
const lookBelow = async (context: Context, removal: Removal, entity: Entity, reads: Reads): Promise<void> => {
  if (forbiddenBelow(removal).length === 0) return
  // Whoever had to wait for his turn may know the entity further on than what shows what stands below.
  if (context.followed !== undefined) await context.projected(entity.position)
  // What a restore has not brought back yet stands there too.
  else if (entity.status === 'live') await finishCascades(context, [entity.id])
  // What comes below a hidden entity is ended by whoever made it: only what came before counts, and that must be seen.
  else if (!context.log.conditional) await context.projected(entity.position)
  await mustBeFree(reads.tree, removal, entity, false)
}

/** The same, asked when the deletion has been reached: somebody else may have found what it must not take before. */
const mustHaveBeenFree = async (context: Context, removal: Removal, { id: deletion, of }: Deletion): Promise<void> => {
  await mustBeFree(context.tree, removal, of, true)
  const [kind] = forbiddenBelow(removal)
  const isOver = (await context.lookup([of.id])).get(of.id)?.deletion !== deletion
  if (isOver && kind !== undefined && (await isBroughtBack(context, of, deletion))) throw refusalFor(removal, of, kind)
}

interface Deletion {
  readonly id: string
  readonly of: Entity
}

/** @param hidden has the entity been deleted by this request, so that others may have taken what is below with it? */
const mustBeFree = async (tree: Reads['tree'], removal: Removal, entity: Entity, hidden: boolean): Promise<void> => {
  const { recursive, hard } = removal
  for (const kind of forbiddenBelow(removal)) {
    const stands = recursive
      ? await tree.hasBelow(entity, kind.name, hard)
      : await tree.hasChild(entity.id, kind.name, hard)
    if (stands || (hidden && !hard && (await tree.comesBack(entity, kind.name))))
      throw refusalFor(removal, entity, kind)
  }
}

const refusalFor = ({ recursive, hard }: Removal, entity: Entity, kind: KindDefinition): DomainError =>
  recursive ? notAllowed(kind, hard) : notEmpty(entity, kind)

const notEmpty = (entity: Entity, kind: KindDefinition): DomainError =>
  new DomainError(
    'invalid',
    `${entity.kind} ${entity.fullyQualifiedName} is not empty: it has children of kind ${kind.name}. Add ` +
      '?recursive=true to delete them too.',
  )

const notAllowed = (kind: KindDefinition, hard: boolean): DomainError =>
  new DomainError(
    'forbidden',
    `Your roles do not allow ${hard ? 'hardDelete' : 'delete'} on ${kind.name}, and there are some below it.`,
  )
