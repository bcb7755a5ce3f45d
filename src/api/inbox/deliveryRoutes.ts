import { z } from 'zod'
import { conflict, invalidAt, notFound } from '../../commands/errors.ts'
import { buildFqn, entityId } from '../../kinds/names.ts'
import type { JsonObject } from '../../shared/json.ts'
import { visibleText } from '../../shared/secrets/sealed.ts'
import { newSecret } from '../../subscriptions/webhooks/signature.ts'
import { concerns, inboxChannels, type InboxChannel, type InboxDelivery } from '../../subscriptions/webhooks/webhook.ts'
import type { StoredWebhook } from '../../subscriptions/webhooks/webhookStore.ts'
import { mustBePerson } from '../auth/sessions.ts'
import type { CatalogRequest, CatalogRoute, RouteApi } from '../deps.ts'
import { storedMembers } from '../entities/answers/entityText.ts'
import { userId } from '../../commands/caller.ts'
import { parseBody } from '../http/readBody.ts'
import { jsonAnswer, jsonBody, ok, pathParameter, route, type ApiRequest } from '../http/route.ts'
import { deliveryStatus, deliveryStatusOf } from '../webhooks/webhookBody.ts'
import { listWebhooks, personOf, saveWebhook, toStoredEndpoint } from '../webhooks/webhookRoutes.ts'
import { limits } from '../../shared/limits.ts'

const maxDeliveries = limits.deliveries.value

const settings = {
  when: z.enum(['atOnce', 'daily']).describe('daily: new entries are sent together, after 7:00 UTC'),
  concerns: z.array(z.enum(concerns)).min(1).describe('What is sent'),
  enabled: z.boolean(),
}

const deliveryBody = z
  .strictObject({
    when: settings.when.default('atOnce'),
    concerns: settings.concerns.default([...concerns]),
    enabled: settings.enabled.default(true),
    endpoint: z.string().max(2048).optional().describe('The URL to post to; none for email. Default: unchanged'),
  })
  .meta({ id: 'InboxDeliveryRequest', description: 'A notification channel.' })

const deliveryAnswer = z
  .object({
    channel: z.enum(inboxChannels),
    ...settings,
    endpoint: z.string().optional(),
    secret: z.string().optional().describe('Signs what `webhook` is sent; in the answer to its creation alone'),
    status: deliveryStatus,
  })
  .meta({ id: 'InboxDelivery' })

const deliveryList = z
  .object({ data: z.array(deliveryAnswer), mail: z.boolean().describe('Whether there is a mail server') })
  .meta({ id: 'InboxDeliveryList' })

const channel = pathParameter('channel', 'How it is sent', z.enum(inboxChannels))

const shared = { tag: 'inbox', permission: 'signedIn' } as const

export const deliveryRoutes: CatalogRoute[] = [
  route('get', '/v1/inbox/deliveries', 'list_inbox_deliveries', {
    ...shared,
    summary: 'The notification channels of the caller, with their status',
    answers: ok('All of mine', deliveryList),
    handle: async (request) => {
      const { api } = request
      const person = await personOf(request)
      const found = await Promise.all(inboxChannels.map((by) => api.webhooks.get(idOf(person, by))))
      const data = await Promise.all(found.flatMap((stored) => (stored === undefined ? [] : shown(api, stored))))
      return jsonAnswer({ data, mail: api.sendsMail })
    },
  }),
  route('put', '/v1/inbox/deliveries/{channel}', 'set_inbox_delivery', {
    ...shared,
    summary: 'Set up a notification channel',
    parameters: [channel],
    body: jsonBody(deliveryBody),
    answers: ok('The delivery', deliveryAnswer),
    handle: async (request) => jsonAnswer(await set(request)),
  }),
  route('delete', '/v1/inbox/deliveries/{channel}', 'delete_inbox_delivery', {
    ...shared,
    summary: 'Stop notifications by a channel',
    parameters: [channel],
    answers: { 204: { description: 'Deleted' } },
    handle: async (request) => {
      const id = idOf(await personOf(request), channelIn(request))
      if (!(await request.api.webhooks.delete(id))) throw missing(request)
      await request.api.dispatcher.sync()
      return { status: 204 }
    },
  }),
]

