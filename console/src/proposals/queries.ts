import { infiniteQueryOptions } from '@tanstack/react-query'
import { call, get, read } from '../api/client.ts'
import { kindNamed } from '../api/kinds.ts'
import { refresh, type Loaded } from '../api/queries.ts'
import { idPath, myProposalsRead, type Read } from '../api/reads.ts'
import type { Entity, Reference } from '../api/types.ts'
import type { Edit } from '../entity/edits.ts'
import { isRecord } from '../entity/parts.ts'
import { toast } from '../ui/toasts.tsx'

/** A change that somebody proposes, and how it stands. */
export interface Proposal {
  readonly id: string
  readonly entity: Reference
  readonly proposer: string
  readonly status: 'open' | 'accepted' | 'refused' | 'withdrawn'
  readonly comment?: string
  readonly change: { readonly set: Readonly<Record<string, unknown>>; readonly unset: readonly string[] }
  readonly members: readonly string[]
  readonly decidedBy?: string
  readonly reason?: string
  readonly amended?: boolean
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly mayDecide: boolean
}

interface ProposalPage {
  readonly data: readonly Proposal[]
  readonly paging: { readonly total?: number; readonly after?: string }
}

const pagesOf = (asked: (after?: string) => Read) =>
  infiniteQueryOptions({
    queryKey: ['proposals', asked()],
    queryFn: ({ pageParam, signal }) => read<ProposalPage>(asked(pageParam), signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.after,
  })

/** Those about an entity, newest first. */
export const aboutQuery = (kind: string, id: string) =>
  pagesOf((after) => ({ path: `${idPath(kind, id)}/proposals`, query: { limit: 20, after } }))

/** Those that I may decide on, or that I made. */
export const myQuery = (role: string) => pagesOf((after) => myProposalsRead(role, after))

const tagKinds = new Set(['tag', 'glossaryTerm'])

/** A value as requests and answers have it: what is proposed has its tags and terms as references. */
const asAnswered = (value: unknown, member = ''): unknown => {
  if (Array.isArray(value)) return value.map((item) => asAnswered(item, member))
  if (!isRecord(value)) return value
  const { type, fullyQualifiedName, name, displayName } = value
  if (member === 'tags' && tagKinds.has(String(type)))
    return {
      tagFQN: fullyQualifiedName,
      name,
      ...(displayName !== undefined && { displayName }),
      source: type === 'tag' ? 'Classification' : 'Glossary',
    }
  return Object.fromEntries(Object.entries(value).map(([each, inner]) => [each, asAnswered(inner, each)]))
}

/** The members that would be, `null` where one is cleared: a merge patch. */
export const proposedPatch = ({ change: { set, unset } }: Proposal): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(Object.entries(set).map(([name, value]) => [name, asAnswered(value, name)])),
  ...Object.fromEntries(unset.map((name) => [name, null])),
})

/** The members that a proposal changes, as an entity has them. */
export const membersOf = (entity: Entity, { members }: Proposal): Partial<Entity> =>
  Object.fromEntries(members.flatMap((name) => (entity[name] === undefined ? [] : [[name, entity[name]]])))

/** Proposes an edit of an entity as it was seen. @throws Problem 412 when it has changed since */
export const propose = async (kind: string, { entity, etag }: Loaded, edit: Edit, comment: string): Promise<void> => {
  const body = { patch: edit.request(entity).body, ...(comment.trim() !== '' && { comment }) }
  await call('POST', `/v1/${kindNamed(kind).path}/${entity.id}/proposals`, { body, ifMatch: etag })
  await refresh()
}

/** Decides on a proposal, or withdraws it. */
export const decide = async (
  { id }: Proposal,
  verb: 'accept' | 'refuse' | 'withdraw',
  body: Readonly<Record<string, unknown>>,
): Promise<void> => {
  try {
    await call('PUT', `/v1/proposals/${id}/${verb}`, { body })
  } catch (error) {
    const { status, decidedBy } = await get<Proposal>(`/v1/proposals/${id}`)
    if (status !== 'open') toast(`${decidedBy} has ${status} this proposal meanwhile`, true)
    throw error
  } finally {
    await refresh()
  }
}
