import { z } from 'zod'
import { mask } from '../../shared/secrets/shownText.ts'
import { isSecret } from '../../subscriptions/webhooks/signature.ts'
import type { WebhookProgress } from '../../subscriptions/webhooks/webhook.ts'
import { filterLists } from '../feed/feedQuery.ts'
import { parseBody } from '../http/readBody.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { StoredWebhook } from '../../subscriptions/webhooks/webhookStore.ts'
import type { RouteApi } from '../deps.ts'

const names = z.array(z.string().min(1)).min(1).max(100)

export const webhookBody = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(256)
      .regex(/^\P{Cc}*$/u, 'must have no control characters'),
    endpoint: z
      .string()
      .max(2048)
      .describe(
        `http or https URL without user, password and fragment; as answers show it (${mask}) it stays as it is`,
      ),
    filter: z
      .strictObject(filterLists(names))
      .partial()
      .default({})
      .describe('Only events of these kinds, of these types, and of entities in these domains'),
    secret: z
      .string()
      .refine((text) => text === mask || isSecret(text), 'must be whsec_ and 24 to 64 bytes in base64')
      .optional()
      .describe('Signs what is sent (Standard Webhooks). Left out on creation: one is made'),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'WebhookRequest', description: 'Which events to deliver, and where.' })

/** What is wrong with an endpoint, if anything. */
export const endpointProblem = (endpoint: string): string | undefined => {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  const right = url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== ''
  if (!right) return 'must be a complete http or https URL'
  if (endpoint.includes(mask))
    return `contains ${mask}, but no endpoint is stored that is shown like that: send the whole URL`
  if (url.username !== '' || url.password !== '') return 'must not contain a user or password'
  return url.hash === '' ? undefined : 'must have no fragment'
}

/**
 * Parses a request body.
 * @param stored the endpoint as it is shown now: sent so, it stays
 * @throws DomainError `invalid` that names everything wrong
 */
export const readWebhookBody = (body: unknown, stored?: string): z.output<typeof webhookBody> => {
  const { endpoint, secret } = webhookBody.shape
  const schema = webhookBody.extend({
    endpoint: endpoint.superRefine((text, context) => {
      const problem = text === stored ? undefined : endpointProblem(text)
      if (problem !== undefined) context.addIssue(problem)
    }),
    secret: secret.refine((text) => text !== mask || stored !== undefined, 'is a mask, but no secret is stored yet'),
  })
  return parseBody(schema, body)
}

export const deliveryStatus = z.object({
  state: z.enum(['disabled', 'failing', 'delivering', 'upToDate']),
  position: z.string().describe('Everything up to here was delivered, became a dead letter or does not match'),
  lag: z.string().describe('Distance to the end of the log, in positions'),
  deadLetters: z.int(),
  restarted: z
    .object({ time: z.iso.datetime(), position: z.string(), message: z.string() })
    .optional()
    .describe('If its checkpoint did not match the log, so that it continued from the end; position: the former'),
  lastSuccess: z.object({ time: z.iso.datetime(), position: z.string(), status: z.int() }).optional(),
  lastError: z
    .object({ time: z.iso.datetime(), position: z.string(), message: z.string(), attempts: z.int() })
    .optional(),
})

export const webhookAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    endpoint: z.string().describe(`With ${mask} for what stands behind the host`),
    filter: z.object({ kinds: names.optional(), types: names.optional(), domains: names.optional() }),
    secret: z.string().describe('In plain text only in the response to its creation'),
    enabled: z.boolean(),
    createdAt: z.iso.datetime(),
    createdBy: z.string(),
    updatedAt: z.iso.datetime(),
    updatedBy: z.string(),
    href: z.string(),
    status: deliveryStatus,
  })
  .meta({ id: 'Webhook' })

export const webhookList = z
  .object({ data: z.array(webhookAnswer), paging: z.object({ total: z.int() }) })
  .meta({ id: 'WebhookList', description: 'All webhooks.' })

const deadLetter = z
  .object({
    position: z.string(),
    eventId: z.uuid(),
    type: z.string(),
    subject: z.string().describe(`${mask} where you may not view all of the kind`),
    attempts: z.int(),
    error: z.string(),
    time: z.iso.datetime(),
  })
  .meta({ id: 'DeadLetter' })

export const deadLetterPage = z
  .object({ data: z.array(deadLetter), paging: z.object({ total: z.int(), after: z.string().optional() }) })
  .meta({ id: 'DeadLetterList' })

/** How deliveries go. @param head the end of the log */
export const deliveryStatusOf = async (
  { webhooks, dispatcher }: Pick<RouteApi, 'webhooks' | 'dispatcher'>,
  { webhook: { id, enabled }, progress: saved }: StoredWebhook,
  head: bigint | undefined,
): Promise<JsonObject> => {
  const known = dispatcher.progress(id)
  const progress: WebhookProgress = known?.progress ?? saved
  const lag = (head ?? 0n) - (progress.position ?? 0n)
  const state = !enabled ? 'disabled' : known?.failing === true ? 'failing' : lag > 0n ? 'delivering' : 'upToDate'
  return {
    state,
    position: String(progress.position ?? 0n),
    lag: String(lag > 0n ? lag : 0n),
    deadLetters: await webhooks.countDeadLetters(id),
    ...(progress.restarted && { restarted: { ...progress.restarted } }),
    ...(progress.lastSuccess && { lastSuccess: { ...progress.lastSuccess } }),
    ...(progress.lastError && { lastError: { ...progress.lastError } }),
  }
}
