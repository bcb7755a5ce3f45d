/** Answers that are on their way, by the address that was asked. */
const sent = new Map<string, Promise<Response>>()

/** Asks for it, unless that is done already. */
export const sendAhead = (address: string): Promise<Response> => {
  const before = sent.get(address)
  if (before !== undefined) return before
  const answer = fetch(address, { credentials: 'same-origin' })
  sent.set(address, answer)
  // An answer that nobody takes may fail unheard; whoever takes it hears of it.
  answer.catch(() => undefined)
  return answer
}

/** The answer to a request that was sent ahead; once, and only if there was one. */
export const takeAhead = (address: string): Promise<Response> | undefined => {
  const answer = sent.get(address)
  sent.delete(address)
  return answer
}

/**
 * After a change nothing counts that was asked before it, and what the first page has not taken nobody needs: whoever asked
 * later would be told what is no longer so.
 */
export const forgetAhead = (): void => sent.clear()
