import { isObject, type Json } from '../../shared/json.ts'
import type { RecordedEvent } from '../events.ts'
import { isIntact } from '../provenCodec.ts'
import { verbs } from '../verbs.ts'

export interface Finding {
  readonly what: 'changed' | 'removed' | 'inserted' | 'reordered' | 'repeated' | 'backdated' | 'unreadable'
  /** Names the event, or the position of a missing one. */
  readonly message: string
}

export interface AuditOptions {
  /** Whether the export began at a later position, so that streams lack their first events. */
  readonly partial?: boolean
  /** Whether positions are gapless, as in a complete log of the embedded engine. */
  readonly dense?: boolean
  /** Whether one process at a time wrote the log, unless it is a copy of one that several have written. */
  readonly oneWriter?: boolean
  /** Position that the log is known to have reached: no hash chain reveals a truncated end. */
  readonly until?: bigint | undefined
}

interface Gap {
  readonly from: bigint
  readonly to: bigint
}

interface Chain {
  revision: bigint
  hash: string | undefined
  name: string
  /** Of its newest event, in milliseconds. */
  time: number
  gaps: Gap[]
}

/** Names an event for people, with everything needed to find it. */
export const nameOf = ({ type, id, stream, revision, position }: RecordedEvent): string =>
  `${type} ${id} (${stream}, revision ${revision}, position ${position})`

