import type { ReferenceRow } from '../../../projections/entities/row.ts'
import type { CatalogEvent } from '../../../events/events.ts'
import { isUuid } from '../../../kinds/names.ts'
import { isObject, type Json, type JsonObject } from '../../../shared/json.ts'
import type { OpaqueIds } from '../../../shared/secrets/aesGcm.ts'
import { mask } from '../../../shared/secrets/shownText.ts'
import { z } from 'zod'
import type { KindDefinition } from '../../../kinds/defineKind.ts'
import { perKind } from '../../../kinds/perKind.ts'
import { contractKind, kindNamed, kinds, testKind } from '../../../kinds/registry/kinds.ts'
import { onRequest } from '../../../projections/entities/entityRow.ts'
import { unknownNames } from '../../../shared/nearest.ts'
import { badQuery, namesText, readParameter } from '../../http/queryParameters.ts'
import { queryParameter } from '../../http/route.ts'

/** The kinds whose names a caller may know, and opaque ids for the others (real ids derive from names). */
export interface Visibility extends Pick<OpaqueIds, 'hideId'> {
  (kind: string): boolean
}

declare const seen: unique symbol

/** A reference as the caller sees it. Answers contain only these, and only {@link seenRow} makes them. */
export type SeenRow = ReferenceRow & { readonly [seen]: true }

/** A reference or label without names, for callers who may not view its kind. Sent back, it means the same entity. */
const withoutName = (row: ReferenceRow, { hideId }: Visibility): ReferenceRow => {
  const id = hideId(row.id)
  const { source, labelType, state } = JSON.parse(row.label ?? '{}') as JsonObject
  return {
    ...row,
    reference: JSON.stringify({ id, type: row.kind, name: mask, fullyQualifiedName: mask }),
    label: row.label && JSON.stringify({ tagFQN: id, name: mask, source, labelType, state }),
  }
}

/** A reference as the caller sees it. */
export const seenRow = (row: ReferenceRow, sees: Visibility): SeenRow =>
  (sees(row.kind) ? row : withoutName(row, sees)) as SeenRow

/** The reference object of a row as JSON text. */
export const referenceText = (row: SeenRow): string =>
  `${row.reference.slice(0, -1)},"deleted":${row.status === 'deleted'}}`

/** The reference object of a row; by default as who may view all kinds sees it. */
export const referenceOf = (row: ReferenceRow, sees: Visibility = fullView): JsonObject =>
  JSON.parse(referenceText(seenRow(row, sees))) as JsonObject

const isReference = (value: JsonObject): boolean =>
  typeof value['id'] === 'string' && isUuid(value['id']) && typeof value['type'] === 'string'

const named = ['name', 'fullyQualifiedName', 'displayName']

const documentKinds = Object.values(kindNamed(contractKind).fields).flatMap(({ references }) => references?.kinds ?? [])

/** Whether an imported document may name what the caller may not: people, labels and tests are merged into it. */
export const hidesDocument = (sees: Visibility): boolean => !documentKinds.every(sees)

const hiddenDocument = { source: mask }

const isDocument = ({ contentType, version, source, packed }: JsonObject): boolean =>
  contentType !== undefined && version !== undefined && (source ?? packed) !== undefined

/** Whether it is a part of such a document in the description of a change. */
const isDocumentPart = ({ name, oldValue, newValue }: JsonObject): boolean =>
  typeof name === 'string' && name.startsWith('odcs.') && (oldValue ?? newValue) !== undefined

const namesTests = (value: JsonObject): boolean => 'qualityValidation' in value || 'testResults' in value

const withoutTests = (result: JsonObject): JsonObject => {
  const { message: _, qualityValidation: __, testResults: ___, promises, ...others } = result
  const shown = Array.isArray(promises) && promises.filter((each) => isObject(each) && each['part'] !== 'quality')
  return { ...others, ...(shown && { promises: shown }) }
}

/** The value with names masked in all references, results of contracts and imported documents, that the caller may not see. */
export const maskNames = (value: Json, sees: Visibility): Json => {
  if (Array.isArray(value)) return value.map((item) => maskNames(item, sees))
  if (!isObject(value)) return value
  if (isDocument(value) && hidesDocument(sees)) return hiddenDocument
  if (isDocumentPart(value) && hidesDocument(sees)) return { name: value['name'] as string }
  if (namesTests(value) && !sees(testKind)) return maskNames(withoutTests(value), sees)
  const hidden = isReference(value) && !sees(value['type'] as string)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      hidden && named.includes(name)
        ? mask
        : hidden && name === 'id'
          ? sees.hideId(member as string)
          : maskNames(member, sees),
    ]),
  )
}

/** A statement without the details of edges of which the caller may not view both ends: SQL and columns name them. */
const withEdgesSeen = (data: Json, sees: Visibility): Json => {
  const { entity, edges, ...stated } = data as unknown as (CatalogEvent & { type: 'LineageStated' })['data']
  const shown = edges.map((edge) => (sees(entity.type) && sees(edge.from.type) ? edge : { from: edge.from }))
  return { ...stated, entity, edges: shown } as unknown as Json
}

/** The data of an event without what the caller may not see. */
export const maskEvent = (type: CatalogEvent['type'], data: Json, sees: Visibility): Json =>
  maskNames(type === 'LineageStated' ? withEdgesSeen(data, sees) : data, sees)

const masked = new Set(['changeDescription', 'latestResult'])

