import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { DomainError, invalid, notFound } from '../commands/errors.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Tools } from '../kinds/defineKind.ts'
import { ForbiddenTarget, hostOf, mustBePublic, systemResolve, type Resolve } from '../webhooks/addresses.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'
import { newSecret } from '../webhooks/signature.ts'
import type { DeadLetter, Webhook, WebhookProgress } from '../webhooks/webhook.ts'
import type { StoredWebhook, WebhookStore, WriteOutcome } from '../webhooks/webhookStore.ts'
import type { Api } from './deps.ts'
import { readNumber, readPosition } from './feedQuery.ts'
import { applyPatch } from './patch.ts'
import type { Answer, ApiRequest, Parameter, Route } from './route.ts'
import { deadLetterAnswer, filterOf, hiddenSecret, readWebhookBody, webhookAnswer, webhookBody, type WebhookBody } from './webhookBody.ts'

export interface WebhookRoutesOptions {
  readonly api: Pick<Api, 'kinds' | 'log'>
  readonly store: WebhookStore
  readonly dispatcher: Pick<Dispatcher, 'sync' | 'progress'>
  readonly tools: Pick<Tools, 'seal'>
  /** Endpoints may stand at private addresses. */
  readonly allowPrivate: boolean
  readonly resolve?: Resolve
}

/** Webhooks of one catalog. */
const maxWebhooks = 500

const bodyLimit = 64 * 1024

const id: Parameter = { name: 'id', in: 'path', required: true, description: 'UUID of the webhook', schema: z.uuid() }

const replayBody = z.strictObject({ after: z.string().describe('Position after which to begin again; 0: from the beginning') })

/** Subscriptions that push the feed to endpoints. */
export const webhookRoutes = (options: WebhookRoutesOptions): Route[] => {
  const shared = { tag: 'webhooks', permission: { operation: 'manage' } } as const
  const body = { contentTypes: ['application/json'], limit: bodyLimit, schema: webhookBody, required: true }
  const one = { 200: { description: 'The webhook', schema: webhookAnswer } }
  return [
    {
      ...shared, method: 'post', path: '/v1/webhooks', id: 'createWebhook', summary: 'Send the events that come from now on to an endpoint', body,
      answers: { 201: { description: 'Created; the only answer that has the secret in clear', schema: webhookAnswer } },
      handle: (request) => create(options, request),
    },
    {
      ...shared, method: 'get', path: '/v1/webhooks', id: 'listWebhooks', summary: 'All webhooks, by name',
      answers: { 200: { description: 'All webhooks', schema: z.object({ data: z.array(webhookAnswer), paging: z.object({ total: z.int() }) }) } },
      handle: (request) => list(options, request),
    },
    {
      ...shared, method: 'get', path: '/v1/webhooks/{id}', id: 'getWebhook', summary: 'A webhook and how its deliveries go', parameters: [id],
      answers: one,
      handle: async (request) => answer(options, request, await mustFind(options, request)),
    },
    {
      ...shared, method: 'put', path: '/v1/webhooks/{id}', id: 'replaceWebhook', summary: 'Change a webhook', parameters: [id], body, answers: one,
      handle: (request) => replace(options, request, () => request.body),
    },
    {
      ...shared, method: 'patch', path: '/v1/webhooks/{id}', id: 'patchWebhook', summary: 'Change parts of a webhook', parameters: [id], answers: one,
      body: {
        contentTypes: ['application/merge-patch+json', 'application/json-patch+json'], limit: bodyLimit, schema: z.unknown(), required: true,
      },
      handle: (request) => replace(options, request, ({ webhook }) => applyPatch(settings(webhook), request.body, request.contentType as string)),
    },
    {
      ...shared, method: 'delete', path: '/v1/webhooks/{id}', id: 'deleteWebhook', summary: 'Stop sending, and forget the webhook', parameters: [id],
      answers: { 204: { description: 'Deleted' } },
      handle: (request) => remove(options, request),
    },
    {
      ...shared, method: 'get', path: '/v1/webhooks/{id}/deadLetters', id: 'listDeadLetters', summary: 'Events whose delivery was given up, in log order',
      parameters: [
        id,
        { name: 'after', in: 'query', description: 'Only after this position', schema: z.string() },
        { name: 'limit', in: 'query', description: 'Page size', schema: z.int().min(1).max(1000).default(100) },
      ],
      answers: {
        200: {
          description: 'One page',
          schema: z.object({ data: z.array(deadLetterAnswer), paging: z.object({ total: z.int(), after: z.string().optional() }) }),
        },
      },
      handle: (request) => listDeadLetters(options, request),
    },
    {
      ...shared, method: 'post', path: '/v1/webhooks/{id}/replay', id: 'replayWebhook', summary: 'Send again everything after a position', parameters: [id],
      body: { contentTypes: ['application/json'], limit: 1024, schema: replayBody, required: true }, answers: one,
      handle: (request) => replay(options, request),
    },
  ]
}

