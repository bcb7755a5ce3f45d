import { randomFor } from '../support/random.ts'
import { bodyOf } from './bodies.ts'
import type { Operation } from './document.ts'
import type { Maker, Making } from './making.ts'
import { headersOf, targetOf } from './targets.ts'

/** How a request is sent. */
export const manners = ['plain', 'chunked', 'slow', 'cut', 'unread', 'raw'] as const
export type Manner = (typeof manners)[number]

/** A request of the attack, complete but for the token. */
export interface Attack {
  /** From 0; with the seed it tells the whole request. */
  readonly number: number
  readonly operation: Operation
  readonly role: string
  readonly method: string
  /** Path and query, as they go into the request line. */
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer | undefined
  readonly manner: Manner
}

/** Callers: shipped roles, roles of {@link policies}, a token that is none, and nobody. */
export const roles = [
  'Admin',
  'DataSteward',
  'Ingestion',
  'Auditor',
  'Subscriber',
  'DataConsumer',
  'Owner',
  'Refused',
  'forged',
  'nobody',
] as const

/** Policies of the roles that are not shipped. */
export const policies = {
  roles: {
    Owner: [{ effect: 'allow', operations: ['*'], kinds: ['*'], condition: 'isOwner' }],
    Refused: [{ effect: 'deny', operations: ['*'], kinds: ['*'] }],
  },
}

/** The request of this number: the same for the same seed, but for cursors that answers gave. */
export const attackOf = (maker: Maker, number: number): Attack => {
  const random = randomFor(`${maker.seed} ${number}`)
  const { operations } = maker.document
  const operation = operations[(number * 389 + Math.floor(number / operations.length)) % operations.length] as Operation
  const making: Making = { ...maker, random, operation, number }
  const role = random.chance(0.4) ? 'Admin' : random.pick(roles)
  const { body, headers } = random.chance(0.97)
    ? bodyOf(making)
    : { body: Buffer.from('{}'), headers: [] as [string, string][] }
  return {
    number,
    operation,
    role,
    method: random.chance(0.97)
      ? operation.method
      : random.pick(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE', 'PUT', 'PATCH', 'POST', 'PROPFIND', 'FOO']),
    target: targetOf(making),
    headers: [...headers, ...headersOf(making)],
    body,
    manner: random.chance(0.8) ? 'plain' : random.pick(manners),
  }
}
