import type { StoreName } from '../support/killable.ts'
import { idOf, keyOf, kindOf, parentOf, partsOf, type Json, type Key, type Members } from './kinds.ts'

/** Values of a request. References are keys (`team w1xteam1`); `null` clears. */
export type Values = Readonly<Record<string, Json>>

export interface Item {
  readonly fqn: string
  readonly values: Values
}

/** An upstream, as a source states it. */
export interface StatedEdge {
  readonly from: Key
  readonly sql?: string
}

type Asked =
  | { readonly do: 'create' | 'upsert'; readonly kind: string; readonly fqn: string; readonly values: Values }
  | {
      readonly do: 'patch'
      readonly kind: string
      readonly fqn: string
      readonly values: Values
      readonly merge: boolean
    }
  | { readonly do: 'bulk'; readonly kind: string; readonly items: readonly Item[] }
  | {
      readonly do: 'delete'
      readonly kind: string
      readonly fqn: string
      readonly hard: boolean
      readonly recursive: boolean
    }
  | { readonly do: 'restore'; readonly kind: string; readonly fqn: string }
  | { readonly do: 'revert'; readonly kind: string; readonly fqn: string; /** In tenths. */ readonly version: number }
  | {
      readonly do: 'vote'
      readonly kind: string
      readonly fqn: string
      readonly vote: 'votedUp' | 'votedDown' | 'unVoted'
    }
  | { readonly do: 'confirm'; readonly kind: string; readonly fqn: string; readonly confirmBy?: string }
  | {
      /** How a run of the test case went, at a time in epoch milliseconds. */
      readonly do: 'result'
      readonly kind: string
      readonly fqn: string
      readonly status: 'Success' | 'Failed' | 'Aborted'
      readonly timestamp: number
    }
  | { readonly do: 'follow' | 'unfollow'; readonly kind: string; readonly fqn: string; readonly follower: string }
  | {
      readonly do: 'assets'
      readonly kind: string
      readonly fqn: string
      readonly list: (typeof productLists)[number]
      readonly add: boolean
      readonly assets: readonly Key[]
    }
  | {
      /** Of the lineage with this FQN. */
      readonly do: 'state'
      readonly kind: string
      readonly fqn: string
      readonly source: string
      readonly edges: readonly StatedEdge[]
    }
  | {
      readonly do: 'get'
      readonly kind: string
      readonly fqn: string
      readonly include: 'all' | 'deleted' | 'non-deleted'
    }
  | {
      readonly do: 'list'
      readonly kind: string
      readonly fqn: string
      readonly include: 'all' | 'deleted' | 'non-deleted'
    }

/** Lists of a data product whose changes have events of their own. */
export const productLists = ['assets', 'inputPorts', 'outputPorts'] as const

/**
 * One request of one user. `ifSeen`: only when the entity is as the last answer about it showed it (`If-Match`); an item
 * of a bulk request of which none told only if it does not exist.
 */
export type Operation = Asked & { readonly user: string; readonly ifSeen?: boolean }

/** Ends the service, or the server of a store, with SIGKILL and starts it again. */
export interface Kill {
  readonly do: 'kill'
  readonly store?: StoreName
}

/** Proposes a change, or decides on what was proposed under the same number; `amend`: accepts these values instead. */
export interface ProposalStep {
  readonly do: 'propose' | 'accept' | 'amend' | 'refuse'
  readonly kind: string
  readonly fqn: string
  readonly slot: number
  readonly values: Values
  readonly user: string
}

/** What a run is made of. `wait` is for all answers before it. */
export type Step = Operation | ProposalStep | Kill | { readonly do: 'wait' }

export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly body?: Json
  readonly contentType?: string
}

/** Members that hold references, and whether the request names them by FQN alone. */
export const referenceMembers: Readonly<Record<string, 'object' | 'fqn'>> = {
  owners: 'object',
  tags: 'fqn',
  domains: 'fqn',
}

/** Columns as values have them: their tags are keys, as the references of an entity are. */
export interface Column extends Members {
  readonly name: string
  readonly tags?: readonly Key[]
}

/** The columns among the values of a request. */
export const columnsIn = (values: Values): readonly Column[] =>
  (values['columns'] ?? []) as unknown as readonly Column[]

/** What the tags of a column are called among the references of its entity. */
export const tagsOfColumn = (name: string): string => `columns.${name}`

/** Is it such a name? */
export const isOfColumn = (name: string): boolean => name.startsWith('columns.')

const labelJson = (key: Key): Json => {
  const { kind, fqn } = partsOf(key)
  return { tagFQN: fqn, source: kind === 'tag' ? 'Classification' : 'Glossary' }
}

const columnJson = ({ tags, ...column }: Column): Json => (tags ? { ...column, tags: tags.map(labelJson) } : column)

const referenceJson = (key: Json, as: 'object' | 'fqn'): Json => {
  const { kind, fqn } = partsOf(key as Key)
  return as === 'fqn' ? fqn : { type: kind, fullyQualifiedName: fqn }
}

