import type { ReferenceRow } from '../../../projections/entities/row.ts'
import type { CatalogEvent } from '../../../events/events.ts'
import { isUuid } from '../../../kinds/names.ts'
import { isObject, type Json, type JsonObject } from '../../../shared/json.ts'
import type { OpaqueIds } from '../../../shared/secrets/aesGcm.ts'
import { mask } from '../../../shared/secrets/shownText.ts'
import { contractKind, kindNamed, kinds, testKind } from '../../../kinds/registry/kinds.ts'

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