const missing = ({ params }: ApiRequest): Error => notFound(`You are sent nothing by ${params['channel']}.`)

/** @throws DomainError `not_found` */
const channelIn = (request: ApiRequest): InboxChannel => {
  const channelName = request.params['channel']
  const found = inboxChannels.find((one) => one === channelName)
  if (found === undefined) throw notFound(`There is no channel ${channelName}. There are ${inboxChannels.join(', ')}.`)
  return found
}

type Person = Awaited<ReturnType<typeof personOf>>

/** The parts of the name of a delivery: one person has one for each channel. */
const partsOf = ({ name, life }: Person, by: InboxChannel): string[] => [name, by, ...(life === 0 ? [] : [`${life}`])]

const idOf = (person: Person, by: InboxChannel): string => entityId('inboxDelivery', buildFqn(partsOf(person, by)))

const shown = async (api: RouteApi, stored: StoredWebhook): Promise<JsonObject> => {
  const { enabled, endpoint, inbox } = stored.webhook
  const { channel: by, when, concerns: wanted } = inbox as InboxDelivery
  return {
    channel: by,
    when,
    concerns: [...wanted],
    enabled,
    ...(by !== 'email' && { endpoint: visibleText(endpoint) }),
    status: await deliveryStatusOf(api, stored, await api.log.head()),
  }
}

/** Of mail there is no endpoint. @throws DomainError `invalid` */
const endpointOf = async (
  api: RouteApi,
  person: Person,
  by: InboxChannel,
  sent: string | undefined,
  known: JsonObject | undefined,
): Promise<JsonObject> => {
  if (by !== 'email') {
    const endpoint = sent ?? (known && visibleText(known))
    if (endpoint === undefined) throw invalidAt('/endpoint', 'is required')
    return toStoredEndpoint(api, endpoint, known)
  }
  if (sent !== undefined) throw invalidAt('/endpoint', 'mail goes to the address of your user: leave it out')
  if (!api.sendsMail) throw invalidAt('', 'this catalog has no mail server (CATALOG_SMTP_URL)')
  const user = await api.readModels.get(userId(person.name))
  if (user === undefined || storedMembers(user)['email'] === undefined)
    throw invalidAt('', 'your user has no e-mail address: ask an administrator to enter it')
  return api.commands.secretCodec.seal('')
}

const set = async (request: CatalogRequest): Promise<JsonObject> => {
  const { api } = request
  mustBePerson(
    request.actor,
    'Programs cannot manage deliveries, because these would outlast their tokens: ask a person.',
  )
  const by = channelIn(request)
  const { endpoint, enabled, when, concerns: wanted } = parseBody(deliveryBody, request.body)
  const person = await personOf(request)
  const id = idOf(person, by)
  const stored = await api.webhooks.get(id)
  const before = stored?.webhook
  const secret = newSecret()
  const sealed = await endpointOf(api, person, by, endpoint, before?.endpoint)
  if (before === undefined && (await listWebhooks(api, true)).length >= maxDeliveries)
    throw invalidAt('', `there can be at most ${maxDeliveries} deliveries`)
  // Names of webhooks that are sent events have no such signs.
  const name = ['inbox', ...partsOf(person, by)].join('\n')
  const made = {
    id,
    name,
    filter: {},
    enabled,
    endpoint: sealed,
    secret: before?.secret ?? api.commands.secretCodec.seal(secret),
    inbox: { channel: by, when, concerns: [...new Set(wanted)] },
  }
  if ((await saveWebhook(request, made, stored)) !== 'written')
    throw conflict('It was changed at the same time: try again.')
  const now = await api.webhooks.get(id)
  if (now === undefined) throw missing(request)
  const json = await shown(api, now)
  return { ...json, ...(before === undefined && by === 'webhook' && { secret }) }
}
