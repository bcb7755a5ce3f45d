import type { KindDefinition } from '../../kinds/defineKind.ts'
import { type ApprovalPolicy, type Operation, type Permission, type PermissionPolicy } from '../http/route.ts'

/** One rule of a role. `'*'` stands for every operation or every kind. */
interface PolicyRule {
  readonly effect: 'allow' | 'deny'
  readonly operations: readonly (Operation | '*')[]
  readonly kinds: readonly string[]
  /** Restricts a rule to entities that the caller owns, or to changes of nothing that people wrote. */
  readonly condition?: 'isOwner' | 'notWrittenByPeople' | undefined
}

export type Roles = Readonly<Record<string, readonly PolicyRule[]>>

/** Members whose changes need a second person's approval. */
export interface ApprovalRule {
  /** `'*'` stands for every kind, or every member. */
  readonly kinds: readonly string[]
  readonly members: readonly string[]
  /** FQNs of domains: only entities in them or below. */
  readonly domains?: readonly string[] | undefined
}

const allow = (kinds: readonly string[], ...permitted: (Operation | '*')[]): PolicyRule => ({
  effect: 'allow',
  operations: permitted,
  kinds,
})

/** The shipped roles. */
export const shippedRoles = (definitions: readonly KindDefinition[]): Roles => {
  const all = ['*']
  const steered = definitions.filter((kind) => kind.traits.principal !== true).map((kind) => kind.name)
  const consumer: readonly PolicyRule[] = [
    allow(all, 'view', 'versions', 'search', 'follow', 'vote', 'propose'),
    { ...allow(all, 'approve'), condition: 'isOwner' },
  ]
  return {
    Admin: [allow(all, '*')],
    DataConsumer: consumer,
    DataSteward: [
      ...consumer,
      allow(steered, 'create', 'edit', 'bulk', 'delete', 'restore', 'approve'),
      allow(all, 'history'),
    ],
    Ingestion: [...consumer, allow(all, 'create', 'edit', 'bulk')],
    Auditor: [...consumer, allow(all, 'history', 'feed')],
    Subscriber: [...consumer, allow(all, 'feed')],
  }
}

/** No operation goes further than the permission to view: else its answers would show what the caller may not view. */
const decide = (rules: readonly PolicyRule[], operation: Operation, kind: string): Permission => {
  const isOfNone = operation === 'view' || (operation === 'manage' && kind === '*')
  const viewing = isOfNone ? 'yes' : decide(rules, 'view', kind)
  if (viewing === 'no' || (operation === 'manage' && viewing === 'ifOwner')) return 'no'
  const isOfAll = viewing === 'yes' || operation === 'create' || operation === 'bulk'
  let result: Permission = 'no'
  for (const rule of rules) {
    if (!rule.operations.includes(operation) && !rule.operations.includes('*')) continue
    if (!rule.kinds.includes(kind) && !rule.kinds.includes('*')) continue
    if (rule.effect === 'deny') return 'no'
    // What is managed belongs to no entity, so it has no owner.
    if (rule.condition === 'isOwner' && operation === 'manage') continue
    if (rule.condition !== 'isOwner' && isOfAll) result = 'yes'
    else if (result === 'no') result = 'ifOwner'
  }
  return result
}

const includesOrAll = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value)

const membersNeeding = (
  rules: readonly ApprovalRule[],
  kind: string,
  domains: readonly string[],
  members: readonly string[],
): readonly string[] => {
  const isIn = (wanted: string): boolean => domains.some((fqn) => fqn === wanted || fqn.startsWith(`${wanted}.`))
  const meant = rules.filter((rule) => includesOrAll(rule.kinds, kind) && (rule.domains?.some(isIn) ?? true))
  return members.filter((name) => meant.some((rule) => includesOrAll(rule.members, name)))
}

/** Makes the policy check. Configured roles replace shipped ones of the same name. */
export const makePolicies = (
  definitions: readonly KindDefinition[],
  own: Roles = {},
  approvals: readonly ApprovalRule[] = [],
) => {
  const roles = new Map(Object.entries({ ...shippedRoles(definitions), ...own }))
  const mayOverwrite = ({ condition }: PolicyRule): boolean => condition !== 'notWrittenByPeople'
  const overwriting = new Map([...roles].map(([name, rules]) => [name, rules.filter(mayOverwrite)]))
  const needsApproval: ApprovalPolicy = (...change) => membersNeeding(approvals, ...change)
  return {
    /** Names of all roles with rules. */
    roles: [...roles.keys()],
    /**
     * The actor's permission. Deny wins; without a matching rule it is `no`; `ifOwner`: only on entities that the actor
     * owns. Without a kind: for any kind at all; the answer must then show permitted kinds only. Whatever is done to
     * entities needs `view` too; only what is new need not be owned, where the caller may view only what he owns.
     */
    permits: permissionsOf(definitions, roles),
    /** The actor's permission to edit what people wrote. Absent: whoever may edit may do that. */
    permitsOverwrite: [...roles.values()].flat().every(mayOverwrite)
      ? undefined
      : permissionsOf(definitions, overwriting),
    /** Absent: nothing needs approval. */
    needsApproval: approvals.length === 0 ? undefined : needsApproval,
  }
}

export type Policies = ReturnType<typeof makePolicies>

const permissionsOf =
  (definitions: readonly KindDefinition[], roles: ReadonlyMap<string, readonly PolicyRule[]>): PermissionPolicy =>
  ({ roles: names }, operation, kind) => {
    const rules = names.flatMap((name) => roles.get(name) ?? [])
    if (kind !== undefined) return decide(rules, operation, kind)
    const found = ['*', ...definitions.map(({ name }) => name)].map((each) => decide(rules, operation, each))
    return found.includes('yes') ? 'yes' : found.includes('ifOwner') ? 'ifOwner' : 'no'
  }
