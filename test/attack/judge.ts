import { checkerOf } from '../http/openApi.ts'
import type { Attack } from './requests.ts'
import type { Outcome } from './send.ts'

/** Says what is wrong with an answer; an empty list when nothing is. */
export type Judge = (attack: Attack, outcome: Outcome) => string[]

/** Verbs of operations that change something and that a reader may do all the same. */
const forReaders = /^(follow|unfollow|vote)_|^(parse|validate)_odcs$|^(openRequest|end_my_sessions|mcp)$/

/** What everybody who is signed in may do, for it is about what is his own. */
const forEverybody =
  /^(read_me|openRequest|end_my_sessions|mcp|read_operation|(list|get)_proposals?|read_inbox|mark_read|\w+_inbox_deliver(y|ies))$/

const readers = ['Auditor', 'Subscriber', 'DataConsumer']

/** Who gets in where his role lets him not. */
const trespass = ({ operation, role, method }: Attack, status: number): string[] => {
  if (status >= 300 || operation.open || method === 'OPTIONS') return []
  const refused = role === 'Refused' && !forEverybody.test(operation.id)
  if (role === 'nobody' || role === 'forged' || refused) return [`${status} for ${role}`]
  const reads = method === 'GET' || method === 'HEAD'
  return !reads && readers.includes(role) && !forReaders.test(operation.id)
    ? [`${status} for ${role}, who may change nothing`]
    : []
}

/** What tells of our insides: frames of a stack, and paths of modules. */
const insides = /\bat [\w.<>]+ \(|node:internal|node_modules|\/dist\/\w+/

/**
 * Makes the judge of a service from its OpenAPI document.
 * @param storesApart 503 is right when it says when to try again: stores that are servers may be slow
 */
export const makeJudge = (document: Parameters<typeof checkerOf>[0], storesApart = false): Judge => {
  const check = checkerOf(document)
  return (attack, { status, headers, body, whole, error }) => {
    if (status === undefined)
      return attack.manner === 'cut' || gaveUpSending(attack, error) || unreadHead(attack, error)
        ? []
        : [`no answer: ${error}`]
    const wrong = [...trespass(attack, status), ...(error === undefined ? [] : [error])]
    const isSlowStore = storesApart && status === 503 && headers.has('retry-after')
    if (status >= 500 && !isSlowStore) wrong.push(`${status} ${body.toString().slice(0, 300)}`)
    if (!whole) return wrong
    const text = body.toString()
    if (status >= 400 && insides.test(text)) wrong.push(`shows its insides: ${text.slice(0, 300)}`)
    const contentType = (headers.get('content-type') ?? '').split(';')[0] as string
    let read: unknown = text
    if (/json/.test(contentType) && text !== '') {
      try {
        read = JSON.parse(text)
      } catch {
        return [...wrong, `${status} is not JSON: ${text.slice(0, 300)}`]
      }
    }
    if (attack.method !== attack.operation.method)
      return [
        ...wrong,
        ...(status >= 400 && contentType !== 'application/problem+json' && attack.method !== 'HEAD'
          ? [`${status} is not a problem`]
          : []),
      ]
    return [
      ...wrong,
      ...check({
        method: attack.method,
        path: attack.target.split('?')[0] as string,
        template: attack.operation.template,
        status,
        contentType,
        body: read,
        headers,
      }),
    ]
  }
}

/** Of headers that are too long to be read nobody knows that they ask for no body. */
const unreadHead = ({ method, target }: Attack, error = ''): boolean =>
  method === 'HEAD' && target.length > 60_000 && error.includes('Data after')

/** A service that has answered and closed before it was sent everything may be missed by a client that still sends. */
const gaveUpSending = ({ body }: Attack, error = ''): boolean =>
  (body?.length ?? 0) > 60_000 && /ECONNRESET|EPIPE|socket hang up/.test(error)