const missing = (request: ApiRequest) => notFound(`There is no webhook ${request.params['id']}.`)

const mustFind = async ({ store }: WebhookRoutesOptions, request: ApiRequest): Promise<StoredWebhook> => {
  const stored = await store.get((request.params['id'] as string).toLowerCase())
  if (stored === undefined) throw missing(request)
  return stored
}

const settle = (outcome: WriteOutcome, request: ApiRequest, name: string): void => {
  if (outcome === 'missing') throw missing(request)
  if (outcome === 'taken') throw new DomainError('already_exists', `A webhook named ${name} already exists.`)
}

/** What requests can set, as they see it. */
const settings = ({ name, endpoint, filter, enabled }: Webhook): JsonObject =>
  ({ name, endpoint, filter: filter as unknown as Json, enabled, secret: hiddenSecret })

const mustBeReachable = async ({ allowPrivate, resolve = systemResolve }: WebhookRoutesOptions, endpoint: string): Promise<void> => {
  if (allowPrivate) return
  try {
    await mustBePublic(hostOf(new URL(endpoint)), resolve)
  } catch (error) {
    if (error instanceof ForbiddenTarget) throw invalid([{ path: '/endpoint', message: error.message }])
    throw error
  }
}

const create = async (options: WebhookRoutesOptions, request: ApiRequest): Promise<Answer> => {
  const { store, api, tools, dispatcher } = options
  const body = readWebhookBody(api.kinds, request.body)
  if (body.secret === hiddenSecret) throw invalid([{ path: '/secret', message: 'there is no secret yet that the mask could stand for' }])
  await mustBeReachable(options, body.endpoint)
  if ((await store.list()).length >= maxWebhooks) throw invalid([{ path: '', message: `there can be at most ${maxWebhooks} webhooks` }])
  const secret = body.secret ?? newSecret()
  const time = request.time.toISOString()
  const by = request.actor.name
  const webhook: Webhook = {
    ...changed(body), id: randomUUID(), secret: tools.seal(secret), createdAt: time, createdBy: by, updatedAt: time, updatedBy: by,
  }
  settle(await store.create(webhook, { position: await api.log.head() }), request, webhook.name)
  await dispatcher.sync()
  const stored = (await store.get(webhook.id)) as StoredWebhook
  const json: JsonObject = { ...(await shown(options, request, stored, await api.log.head())), secret }
  return { status: 201, headers: { Location: json['href'] as string }, body: { json } }
}

const changed = ({ name, endpoint, filter, enabled }: WebhookBody) => ({ name, endpoint, filter: filterOf(filter), enabled })

