import {
  route,
  jsonAnswer,
  pathParameter,
  jsonBody,
  ok,
  queryParameter,
  type Answer,
  type ApiRequest,
  type Route,
} from '../http/route.ts'
import { randomUUID } from 'node:crypto'
import { DomainError, invalid, notFound } from '../../commands/errors.ts'
import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { shownOf } from '../../shared/secrets/sealed.ts'
import { mask } from '../../shared/secrets/shownText.ts'
import type { Sealer } from '../../kinds/defineKind.ts'
import {
  ForbiddenTarget,
  hostOf,
  mustBePublic,
  systemResolve,
  type Resolve,
} from '../../subscriptions/webhooks/addresses.ts'
import type { Dispatcher } from '../../subscriptions/webhooks/dispatcher.ts'
import { newSecret } from '../../subscriptions/webhooks/signature.ts'
import { sealEndpoint, type DeadLetter, type Webhook } from '../../subscriptions/webhooks/webhook.ts'
import type { StoredWebhook, WebhookStore, WriteOutcome } from '../../subscriptions/webhooks/webhookStore.ts'
import { mustBePerson } from '../auth/namedTokens.ts'
import type { Api } from '../deps.ts'
import { readParameter } from '../http/queryParameters.ts'
import { readPlace } from '../feed/feedQuery.ts'
import {
  deliveryStatusOf,
  filterOf,
  readWebhookBody,
  deadLetterAnswer,
  webhookAnswer,
  webhookBody,
} from './webhookBody.ts'
import { z } from 'zod'
import { applyPatch } from '../patch/patch.ts'
import { runToEnd } from '../../shared/yieldToEventLoop.ts'
import { limits } from '../../shared/limits.ts'

export interface WebhookRoutesOptions {
  readonly api: Pick<Api, 'log'>
  readonly store: WebhookStore
  readonly dispatcher: Pick<Dispatcher, 'sync' | 'progress'>
  readonly sealer: Pick<Sealer, 'seal'>
  /** Endpoints may stand at private addresses. */
  readonly allowPrivate: boolean
  readonly resolve?: Resolve
}

const maxWebhooks = 500

const missing = (request: ApiRequest) => notFound(`There is no webhook ${request.params['id']}.`)

/** The webhook that the path names. @throws DomainError `not_found` */
const mustFind = async ({ store }: WebhookRoutesOptions, request: ApiRequest): Promise<StoredWebhook> => {
  const stored = await store.get((request.params['id'] as string).toLowerCase())
  if (stored === undefined || stored.webhook.inbox !== undefined) throw missing(request)
  return stored
}

/** Those that are sent events; others belong to people. */
const listed = async ({ store }: WebhookRoutesOptions): Promise<StoredWebhook[]> =>
  (await store.list()).filter(({ webhook }) => webhook.inbox === undefined)

const mustBeStored = (outcome: WriteOutcome, request: ApiRequest, name: string): void => {
  if (outcome === 'missing') throw missing(request)
  if (outcome === 'taken') throw new DomainError('already_exists', `A webhook named ${name} already exists.`)
}

/** What requests can set, as they see it. */
const settings = ({ name, endpoint, filter, enabled }: Webhook): JsonObject => ({
  name,
  endpoint: shownOf(endpoint),
  filter: filter as Json,
  enabled,
  secret: mask,
})

/** Reads filters by category. @throws DomainError `invalid` */
export const mustBeReachable = async (
  { allowPrivate, resolve = systemResolve }: Pick<WebhookRoutesOptions, 'allowPrivate' | 'resolve'>,
  endpoint: string,
): Promise<void> => {
  if (allowPrivate) return
  try {
    await mustBePublic(hostOf(new URL(endpoint)), resolve)
  } catch (error) {
    if (error instanceof ForbiddenTarget) throw invalid([{ path: '/endpoint', message: error.message }])
    throw error
  }
}

/** A webhook goes on sending when the token with which it was made or turned elsewhere is long revoked. */
const mayDirect = ({ actor }: ApiRequest): void =>
  mustBePerson(actor, 'A program directs no webhooks, which would outlast its token: let a person do it.')

