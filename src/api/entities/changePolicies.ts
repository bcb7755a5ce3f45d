import { userId, type Context } from '../../commands/caller.ts'
import { forbidden } from '../../commands/errors.ts'
import { referencesIn, statesAlong, type Entity } from '../../commands/evolve.ts'
import { isAmong } from '../../commands/lookup.ts'
import {
  attributeEvent,
  attributeChanges,
  replacedAuthors,
  type Provenance,
  type RequestProvenance,
} from '../../commands/provenance.ts'
import type { ProposedChange } from '../../commands/requests/acceptProposal.ts'
import { withStatement } from '../../commands/statements.ts'
import { streamName, type CatalogEvent, type Members, type Reference } from '../../events/events.ts'
import { enumerate, summarizeEvent, type EventType } from '../../events/verbs.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { placedDifference, nestedRelation } from '../../kinds/edges.ts'
import { isWritten } from '../../kinds/perKind.ts'
import { kindNamed, principalKind } from '../../kinds/registry/kinds.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import { referencesOf } from '../../projections/search/facets.ts'
import { isProgram, makeAccess, type Access } from '../access.ts'
import type { Api, ApiActor, CatalogRequest } from '../deps.ts'

/** Members whose users may decide on an entity's changes, with `isOwner` permission. */
export const approverMembers: readonly string[] = ['owners', 'reviewers']

/**
 * Refuses changes that policies reserve to others.
 * @param isProposed whether a proposal that is being accepted may change a member; absent: an edit. For whoever may
 *   approve, a proposed change is not an edit of their own.
 */
export const mustPermitChange = async (
  request: CatalogRequest,
  [definition, before, events]: Parameters<NonNullable<Context['mayChange']>>,
  isProposed?: (member: string) => boolean,
): Promise<void> => {
  const { api } = request
  const hasRules = api.needsApproval !== undefined || api.permitsOverwrite !== undefined
  if (isProposed === undefined && !hasRules && definition.name !== principalKind) return
  const changed = [...new Set(events.flatMap((event) => writtenMembers(definition, event)))]
  if (changed.length === 0) return
  const after = events.reduce(membersAfter, before.members)
  if (isProgram(before.members) !== isProgram(after)) mustManagePrograms(request, before)
  // Who owns it is read when that is decided.
  const access = makeAccess(api, request.actor)
  const mayApprove = () => access.holds(access.may('approve', definition.name), before, approverMembers)
  const edited =
    isProposed !== undefined && (await mayApprove()) ? changed.filter((member) => !isProposed(member)) : changed
  const change = { access, definition, before, after, changed, edited }
  if (isProposed !== undefined) await mustEdit(change)
  await mustBeApproved(request, change, mayApprove)
  await mustNotOverwritePeople(request, change)
}

interface Change {
  readonly access: Access
  readonly definition: KindDefinition
  readonly before: Entity
  readonly after: Members
  /** Names of members that the caller changes. */
  readonly changed: readonly string[]
  /** Those that the caller changes as an edit of their own. */
  readonly edited: readonly string[]
}

/** Events other than Updated by which callers change members, without votes, follows, results and the like. */
const changing: ReadonlySet<EventType> = new Set([
  'AssetsAdded',
  'AssetsRemoved',
  'PortsAdded',
  'PortsRemoved',
  'LineageStated',
])

/** Members that a caller changes by an event: not those that the catalog itself sets, such as tokens. */
const writtenMembers = ({ fields }: KindDefinition, event: CatalogEvent): readonly string[] => {
  if (event.type === 'Updated') return summarizeEvent(event).changed.filter((name) => isWritten(fields[name]))
  return changing.has(event.type) ? summarizeEvent(event).changed : []
}

const shownOf = ({ definition, before }: Change): string => `${definition.name} ${before.fullyQualifiedName}`

/** Refuses to let somebody say whose values are words of people who may not make tokens of programs either. */
const mustManagePrograms = ({ api, actor }: CatalogRequest, { name }: Entity): void => {
  if (actor.program === undefined && api.permits(actor, 'manage') === 'yes') return
  throw forbidden(`Only people who may manage tokens can change whether ${name} is a program (isBot).`)
}

/** Refuses an acceptance that changes more than was proposed, unless the caller may edit that. */
const mustEdit = async (change: Change): Promise<void> => {
  const { access, definition, before, edited } = change
  if (edited.length === 0) return
  if (await access.holds(access.may('edit', definition.name), before)) return
  throw forbidden(
    `Your roles do not allow you to change more than was proposed: ${enumerate(edited)} of ${shownOf(change)}.`,
  )
}

/**
 * Refuses changes of members that need approval, unless the caller may approve them. A document can say anything about
 * its entity, so a change of one needs approval where any member does.
 */
const mustBeApproved = async ({ api }: ApiActor, change: Change, mayApprove: () => Promise<boolean>): Promise<void> => {
  if (api.needsApproval === undefined) return
  const { definition, before, changed } = change
  const { name: kind, path, fields } = definition
  const present = referencesIn(before.members, 'domains')
  const domains = (await makeDomainReader(api, present))(present)
  const needingAmong = (members: readonly string[]) => api.needsApproval?.(kind, domains, members) ?? []
  const imported = changed.filter((name) => fields[name]?.imported)
  const needing = needingAmong(changed)
  const implied = imported.length > 0 ? needingAmong(Object.keys(fields).filter((name) => isWritten(fields[name]))) : []
  const inside = needingAmong([nestedRelation]).length > 0 ? await changedInside(api, change) : []
  if (needing.length + implied.length + inside.length === 0 || (await mayApprove())) return
  const canBeProposed = needing.every((name) => fields[name] !== undefined && !fields[name].readOnly)
  const [members, why] =
    needing.length + inside.length === 0
      ? [imported, `can only be made by somebody who may approve changes of ${implied.join(', ')}.`]
      : canBeProposed
        ? [[...needing, ...inside], `need a second person: propose it with POST /v1/${path}/${before.id}/proposals.`]
        : [needing, 'can only be made by somebody who may approve them.']
  throw forbidden(`Changes of ${enumerate(members)} of ${shownOf(change)} ${why}`)
}

