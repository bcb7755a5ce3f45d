import { PROPERTY_TEXTS } from './map/columnMapping.ts'
import { DOCUMENT_MEMBERS } from './model/contract.ts'
import { customIndex } from './model/customProperties.ts'
import { chooseObject, type ObjectSelection } from './model/objects.ts'
import { decodeText } from './model/text.ts'
import {
  documentValueAt,
  isObject,
  pathOf,
  pointer,
  type ContentType,
  type Json,
  type JsonObject,
  type Path,
  type Problem,
} from './model/types.ts'
import { parseText, placedIn } from './read/readDocument.ts'
import { upgrade } from './upgrade/upgrade.ts'

/** Maps problems of a contract to places in its document; a path without a leading `/` stays. */
export const placeProblems = (
  input: Uint8Array | string,
  contentType: ContentType,
  choice: ObjectSelection,
  problems: readonly Problem[],
): Problem[] => {
  const decoded = decodeText(input)
  if ('problem' in decoded) return [...problems]
  const parsed = parseText(decoded.text, contentType)
  const document = isObject(parsed.value) ? parsed.value : {}
  const upgraded = upgrade(document, choice).document
  const chosen = chooseObject(upgraded, choice)
  return problems.flatMap((problem) =>
    problem.path.startsWith('/')
      ? placedIn(parsed, decoded.text, [
          { ...problem, path: pointer(documentPath(upgraded, chosen, pathOf(problem.path))) },
        ])
      : [problem],
  )
}

/** Document members by contract member; other ones are custom properties. */
const sources: Readonly<Record<string, string>> = { ...DOCUMENT_MEMBERS, name: 'name' }

const columnSources: Readonly<Record<string, string>> = { ...PROPERTY_TEXTS, name: 'name', dataType: 'logicalType' }

const documentPath = (document: JsonObject, chosen: ReturnType<typeof chooseObject>, path: Path): Path => {
  const [member, ...rest] = path
  if (member !== 'schema') return memberPath(document, sources, path)
  const { index = 0, object } = chosen
  return ['schema', index, ...columnPath(object, ['children', ...rest])]
}

/** @param path of a member of the element's column, such as `children/0/name` */
const columnPath = (element: Json | undefined, [member, ...rest]: Path): Path => {
  if (!isObject(element) || member === undefined) return []
  if (member !== 'children') return memberPath(element, columnSources, [member, ...rest])
  const holder = Array.isArray(element['properties']) || !isObject(element['items']) ? [] : ['items']
  const place = [...holder, 'properties', ...rest.slice(0, 1)]
  return [...place, ...columnPath(documentValueAt(element, place), rest.slice(1))]
}

const memberPath = (
  element: JsonObject,
  names: Readonly<Record<string, string>>,
  [member = '', ...rest]: Path,
): Path => {
  const name = names[member]
  if (name !== undefined) return [name, ...rest]
  const at = customIndex(element, member === 'tags' ? 'columnTags' : String(member))
  return at === -1 ? [] : ['customProperties', at, 'value', ...rest]
}
