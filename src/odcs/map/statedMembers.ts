import { readCustom, setCustom, withOwnCustom } from '../model/customProperties.ts'
import { CUSTOM_MEMBERS, MAPPED_MEMBERS, type MappedMember } from '../model/contract.ts'
import { isList, isObject, type Json, type JsonObject } from '../model/types.ts'
import { namedLevels } from './sla.ts'

/** Members of a v3.1.0 document that state members of a contract. */
const PLACES: Partial<Record<MappedMember, string>> = {
  displayName: 'name',
  description: 'description',
  entityStatus: 'status',
  schema: 'schema',
  qualityExpectations: 'schema',
  sla: 'slaProperties',
  security: 'roles',
}

const CUSTOM: ReadonlySet<MappedMember> = new Set([...CUSTOM_MEMBERS, 'sla', 'security', 'qualityExpectations'])

const statesPeople = ({ team }: JsonObject): boolean =>
  isList(team) || (isObject(team) && team['members'] !== undefined)

/** The members of a contract that a v3.1.0 document states, whether or not they can be mapped. */
export const statedMembers = (document: JsonObject): MappedMember[] =>
  MAPPED_MEMBERS.filter((member) => {
    if (member === 'owners' || member === 'reviewers') return statesPeople(document)
    const place = PLACES[member]
    return (
      (place !== undefined && document[place] !== undefined) ||
      (CUSTOM.has(member) && readCustom(document, member) !== undefined)
    )
  })

/** A merged document without old custom properties for what the incoming document states where the standard has it. */
export const withoutReplaced = (
  merged: JsonObject,
  incoming: JsonObject,
  objectName: string | undefined,
): JsonObject => {
  const replaced = {
    security: incoming['roles'] === undefined ? [] : ['policies'],
    sla: namedLevels({ ...merged, slaProperties: incoming['slaProperties'] ?? [] }, objectName),
  }
  const left = withOwnCustom(merged)
  for (const [member, names] of Object.entries(replaced)) {
    const old = readCustom(left, member)
    if (readCustom(incoming, member) === undefined && isObject(old) && names.some((name) => old[name] !== undefined))
      setCustom(left, member, withoutMembers(old, names))
  }
  return left
}

const withoutMembers = (object: JsonObject, names: readonly string[]): Json | undefined => {
  const left = Object.entries(object).filter(([name]) => !names.includes(name))
  return left.length === 0 ? undefined : Object.fromEntries(left)
}
