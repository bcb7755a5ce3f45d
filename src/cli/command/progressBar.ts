import { SingleBar } from 'cli-progress'

const settings = { noTTYOutput: false, stream: process.stderr, hideCursor: true }

const startBar = (total: number | bigint, what: string): SingleBar => {
  const format = `${what} {bar} {percentage}% | {value}/{total} | {eta_formatted} left`
  const bar = new SingleBar({ ...settings, format })
  bar.start(Number(total), 0)
  return bar
}

/** Runs work with a progress bar on stderr, which is silent where stderr is not a terminal. */
export const withProgress = async <T>(
  total: number | bigint,
  what: string,
  work: (add: (count: number) => void) => Promise<T>,
): Promise<T> => {
  const bar = startBar(total, what)
  return work((count) => bar.increment(count)).finally(() => bar.stop())
}

/** The same for work of several parts: the bar shows the title of each. */
export const withTitledProgress = async <T>(
  total: number,
  work: (advance: (title: string, count: number) => void) => Promise<T>,
): Promise<T> => {
  const format = '{bar} {percentage}% | {value}/{total} | {title}'
  const bar = new SingleBar({ ...settings, format, clearOnComplete: true })
  bar.start(total, 0, { title: '' })
  return work((title, count) => bar.increment(count, { title })).finally(() => bar.stop())
}

/** A bar that follows positions up to `last`, in a few hundred steps. */
export const positionsBar = (last: bigint | undefined, what: string) => {
  const total = last ?? 0n
  const bar = startBar(total, what)
  const step = total / 500n + 1n
  let shown = 0n
  const reached = (position: bigint): void => {
    if (position - shown < step) return
    bar.increment(Number(position - shown))
    shown = position
  }
  return { reached, stop: () => bar.stop() }
}
