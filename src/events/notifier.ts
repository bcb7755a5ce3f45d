/** Wakes all current waiters at each notification. */
export interface Notifier {
  notify(): void
  /** Resolves at the next notification, when the signal aborts, or after the optional `timeout` in milliseconds. */
  wait(signal: AbortSignal, timeout?: number): Promise<void>
}

export const makeNotifier = (): Notifier => {
  let waiting: (() => void)[] = []
  return {
    notify() {
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
