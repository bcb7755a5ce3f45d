import { fingerprintText, readFingerprint } from '../../events/events.ts'
import type { Sealer } from '../../kinds/defineKind.ts'
import type { JsonObject } from '../../shared/json.ts'
import { sealEndpoint, type DeadLetter, type Webhook, type WebhookProgress } from './webhook.ts'
import type { Deliverer, StoredWebhook, WebhookStore, WriteOutcome } from './webhookStore.ts'

/** A stored webhook, with its content as JSON text. */
export interface WebhookRow {
  readonly webhook: string
  readonly generation: number
  readonly progress: string
}

/** The engine port of a {@link WebhookStore}. */
export interface WebhookRows extends Pick<
  WebhookStore,
  'delete' | 'removeDeadLetter' | 'countDeadLetters' | 'lease' | 'readMarks' | 'addReadMarks' | 'close'
> {
  /** Webhooks ordered by name. @param id only the one with this id */
  find(id?: string): Promise<WebhookRow[]>
  /** Inserts with generation 1. @throws an error that {@link WebhookRows.isTaken} recognises */
  insert(id: string, name: string, row: Omit<WebhookRow, 'generation'>): Promise<void>
  /** Begins a new generation. @returns false, without a write, if it has another generation now or is gone */
  replace(
    id: string,
    name: string,
    row: Pick<WebhookRow, 'webhook'> & Partial<Omit<WebhookRow, 'webhook'>>,
  ): Promise<boolean>
  isTaken(error: unknown): boolean
  saveProgress(id: string, by: Deliverer, progress: string): Promise<boolean>
  /** Stores a dead letter and keeps the newest `keep`. */
  putLetter(id: string, position: bigint, letter: string, keep: number): Promise<void>
  letters(
    id: string,
    after: bigint | undefined,
    limit: number,
  ): Promise<{ readonly position: bigint; readonly letter: string }[]>
}

type Written = Omit<WebhookProgress, 'position' | 'newest'> & { position?: string; newest?: string }

/** Progress as JSON text: positions are decimal strings. */
const progressText = ({ position, newest, ...rest }: WebhookProgress): string =>
  JSON.stringify({ ...rest, position: position?.toString(), newest: newest && fingerprintText(newest) })

const readProgress = (text: string): WebhookProgress => {
  const { position, newest, ...rest } = JSON.parse(text) as Written
  return {
    ...rest,
    position: position === undefined ? undefined : BigInt(position),
    ...(newest !== undefined && { newest: readFingerprint(newest) }),
  }
}

/** Old stores have plain endpoints: one is encrypted when it is read and stored so with the next change. */
const readWebhook = (text: string, sealer: Pick<Sealer, 'seal'>): Webhook => {
  const { endpoint, ...webhook } = JSON.parse(text) as Omit<Webhook, 'endpoint'> & { endpoint: JsonObject | string }
  return { ...webhook, endpoint: typeof endpoint === 'string' ? sealEndpoint(sealer, endpoint) : endpoint }
}

/** Makes a webhook store on an engine. */
export const makeWebhookStore = (rows: WebhookRows, sealer: Pick<Sealer, 'seal'>): WebhookStore => {
  const storedIn = ({ webhook, generation, progress }: WebhookRow): StoredWebhook => ({
    webhook: readWebhook(webhook, sealer),
    generation,
    progress: readProgress(progress),
  })
  /** A taken name is an ordinary result. */
  const writing = async (work: Promise<boolean>): Promise<WriteOutcome> => {
    try {
      return (await work) ? 'written' : 'missing'
    } catch (error) {
      if (rows.isTaken(error)) return 'taken'
      throw error
    }
  }
  return {
    ...rows,
    list: async () => (await rows.find()).map(storedIn),
    get: async (id) => (await rows.find(id)).map(storedIn)[0],
    create: (webhook, progress) => {
      const row = { webhook: JSON.stringify(webhook), progress: progressText(progress) }
      return writing(rows.insert(webhook.id, webhook.name, row).then(() => true))
    },
    update: (webhook, progress, generation) => {
      const kept = {
        ...(progress && { progress: progressText(progress) }),
        ...(generation !== undefined && { generation }),
      }
      return writing(rows.replace(webhook.id, webhook.name, { webhook: JSON.stringify(webhook), ...kept }))
    },
    saveProgress: (id, by, progress) => rows.saveProgress(id, by, progressText(progress)),
    addDeadLetter: (id, { position, ...letter }, keep) => rows.putLetter(id, position, JSON.stringify(letter), keep),
    deadLetters: async (id, after, limit) =>
      (await rows.letters(id, after, limit)).map(({ position, letter }) => ({
        ...(JSON.parse(letter) as Omit<DeadLetter, 'position'>),
        position,
      })),
  }
}
