import { z } from 'zod'
import { applyPatch } from '../patch/patch.ts'
import { atOnce } from '../../shared/yieldToEventLoop.ts'
import type { Parameter, Route } from '../http/route.ts'
import { deadLetterAnswer, webhookAnswer, webhookBody } from './webhookBody.ts'
import {
  answer,
  create,
  list,
  listDeadLetters,
  mustFind,
  remove,
  replace,
  replay,
  settings,
  type WebhookRoutesOptions,
} from './webhookHandlers.ts'
import { limits } from '../../shared/limits.ts'

const id: Parameter = { name: 'id', in: 'path', required: true, description: 'UUID of the webhook', schema: z.uuid() }

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
const body = { contentTypes: ['application/json'], limit, schema: webhookBody, required: true }
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
  {
    ...shared,
    method: 'post',
    path: '/v1/webhooks',
    id: 'create_webhook',
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
  },
  {
    ...shared,
    method: 'get',
    path: '/v1/webhooks',
    id: 'list_webhooks',
    summary: 'All webhooks, by name',
    answers: { 200: { description: 'All webhooks', schema: webhookList } },
    handle: (request) => list(options, request),
  },
  {
    ...shared,
    method: 'get',
    path: '/v1/webhooks/{id}',
    id: 'get_webhook',
    summary: 'A webhook and how its deliveries go',
    parameters: [id],
    answers: one,
    handle: async (request) => answer(options, request, await mustFind(options, request)),
  },
]

const changingRoutes = (options: WebhookRoutesOptions): Route[] => [
  {
    ...shared,
    method: 'put',
    path: '/v1/webhooks/{id}',
    id: 'replace_webhook',
    summary: 'Change a webhook',
    parameters: [id],
    body,
    answers: one,
    handle: (request) => replace(options, request, () => request.body),
  },
  {
    ...shared,
    method: 'patch',
    path: '/v1/webhooks/{id}',
    id: 'patch_webhook',
    summary: 'Change parts of a webhook',
    parameters: [id],
    answers: one,
    body: patchBody,
    handle: (request) =>
      replace(options, request, ({ webhook }) =>
        atOnce(applyPatch(settings(webhook), request.body, request.contentType as string)),
      ),
  },
  {
    ...shared,
    method: 'delete',
    path: '/v1/webhooks/{id}',
    id: 'delete_webhook',
    summary: 'Stop sending, and forget the webhook',
    parameters: [id],
    answers: { 204: { description: 'Deleted' } },
    handle: (request) => remove(options, request),
  },
]

const deliveryRoutes = (options: WebhookRoutesOptions): Route[] => [
  {
    ...shared,
    method: 'get',
    path: '/v1/webhooks/{id}/deadLetters',
    id: 'list_dead_letters',
    summary: 'Events whose delivery was given up, in log order',
    parameters: [
      id,
      { name: 'after', in: 'query', description: 'Only after this position', schema: z.string() },
      { name: 'limit', in: 'query', description: 'Page size', schema: z.int().min(1).max(1000).default(100) },
    ],
    answers: { 200: { description: 'One page', schema: deadLetterPage } },
    handle: (request) => listDeadLetters(options, request),
  },
  {
    ...shared,
    method: 'post',
    path: '/v1/webhooks/{id}/replay',
    id: 'replay_webhook',
    summary: 'Send again everything after a position',
    parameters: [id],
    body: { contentTypes: ['application/json'], limit: 1024, schema: replayBody, required: true },
    answers: one,
    handle: (request) => replay(options, request),
  },
]
