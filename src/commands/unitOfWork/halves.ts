import type { CatalogEvent, EventType } from '../../events/events.ts'
import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import type { Decision } from '../decide.ts'

type Halves<T> = readonly [T, T]

const cut = <T>(all: readonly T[]): Halves<T[]> => {
  const middle = Math.ceil(all.length / 2)
  return [all.slice(0, middle), all.slice(middle)]
}

/** What an event lists in its data: an event for each half does the same. */
const listed: Partial<Record<EventType, readonly string[]>> = {
  Updated: ['set', 'unset'],
  AssetsAdded: ['assets'],
  AssetsRemoved: ['assets'],
  PortsAdded: ['ports'],
  PortsRemoved: ['ports'],
  LineageStated: ['edges', 'ended'],
}

const halvesOfList = (list: Json | undefined): Halves<Json> => {
  if (!isObject(list)) return cut((list ?? []) as Json[])
  const [first, second] = cut(Object.entries(list))
  return [Object.fromEntries(first), Object.fromEntries(second)]
}

/** @returns `undefined` if it lists one thing or none */
const halvesOfEvent = (event: CatalogEvent): Halves<CatalogEvent> | undefined => {
  const data = event.data as JsonObject
  const halves = (listed[event.type] ?? []).map((name) => [name, halvesOfList(data[name])] as const)
  if (halves.every(([, [, second]]) => Object.keys(second as object).length === 0)) return undefined
  const half = (at: 0 | 1): CatalogEvent => {
    const own = Object.fromEntries(halves.map(([name, lists]) => [name, lists[at]]))
    return { ...event, data: { ...data, ...own } } as CatalogEvent
  }
  return [half(0), half(1)]
}

/** Cuts decisions in two that lead to the same state one after the other; `undefined` if they are about one thing. */
export const halvesOf = (decisions: readonly Decision[]): Halves<Decision[]> | undefined => {
  const [one, ...others] = decisions
  if (one === undefined || others.length > 0) return one && cut(decisions)
  const [events, written] = [halvesOfEvent(one.event), one.written && halvesOfEvent(one.written)]
  const half = (at: 0 | 1): Decision[] =>
    events === undefined ? [] : [{ ...one, event: events[at], ...(written && { written: written[at] }) }]
  return events && [half(0), half(1)]
}
