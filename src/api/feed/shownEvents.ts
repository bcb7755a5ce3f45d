import { makeItem } from '../../subscriptions/feed/feedTail.ts'
import type { Shown } from '../../subscriptions/feed/feed.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { Webhook } from '../../subscriptions/webhooks/webhook.ts'
import type { Actor } from '../http/route.ts'
import type { Api } from '../deps.ts'
import { seesFor } from '../entities/reads/callerReads.ts'
import { namesSeen } from '../entities/answers/shape.ts'
import { ownerOf } from './feedQuery.ts'

type Permissions = Pick<Api, 'kinds' | 'permits' | 'commands'>

/** How a caller sees events: they name nothing of kinds that he may not view; `undefined`: he may view all. */
export const shownTo = (api: Permissions, actor: Actor): Shown | undefined => {
  const sees = seesFor(api, { actor })
  const hidden = api.kinds.filter(({ name }) => !sees(name)).map(({ name }) => `"${name}"`)
  if (hidden.length === 0) return undefined
  return (item) => {
    const { event, text } = item
    // A reference says its kind, so most texts need not be taken apart.
    if (!hidden.some((kind) => text.includes(kind))) return item
    const { data = null, ...attributes } = JSON.parse(text) as JsonObject
    return makeItem(event, JSON.stringify({ ...attributes, data: namesSeen(data, sees) }))
  }
}

/** How a webhook is sent events: as its owner may view them now; `otherwise` as for its filter. */
export const webhookShown = (api: Permissions, webhook: Webhook, otherwise: string): Shown | undefined =>
  shownTo(api, ownerOf(webhook, otherwise))
