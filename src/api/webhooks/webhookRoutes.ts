import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { DomainError, invalidAt, notFound } from '../../commands/errors.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { visibleText } from '../../shared/secrets/sealed.ts'
import { mask } from '../../shared/secrets/shownText.ts'
import { runToEnd } from '../../shared/yieldToEventLoop.ts'
import { ForbiddenTarget, hostOf, mustBePublic, systemResolve } from '../../subscriptions/webhooks/addresses.ts'
import { newSecret } from '../../subscriptions/webhooks/signature.ts'
import { sealEndpoint, type Webhook } from '../../subscriptions/webhooks/webhook.ts'
import type { StoredWebhook, WriteOutcome } from '../../subscriptions/webhooks/webhookStore.ts'
import { mustBePerson } from '../auth/sessions.ts'
import { userId } from '../../commands/caller.ts'
import { lifeOf } from '../../events/events.ts'
import type { CatalogRequest, CatalogRoute, RouteApi } from '../deps.ts'
import { readFeedPosition } from '../feed/feedQuery.ts'
import { readParameter } from '../http/queryParameters.ts'
import { parseBody } from '../http/readBody.ts'
import {
  jsonAnswer,
  jsonBody,
  ok,
  pathParameter,
  queryParameter,
  route,
  type Answer,
  type ApiRequest,
} from '../http/route.ts'
import { applyPatch } from '../entities/patch.ts'
import {
  deadLetterPage,
  deliveryStatusOf,
  endpointProblem,
  readWebhookBody,
  webhookAnswer,
  webhookBody,
  webhookList,
} from './webhookBody.ts'

const maxWebhooks = limits.webhooks.value

/** The endpoint of a request as it is stored; sent as it is shown, it stays as it is. @throws DomainError `invalid` */
export const toStoredEndpoint = async (
  { commands, allowPrivate, resolve = systemResolve }: RouteApi,
  endpoint: string,
  known: JsonObject | undefined,
): Promise<JsonObject> => {
  if (known !== undefined && endpoint === visibleText(known)) return known
  const problem = endpointProblem(endpoint)
  if (problem !== undefined) throw invalidAt('/endpoint', problem)
  if (!allowPrivate)
    await mustBePublic(hostOf(new URL(endpoint)), resolve).catch((error: unknown) => {
      throw error instanceof ForbiddenTarget ? invalidAt('/endpoint', error.message) : error
    })
  return sealEndpoint(commands.secretCodec, endpoint)
}

type Settings = Pick<Webhook, 'id' | 'name' | 'filter' | 'enabled' | 'endpoint' | 'secret' | 'inbox'>

/** Whoever has the name of a user who was hard-deleted is another person: see {@link Webhook.life}. */
export const personOf = async ({ access, actor: { name } }: CatalogRequest) => {
  const [incarnation = ''] = await access.own()
  return { name, life: lifeOf(incarnation) }
}

/** Stores a webhook. @param stored the one that it replaces; without it a new one begins now */
export const saveWebhook = async (
  request: CatalogRequest,
  settings: Settings,
  stored: StoredWebhook | undefined,
): Promise<WriteOutcome> => {
  const { api, actor } = request
  const { name, life } = await personOf(request)
  const time = new Date(api.commands.clock.time()).toISOString()
  const user = stored ? undefined : await api.readModels.get(userId(name))
  const created = { createdAt: time, createdBy: name, ...(user && { createdAtRevision: Number(user.revision) }) }
  const updated = { updatedAt: time, updatedBy: name, roles: actor.roles, life }
  const webhook = { ...created, ...stored?.webhook, ...settings, ...updated }
  const outcome =
    stored === undefined
      ? await api.webhooks.create(webhook, await readFeedPosition(api, 'latest', ''))
      : await api.webhooks.update({ ...stored, webhook })
  await api.dispatcher.sync()
  return outcome
}

/** Those that are sent events, or those that belong to people. */
export const listWebhooks = async ({ webhooks }: RouteApi, ofPeople: boolean): Promise<StoredWebhook[]> =>
  (await webhooks.list()).filter(({ webhook }) => (webhook.inbox !== undefined) === ofPeople)