/** The text of a row with names masked in its change description and in the result of a contract. */
export const maskChangeNames = (text: string, sees: Visibility): string => {
  // Capital letters are rare, so searching for one first shows absence quickly.
  const at = text.includes('Description":{') ? text.indexOf('"changeDescription":') : -1
  const mayName = at !== -1 && /"(?:fullyQualifiedName"|contentType"|name":"odcs\.)/.test(text.slice(at))
  const hasHiddenResult = !sees(testKind) && text.includes('"latestResult":{')
  if (!hasHiddenResult && (!mayName || kinds.every(({ name }) => sees(name)))) return text
  const members = Object.entries(JSON.parse(text) as JsonObject)
  return JSON.stringify(
    Object.fromEntries(members.map(([name, value]) => [name, masked.has(name) ? maskNames(value, sees) : value])),
  )
}

/** The text of a row with its imported document masked. */
export const maskDocument = (text: string, sees: Visibility): string => {
  if (!hidesDocument(sees)) return text
  const { odcs, ...members } = JSON.parse(text) as JsonObject
  return JSON.stringify({ ...members, ...(odcs && { odcs: hiddenDocument }) })
}

export const fullView: Visibility = Object.assign(() => true, { hideId: (id: string) => id })

/** Optional members of an answer: `list`: none; `get`: those of a single get; else those named by `fields`. */
export type FieldSet = 'list' | 'get' | ReadonlySet<string>

/** The shown name of a member: voters are part of `votes`. */
export const shownName = (name: string): string => (name === 'upVoters' || name === 'downVoters' ? 'votes' : name)

const isShown = (name: string, shown: 'always' | 'request' | 'only-request' | undefined, wanted: FieldSet): boolean => {
  if (shown === undefined || shown === 'always') return true
  if (wanted === 'list') return false
  if (wanted === 'get') return shown === 'request'
  return wanted.has(name) || wanted.has('*')
}

const listMembers = perKind((definition) => [
  ...Object.entries(definition.fields)
    .filter(
      ([name, { references, schema }]) =>
        shownName(name) === name && (references?.many ?? schema instanceof z.ZodArray),
    )
    .map(([name]) => name),
  ...Object.entries(definition.computed)
    .filter(([, { from }]) => from === 'children' || from === 'related')
    .map(([name]) => name),
])

const makeShape = (definition: KindDefinition, shown: FieldSet, lists: readonly string[]) => {
  const fields = Object.entries(definition.fields)
  const hidden = new Set(
    fields.filter(([name, field]) => !isShown(shownName(name), field.shown, shown)).map(([name]) => name),
  )
  const plain = fields.filter(([, field]) => onRequest(field) && field.references === undefined)
  const open = plain.filter(([name]) => !hidden.has(name))
  const named = (name: string): boolean => typeof shown !== 'string' && (shown.has(name) || shown.has('*'))
  return {
    definition,
    /** Members to omit. */
    hidden,
    computed: Object.entries(definition.computed).filter(([name, computed]) => isShown(name, computed.shown, shown)),
    /** Which of a row's `shownOnRequest` are needed. */
    onRequest: open.length === 0 ? 'nothing' : open.length === plain.length ? 'all' : 'some',
    votes: definition.traits.votes === true && isShown('votes', 'request', shown),
    /** Members that refer to ancestors. */
    ancestors: [...new Set([...definition.parents.map((parent) => parent.field), ...definition.ancestors])],
    /** Lists that are shown even if empty. */
    demanded: new Set(listMembers(definition).filter((name) => lists.includes(name) || named(name))),
  } as const
}

/** The shape of answers of one kind. */
export type Shape = ReturnType<typeof makeShape>

const usual = {
  list: perKind((definition) => makeShape(definition, 'list', [])),
  get: perKind((definition) => makeShape(definition, 'get', [])),
}

/** @param lists further lists that are shown even if empty */
export const shapeOf = (definition: KindDefinition, shown: FieldSet, lists: readonly string[] = []): Shape =>
  typeof shown === 'string' && lists.length === 0 ? usual[shown](definition) : makeShape(definition, shown, lists)

export type Include = 'non-deleted' | 'deleted' | 'all'

/** The optional members that `fields` can name. */
export const optionalMembers = (definition: KindDefinition): string[] => [
  ...Object.entries(definition.fields)
    .filter(([name, field]) => onRequest(field) && shownName(name) === name)
    .map(([name]) => name),
  ...Object.entries(definition.computed)
    .filter(([, computed]) => computed.shown !== 'always')
    .map(([name]) => name),
  ...(definition.traits.votes ? ['votes'] : []),
]

/** The parameter with member names or `*`. */
export const fieldsParameter = perKind((definition) =>
  queryParameter(
    'fields',
    `Optional members, comma-separated, or *: ${optionalMembers(definition).join(', ')}`,
    namesText(),
  ),
)

/** Reads `fields`. @throws DomainError `invalid` that names unknown ones */
export const readFields = (
  query: ReadonlyMap<string, string>,
  definition: KindDefinition,
  otherwise: FieldSet,
): FieldSet => {
  const given = readParameter(query, fieldsParameter(definition)) ?? []
  if (given.length === 0) return otherwise
  const names = given.map((name) => memberNamed(definition, name))
  const unknown = names.filter((name) => name.member === undefined).map((name) => name.given)
  const problem = unknownNames(unknown, [...optionalMembers(definition), '*'])
  if (problem === undefined) return new Set(names.flatMap(({ given, member }) => [member as string, given]))
  throw badQuery('fields', problem)
}

const memberNamed = (definition: KindDefinition, given: string): { given: string; member: string | undefined } => {
  const aliased = Object.entries(definition.fields).find(([, field]) => field.aliases?.includes(given))
  const known =
    given === '*' ||
    Object.hasOwn(definition.fields, given) ||
    Object.hasOwn(definition.computed, given) ||
    optionalMembers(definition).includes(given)
  return { given, member: aliased?.[0] ?? (known ? given : undefined) }
}