const membersJson = (values: Values): Members =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const as = referenceMembers[name]
      if (name === 'columns' && value !== null) return [name, columnsIn(values).map(columnJson)]
      return [
        name,
        as !== undefined && Array.isArray(value) ? value.map((key) => referenceJson(key as Json, as)) : value,
      ]
    }),
  )

const createJson = (kind: string, { fqn, values }: Item): Members => {
  const parts = fqn.split('.')
  const { place, required } = kindOf(kind)
  return { name: parts.at(-1) as string, ...place(parts), ...required?.(parts), ...membersJson(values) }
}

const patchJson = (values: Values): Json =>
  Object.entries(membersJson(values)).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }))

const listPath = (kind: string, fqn: string, include: string): string => {
  const { path, filter } = kindOf(kind)
  return `/v1/${path}?limit=1000&include=${include}&${filter?.name}=${encodeURIComponent(fqn)}`
}

/** The key of the entity that an operation is about; a bulk request has many, a list none. */
export const targetOf = (operation: Operation): Key | undefined =>
  operation.do === 'bulk' || operation.do === 'list' ? undefined : keyOf(operation.kind, operation.fqn)

/** Demands that an entity does not exist; every other demand is its revision. */
export const absent = '*'

/** What a request demands of entities, as it is to be true of them. */
export type Demands = ReadonlyMap<Key, string>

const conditionJson = (demanded: string | undefined): Record<string, Json> =>
  demanded === undefined ? {} : demanded === absent ? { ifNoneMatch: '*' } : { ifMatch: `"${demanded}"` }

/** The HTTP request of an operation. @param demanded what items of a bulk request demand */
export const requestOf = (operation: Operation, demanded: Demands): HttpRequest => {
  const path = `/v1/${kindOf(operation.kind).path}`
  if (operation.do === 'bulk') {
    return {
      method: 'PUT',
      path: `${path}/bulk`,
      body: operation.items.map((item) => ({
        ...createJson(operation.kind, item),
        ...conditionJson(demanded.get(keyOf(operation.kind, item.fqn))),
      })),
    }
  }
  const byName = `${path}/name/${encodeURIComponent(operation.fqn)}`
  const id = (): string => idOf(keyOf(operation.kind, operation.fqn))
  switch (operation.do) {
    case 'create':
    case 'upsert':
      return { method: operation.do === 'create' ? 'POST' : 'PUT', path, body: createJson(operation.kind, operation) }
    case 'patch':
      return operation.merge
        ? {
            method: 'PATCH',
            path: byName,
            body: membersJson(operation.values),
            contentType: 'application/merge-patch+json',
          }
        : {
            method: 'PATCH',
            path: byName,
            body: patchJson(operation.values),
            contentType: 'application/json-patch+json',
          }
    case 'delete':
      return { method: 'DELETE', path: `${byName}?recursive=${operation.recursive}&hardDelete=${operation.hard}` }
    case 'restore':
      return { method: 'PUT', path: `${path}/restore`, body: { id: id() } }
    case 'revert':
      return { method: 'POST', path: `${path}/${id()}/revert`, body: { version: (operation.version / 10).toFixed(1) } }
    case 'vote':
      return { method: 'PUT', path: `${path}/${id()}/vote`, body: { updatedVoteType: operation.vote } }
    case 'confirm': {
      const { confirmBy } = operation
      return { method: 'PUT', path: `${path}/${id()}/confirm`, body: confirmBy === undefined ? {} : { confirmBy } }
    }
    case 'result': {
      const { status, timestamp } = operation
      return { method: 'PUT', path: `${path}/${id()}/results`, body: { status, timestamp } }
    }
    case 'follow':
      return { method: 'PUT', path: `${path}/${id()}/followers`, body: idOf(keyOf('user', operation.follower)) }
    case 'unfollow':
      return { method: 'DELETE', path: `${path}/${id()}/followers/${idOf(keyOf('user', operation.follower))}` }
    case 'assets': {
      const body = { assets: operation.assets.map((key) => ({ id: idOf(key), type: partsOf(key).kind })) }
      return { method: 'PUT', path: `${path}/${id()}/${operation.list}/${operation.add ? 'add' : 'remove'}`, body }
    }
    case 'state': {
      const asset = partsOf(parentOf(keyOf(operation.kind, operation.fqn)) as Key)
      const name = `${asset.kind}/name/${encodeURIComponent(asset.fqn)}`
      const edges = operation.edges.map(({ from, ...edge }) => ({ from: referenceJson(from, 'object'), ...edge }))
      return { method: 'PUT', path: `/v1/lineage/${name}?source=${operation.source}`, body: { edges } }
    }
    case 'get':
      return { method: 'GET', path: `${byName}?include=${operation.include}` }
    case 'list':
      return { method: 'GET', path: listPath(operation.kind, operation.fqn, operation.include) }
  }
}