const missing = ({ params }: ApiRequest) => notFound(`There is no webhook ${params['id']}.`)

/** The webhook that the path names. @throws DomainError `not_found` */
const mustFind = async (request: CatalogRequest): Promise<StoredWebhook> => {
  const stored = await request.api.webhooks.get((request.params['id'] as string).toLowerCase())
  if (stored === undefined || stored.webhook.inbox !== undefined) throw missing(request)
  return stored
}

/** Changes the webhook that the path names, once more where another request has changed it meanwhile. */
const update = async (
  request: CatalogRequest,
  change: (stored: StoredWebhook) => Promise<WriteOutcome>,
): Promise<Answer> => {
  for (let outcome: WriteOutcome = 'missing'; outcome === 'missing';) outcome = await change(await mustFind(request))
  return answer(request)
}

/** A webhook goes on sending when the token with which it was made or turned elsewhere is long revoked. */
const mustBeFromPerson = ({ actor }: ApiRequest): void =>
  mustBePerson(actor, 'Programs cannot manage webhooks, because these would outlast their tokens: ask a person.')

/** @param sent the whole body */
const save = async (request: CatalogRequest, sent: unknown, stored?: StoredWebhook) => {
  const { api } = request
  const before = stored?.webhook
  const {
    name,
    endpoint,
    filter,
    enabled,
    secret: given,
  } = readWebhookBody(sent, before && visibleText(before.endpoint))
  const sealed = await toStoredEndpoint(api, endpoint, before?.endpoint)
  if (before === undefined && (await listWebhooks(api, false)).length >= maxWebhooks)
    throw invalidAt('', `there can be at most ${maxWebhooks} webhooks`)
  const secret = given === mask ? undefined : (given ?? (before === undefined ? newSecret() : undefined))
  const settings = {
    id: before?.id ?? randomUUID(),
    name,
    filter,
    enabled,
    endpoint: sealed,
    secret: secret === undefined ? (before as Webhook).secret : api.commands.secretCodec.seal(secret),
  }
  const outcome = await saveWebhook(request, settings, stored)
  if (outcome === 'taken') throw new DomainError('already_exists', `A webhook named ${name} already exists.`)
  return { id: settings.id, secret, outcome }
}

/** @param bodyOf the whole new body, made from what is stored */
const replace = async (request: CatalogRequest, bodyOf: (stored: Webhook) => unknown): Promise<Answer> => {
  mustBeFromPerson(request)
  return update(request, async (stored) => {
    const { outcome } = await save(request, bodyOf(stored.webhook), stored)
    return outcome
  })
}

const shown = async (
  { api, baseUrl }: CatalogRequest,
  stored: StoredWebhook,
  head: bigint | undefined,
): Promise<JsonObject> => {
  const { roles: _, life: __, createdAtRevision: ___, ...webhook } = stored.webhook
  return {
    ...(webhook as Omit<Webhook, 'roles' | 'life' | 'createdAtRevision' | 'filter' | 'inbox'>),
    endpoint: visibleText(webhook.endpoint),
    filter: webhook.filter as Json,
    secret: mask,
    href: `${baseUrl}/v1/webhooks/${webhook.id}`,
    status: await deliveryStatusOf(api, stored, head),
  }
}

const answer = async (request: CatalogRequest): Promise<Answer> =>
  jsonAnswer(await shown(request, await mustFind(request), await request.api.log.head()))

const id = pathParameter('id', 'UUID of the webhook', z.uuid())

const lettersOnPage = queryParameter('limit', 'Page size', z.int().min(1).max(1000).default(100))

const replayBody = z
  .strictObject({
    after: z.union([z.string(), z.int()]).describe('Position after which to resend; 0: from the beginning'),
  })
  .meta({ id: 'ReplayRequest', description: 'Where to resend from.' })

const shared = { tag: 'webhooks', permission: { operation: 'manage' } } as const

const limit = limits.webhookBody.value
const body = jsonBody(webhookBody, { limit })
const one = { ...shared, parameters: [id], answers: ok('The webhook', webhookAnswer) }

