import { SingleBar } from 'cli-progress'

export interface Progress {
  add(count: number): void
  stop(): void
}

/** A progress bar on stderr; silent where stderr is no terminal. */
export const progressBar = (total: number, what: string): Progress => {
  const bar = new SingleBar({
    format: `${what} {bar} {percentage}% | {value}/{total} | {eta_formatted} left`,
    noTTYOutput: false,
    stream: process.stderr,
    hideCursor: true,
  })
  bar.start(total, 0)
  return { add: (count) => bar.increment(count), stop: () => bar.stop() }
}

/** Turns positions that go up into steps of a bar, a few hundred in all. */
export const followPositions = (bar: Progress, total: bigint): ((position: bigint) => void) => {
  const step = total / 500n + 1n
  let shown = 0n
  return (position) => {
    if (position - shown < step) return
    bar.add(Number(position - shown))
    shown = position
  }
}
