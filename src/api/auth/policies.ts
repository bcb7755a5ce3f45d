import type { KindDefinition } from '../../kinds/defineKind.ts'
import { operations, type Operation, type Permission, type PermissionPolicy } from '../http/route.ts'

/** One rule of a role. `'*'` stands for every operation or every kind. */
export interface PolicyRule {
  readonly effect: 'allow' | 'deny'
  readonly operations: readonly (Operation | '*')[]
  readonly kinds: readonly string[]
  /** Allows only on entities that the caller owns. */
  readonly condition?: 'isOwner' | undefined
}

export type Roles = Readonly<Record<string, readonly PolicyRule[]>>

export interface Policies {
  /**
   * May the actor do this? Deny wins; what no rule matches is `no`; `ifOwner`: only on entities that the actor owns.
   * Without a kind: on some kind at all? The answer then shows only kinds for which it is permitted.
   */
  readonly permits: PermissionPolicy
  /** Names of all roles that have rules. */
  readonly roles: readonly string[]
}

/** The policies file cannot be used; the message lists every mistake, one on each line. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError'
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(['The policies cannot be used:', ...mistakes].join('\n  - '))
    this.mistakes = mistakes
  }
}

const allow = (kinds: readonly string[], ...permitted: (Operation | '*')[]): PolicyRule => ({
  effect: 'allow',
  operations: permitted,
  kinds,
})

/** The roles that exist without a policies file. */
export const shippedRoles = (definitions: readonly KindDefinition[]): Roles => {
  const all = ['*']
  const steered = definitions.filter((kind) => kind.traits.principal !== true).map((kind) => kind.name)
  const consumer = allow(all, 'view', 'versions', 'search', 'follow', 'vote')
  return {
    Admin: [allow(all, '*')],
    DataConsumer: [consumer],
    DataSteward: [consumer, allow(steered, 'create', 'edit', 'bulk', 'delete', 'restore'), allow(all, 'history')],
    Ingestion: [consumer, allow(all, 'create', 'edit', 'bulk')],
    Auditor: [consumer, allow(all, 'history', 'feed')],
    Subscriber: [consumer, allow(all, 'feed')],
  }
}

/** What a set of roles may do: operation → kind → permission. The entry `''` is "on some kind". */
type Compiled = ReadonlyMap<Operation, ReadonlyMap<string, Permission>>

const anyKind = ''
const someOther = '*'

const decide = (rules: readonly PolicyRule[], operation: Operation, kind: string): Permission => {
  let result: Permission = 'no'
  for (const rule of rules) {
    if (!rule.operations.includes(operation) && !rule.operations.includes('*')) continue
    if (!rule.kinds.includes(kind) && !rule.kinds.includes('*')) continue
    if (rule.effect === 'deny') return 'no'
    if (rule.condition === undefined) result = 'yes'
    else if (result === 'no') result = 'ifOwner'
  }
  return result
}

const compile = (rules: readonly PolicyRule[], kinds: readonly string[]): Compiled =>
  new Map(
    operations.map((operation) => {
      const byKind = new Map([...kinds, someOther].map((kind) => [kind, decide(rules, operation, kind)]))
      const found = new Set(byKind.values())
      byKind.set(anyKind, found.has('yes') ? 'yes' : found.has('ifOwner') ? 'ifOwner' : 'no')
      return [operation, byKind]
    }),
  )

const maxCompiled = 1_000

/** Makes the check; an own role replaces the shipped one of its name. Role sets are compiled once. */
export const makePolicies = (definitions: readonly KindDefinition[], own: Roles = {}): Policies => {
  const roles = new Map(Object.entries({ ...shippedRoles(definitions), ...own }))
  const kinds = definitions.map((kind) => kind.name)
  const byNames = new Map<string, Compiled>()
  const byArray = new WeakMap<readonly string[], Compiled>()

  const compiledFor = (names: readonly string[]): Compiled => {
    const known = names.filter((name) => roles.has(name)).toSorted()
    const key = JSON.stringify(known)
    let compiled = byNames.get(key)
    if (compiled === undefined) {
      if (byNames.size >= maxCompiled) byNames.clear()
      compiled = compile(
        known.flatMap((name) => roles.get(name) ?? []),
        kinds,
      )
      byNames.set(key, compiled)
    }
    byArray.set(names, compiled)
    return compiled
  }

  return {
    roles: [...roles.keys()],
    permits: (actor, operation, kind = anyKind) => {
      const byKind = (byArray.get(actor.roles) ?? compiledFor(actor.roles)).get(operation)
      return byKind?.get(kind) ?? byKind?.get(someOther) ?? 'no'
    },
  }
}
