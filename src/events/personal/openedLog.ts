import type { EventReads, EventStore } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import { hasSealed, openPersonal, type PersonalObserver } from './sealing.ts'
import type { Vault } from './vault.ts'

/** The log, which gives personal values as they were, as far as their keys are kept. Appends are as they are. */
export const openedLog = (log: EventStore, vault: Pick<Vault, 'keys'>, observer?: PersonalObserver): EventStore => ({
  ...log,
  ...openedReads(log, vault, observer),
  proven: { ...log.proven, ...openedReads(log.proven, vault, observer) },
})

const openedReads = (log: EventReads, vault: Pick<Vault, 'keys'>, observer?: PersonalObserver): EventReads => {
  const { readTextPages } = log
  const open = async (event: RecordedEvent): Promise<RecordedEvent> =>
    (await openPersonal(vault, [event], observer))[0] as RecordedEvent
  async function* each(events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
    for await (const event of events) yield hasSealed(event) || event.type === 'Forgotten' ? await open(event) : event
  }
  async function* pages<E extends RecordedEvent>(read: AsyncIterable<readonly E[]>): AsyncGenerator<readonly E[]> {
    for await (const page of read) yield await openPersonal(vault, page, observer)
  }
  return {
    readStream: (stream, options) => each(log.readStream(stream, options)),
    readAll: (options) => each(log.readAll(options)),
    eventAt: async (position) => {
      const event = await log.eventAt(position)
      return event && open(event)
    },
    readTextPages: readTextPages && ((options) => pages(readTextPages(options))),
    subscribe: async function* (options) {
      for await (const batch of log.subscribe(options))
        yield { ...batch, events: await openPersonal(vault, batch.events, observer) }
    },
  }
}
