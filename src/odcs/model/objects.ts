import { shorten } from '../../shared/bounds.ts'
import { isObject, itemsIn, objectsIn, textOf, type JsonObject, type Problem } from './types.ts'

/** How to choose the schema object of a contract: by name if given, else by the name of the entity. */
export interface ObjectSelection {
  objectName?: string | undefined
  entityName?: string | undefined
}

/** The chosen schema object and its place; neither if the document has no objects. */
type Chosen = { ok: true; index?: number; object?: JsonObject } | { ok: false; problem: Problem }

export const objectNames = (document: JsonObject): string[] => {
  const { dataset } = document
  const list = objectsIn(document['schema'] ?? (isObject(dataset) ? dataset['tables'] : dataset))
  return list.map(({ name, table, physicalName }) => textOf(name) ?? textOf(table) ?? textOf(physicalName) ?? '')
}

/**
 * Chooses the schema object of a contract: the named one, else the one with the entity's name, else the only one. A
 * document without objects is a problem only if one was named.
 */
export const chooseObject = (document: JsonObject, { objectName, entityName }: ObjectSelection): Chosen => {
  const objects = itemsIn(document['schema']).flatMap((object, index) => (isObject(object) ? [{ object, index }] : []))
  const names = objects.map(({ object }) => textOf(object['name']) ?? '')
  if (objectName !== undefined && objectName !== '') {
    const found = find(objects, objectName)
    return found ? { ok: true, ...found } : refuse(`there is no schema object "${objectName}"; ${available(names)}`)
  }
  if (objects.length === 0) return { ok: true }
  const byEntity = entityName === undefined ? undefined : find(objects, entityName)
  if (byEntity) return { ok: true, ...byEntity }
  const [only] = objects
  if (only && objects.length === 1) return { ok: true, ...only }
  return refuse(`the document has several schema objects, name one with objectName; ${available(names)}`)
}

const available = (names: readonly string[]): string =>
  names.length === 0 ? 'the document has none' : `available are ${shorten(names.join(', '), 1000)}`

const refuse = (message: string): Chosen => ({ ok: false, problem: { path: '/schema', message } })

interface Placed {
  object: JsonObject
  index: number
}

/** The first object of this name, or of this physical name; one in the same case before others. */
const find = (objects: readonly Placed[], name: string): Placed | undefined => {
  const wanted = name.toLowerCase()
  const ways = ['name', 'physicalName'].flatMap((member) => [
    ({ object }: Placed) => object[member] === name,
    ({ object }: Placed) => textOf(object[member])?.toLowerCase() === wanted,
  ])
  return ways.flatMap((is) => objects.find(is) ?? [])[0]
}