/** Stores a webhook as a body says. @param before the one that it replaces; without it a new one begins now */
const save = async (options: WebhookRoutesOptions, request: ApiRequest, sent: unknown, before?: Webhook) => {
  const { store, api, sealer, dispatcher } = options
  const known = before && shownOf(before.endpoint)
  const { name, endpoint, filter, enabled, secret: given } = readWebhookBody(sent, known)
  if (given === mask && before === undefined)
    throw invalid([{ path: '/secret', message: 'there is no secret yet that the mask could stand for' }])
  if (endpoint !== known) await mustBeReachable(options, endpoint)
  if (before === undefined && (await listed(options)).length >= maxWebhooks)
    throw invalid([{ path: '', message: `there can be at most ${maxWebhooks} webhooks` }])
  const secret = given === mask ? undefined : (given ?? (before === undefined ? newSecret() : undefined))
  const [time, by] = [request.time.toISOString(), request.actor.name]
  const webhook: Webhook = {
    id: randomUUID(),
    createdAt: time,
    createdBy: by,
    ...before,
    name,
    filter: filterOf(filter),
    enabled,
    endpoint: before !== undefined && endpoint === known ? before.endpoint : sealEndpoint(sealer, endpoint),
    secret: secret === undefined ? (before as Webhook).secret : sealer.seal(secret),
    updatedAt: time,
    updatedBy: by,
    roles: request.actor.roles,
  }
  const outcome =
    before === undefined ? await store.create(webhook, await readPlace(api, 'latest', '')) : await store.update(webhook)
  mustBeStored(outcome, request, name)
  await dispatcher.sync()
  return { id: webhook.id, secret }
}

const create = async (options: WebhookRoutesOptions, request: ApiRequest): Promise<Answer> => {
  mayDirect(request)
  const { id: made, secret } = await save(options, request, request.body)
  const stored = (await options.store.get(made)) as StoredWebhook
  const json = { ...(await shown(options, request, stored, await options.api.log.head())), secret } as JsonObject
  return { status: 201, headers: { Location: json['href'] as string }, body: { json } }
}

/** @param bodyOf the whole new body, made from what is stored */
const replace = async (
  options: WebhookRoutesOptions,
  request: ApiRequest,
  bodyOf: (stored: StoredWebhook) => unknown,
): Promise<Answer> => {
  mayDirect(request)
  const stored = await mustFind(options, request)
  await save(options, request, bodyOf(stored), stored.webhook)
  return answer(options, request, await mustFind(options, request))
}

const remove = async (options: WebhookRoutesOptions, request: ApiRequest): Promise<Answer> => {
  const { store, dispatcher } = options
  const { webhook } = await mustFind(options, request)
  if (!(await store.delete(webhook.id))) throw missing(request)
  await dispatcher.sync()
  return { status: 204 }
}

const replay = async (options: WebhookRoutesOptions, request: ApiRequest): Promise<Answer> => {
  const { store, api, dispatcher } = options
  const { body } = request
  const after = isObject(body) && Object.keys(body).length === 1 ? body['after'] : undefined
  if (typeof after !== 'string' && typeof after !== 'number')
    throw invalid([{ path: '', message: 'must be {"after": "<position>"}' }])
  const { webhook, progress } = await mustFind(options, request)
  const { restarted: _, ...kept } = progress
  const place = await readPlace(api, String(after), '/after')
  mustBeStored(await store.update(webhook, { ...kept, ...place }), request, webhook.name)
  await dispatcher.sync()
  return answer(options, request, await mustFind(options, request))
}

const listDeadLetters = async (options: WebhookRoutesOptions, request: ApiRequest): Promise<Answer> => {
  const { webhook } = await mustFind(options, request)
  const limit = readParameter(request.query, lettersOnPage)
  const { position: after } = await readPlace(options.api, request.query.get('after'), '?after')
  const found = await options.store.deadLetters(webhook.id, after, limit + 1)
  const page = found.slice(0, limit)
  const paging = {
    total: await options.store.countDeadLetters(webhook.id),
    ...(found.length > limit && { after: String(page.at(-1)?.position) }),
  }
  return jsonAnswer({ data: page.map(shownLetter), paging })
}

const shownLetter = ({ position, ...letter }: DeadLetter): JsonObject => ({ position: String(position), ...letter })

const list = async (options: WebhookRoutesOptions, request: ApiRequest): Promise<Answer> => {
  const all = await listed(options)
  const head = await options.api.log.head()
  const data = await Promise.all(all.map((stored) => shown(options, request, stored, head)))
  return jsonAnswer({ data, paging: { total: all.length } })
}

/** Answers with the webhook and how its deliveries go. */
const answer = async (options: WebhookRoutesOptions, request: ApiRequest, stored: StoredWebhook): Promise<Answer> =>
  jsonAnswer(await shown(options, request, stored, await options.api.log.head()))

