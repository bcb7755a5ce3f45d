import { shorten } from '../../shared/bounds.ts'
import { isObject, objectsIn, textOf, type JsonObject, type Problem } from './types.ts'

/** How to choose the schema object of a contract. */
export interface ObjectSelection {
  /** The name that the caller gave. */
  objectName?: string | undefined
  /** The name of the object that the contract has been about so far. */
  presentName?: string | undefined
  entityName?: string | undefined
}

/** A schema object and its place. */
interface Placed {
  object: JsonObject
  index: number
}

/** The chosen schema object; none if the document has no objects. */
type Chosen =
  ({ ok: true; problem?: never } & Partial<Placed>) | { ok: false; problem: Problem; index?: never; object?: never }

export const objectNames = (document: JsonObject): string[] => {
  const { dataset } = document
  const list = objectsIn(document['schema'] ?? (isObject(dataset) ? dataset['tables'] : dataset))
  return list.map(({ name, table, physicalName }) => textOf(name) ?? textOf(table) ?? textOf(physicalName) ?? '')
}

/**
 * Chooses the schema object of a contract: the named one, else the present one, else the one with the entity's name,
 * else the only one. A document without objects is a problem only if one was named.
 */
export const chooseObject = (document: JsonObject, selection: ObjectSelection): Chosen => {
  const { objectName, presentName, entityName } = selection
  const objects = objectsIn(document['schema']).map((object, index) => ({ object, index }))
  const [named] = (objectName ? [objectName] : [presentName, entityName]).flatMap((name) => find(objects, name) ?? [])
  const found = objectName || objects.length !== 1 ? named : (named ?? objects[0])
  if (found !== undefined || (objects.length === 0 && !objectName)) return { ok: true, ...found }
  const names = objects.map(({ object }) => textOf(object['name']) ?? '')
  const message = objectName
    ? `there is no schema object "${objectName}"`
    : 'the document has several schema objects, name one with objectName'
  return { ok: false, problem: { path: '/schema', message: `${message}; ${available(names)}` } }
}

const available = (names: readonly string[]): string =>
  names.length === 0 ? 'the document has none' : `available are ${shorten(names.join(', '), 1000)}`

/** The first object of this name, or of this physical name; one in the same case before others. */
const find = (objects: readonly Placed[], name: string | undefined): Placed | undefined => {
  const wanted = name?.toLowerCase()
  if (wanted === undefined) return undefined
  const ways = ['name', 'physicalName'].flatMap((member) => [
    ({ object }: Placed) => object[member] === name,
    ({ object }: Placed) => textOf(object[member])?.toLowerCase() === wanted,
  ])
  return ways.flatMap((is) => objects.find(is) ?? [])[0]
}
