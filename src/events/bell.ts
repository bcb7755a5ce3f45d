/** Wakes those who wait for something to happen. A ring reaches everybody who waits at that moment. */
export interface Bell {
  ring(): void
  /** Resolves at the next ring, when the signal aborts, or after `timeout` milliseconds when that is given. */
  wait(signal: AbortSignal, timeout?: number): Promise<void>
}

export const makeBell = (): Bell => {
  let waiting: (() => void)[] = []
  return {
    ring() {
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    wait: (signal, timeout) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const wake = (): void => {
          clearTimeout(timer)
          signal.removeEventListener('abort', leave)
          resolve()
        }
        const leave = (): void => {
          waiting = waiting.filter((other) => other !== wake)
          wake()
        }
        const timer = timeout === undefined ? undefined : setTimeout(leave, timeout)
        signal.addEventListener('abort', leave, { once: true })
        waiting.push(wake)
      }),
  }
}