const shown = async (
  options: WebhookRoutesOptions,
  request: ApiRequest,
  stored: StoredWebhook,
  head: bigint | undefined,
): Promise<JsonObject> => {
  const { id: own, name, endpoint, filter, enabled, createdAt, createdBy, updatedAt, updatedBy } = stored.webhook
  return {
    id: own,
    name,
    endpoint: shownOf(endpoint),
    filter: filter as Json,
    secret: mask,
    enabled,
    createdAt,
    createdBy,
    updatedAt,
    updatedBy,
    href: `${request.baseUrl}/v1/webhooks/${own}`,
    status: await deliveryStatusOf(options, stored, head),
  }
}

const id = pathParameter('id', 'UUID of the webhook', z.uuid())

const lettersOnPage = queryParameter('limit', 'Page size', z.int().min(1).max(1000).default(100))

const replayBody = z
  .strictObject({ after: z.string().describe('Position after which to begin again; 0: from the beginning') })
  .meta({ id: 'ReplayRequest', description: 'Where deliveries begin again.' })

const webhookList = z
  .object({ data: z.array(webhookAnswer), paging: z.object({ total: z.int() }) })
  .meta({ id: 'WebhookList', description: 'All webhooks.' })

const deadLetterPage = z
  .object({ data: z.array(deadLetterAnswer), paging: z.object({ total: z.int(), after: z.string().optional() }) })
  .meta({ id: 'DeadLetterList' })

const shared = { tag: 'webhooks', permission: { operation: 'manage' } } as const

const limit = limits.webhookBody.value
const body = jsonBody(webhookBody, { limit })
const patchBody = {
  contentTypes: ['application/merge-patch+json', 'application/json-patch+json'],
  limit,
  schema: z.unknown(),
  required: true,
}

const one = { 200: { description: 'The webhook', schema: webhookAnswer } }

export const webhookRoutes = (options: WebhookRoutesOptions): Route[] => [
  ...collectionRoutes(options),
  ...changingRoutes(options),
  ...deliveryRoutes(options),
]

const collectionRoutes = (options: WebhookRoutesOptions): Route[] => [
  route('post', '/v1/webhooks', 'create_webhook', {
    ...shared,
    summary: 'Send the events that come from now on to an endpoint',
    body,
    answers: {
      201: {
        description: 'Created; the only answer that has the secret in clear',
        schema: webhookAnswer,
        headers: ['Location'],
      },
    },
    handle: (request) => create(options, request),
  }),
  route('get', '/v1/webhooks', 'list_webhooks', {
    ...shared,
    summary: 'All webhooks, by name',
    answers: ok('All webhooks', webhookList),
    handle: (request) => list(options, request),
  }),
  route('get', '/v1/webhooks/{id}', 'get_webhook', {
    ...shared,
    summary: 'A webhook and how its deliveries go',
    parameters: [id],
    answers: one,
    handle: async (request) => answer(options, request, await mustFind(options, request)),
  }),
]

const changingRoutes = (options: WebhookRoutesOptions): Route[] => [
  route('put', '/v1/webhooks/{id}', 'replace_webhook', {
    ...shared,
    summary: 'Change a webhook',
    parameters: [id],
    body,
    answers: one,
    handle: (request) => replace(options, request, () => request.body),
  }),
  route('patch', '/v1/webhooks/{id}', 'patch_webhook', {
    ...shared,
    summary: 'Change parts of a webhook',
    parameters: [id],
    answers: one,
    body: patchBody,
    handle: (request) =>
      replace(options, request, ({ webhook }) =>
        runToEnd(applyPatch(settings(webhook), request.body, request.contentType as string)),
      ),
  }),
  route('delete', '/v1/webhooks/{id}', 'delete_webhook', {
    ...shared,
    summary: 'Stop sending, and forget the webhook',
    parameters: [id],
    answers: { 204: { description: 'Deleted' } },
    handle: (request) => remove(options, request),
  }),
]

const deliveryRoutes = (options: WebhookRoutesOptions): Route[] => [
  route('get', '/v1/webhooks/{id}/deadLetters', 'list_dead_letters', {
    ...shared,
    summary: 'Events whose delivery was given up, in log order',
    parameters: [id, queryParameter('after', 'Only after this position'), lettersOnPage],
    answers: ok('One page', deadLetterPage),
    handle: (request) => listDeadLetters(options, request),
  }),
  route('post', '/v1/webhooks/{id}/replay', 'replay_webhook', {
    ...shared,
    summary: 'Send again everything after a position',
    parameters: [id],
    body: jsonBody(replayBody, { limit: 1024 }),
    answers: one,
    handle: (request) => replay(options, request),
  }),
]
