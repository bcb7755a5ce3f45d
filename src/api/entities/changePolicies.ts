import type { Context } from '../../commands/caller.ts'
import { DomainError } from '../../commands/errors.ts'
import { evolve, referencesIn, type Entity } from '../../commands/evolve.ts'
import {
  attributeEvent,
  attributeChanges,
  replacedAuthors,
  type Provenance,
  type RequestProvenance,
} from '../../commands/provenance.ts'
import { withStatement } from '../../commands/statements.ts'
import { streamName, type CatalogEvent, type Members } from '../../events/events.ts'
import { enumerate, summarizeEvent, type EventType } from '../../events/verbs.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { Api, ApiActor } from '../deps.ts'
import { approverMembers, isAllowed, userId } from './reads/callerReads.ts'

type Change = Parameters<NonNullable<Context['mayChange']>>

/** Refuses changes that policies reserve to others. */
export const changePolicies = (request: ApiActor): Context['mayChange'] =>
  request.api.needsApproval === undefined && request.api.permitsOverwrite === undefined
    ? undefined
    : async (...change) => {
        await mustBeApproved(request, ...change)
        await mustNotOverwritePeople(request, ...change)
      }

/** Events by which callers change members, without those that begin or end a life, votes, follows and results. */
const changing: ReadonlySet<EventType> = new Set([
  'Updated',
  'AssetsAdded',
  'AssetsRemoved',
  'PortsAdded',
  'PortsRemoved',
  'LineageStated',
])

/**
 * Refuses changes of members that need approval, unless the caller may approve them. A document can say anything about
 * its entity, so a change of one needs approval where any member does.
 */
const mustBeApproved = async (request: ApiActor, ...[definition, before, events]: Change): Promise<void> => {
  const { api } = request
  const { name: kind, path, fields } = definition
  const domains = referencesIn(before.members, 'domains').map(({ fullyQualifiedName }) => fullyQualifiedName)
  const changes = events.filter(({ type }) => changing.has(type))
  const changed = [...new Set(changes.flatMap((event) => summarizeEvent(event).changed))]
  const needingAmong = (members: readonly string[]) => api.needsApproval?.(kind, domains, members) ?? []
  const imported = changed.filter((name) => fields[name]?.imported)
  const needing = needingAmong(changed)
  const implied = imported.length > 0 ? needingAmong(Object.keys(fields)) : []
  if (needing.length + implied.length === 0) return
  if (await isAllowed(request, api.permits(request.actor, 'approve', kind), before, approverMembers)) return
  const canBeProposed = needing.every((name) => fields[name] !== undefined && !fields[name].readOnly)
  const [members, why] =
    needing.length === 0
      ? [imported, `can only be made by somebody who may approve changes of ${implied.join(', ')}.`]
      : canBeProposed
        ? [needing, `need a second person: propose it with POST /v1/${path}/${before.id}/proposals.`]
        : [needing, 'can only be made by somebody who may approve them.']
  throw new DomainError('forbidden', `Changes of ${members.join(', ')} of ${kind} ${before.fullyQualifiedName} ${why}`)
}

/** The members after a change of members, without lists from which it removes. */
const membersAfter = (members: Members, event: CatalogEvent): Members => {
  if (event.type === 'LineageStated') return withStatement(members, event)
  if (event.type !== 'Updated' && event.type !== 'AssetsRemoved' && event.type !== 'PortsRemoved') return members
  const { set, unset } = event.type === 'Updated' ? event.data : { set: {}, unset: summarizeEvent(event).changed }
  return Object.fromEntries(Object.entries({ ...members, ...set }).filter(([name]) => !unset.includes(name)))
}

/** Refuses to replace what people wrote, unless the caller may edit that, too. */
const mustNotOverwritePeople = async (request: ApiActor, ...[definition, before, events]: Change) => {
  const { api } = request
  const after = events.reduce(membersAfter, before.members)
  if (api.permitsOverwrite === undefined || after === before.members) return
  if (await isAllowed(request, api.permitsOverwrite(request.actor, 'edit', definition.name), before)) return
  const replaced = replacedAuthors(await authorsBefore(api, before), before.members, after)
  const users = await api.commands.lookup([...new Set(replaced.values())].map(userId))
  const isPerson = (user: string): boolean =>
    user !== request.actor.name && users.get(userId(user))?.members['isBot'] !== true
  const kept = [...replaced].flatMap(([path, user]) => (isPerson(user) ? [path] : []))
  if (kept.length === 0) return
  throw new DomainError(
    'forbidden',
    `Your roles do not allow you to change what people wrote: ${enumerate(kept)} of ${definition.name} ${before.fullyQualifiedName}.`,
  )
}

/** The authors of a state that may be about to be appended. */
const authorsBefore = async (api: Api, before: Entity): Promise<Provenance> => {
  const { authors, entity } = await readAuthors(api, before)
  const pending = before.revision - (entity?.revision ?? -1n)
  // Of several changes in one append nobody knows any more who made which: they count as a person's.
  const user = pending === 1n ? before.updatedBy : ''
  if (pending > 0n)
    attributeChanges(authors, entity?.members ?? {}, before.members, {
      user,
      time: '',
      correlationId: '',
      position: -1n,
    })
  return authors
}

/** Authors of the values of an entity up to its revision, and its state, from the log. */
export const readAuthors = async (
  { log }: Pick<Api, 'log'>,
  { kind, id, revision }: Pick<Entity, 'kind' | 'id' | 'revision'>,
) => {
  const authors: Provenance = new Map()
  const replaced: RequestProvenance = new Map()
  const yieldWhenDue = makeYielder()
  let entity: Entity | undefined
  for await (const event of log.readStream(streamName(kind, id), { limit: Number(revision) + 1 })) {
    const after = evolve(id, entity, event)
    attributeEvent(authors, replaced, entity, event, after)
    entity = after
    await yieldWhenDue()
  }
  return { authors, entity }
}
