import type { ReferenceRow } from '../../../projections/entities/row.ts'
import { isUuid } from '../../../kinds/names.ts'
import { isObject, type Json, type JsonObject } from '../../../shared/json.ts'
import type { OpaqueIds } from '../../../shared/secrets/opaqueIds.ts'
import { mask } from '../../../shared/secrets/shownText.ts'

/** Of what kinds a caller may know names, and what stands for the ids of the others, which are made of names. */
export interface Visibility extends Pick<OpaqueIds, 'hideId'> {
  (kind: string): boolean
}

declare const seen: unique symbol

/** A reference as the caller sees it. Answers are made of these alone, and {@link seenRow} alone makes them. */
export type SeenRow = ReferenceRow & { readonly [seen]: true }

/** A reference, or label, as those see it who may not view its kind: sent back it means the same entity. */
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

const isReference = (value: JsonObject): boolean =>
  typeof value['id'] === 'string' && isUuid(value['id']) && typeof value['type'] === 'string'

const named = ['name', 'fullyQualifiedName', 'displayName']

/** The value with the names masked of all references in it to kinds that the caller does not see. */
export const namesSeen = (value: Json, sees: Visibility): Json => {
  if (Array.isArray(value)) return value.map((item) => namesSeen(item, sees))
  if (!isObject(value)) return value
  const hidden = isReference(value) && !sees(value['type'] as string)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      hidden && named.includes(name)
        ? mask
        : hidden && name === 'id'
          ? sees.hideId(member as string)
          : namesSeen(member, sees),
    ]),
  )
}

/** Do all references from here on name what the caller sees? Whatever cannot be told so is looked at one by one. */
const seesAllIn = (text: string, at: number, sees: (kind: string) => boolean): boolean => {
  const types = /"type":(?:"([A-Za-z]+)"|)/g
  const seen = new Set<string>()
  types.lastIndex = at
  for (let found = types.exec(text); found !== null; found = types.exec(text)) {
    const [, type = ''] = found
    if (seen.has(type)) continue
    if (type === '' || !sees(type)) return false
    seen.add(type)
  }
  return true
}

/** The text of a row in which the last change names only what the caller sees. */
export const changeSeen = (text: string, sees: Visibility): string => {
  // Most texts have no change, and hardly a capital letter: what begins with one is found absent soonest.
  const at = text.includes('Description":{') ? text.indexOf('"changeDescription":') : -1
  if (at === -1 || !text.includes('"fullyQualifiedName"', at)) return text
  if (seesAllIn(text, at, sees)) return text
  const { changeDescription = null, ...members } = JSON.parse(text) as JsonObject
  return JSON.stringify({ ...members, changeDescription: namesSeen(changeDescription, sees) })
}

/** Whoever writes works on the whole. */
export const everything: Visibility = Object.assign(() => true, { hideId: (id: string) => id })