export const webhookRoutes: CatalogRoute[] = [
  route('post', '/v1/webhooks', 'create_webhook', {
    ...shared,
    summary: 'Create a webhook, which sends new events to an endpoint',
    body,
    answers: {
      201: {
        description: 'Created; only this response has the secret in plain text',
        schema: webhookAnswer,
        headers: ['Location'],
      },
    },
    handle: async (request) => {
      mustBeFromPerson(request)
      const { id: made, secret } = await save(request, request.body)
      const stored = await mustFind({ ...request, params: { id: made } })
      const json = { ...(await shown(request, stored, await request.api.log.head())), secret } as JsonObject
      return jsonAnswer(json, { status: 201, headers: { Location: json['href'] as string } })
    },
  }),
  route('get', '/v1/webhooks', 'list_webhooks', {
    ...shared,
    summary: 'All webhooks, by name',
    answers: ok('All webhooks', webhookList),
    handle: async (request) => {
      const { api } = request
      const [all, head] = await Promise.all([listWebhooks(api, false), api.log.head()])
      const data = await Promise.all(all.map((stored) => shown(request, stored, head)))
      return jsonAnswer({ data, paging: { total: all.length } })
    },
  }),
  route('get', '/v1/webhooks/{id}', 'get_webhook', {
    ...one,
    summary: 'A webhook with the status of its deliveries',
    handle: answer,
  }),
  route('put', '/v1/webhooks/{id}', 'replace_webhook', {
    ...one,
    summary: 'Change a webhook',
    body,
    handle: (request) => replace(request, () => request.body),
  }),
  route('patch', '/v1/webhooks/{id}', 'patch_webhook', {
    ...one,
    summary: 'Change parts of a webhook',
    body: jsonBody(z.unknown(), {
      contentTypes: ['application/merge-patch+json', 'application/json-patch+json'],
      limit,
    }),
    handle: (request) =>
      replace(request, ({ name, endpoint, filter, enabled }) => {
        const present = { name, endpoint: visibleText(endpoint), filter: filter as Json, enabled, secret: mask }
        return runToEnd(applyPatch(present, request.body, request.contentType as string))
      }),
  }),
  route('delete', '/v1/webhooks/{id}', 'delete_webhook', {
    ...shared,
    summary: 'Delete a webhook',
    parameters: [id],
    answers: { 204: { description: 'Deleted' } },
    handle: async (request) => {
      const { webhook } = await mustFind(request)
      if (!(await request.api.webhooks.delete(webhook.id))) throw missing(request)
      await request.api.dispatcher.sync()
      return { status: 204 }
    },
  }),
  route('get', '/v1/webhooks/{id}/deadLetters', 'list_dead_letters', {
    ...shared,
    summary: 'The dead letters of a webhook, in log order',
    parameters: [id, queryParameter('after', 'Only after this position'), lettersOnPage],
    answers: ok('One page', deadLetterPage),
    handle: async (request) => {
      const { access, api, query } = request
      const { webhook } = await mustFind(request)
      const most = readParameter(query, lettersOnPage)
      const { position: after } = await readFeedPosition(api, query.get('after'), '?after')
      const found = await api.webhooks.deadLetters(webhook.id, after, most + 1)
      const data = found.slice(0, most).map(({ position, subject, ...letter }) => ({
        position: String(position),
        ...letter,
        subject: access.sees(letter.type.split('.')[1] as string) ? subject : mask,
      }))
      const total = await api.webhooks.countDeadLetters(webhook.id)
      const end = data.at(-1)?.position
      return jsonAnswer({ data, paging: { total, ...(found.length > most && end !== undefined && { after: end }) } })
    },
  }),
  route('post', '/v1/webhooks/{id}/replay', 'replay_webhook', {
    ...one,
    summary: 'Resend everything after a position',
    body: jsonBody(replayBody, { limit: 1024 }),
    handle: async (request) => {
      const { api } = request
      const { after } = parseBody(replayBody, request.body)
      const place = await readFeedPosition(api, String(after), '/after')
      return update(request, async (stored) => {
        const { restarted: _, ...kept } = stored.progress
        const outcome = await api.webhooks.update(stored, { ...kept, ...place })
        await api.dispatcher.sync()
        return outcome
      })
    },
  }),
]
