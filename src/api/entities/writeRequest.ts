import { DomainError, forbidden } from '../../commands/errors.ts'
import { execute } from '../../commands/requests/execute.ts'
import { firstRestored } from '../../commands/requests/remove.ts'
import { rewrite, type Write } from '../../commands/requests/createOrUpdate.ts'
import { type Members, entityOf } from '../../events/events.ts'
import { readRequest } from '../../kinds/request/requestSchema.ts'
import { userId, type Caller, type Context } from '../../commands/caller.ts'
import type { Cause } from '../../commands/recording.ts'
import type { Entity } from '../../commands/evolve.ts'
import { isWhole } from '../../commands/lookup.ts'
import type { Precondition, Result } from '../../commands/unitOfWork/request.ts'
import { forDryRun } from '../../commands/unitOfWork/streamQueue.ts'
import type { KindDefinition, ReferenceInput } from '../../kinds/defineKind.ts'
import { principalKind, descendantKinds, kindNamed } from '../../kinds/registry/kinds.ts'
import { toRow } from '../../projections/entities/entityRow.ts'
import type { ReferenceRow } from '../../projections/entities/row.ts'
import { type JsonObject } from '../../shared/json.ts'
import { traceparentNow } from '../../shared/tracing.ts'
import type { Api, CatalogRequest, KindRequest } from '../deps.ts'
import { meetsCondition, readCondition } from '../http/preconditions.ts'
import type { ApiRequest, Permission } from '../http/route.ts'
import type { PointInTime } from './answers/pointInTime.ts'
import { mustPermitChange } from './changePolicies.ts'
import { makeAccess, stricter, type Owned } from '../access.ts'
import { mustOwn } from './reads/addressed.ts'
import { answerRow } from './answers/present.ts'
import { candidateIds } from '../../commands/requests/resolveRequest.ts'

/** The execution context of a request, on behalf of its caller. @param dryRun nothing is written */
export const contextOf = (request: CatalogRequest, dryRun = false): Context & { readonly caller: Caller } => {
  const { api, actor } = request
  const { may, own } = makeAccess(api, actor)
  const context = {
    ...api.commands,
    readSchema: (text) => api.schemas.read({ caller: actor.name, signal: request.signal }, text),
    caller: {
      name: actor.name,
      visibilityOf: (kind) => may('view', kind),
      incarnations: own,
    },
    progress: request.progress,
    mayChange: (...change) => mustPermitChange(request, change),
  } satisfies Context
  return dryRun ? forDryRun(context) : context
}

/** The cause of a request's events. */
export const causeOf = (request: ApiRequest): Cause => ({
  user: request.actor.name,
  correlationId: request.correlationId,
  clientCorrelationId: request.clientCorrelationId,
  traceparent: traceparentNow(request.headers['traceparent']),
  commandId: crypto.randomUUID(),
})

/**
 * What must hold of an entity when a request about it is decided: that the caller owns it, where only owners may do this,
 * and what the headers say.
 */
export const preconditionOf = (request: CatalogRequest, permission?: Permission): Precondition => {
  const asked = { ...request, access: makeAccess(request.api, request.actor) }
  const mustMeet = headerPrecondition(request)
  return async (entity) => {
    if (entity !== undefined) await mustOwn(asked, entity, permission)
    await mustMeet?.(entity)
  }
}

/** The precondition by `If-Match` and `If-None-Match`. */
export const headerPrecondition = ({ headers }: Pick<ApiRequest, 'headers'>): Precondition | undefined => {
  const wanted = readCondition('If-Match', headers)
  const unwanted = readCondition('If-None-Match', headers)
  if (wanted === undefined && unwanted === undefined) return undefined
  return (entity) => {
    const present = entity === undefined || entity.status === 'gone' ? undefined : entity
    if (wanted !== undefined && !meetsCondition(wanted, present?.revision)) {
      throw new DomainError(
        'precondition_failed',
        present === undefined
          ? 'If-Match is given, but there is no such entity.'
          : wanted.length === 0
            ? 'If-Match does not name a revision: send the ETag of the entity as it was read.'
            : `The entity is at revision "${present.revision}", not at the one that If-Match names: read it again.`,
      )
    }
    if (unwanted !== undefined && meetsCondition(unwanted, present?.revision)) {
      const what = unwanted === '*' ? 'exists' : `is at revision "${present?.revision}", which it names`
      throw new DomainError('precondition_failed', `If-None-Match is given, but the entity ${what}.`)
    }
  }
}

type Created = Pick<Result, 'changed'> & { readonly before: Pick<Entity, 'status'> | undefined }

export const isCreation = ({ changed, before }: Created): boolean =>
  changed && (before === undefined || before.status === 'gone')

/** Shows an entity from the decided state; a new entity has no descendants and no referrers. */
const asDecided = ({ readModels }: Api, result: Result): PointInTime => ({
  ...readModels,
  getReferences: async (ids) => {
    const rows = new Map<string, ReferenceRow>()
    const others: string[] = []
    for (const id of ids) {
      const decided = result.known.get(id)
      if (isWhole(decided)) rows.set(id, toRow(decided, kindNamed(decided.kind)))
      else others.push(id)
    }
    return others.length === 0 ? rows : new Map([...rows, ...(await readModels.getReferences(others))])
  },
  ...(isCreation(result) && { childrenOf: async () => [], relatedTo: async () => [], countBelow: async () => 0 }),
})

