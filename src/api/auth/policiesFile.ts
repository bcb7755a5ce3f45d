import { LineCounter, parseDocument, type Document } from 'yaml'
import { z } from 'zod'
import { portsMember } from '../../events/verbs.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { isWritten } from '../../kinds/perKind.ts'
import type { ApprovalRule, Roles } from './policies.ts'
import { operations } from '../http/route.ts'
import { lineageKind } from '../../kinds/registry/kinds.ts'
import { didYouMean } from '../../shared/nearest.ts'
import { LinesError } from '../../shared/errors/linesError.ts'

/** The policies cannot be used: a line for each problem. */
export class PolicyError extends LinesError {
  override readonly name = 'PolicyError'
}

const oneOf = (what: string, allowed: readonly string[]) =>
  z.string().refine((value) => value === '*' || allowed.includes(value), {
    error: (issue) => `"${String(issue.input)}" is not ${what}; there are * and ${allowed.join(', ')}`,
  })

/** Members that callers change with `edit`: what requests set, the lists of products, the edges of a lineage. */
const membersOf = ({ name, fields, traits }: KindDefinition): string[] => [
  ...Object.keys(fields).filter((member) => isWritten(fields[member])),
  ...(traits.assets ? ['assets', ...Object.values(portsMember)] : []),
  ...(name === lineageKind ? ['upstream'] : []),
]

const approvalSchema = (definitions: readonly KindDefinition[], kinds: readonly string[]) =>
  z
    .strictObject({
      kinds: z.array(oneOf('a kind', kinds)).min(1),
      members: z.array(z.string().min(1)).min(1),
      domains: z.array(z.string().min(1)).min(1).optional(),
    })
    .superRefine((rule, context) => {
      const meant = definitions.filter(({ name }) => rule.kinds.includes(name) || rule.kinds.includes('*'))
      const known = ['*', ...new Set(meant.flatMap(membersOf))]
      for (const [index, name] of rule.members.entries())
        if (!known.includes(name))
          context.addIssue({
            code: 'custom',
            path: ['members', index],
            message: meant.some(({ fields }) => name in fields)
              ? `the catalog itself sets "${name}": no rule is needed`
              : `"${name}" is not a member of ${rule.kinds.join(', ')}${didYouMean(name, known)}`,
          })
    })

const policiesSchema = (definitions: readonly KindDefinition[], kinds = definitions.map(({ name }) => name)) =>
  z.strictObject({
    needsApproval: z.array(approvalSchema(definitions, kinds)).default([]),
    roles: z
      .record(
        z.string().min(1),
        z.array(
          z
            .strictObject({
              effect: z.enum(['allow', 'deny']),
              operations: z.array(oneOf('an operation', operations)).min(1),
              kinds: z.array(oneOf('a kind', kinds)).min(1),
              condition: z
                .enum(['isOwner', 'notWrittenByPeople'], 'the conditions are isOwner and notWrittenByPeople')
                .optional(),
            })
            .refine(
              ({ condition, operations: [first, more] }) =>
                condition !== 'notWrittenByPeople' || (first === 'edit' && !more),
              {
                path: ['condition'],
                error: 'notWrittenByPeople is about edit: allow other operations by a rule of their own',
              },
            )
            .refine((rule) => rule.condition !== 'isOwner' || !rule.operations.includes('manage'), {
              path: ['condition'],
              error: 'isOwner is about entities, and manage is about none: allow manage by a rule of its own',
            })
            .refine((rule) => rule.effect === 'allow' || rule.condition === undefined, {
              path: ['condition'],
              error: 'a condition can only narrow what is allowed; deny without one',
            }),
        ),
      )
      .default({}),
  })

/** A parsed policies file. */
export interface WrittenPolicies {
  readonly roles: Roles
  readonly needsApproval: readonly ApprovalRule[]
}

/**
 * Parses YAML `{roles: {NAME: [{effect, operations, kinds, condition?}]}, needsApproval: [{kinds, members, domains?}]}`
 * strictly. @throws PolicyError
 */
export const parsePolicies = (yaml: string, definitions: readonly KindDefinition[]): WrittenPolicies => {
  const lines = new LineCounter()
  const document = parseDocument(yaml, { version: '1.2', schema: 'core', lineCounter: lines, prettyErrors: false })
  if (document.errors.length > 0) {
    throw new PolicyError(
      document.errors.map((error) => {
        const { line, col } = lines.linePos(error.pos[0])
        return `line ${line}, column ${col}: ${error.message}`
      }),
    )
  }
  const parsed = policiesSchema(definitions).safeParse(valueOf(document))
  if (parsed.success) return parsed.data as WrittenPolicies
  throw new PolicyError(
    parsed.error.issues.map((issue) => {
      const node = document.getIn(issue.path, true) as { range?: [number, number, number] } | undefined
      const line = node?.range ? `line ${lines.linePos(node.range[0]).line}, ` : ''
      return `${line}${z.core.toDotPath(issue.path) || 'the file'}: ${issue.message}`
    }),
  )
}

const valueOf = (document: Document.Parsed): unknown => {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw new PolicyError([error instanceof Error ? error.message : 'The file cannot be read.'])
  }
}
