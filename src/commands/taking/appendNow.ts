import type { Append, AppendOutcome } from '../../events/eventStore.ts'
import { sawAll } from '../clock.ts'
import type { Known } from '../lookup.ts'
import type { Ports } from '../ports.ts'

/**
 * Appends what is made for the time that it is given, in epoch milliseconds. `make` cannot wait, so that nothing else is
 * appended between the telling of the time and the append, and the time of events never goes back along the log.
 * @param known what it was decided on: it is never earlier
 */
export const appendNow = async <T>(
  { clock, log }: Pick<Ports, 'clock' | 'log'>,
  known: Known,
  make: (now: number) => { readonly appends: readonly Append[]; readonly made: T },
): Promise<{ made: T; outcomes: readonly AppendOutcome[] }> => {
  sawAll(clock, known)
  const { appends, made } = make(clock.now())
  return { made, outcomes: await log.append(appends) }
}
