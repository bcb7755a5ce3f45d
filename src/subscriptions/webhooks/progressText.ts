import { markText, readMark } from '../../events/mark.ts'
import type { WebhookProgress } from './webhook.ts'

type Written = Omit<WebhookProgress, 'position' | 'newest'> & { position?: string; newest?: string }

/** Progress as JSON text: positions are decimal strings. */
export const progressText = ({ position, newest, ...rest }: WebhookProgress): string =>
  JSON.stringify({ ...rest, position: position?.toString(), newest: newest && markText(newest) })

export const readProgress = (text: string): WebhookProgress => {
  const { position, newest, ...rest } = JSON.parse(text) as Written
  return {
    ...rest,
    position: position === undefined ? undefined : BigInt(position),
    ...(newest !== undefined && { newest: readMark(newest) }),
  }
}