const replace = async (options: WebhookRoutesOptions, request: ApiRequest, bodyOf: (stored: StoredWebhook) => unknown): Promise<Answer> => {
  const { store, api, tools, dispatcher } = options
  const stored = await mustFind(options, request)
  const body = readWebhookBody(api.kinds, bodyOf(stored))
  await mustBeReachable(options, body.endpoint)
  const keeps = body.secret === undefined || body.secret === hiddenSecret
  const webhook: Webhook = {
    ...stored.webhook, ...changed(body),
    secret: keeps ? stored.webhook.secret : tools.seal(body.secret as string),
    updatedAt: request.time.toISOString(), updatedBy: request.actor.name,
  }
  settle(await store.update(webhook), request, webhook.name)
  await dispatcher.sync()
  return answer(options, request, await mustFind(options, request))
}

const remove = async ({ store, dispatcher }: WebhookRoutesOptions, request: ApiRequest): Promise<Answer> => {
  if (!(await store.delete((request.params['id'] as string).toLowerCase()))) throw missing(request)
  await dispatcher.sync()
  return { status: 204 }
}

const replay = async (options: WebhookRoutesOptions, request: ApiRequest): Promise<Answer> => {
  const { store, api, dispatcher } = options
  const { body } = request
  const after = isObject(body) && Object.keys(body).length === 1 ? body['after'] : undefined
  if (typeof after !== 'string' && typeof after !== 'number') throw invalid([{ path: '', message: 'must be {"after": "<position>"}' }])
  const { webhook, progress } = await mustFind(options, request)
  const position = await readPosition(api, String(after), '/after')
  settle(await store.update(webhook, { ...progress, position }), request, webhook.name)
  await dispatcher.sync()
  return answer(options, request, await mustFind(options, request))
}

const listDeadLetters = async (options: WebhookRoutesOptions, request: ApiRequest): Promise<Answer> => {
  const { webhook } = await mustFind(options, request)
  const limit = readNumber(request.query, 'limit', 1, 1000, 100)
  const after = await readPosition(options.api, request.query.get('after'), '?after')
  const found = await options.store.deadLetters(webhook.id, after, limit + 1)
  const page = found.slice(0, limit)
  const paging = {
    total: await options.store.countDeadLetters(webhook.id),
    ...(found.length > limit && { after: String(page.at(-1)?.position) }),
  }
  return { status: 200, body: { json: { data: page.map(shownLetter), paging } } }
}

const shownLetter = ({ position, ...letter }: DeadLetter): JsonObject => ({ position: String(position), ...letter })

const list = async (options: WebhookRoutesOptions, request: ApiRequest): Promise<Answer> => {
  const all = await options.store.list()
  const head = await options.api.log.head()
  const data = await Promise.all(all.map((stored) => shown(options, request, stored, head)))
  return { status: 200, body: { json: { data, paging: { total: all.length } } } }
}

const answer = async (options: WebhookRoutesOptions, request: ApiRequest, stored: StoredWebhook): Promise<Answer> =>
  ({ status: 200, body: { json: await shown(options, request, stored, await options.api.log.head()) } })

const shown = async (
  { store, dispatcher }: WebhookRoutesOptions,
  request: ApiRequest,
  { webhook, progress: saved }: StoredWebhook,
  head: bigint | undefined,
): Promise<JsonObject> => {
  const { id: own, name, endpoint, filter, enabled, createdAt, createdBy, updatedAt, updatedBy } = webhook
  const known = dispatcher.progress(own)
  const progress: WebhookProgress = known?.progress ?? saved
  const lag = (head ?? 0n) - (progress.position ?? 0n)
  const state = !enabled ? 'disabled' : known?.failing === true ? 'failing' : lag > 0n ? 'delivering' : 'upToDate'
  return {
    id: own, name, endpoint, filter: filter as unknown as Json, secret: hiddenSecret, enabled, createdAt, createdBy, updatedAt, updatedBy,
    href: `${request.baseUrl}/v1/webhooks/${own}`,
    status: {
      state,
      position: String(progress.position ?? 0n),
      lag: String(lag > 0n ? lag : 0n),
      deadLetters: await store.countDeadLetters(own),
      ...(progress.lastSuccess && { lastSuccess: { ...progress.lastSuccess } }),
      ...(progress.lastError && { lastError: { ...progress.lastError } }),
    },
  }
}
