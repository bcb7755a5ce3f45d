import { isObject, type Json } from '../../shared/json.ts'
import type { RecordedEvent } from '../events.ts'
import { eventHash } from '../hashChain.ts'
import { verbs } from '../verbs.ts'

/** Something that is not as it was written. */
export interface Finding {
  readonly what: 'changed' | 'removed' | 'inserted' | 'reordered' | 'repeated' | 'backdated' | 'unreadable'
  /** Names the event, or the place where one is missing. */
  readonly message: string
}

export interface AuditOptions {
  /** Streams may begin after their first event: the export began at a later position. */
  readonly partial?: boolean
  /** Positions count up without a hole, as in a complete log of the embedded engine. */
  readonly dense?: boolean
  /** One process at a time wrote it, so that times never go back along it. */
  readonly oneWriter?: boolean
  /** The log went up to this position once: that its last events were cut off shows in no chain. */
  readonly until?: bigint | undefined
}

/** Follows the hash chains of all streams, in log order. */
export interface Audit {
  readonly look: (event: RecordedEvent) => Finding[]
  /** What shows only when everything was seen. */
  readonly end: () => Finding[]
  /** `last`: position of the last event. */
  readonly counts: () => { readonly events: number; readonly streams: number; readonly last: bigint | undefined }
}

interface Gap {
  readonly from: bigint
  readonly to: bigint
}

interface Chain {
  revision: bigint
  hash: string | undefined
  name: string
  /** Revisions that were skipped. */
  gaps: Gap[]
}

/** An event by everything that it can be found by. */
export const nameOf = ({ type, id, stream, revision, position }: RecordedEvent): string =>
  `${type} ${id} (${stream}, revision ${revision}, position ${position})`

/** The text of a member of the metadata, whatever became of it. */
const text = (event: RecordedEvent, name: 'hash' | 'previousHash' | 'time'): string | undefined => {
  const metadata = event.metadata as unknown as Json
  const value = isObject(metadata) ? metadata[name] : undefined
  return typeof value === 'string' ? value : undefined
}

const isIntact = (event: RecordedEvent): boolean => isObject(event.metadata) && eventHash(event) === event.metadata.hash

const range = ({ from, to }: Gap): string => (from === to ? `revision ${from}` : `revisions ${from} to ${to}`)

/** Tells whether an id was seen before. In parts, since a set has a limit, and as bytes, since logs are long. */
const makeSeen = () => {
  const parts = Array.from({ length: 256 }, () => new Set<string>())
  return (id: string): boolean => {
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
    const part = parts[bytes[0] ?? 0] as Set<string>
    const before = part.size
    return part.add(bytes.toString('latin1')).size === before
  }
}

export const makeAudit = ({ partial = false, dense = false, oneWriter = dense, until }: AuditOptions = {}): Audit => {
  const chains = new Map<string, Chain>()
  const holes: Gap[] = []
  const seen = makeSeen()
  let position: bigint | undefined
  let latest = ''
  let events = 0

  const lookAtTime = (event: RecordedEvent): Finding[] => {
    const time = text(event, 'time') ?? ''
    const before = latest
    if (time > latest) latest = time
    if (!oneWriter || time >= before) return []
    return [{ what: 'backdated', message: `${nameOf(event)} says ${time}, but an event before it says ${before}.` }]
  }

  const lookAtPosition = (event: RecordedEvent): Finding[] => {
    const before = position
    if (before !== undefined && event.position <= before) {
      return [{ what: 'reordered', message: `${nameOf(event)} stands after position ${before}.` }]
    }
    const expected = (before ?? 0n) + 1n
    if (dense && event.position > expected) holes.push({ from: expected, to: event.position - 1n })
    position = event.position
    return []
  }

  /** An event that is not the next of its stream: a later one, or one that was skipped before. */
  const lookOutOfTurn = (chain: Chain, event: RecordedEvent): Finding[] => {
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

  const lookAtLink = (chain: Chain, event: RecordedEvent, intact: boolean): Finding[] => {
    if (!intact || text(event, 'previousHash') === chain.hash) return []
    return [
      {
        what: 'changed',
        message:
          chain.hash === undefined
            ? `${nameOf(event)} says that something came before it.`
            : `${chain.name} is not the event that ${nameOf(event)} was written after.`,
      },
    ]
  }

  const begin = (event: RecordedEvent): Chain => {
    const skipped = partial && event.revision > 0n
    const chain: Chain = {
      revision: skipped ? event.revision - 1n : -1n,
      hash: skipped ? text(event, 'previousHash') : undefined,
      name: '',
      gaps: [],
    }
    chains.set(event.stream, chain)
    return chain
  }

  return {
    look: (event) => {
      events++
      const intact = isIntact(event)
      const findings: Finding[] = intact
        ? []
        : [{ what: 'changed', message: `${nameOf(event)} is not what was written.` }]
      if (intact && !Object.hasOwn(verbs, event.type))
        findings.push({ what: 'unreadable', message: `${nameOf(event)} is of a type that this catalog does not know.` })
      const chain = chains.get(event.stream) ?? begin(event)
      const moved = lookAtPosition(event)
      const next = event.revision === chain.revision + 1n
      const repeated: Finding[] =
        seen(event.id) && event.revision > chain.revision
          ? [{ what: 'repeated', message: `${nameOf(event)} has the id of an earlier event.` }]
          : []
      const found: Finding[] = next ? [...moved, ...lookAtLink(chain, event, intact)] : lookOutOfTurn(chain, event)
      if (event.revision > chain.revision) {
        chain.revision = event.revision
        chain.hash = text(event, 'hash')
        chain.name = nameOf(event)
      }
      return [...findings, ...lookAtTime(event), ...repeated, ...(found.length === 0 ? moved : found)]
    },
    end: () => {
      const inStreams = [...chains].flatMap(([stream, { gaps }]) =>
        gaps.map((gap): Finding => ({ what: 'removed', message: `${range(gap)} of ${stream} is missing.` })),
      )
      const inLog = holes.map(({ from, to }): Finding => ({
        what: 'removed',
        message: `Nothing stands at position ${from}${from === to ? '' : ` to ${to}`} of the log.`,
      }))
      const cut: Finding[] = []
      if (until !== undefined && (position === undefined || position < until)) {
        cut.push({
          what: 'removed',
          message: `Nothing stands ${position === undefined ? '' : `after position ${position}, `}up to position ${until}.`,
        })
      }
      return [...inStreams, ...inLog, ...cut]
    },
    counts: () => ({ events, streams: chains.size, last: position }),
  }
}
