import { readCustom, setCustom, withOwnCustom } from '../model/customProperties.ts'
import { CUSTOM_MEMBERS, DOCUMENT_MEMBERS, MAPPED_MEMBERS, type MappedMember } from '../model/contract.ts'
import { isObject, type JsonObject } from '../model/types.ts'
import { namedLevels } from './sla.ts'

const PLACES: Partial<Record<MappedMember, string>> = { ...DOCUMENT_MEMBERS, qualityExpectations: 'schema' }

const CUSTOM: ReadonlySet<MappedMember> = new Set([...CUSTOM_MEMBERS, 'sla', 'security', 'qualityExpectations'])

const statesPeople = ({ team }: JsonObject): boolean =>
  Array.isArray(team) || (isObject(team) && team['members'] !== undefined)

/** The members of a contract that a v3.1.0 document states, whether or not they can be mapped. */
export const statedMembers = (document: JsonObject): MappedMember[] =>
  MAPPED_MEMBERS.filter((member) => {
    const place = PLACES[member]
    if (place === 'team') return statesPeople(document)
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
  const left = withOwnCustom(merged)
  const drop = (member: 'security' | 'sla', names: readonly string[]): void => {
    const old = readCustom(left, member)
    if (readCustom(incoming, member) !== undefined || !isObject(old)) return
    const rest = Object.entries(old).filter(([name]) => !names.includes(name))
    if (rest.length === Object.keys(old).length) return
    setCustom(left, member, rest.length > 0 ? Object.fromEntries(rest) : undefined)
  }
  if (incoming['roles'] !== undefined) drop('security', ['policies'])
  drop('sla', namedLevels({ ...merged, slaProperties: incoming['slaProperties'] ?? [] }, objectName))
  return left
}
