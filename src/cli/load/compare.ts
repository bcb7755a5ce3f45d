import { childFqn } from '../../kinds/names.ts'
import { isObject, sameJson, type Json, type JsonObject } from '../../shared/json.ts'

/** Members that people may write; all others follow the source. */
const describing: ReadonlySet<string> = new Set(['description', 'displayName', 'tags', 'owners', 'domains'])

export interface MemberChange {
  /** Path of the member: `columns.id.description`. */
  readonly path: string
  /** What becomes of an item of a list, if more than its members change. */
  readonly effect?: 'added' | 'removed'
  /** Whether it is a description, name, tag, owner or domain. */
  readonly describes: boolean
  /** Whether there is no value yet. */
  readonly fills: boolean
  /** Whether a list would become empty. */
  readonly clears: boolean
  /** Removes the change from the create request, so that the present value stays. */
  readonly exclude: () => void
}

const nameIn = (value: Json): Json =>
  isObject(value) ? (value['fullyQualifiedName'] ?? value['tagFQN'] ?? value['name'] ?? value) : value

/** Whether the present value equals the wanted one, in which references are names. */
const isSame = (wanted: Json, standing: Json | undefined): boolean => {
  if (standing === undefined) return wanted === null || isNone(wanted)
  if (typeof wanted === 'string') return wanted === nameIn(standing)
  if (Array.isArray(wanted) && Array.isArray(standing)) {
    const isNames = wanted.every((item) => typeof item === 'string')
    if (isNames) return sameJson([...wanted].sort(), standing.map(nameIn).sort())
    return wanted.length === standing.length && wanted.every((item) => standing.some((other) => isSame(item, other)))
  }
  if (isObject(wanted) && isObject(standing))
    return Object.entries(wanted).every(([name, value]) => isSame(value, standing[name]))
  return sameJson(wanted, standing)
}

const isNone = (value: Json | undefined): boolean => value === undefined || (Array.isArray(value) && value.length === 0)

const isNamedList = (value: Json | undefined): value is JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && typeof item['name'] === 'string')

/** The changes that a create request would make to an entity. @param wanted `leaveOut` removes its members */
export const changesOf = (wanted: JsonObject, standing: JsonObject, at?: string): MemberChange[] =>
  Object.entries(wanted).flatMap(([name, value]): MemberChange[] => {
    const path = at === undefined ? name : childFqn(at, name)
    const now = standing[name]
    if (isNamedList(value)) return listChanges(value, now, path)
    if (isSame(value, now)) return []
    const exclude = () => void delete wanted[name]
    return [{ path, describes: describing.has(name), fills: isNone(now), clears: isNone(value), exclude }]
  })

const listChanges = (wanted: readonly JsonObject[], now: Json | undefined, path: string): MemberChange[] => {
  const known = new Map((isNamedList(now) ? now : []).map((item) => [item['name'] as string, item]))
  const names = new Set(wanted.map((item) => item['name'] as string))
  const whole = (name: string, effect: 'added' | 'removed'): MemberChange => ({
    path: childFqn(path, name),
    effect,
    describes: false,
    fills: false,
    clears: false,
    exclude: () => undefined,
  })
  return [
    ...wanted.flatMap((item) => {
      const name = item['name'] as string
      const standing = known.get(name)
      return standing === undefined ? [whole(name, 'added')] : changesOf(item, standing, childFqn(path, name))
    }),
    ...[...known.keys()].filter((name) => !names.has(name)).map((name) => whole(name, 'removed')),
  ]
}