/** The answer with the entity after a write. @param named members that it shows as `fields` would */
export const answerResult = (request: KindRequest, result: Result, named?: ReadonlySet<string>) => {
  const { entity, position } = result
  const Location = `${request.baseUrl}/v1/${request.definition.path}/${entity.id}`
  return answerRow(request, toRow(entity, request.definition), {
    ...(isCreation(result) && { status: 201, headers: { Location } }),
    position,
    named,
    at: asDecided(request.api, result),
  })
}

/** Kinds of descendants for which the caller lacks the permission; dependents follow their asset. */
export const forbiddenBelow = (
  request: CatalogRequest,
  operation: 'delete' | 'hardDelete' | 'restore',
  kind: string,
): KindDefinition[] =>
  descendantKinds(kind).filter(({ name, dependent }) => !dependent && request.access.may(operation, name) !== 'yes')

/** The permission to delete entities, soft or hard: for owners only if either is. @throws DomainError `forbidden` */
export const removalPermission = (request: KindRequest, hard: boolean): Exclude<Permission, 'no'> =>
  stricter(request.permission, hard ? request.access.must('hardDelete', request.definition.name) : 'yes')

/**
 * Makes the check whether the caller may write entities of a kind: `create` or `edit`, for a deleted one also `restore`
 * on the kinds below that come back with it, and ownership if the permission is for owners only. `Create` needs `create`
 * even if the entity exists. Callers who may not view it get the same answer whether it exists or not.
 * @param also further required operation, such as bulk
 * @throws DomainError `forbidden`
 */
export const makeWriteGuard = (
  request: KindRequest,
  type: 'Create' | 'Upsert',
  also: Permission = 'yes',
): NonNullable<Write['mayWrite']> => {
  const { api, definition } = request
  const kind = definition.name
  const { may, own, holds } = makeAccess(api, request.actor)
  const refused = (why: string): DomainError =>
    forbidden(
      may('view', kind) === 'yes'
        ? why
        : `Your roles do not allow you to write this ${kind}: a new one needs create, an existing one edit.`,
    )
  if (may('create', kind) === 'no' && may('edit', kind) === 'no')
    throw refused(`Your roles do not allow create or edit on ${kind}.`)
  const mustBePermitted = async (operation: 'create' | 'edit', owned: () => Owned | Promise<Owned>): Promise<void> => {
    const needed = [also, may(operation, kind)]
    if (needed.includes('no')) throw refused(`Your roles do not allow ${operation} on ${kind}.`)
    if (!needed.includes('ifOwner') || (await holds('ifOwner', await owned()))) return
    throw refused(`Only its owners may ${operation} this ${kind}.`)
  }
  const mustBringBack = async (entity: Entity): Promise<void> => {
    const kept = await firstRestored(contextOf(request), entity, forbiddenBelow(request, 'restore', kind))
    if (kept === undefined) return
    throw refused(`This would restore what was deleted with it, and your roles do not allow restore on ${kept.name}.`)
  }
  return async (entity, values) => {
    if (type === 'Create' || !isThere(entity))
      return mustBePermitted('create', async () => {
        const named = ownersIn(api, definition, values)
        return { owners: (await own()).filter((owner) => named.has(entityOf(owner))) }
      })
    await mustBePermitted('edit', () => entity)
    if (entity.status === 'deleted') await mustBringBack(entity)
  }
}

/** Whether the entity exists, if only soft-deleted. */
export const isThere = (entity: Entity | undefined): entity is Entity =>
  entity !== undefined && entity.status !== 'gone'

/** Ids of the owners in a request, as far as readable. */
const ownersIn = (api: Api, definition: KindDefinition, values: JsonObject): ReadonlySet<string> => {
  const owners = Array.isArray(values['owners']) ? (values['owners'] as (ReferenceInput | null)[]) : []
  const kinds = definition.fields['owners']?.references?.kinds ?? []
  return new Set(owners.flatMap((owner) => (owner === null ? [] : candidateIds(owner, kinds, api.commands))))
}

/**
 * Writes internal members of a user, creating the entity if needed. @returns the position that shows it
 * @param ownOf the members; throws to refuse a user's present state
 */
export const writeUser = async (
  request: CatalogRequest,
  body: { readonly name: string; readonly isBot?: true },
  ownOf: (current: Entity | undefined) => Members,
): Promise<bigint> => {
  const definition = kindNamed(principalKind)
  const parsed = readRequest(definition, body, 'upsert')
  const make = async (current: Entity | undefined): Promise<Write> => ({
    type: 'Upsert',
    definition,
    parsed,
    own: ownOf(current),
  })
  const context = contextOf(request)
  const exhausted = body.isBot ? 'conflict' : 'busy'
  const wanted = rewrite(context, { definition, id: userId(body.name), make, exhausted }, causeOf(request))
  return (await execute(context, wanted)).position
}