/** A text in the metadata; `undefined` if it is missing or damaged. */
const text = (event: RecordedEvent, name: 'hash' | 'previousHash' | 'time'): string | undefined => {
  const metadata = event.metadata as Json
  const value = isObject(metadata) ? metadata[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** In milliseconds; `NaN` if it is missing or damaged. */
const timeOf = (event: RecordedEvent): number => Date.parse(text(event, 'time') ?? '')

const missing = (one: string, several: string, place: string, { from, to }: Gap): string =>
  from === to ? `${one} ${from} of ${place} is missing.` : `${several} ${from} to ${to} of ${place} are missing.`

/** The message for positions of the log without an event, both inclusive. */
export const missingAt = (gap: Gap): string =>
  missing('The event at position', 'The events at positions', 'the log', gap)

/** Tells whether an id was seen before. Several sets, since one has a size limit; bytes instead of text to save memory. */
const makeDuplicateCheck = () => {
  const parts = new Map<string, Set<string>>()
  return (id: string): boolean => {
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1')
    const part = parts.get(bytes.charAt(0)) ?? new Set()
    parts.set(bytes.charAt(0), part)
    return part.size === part.add(bytes).size
  }
}

type Check = (event: RecordedEvent) => Finding[]

/** Times go up along each stream, and along the log unless several processes wrote it, as recorded conditions show. */
const makeTimes = (oneWriter: boolean) => {
  let latest = -Infinity
  let recorded = !oneWriter
  let acrossStreams: Finding[] = []
  const check = (event: RecordedEvent, time: number, previous: number): Finding[] => {
    const before = Math.max(previous, recorded ? -Infinity : latest)
    if (time > latest) latest = time
    if (text(event, 'hash') !== undefined && event.metadata.condition !== undefined) {
      recorded = true
      acrossStreams = []
    }
    if (!(time < before)) return []
    const says = `${nameOf(event)} says ${text(event, 'time')}, but an event before it says`
    const found: Finding = { what: 'backdated', message: `${says} ${new Date(before).toISOString()}.` }
    if (time < previous) return [found]
    if (!recorded) acrossStreams.push(found)
    return []
  }
  return { check, end: () => acrossStreams }
}

/** Checks the order of positions and collects gaps. */
const makePositions = (dense: boolean) => {
  const gaps: Gap[] = []
  let position: bigint | undefined
  const check: Check = (event) => {
    const before = position
    if (before !== undefined && event.position <= before)
      return [{ what: 'reordered', message: `${nameOf(event)} stands after position ${before}.` }]
    const expected = (before ?? 0n) + 1n
    if (dense && event.position > expected) gaps.push({ from: expected, to: event.position - 1n })
    position = event.position
    return []
  }
  return { check, last: () => position, gaps: gaps as readonly Gap[] }
}

const checkOrder = (chain: Chain, event: RecordedEvent): Finding[] => {
  const { revision } = event
  if (revision > chain.revision) {
    chain.gaps.push({ from: chain.revision + 1n, to: revision - 1n })
    return []
  }
  const gap = chain.gaps.find(({ from, to }) => from <= revision && revision <= to)
  if (gap === undefined) return [{ what: 'reordered', message: `${nameOf(event)} comes twice.` }]
  const rest = [
    { from: gap.from, to: revision - 1n },
    { from: revision + 1n, to: gap.to },
  ].filter(({ from, to }) => from <= to)
  chain.gaps = [...chain.gaps.filter((other) => other !== gap), ...rest]
  return [{ what: 'reordered', message: `${nameOf(event)} stands after a later event of its stream.` }]
}

const checkLink = (chain: Chain, event: RecordedEvent): Finding[] => {
  if (text(event, 'previousHash') === chain.hash) return []
  const message =
    chain.hash === undefined
      ? `${nameOf(event)} says that something came before it.`
      : `${chain.name} is not the event that ${nameOf(event)} was written after.`
  return [{ what: 'changed', message }]
}

const beginChain = (event: RecordedEvent, partial: boolean): Chain => {
  const skipped = partial && event.revision > 0n
  return {
    revision: skipped ? event.revision - 1n : -1n,
    hash: skipped ? text(event, 'previousHash') : undefined,
    name: '',
    time: -Infinity,
    gaps: [],
  }
}

const checkEvent = (event: RecordedEvent, intact: boolean): Finding[] => {
  if (!intact) return [{ what: 'changed', message: `${nameOf(event)} is not what was written.` }]
  if (Object.hasOwn(verbs, event.type)) return []
  return [{ what: 'unreadable', message: `${nameOf(event)} is of a type that this catalog does not know.` }]
}

const checkEnd = (last: bigint | undefined, until: bigint | undefined): Finding[] => {
  if (until === undefined || (last !== undefined && last >= until)) return []
  const after = last === undefined ? '' : `after position ${last}, `
  return [{ what: 'removed', message: `All events ${after}up to position ${until} are missing.` }]
}

/** Follows the hash chains of all streams, in log order. */
export const makeAudit = ({ partial = false, dense = false, oneWriter = dense, until }: AuditOptions = {}) => {
  const chains = new Map<string, Chain>()
  const isRepeated = makeDuplicateCheck()
  const times = makeTimes(oneWriter)
  const positions = makePositions(dense)
  let events = 0

  const chainOf = (event: RecordedEvent): Chain => {
    const chain = chains.get(event.stream) ?? beginChain(event, partial)
    chains.set(event.stream, chain)
    return chain
  }

  return {
    inspect: (event: RecordedEvent): Finding[] => {
      events++
      const intact = isIntact(event)
      const chain = chainOf(event)
      const isLater = event.revision > chain.revision
      const isNext = event.revision === chain.revision + 1n
      const time = timeOf(event)
      const backdated = times.check(event, time, isLater ? chain.time : -Infinity)
      const moved = positions.check(event)
      const repeated: Finding[] =
        isRepeated(event.id) && isLater
          ? [{ what: 'repeated', message: `${nameOf(event)} has the id of an earlier event.` }]
          : []
      const linked = isNext && intact ? checkLink(chain, event) : []
      const found = isNext ? [...moved, ...linked] : checkOrder(chain, event)
      const { revision } = event
      if (isLater) Object.assign(chain, { revision, hash: text(event, 'hash'), name: nameOf(event), time })
      const inPlace = found.length === 0 ? moved : found
      return [...checkEvent(event, intact), ...backdated, ...repeated, ...inPlace]
    },
    /** Findings that need the complete log. */
    end: (): Finding[] => {
      const inStreams = [...chains].flatMap(([stream, { gaps }]) =>
        gaps.map((gap): Finding => ({ what: 'removed', message: missing('revision', 'revisions', stream, gap) })),
      )
      const inLog = positions.gaps.map((gap): Finding => ({ what: 'removed', message: missingAt(gap) }))
      return [...times.end(), ...inStreams, ...inLog, ...checkEnd(positions.last(), until)]
    },
    /** `last`: position of the last event. */
    counts: () => ({ events, streams: chains.size, last: positions.last() }),
  }
}

export type Audit = ReturnType<typeof makeAudit>
