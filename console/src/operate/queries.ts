import { queryOptions } from '@tanstack/react-query'
import { get } from '../api/client.ts'

export interface Version {
  readonly name: string
  readonly version: string
  readonly node: string
  readonly engines: Readonly<Record<string, string>>
}

export const versionQuery = queryOptions({
  queryKey: ['version'],
  queryFn: ({ signal }) => get<Version>('/v1/system/version', {}, signal),
})

/** A token of a program. */
export interface Token {
  readonly id: string
  readonly name: string
  readonly fullyQualifiedName: string
  readonly roles: readonly string[]
  readonly createdAt: string
  readonly createdBy: string
  readonly expiresAt: string
}

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }) => (await get<{ data: Token[] }>('/v1/tokens', {}, signal)).data,
})

/** The newest signed state of the log; see RFC 9162 and the format of checkpoints. */
export interface Checkpoint {
  readonly origin: string
  readonly size: number
  /** Base64. */
  readonly root: string
}

export const checkpointQuery = queryOptions({
  queryKey: ['checkpoint'],
  queryFn: async ({ signal }): Promise<Checkpoint> => {
    const [origin = '', size = '', root = ''] = (await get<string>('/v1/audit/checkpoint', {}, signal)).split('\n')
    return { origin, size: Number(size), root }
  },
  refetchInterval: 10_000,
})

/** Somebody who is given the checkpoints. */
export interface Witness {
  readonly witness: string
  readonly size?: number
  readonly time?: string
  readonly failing?: { readonly since: string; readonly error: string }
}

export const witnessesQuery = queryOptions({
  queryKey: ['witnesses'],
  queryFn: async ({ signal }) => (await get<{ data: Witness[] }>('/v1/audit/witnesses', {}, signal)).data,
  refetchInterval: 10_000,
})

export interface WebhookFilter {
  readonly kinds?: readonly string[]
  readonly types?: readonly string[]
  readonly domains?: readonly string[]
}

export interface Webhook {
  readonly id: string
  readonly name: string
  readonly endpoint: string
  readonly enabled: boolean
  readonly filter: WebhookFilter
  /** In clear only in the answer to its creation. */
  readonly secret: string
  readonly updatedAt: string
  readonly updatedBy: string
  readonly status: {
    readonly state: 'disabled' | 'failing' | 'delivering' | 'upToDate'
    readonly position: string
    readonly lag: string
    readonly deadLetters: number
    /** Its place did not fit the log any more, so it went on from the end; position: what it had come to. */
    readonly restarted?: { readonly time: string; readonly position: string; readonly message: string }
    readonly lastSuccess?: { readonly time: string; readonly position: string; readonly status: number }
    readonly lastError?: {
      readonly time: string
      readonly position: string
      readonly message: string
      readonly attempts: number
    }
  }
}

export interface DeadLetter {
  readonly position: string
  readonly eventId: string
  readonly type: string
  readonly subject: string
  readonly attempts: number
  readonly error: string
  readonly time: string
}

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) => (await get<{ data: Webhook[] }>('/v1/webhooks', {}, signal)).data,
  refetchInterval: 5_000,
})

/** What a state is called, and how it looks. */
export const stateWords: Readonly<Record<Webhook['status']['state'], readonly [string, string]>> = {
  upToDate: ['up to date', 'good'],
  delivering: ['delivering', ''],
  failing: ['failing', 'bad'],
  disabled: ['disabled', ''],
}

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id],
    queryFn: ({ signal }) => get<Webhook>(`/v1/webhooks/${id}`, {}, signal),
    refetchInterval: 3_000,
  })

export const deadLettersQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id, 'deadLetters'],
    queryFn: ({ signal }) =>
      get<{ data: DeadLetter[]; paging: { total: number } }>(`/v1/webhooks/${id}/deadLetters`, { limit: 100 }, signal),
    refetchInterval: 5_000,
  })
