import type { Json, JsonObject } from '../../../shared/json.ts'
import { withoutEdges } from '../../../commands/statements.ts'
import { type Members, type Reference, incarnationKey } from '../../../events/events.ts'
import type { Field, KindDefinition } from '../../../kinds/defineKind.ts'
import { lineageKind } from '../../../kinds/registry/kinds.ts'
import { nestedReferences } from '../../../projections/entities/entityRow.ts'
import type { ListRow } from '../../../projections/entities/row.ts'
import { hasJsonMember, maskSecrets, sealedMember } from '../../../shared/secrets/sealed.ts'
import { maskChangeNames, maskDocument, referenceText, type SeenRow, type Visibility } from './masking.ts'
import { shownName, type Shape, type FieldSet } from './shape.ts'

/** Referenced rows by incarnation key, at the shown point in time. */
export type ReferenceMap = ReadonlyMap<string, SeenRow>

/** JSON texts of computed members by `<entity id> <member>`. */
export type ComputedTexts = ReadonlyMap<string, string>

/** Consecutive rows of one kind with the same references, which are serialised once. */
export interface Group {
  readonly shape: Shape
  readonly references: Readonly<Record<string, readonly Reference[]>>
  /** The cached text of the references. */
  text?: string
}

export interface Part {
  readonly row: ListRow
  readonly group: Group
}

/** Context for serialising a row. */
interface TextContext {
  readonly found: ReferenceMap
  readonly computed: ComputedTexts
  readonly options: {
    readonly shown: FieldSet
    readonly baseUrl: string
    readonly sees: Visibility
  }
}

/** The stored members of a row, those that are shown on request too. */
export const storedMembers = (row: Pick<ListRow, 'shownAlways' | 'shownOnRequest'>): JsonObject => ({
  ...(JSON.parse(row.shownAlways) as JsonObject),
  ...(JSON.parse(row.shownOnRequest) as JsonObject),
})

/** The JSON text of an entity: stored texts, references and computed members. */
export const entityText = ({ row, group }: Part, context: TextContext): string => {
  const { shape } = group
  const { definition, demanded } = shape
  const { found, computed, options } = context
  const labels = group.references[nestedReferences] === undefined ? undefined : labelsOf(found)
  let text = membersText(plainText(maskChangeNames(shownAlways(row), options.sees), definition, labels))
  if (shape.onRequest !== 'nothing' && row.shownOnRequest !== '{}')
    text += onRequestText(row.shownOnRequest, shape, labels, options.sees)
  text += group.text ??= referencesText(group, context)
  for (const [name] of shape.computed) {
    const value = computed.get(`${row.id} ${name}`)
    text += value === undefined ? emptyList(name, demanded) : `,${JSON.stringify(name)}:${value}`
  }
  if (demanded.size > 0) text += emptyLists(row, shape)
  return `{${text},"href":${JSON.stringify(`${options.baseUrl}/v1/${definition.path}/${row.id}`)}}`
}

const shownAlways = (row: ListRow): string =>
  row.kind === lineageKind ? JSON.stringify(withoutEdges(JSON.parse(row.shownAlways) as Members)) : row.shownAlways

/** The text of an object without its braces. */
const membersText = (text: string): string => text.slice(1, -1)

const emptyList = (name: string, demanded: ReadonlySet<string>): string =>
  demanded.has(name) ? `,${JSON.stringify(name)}:[]` : ''

/** Requested lists that the row lacks and that are not references. */
const emptyLists = (row: ListRow, { definition, demanded }: Shape): string => {
  const own = [...demanded].filter(
    (name) => name in definition.fields && definition.fields[name]?.references === undefined,
  )
  if (own.length === 0) return ''
  const present = storedMembers(row)
  return own.map((name) => (name in present ? '' : `,${JSON.stringify(name)}:[]`)).join('')
}

/** A stored text with secrets masked and labels resolved. */
const plainText = (text: string, definition: KindDefinition, labels: LabelOf | undefined): string => {
  const sealed = hasJsonMember(text, sealedMember)
  if (labels === undefined && !sealed) return text
  const members = JSON.parse(text) as JsonObject
  const masked = sealed ? (maskSecrets(members) as JsonObject) : members
  return JSON.stringify(labels === undefined ? masked : withLabels(masked, definition, labels))
}

const onRequestText = (all: string, shape: Shape, labels: LabelOf | undefined, sees: Visibility): string => {
  const seen = all.includes('"odcs":{') ? maskDocument(all, sees) : all
  const text = plainText(seen, shape.definition, labels)
  if (shape.onRequest === 'all') return `,${membersText(text)}`
  return Object.entries(JSON.parse(text) as JsonObject)
    .filter(([name]) => !shape.hidden.has(name))
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('')
}

type LabelOf = (reference: JsonObject) => Json | undefined

const labelsOf = (found: ReferenceMap): LabelOf => {
  const read = new Map<string, Json | undefined>()
  return (reference) => {
    const incarnation = incarnationKey(reference as Reference)
    if (!read.has(incarnation)) {
      const label = found.get(incarnation)?.label
      read.set(incarnation, label === undefined ? undefined : (JSON.parse(label) as Json))
    }
    return read.get(incarnation)
  }
}

const withLabels = (members: JsonObject, definition: KindDefinition, labels: LabelOf): JsonObject =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, definition.fields[name]?.nested?.(value, labels) ?? value]),
  )

/** The text of references and of members inherited from ancestors. */
const referencesText = ({ shape, references }: Group, { found }: TextContext): string => {
  const { definition, demanded } = shape
  let text = ''
  for (const [name, list] of Object.entries(references)) {
    if (name === nestedReferences || shownName(name) === 'votes' || shape.hidden.has(name)) continue
    const field = definition.fields[name]
    text += memberText(name, shownOf(list, found, field), field, shape) || emptyList(name, demanded)
  }
  for (const name of demanded)
    if (definition.fields[name]?.references && references[name] === undefined) text += emptyList(name, demanded)
  if (shape.votes) {
    const [up, down] = [shownOf(references['upVoters'], found), shownOf(references['downVoters'], found)]
    text += `,"votes":{"upVotes":${up.length},"downVotes":${down.length},"upVoters":[${up.join(',')}],"downVoters":[${down.join(',')}]}`
  }
  for (const name of shape.ancestors) {
    const above = references[name]?.[0]
    const shownBelow = above && found.get(incarnationKey(above))?.shownBelow
    if (shownBelow !== undefined && shownBelow !== '{}') text += `,${membersText(shownBelow)}`
  }
  return text
}

/** The texts of existing references. */
const shownOf = (list: readonly Reference[] = [], found: ReferenceMap, field?: Field): string[] => {
  const texts: string[] = []
  for (const reference of list) {
    const row = found.get(incarnationKey(reference))
    const text = row === undefined || field?.references?.as !== 'label' ? row && referenceText(row) : row.label
    if (text !== undefined) texts.push(text)
  }
  return texts
}

const memberText = (name: string, items: readonly string[], field: Field | undefined, shape: Shape): string => {
  if (items.length === 0) return ''
  if (!field?.references?.many) return `,${JSON.stringify(name)}:${items[0]}`
  const alone = firstNames(field, shape).map((first) => `,${JSON.stringify(first)}:${items[0]}`)
  return `,${JSON.stringify(name)}:[${items.join(',')}]${alone.join('')}`
}

/** Names under which the first of several references is also answered. */
const firstNames = ({ first, aliases = [] }: Field, { isNamed }: Shape): readonly string[] => {
  const requested = aliases.filter(isNamed)
  return first === undefined ? requested : [...new Set([first, ...requested])]
}
