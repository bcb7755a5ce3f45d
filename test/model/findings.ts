import type { Key } from './kinds.ts'

/** What the catalog promises, each by a name that reports and {@link knownToFail} use. */
export type Rule =
  | 'every event has one request that explains it'
  | 'an event id is given once'
  | 'positions increase'
  | 'time never goes back along the log'
  | 'the time of an event is within its request'
  | 'the order of the log respects real time'
  | 'a delete without recursive takes no child'
  | 'nothing is made below a parent that has ended'
  | 'a refusal wrote nothing'
  | 'no change makes no event'
  | 'an event says version and user as they are'
  | 'an answer is explained by some order'
  | 'an answer shows what was written'
  | 'a restore brings back what its deletion took'
  | 'a deletion takes nothing that came after it'
  | 'a revert stays within one life'
  | 'below a deleted parent nothing is live'
  | 'the entity is what was last written'
  | 'the past is what was answered then'
  | 'everything in an answer about a moment is as it was then'
  | 'versions and history agree'
  | 'a difference leads from one state to the other'
  | 'lineage is what was stated then'
  | 'a proposal is decided once'
  | 'a request that is taken back leaves what was before it'
  | 'an inbox has what concerns its reader'
  | 'lists and totals agree'
  | 'search agrees'
  | 'webhooks get every event in order'
  | 'the read models agree with the log'
  | 'the log is whole'
  | 'no request fails within the service'
  | 'a log keeps what it acknowledged'

export interface Finding {
  readonly rule: Rule
  readonly message: string
  /** The entity that it is about. */
  readonly key?: Key | undefined
}

/** Notes a finding, with the entity that it is about before its message. */
export type Say = (rule: Rule, message: string, key?: Key) => void

export const noteIn =
  (findings: Finding[]): Say =>
  (rule, message, key) =>
    void findings.push({ rule, message: key === undefined ? message : `${key}: ${message}`, key })

/**
 * Rules that are broken today, each with the reason. Findings about them are counted and told, and fail no run.
 * A rule leaves this list together with what breaks it.
 */
export const knownToFail: Readonly<Partial<Record<Rule, string>>> = {}

/** Those that must not be. */
export const unexpected = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ rule }) => knownToFail[rule] === undefined)

/** How often each rule was broken, with a few cases of each. */
export const summary = (findings: readonly Finding[], cases = 5): string =>
  [...Map.groupBy(findings, ({ rule }) => rule)]
    .map(([rule, of]) => {
      const why = knownToFail[rule]
      const shown = of.slice(0, cases).map(({ message }) => `    ${message.slice(0, 600)}\n`)
      return `${rule}: ${of.length}${why === undefined ? '' : ` (known to fail: ${why})`}\n${shown.join('')}`
    })
    .join('')