const domainsOf = (row: EntityRow): readonly Reference[] => referencesOf(row)['domains'] ?? []

/** Reads the names of domains among `all`, without those that have been hard-deleted. */
const makeDomainReader = async ({ commands }: Api, all: readonly Reference[]) => {
  const found = await commands.refer(all.map(({ id }) => id))
  // What the read models do not know yet has not ended: a rule holds in doubt.
  const hasEnded = ({ id, life = 0 }: Reference): boolean => {
    const now = found.get(id)
    return now !== undefined && (now.born > life || (now.status === 'gone' && now.born === BigInt(life)))
  }
  return (some: readonly Reference[]) =>
    some.filter((domain) => !hasEnded(domain)).map(({ fullyQualifiedName }) => fullyQualifiedName)
}

/**
 * Makes the check who may decide on changes of these: users who may make them, and approvers; never on their own
 * proposals.
 */
export const makeApprovalCheck = async (
  { api, actor, access: { may, makeCheck } }: ApiActor,
  rows: readonly EntityRow[],
) => {
  const holds = await makeCheck('ifOwner')
  const namesOf = await makeDomainReader(api, rows.flatMap(domainsOf))
  const needsApproval = (row: EntityRow, { set, unset }: ProposedChange): boolean => {
    const needs = (names: readonly string[]) =>
      (api.needsApproval?.(row.kind, namesOf(domainsOf(row)), names) ?? []).length > 0
    const changed = [...Object.keys(set), ...unset]
    if (needs(changed) || !needs([nestedRelation])) return needs(changed)
    const definition = kindNamed(row.kind)
    const { lost, added } = placedDifference(definition, changed, fromRow(row, definition).members, set)
    return lost.length + added.length > 0
  }
  return (row: EntityRow, proposer: string, change: ProposedChange): boolean =>
    proposer !== actor.name &&
    (holds(may('approve', row.kind), row, approverMembers) ||
      (holds(may('edit', row.kind), row) && !needsApproval(row, change)))
}

/** Where tags of elements differ, such as columns.id.tags. That those are left out which are gone is not a change. */
const changedInside = async ({ commands }: Api, { definition, before, after, changed }: Change): Promise<string[]> => {
  const { lost, added } = placedDifference(definition, changed, before.members, after)
  const isThere = isAmong(await commands.refer(lost.map(({ reference }) => reference.id)))
  const counting = [...lost.filter(({ reference }) => isThere(reference)), ...added]
  return [...new Set(counting.map(({ path }) => path))]
}

/** The members after a change of members, without lists from which it removes. */
const membersAfter = (members: Members, event: CatalogEvent): Members => {
  if (event.type === 'LineageStated') return withStatement(members, event)
  if (event.type !== 'Updated' && event.type !== 'AssetsRemoved' && event.type !== 'PortsRemoved') return members
  const { set, unset } = event.type === 'Updated' ? event.data : { set: {}, unset: summarizeEvent(event).changed }
  return Object.fromEntries(Object.entries({ ...members, ...set }).filter(([name]) => !unset.includes(name)))
}

/** Refuses to replace what people wrote, unless the caller may edit that, too. */
const mustNotOverwritePeople = async (request: CatalogRequest, change: Change): Promise<void> => {
  const { api, actor } = request
  const { access, definition, before, after, edited } = change
  if (api.permitsOverwrite === undefined || edited.every((name) => after[name] === before.members[name])) return
  if (await access.holds(api.permitsOverwrite(actor, 'edit', definition.name), before)) return
  const replaced = [...replacedAuthors(await authorsBefore(request, before), before.members, after)].filter(([path]) =>
    edited.includes(path.split('.', 1)[0] as string),
  )
  const users = await api.commands.lookup([...new Set(replaced.map(([, user]) => userId(user)))])
  const isPerson = (user: string): boolean => user !== actor.name && !isProgram(users.get(userId(user))?.members)
  const kept = replaced.flatMap(([path, user]) => (isPerson(user) ? [path] : []))
  if (kept.length === 0) return
  throw forbidden(`Your roles do not allow you to change what people wrote: ${enumerate(kept)} of ${shownOf(change)}.`)
}

/** The authors of a state that may be about to be appended. */
const authorsBefore = async (request: CatalogRequest, before: Entity): Promise<Provenance> => {
  const { authors, entity } = await readAuthors(request, before)
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

/** Authors of the values of an entity up to its revision, and its state, from the log; nobody waits for it after `signal`. */
export const readAuthors = async (
  { api, signal }: Pick<CatalogRequest, 'api' | 'signal'>,
  { kind, id, revision }: Pick<Entity, 'kind' | 'id' | 'revision'>,
) => {
  const authors: Provenance = new Map()
  const replaced: RequestProvenance = new Map()
  const events = api.log.readStream(streamName(kind, id), { limit: Number(revision) + 1 })
  let entity: Entity | undefined
  for await (const step of statesAlong(id, events, signal)) {
    attributeEvent({ authors, replaced }, step)
    entity = step.after
  }
  return { authors, entity }
}
