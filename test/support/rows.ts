import { filterNames } from '../../src/kinds/edges.ts'
import { ancestorFqns, buildFqn, entityId, splitFqn } from '../../src/kinds/names.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import type { Edge, EntityRow, Status } from '../../src/projections/entities/row.ts'
import { isKind } from '../../src/projections/search/facets.ts'

export interface RowOptions {
  /** Default: `thing`, or `table` where there are fields. */
  readonly kind?: string
  /** Default: of kind and FQN, as the catalog makes it. */
  readonly id?: string
  readonly status?: Status
  readonly revision?: bigint
  readonly position?: bigint
  readonly updatedAt?: number
  readonly parent?: string | undefined
  readonly entityStatus?: string
  readonly deletion?: string | undefined
  readonly inherited?: boolean
  readonly born?: bigint
  readonly parentBorn?: bigint
  readonly restored?: string | undefined
  /** `rel` → targets. */
  readonly edges?: Readonly<Record<string, readonly string[]>>
  readonly label?: string
  readonly displayName?: string
  readonly description?: string
  readonly fields?: readonly string[]
  readonly tags?: readonly string[]
  readonly owners?: readonly string[]
}

/** The id that a row of {@link makeRow} has by itself. */
export const rowId = (fqn: string, kind = 'thing'): string => entityId(kind, fqn)

const edgesOf = (edges: RowOptions['edges']): Edge[] =>
  Object.entries(edges ?? {}).flatMap(([rel, targets]) => targets.map((target) => ({ rel, target })))

/** The members that have names of fields, by kind. */
const withFields = (kind: string, names: readonly string[]): object => {
  const columns = names.map((name) => ({ name, dataType: 'INT' }))
  if (kind === 'topic') return { messageSchema: { schemaFields: columns } }
  return kind === 'glossaryTerm' ? { synonyms: names } : { columns }
}

const references = (type: string, fqns: readonly string[]): object[] =>
  fqns.map((fqn) => ({ id: rowId(fqn, type), type, fullyQualifiedName: fqn }))

const referencesTo = (member: string, kind: string, fqns: readonly string[] | undefined): object =>
  fqns === undefined ? {} : { [member]: references(kind, fqns) }

/** The service that the FQN begins with, where entities of the kind have one. */
const serviceOf = (kind: string, fqn: string): object =>
  isKind(kind) && filterNames(kindNamed(kind)).includes('service')
    ? { service: references('databaseService', ancestorFqns(fqn).slice(0, 1)) }
    : {}

/** A row of the entity with this FQN, complete and consistent: a live one at revision 0 unless told otherwise. */
export const makeRow = (fqn: string, options: RowOptions = {}): EntityRow => {
  const { fields, status = 'live', revision = 0n, displayName, description } = options
  const kind = options.kind ?? (fields ? 'table' : 'thing')
  const name = splitFqn(fqn)?.at(-1) ?? fqn
  const id = options.id ?? rowId(fqn, kind)
  const version = Number(revision) / 10 + 0.1
  return {
    id,
    kind,
    fullyQualifiedName: fqn,
    status,
    revision,
    position: options.position ?? revision * 1000n,
    updatedAt: options.updatedAt ?? 1_700_000_000_000 + Number(revision),
    parent: options.parent,
    parentBorn: options.parentBorn ?? 0n,
    born: options.born ?? 0n,
    since: options.position ?? BigInt(`0x${rowId(id).replace('-', '').slice(0, 11)}`),
    entityStatus: options.entityStatus ?? 'Unprocessed',
    deletion: options.deletion,
    inherited: options.inherited ?? false,
    restored: options.restored,
    edges: edgesOf(options.edges),
    hash: `hash of ${id} at ${revision}`,
    reference: JSON.stringify({ id, type: kind, name, fullyQualifiedName: fqn, ...(displayName && { displayName }) }),
    label: options.label,
    shownBelow: undefined,
    shownAlways: JSON.stringify({
      id,
      name,
      fullyQualifiedName: fqn,
      ...(displayName && { displayName }),
      ...(description && { description }),
      version,
    }),
    shownOnRequest: JSON.stringify({ note: `“${name}” \u0000 🎈`, ...(fields && withFields(kind, fields)) }),
    references: JSON.stringify({
      ...serviceOf(kind, fqn),
      ...referencesTo('tags', 'tag', options.tags),
      ...referencesTo('owners', 'user', options.owners),
    }),
  }
}

/** FQN of a path. */
export const fqnOf = (...parts: string[]): string => buildFqn(parts)
