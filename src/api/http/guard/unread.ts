import type { ServerResponse } from 'node:http'
import { limits } from '../../../shared/limits.ts'

/** Answers that are ready and wait for their clients to take them. */
export interface Unread {
  /** Notes an answer until it is taken or its client leaves; the longest waiting is cut when all take too much. */
  readonly add: (response: ServerResponse, bytes: number) => void
}

/** @param onCut told when a client is cut off @param total bytes that all of them may hold together */
export const makeUnread = (onCut: () => void, total: number = limits.unreadAnswers.value): Unread => {
  /** In the order in which they began to wait. */
  const waiting = new Map<ServerResponse, number>()
  let held = 0
  const drop = (response: ServerResponse): void => {
    held -= waiting.get(response) ?? 0
    waiting.delete(response)
  }
  return {
    add: (response, bytes) => {
      waiting.set(response, bytes)
      held += bytes
      response.once('close', () => drop(response))
      for (const oldest of waiting.keys()) {
        if (held <= total || oldest === response) return
        drop(oldest)
        oldest.destroy()
        onCut()
      }
    },
  }
}
