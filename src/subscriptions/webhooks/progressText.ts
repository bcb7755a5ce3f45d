import type { WebhookProgress } from './webhook.ts'

/** Progress as JSON text: positions are decimal strings. */
export const progressText = ({ position, ...rest }: WebhookProgress): string =>
  JSON.stringify({ ...rest, position: position?.toString() })

export const readProgress = (text: string): WebhookProgress => {
  const { position, ...rest } = JSON.parse(text) as Omit<WebhookProgress, 'position'> & { position?: string }
  return { ...rest, position: position === undefined ? undefined : BigInt(position) }
}
