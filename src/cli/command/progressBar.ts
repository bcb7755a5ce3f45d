import { SingleBar } from 'cli-progress'

const format = '{what} {bar} {percentage}% | {value}/{total} | {eta_formatted} left'

/** Shows on stderr how much of a total is done; silent where stderr is not a terminal. */
export const startBar = (what: string, total: number | bigint = 0) => {
  const bar = new SingleBar({ noTTYOutput: false, stream: process.stderr, hideCursor: true, format })
  bar.start(Number(total), 0, { what })
  return {
    add: (count: number, part = what): void => bar.increment(count, { what: part }),
    reached: (position: bigint): void => bar.update(Number(position)),
    stop: (): void => bar.stop(),
  }
}

/** Runs work with a bar. */
export const withBar = async <T>(
  what: string,
  total: number | bigint | undefined,
  work: (bar: ReturnType<typeof startBar>) => Promise<T>,
): Promise<T> => {
  const bar = startBar(what, total)
  return work(bar).finally(bar.stop)
}
