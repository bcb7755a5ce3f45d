import type { AssetColumn } from '../shared/columnTypes.ts'
import { readCustom, setCustom, withOwnCustom } from './model/customProperties.ts'
import {
  CUSTOM_MEMBERS,
  DOCUMENT_MEMBERS,
  MAPPED_MEMBERS,
  type ContractMembers,
  type MappedMember,
} from './model/contract.ts'
import { exportDocument, exportYaml, type CurrentContract, type ExportInput } from './write/exportDocument.ts'
import { chooseObject, type ObjectSelection } from './model/objects.ts'
import { readDocument, textProblem, type ReadDocument } from './read/readDocument.ts'
import { packedSource, type StoredOdcs } from './map/stored.ts'
import { levelIdentity, namedLevels } from './map/sla.ts'
import { MAX_PROBLEMS } from './model/text.ts'
import { peopleIn } from './map/team.ts'
import { toContract, type Mapped } from './map/toContract.ts'
import {
  EXPORT_VERSION,
  itemsIn,
  sameText,
  textOf,
  toJson,
  type ContentType,
  type JsonObject,
  type Problem,
  type ProblemList,
  isObject,
  type Json,
} from './model/types.ts'
import { upgrade, type Upgrade } from './upgrade/upgrade.ts'
import { missingColumns } from './map/validate.ts'
import { writeYaml } from './text/yamlTokens.ts'
import { editYaml } from './text/yamlEdit.ts'

export interface ImportOptions extends ObjectSelection {
  contentType: ContentType
  /** Of the import, in epoch milliseconds: who has left the team by then is not taken. */
  time: number
  /** The id of the contract, given to a document without an id. */
  contractId?: string | undefined
  /** Columns or fields of the entity; an asset without any accepts every document. */
  assetColumns?: readonly AssetColumn[] | undefined
  /** `merge` needs `current`; the default is `replace`. */
  mode?: 'merge' | 'replace' | undefined
  current?: Pick<ExportInput, 'contract' | 'stored' | 'time'> | undefined
}

export interface Imported extends Pick<Mapped, 'name' | 'quality' | 'warnings'> {
  ok: true
  /** Names for the caller to resolve in the catalog. */
  candidates: { owners: string[]; reviewers: string[]; qualityExpectations: string[] }
  /** Stored as one member of the contract; add `resolved` once the names are resolved. */
  stored: StoredOdcs
  /** The contract's members. With `replace`, absent ones are dropped. */
  contract: ContractMembers
  /** The members that the document states; a merge leaves the others as they are. */
  stated: MappedMember[]
  /** Whether the text is an export of `current`, so that nothing is to be imported but names that are known now. */
  isExport: boolean
}

/** Prepares an import without storing anything. Arguments and result can be cloned between threads. */
export const importDocument = (
  input: Uint8Array | string,
  options: ImportOptions,
): Imported | ({ ok: false } & ProblemList) => {
  const read = readDocument(input, options.contentType)
  if (!read.ok) return read
  const { current, entityName } = options
  const present = current && exportDocument({ ...current, entityName }).document
  const kept = options.mode === 'merge' ? present : undefined
  const choice = { ...options, presentName: current?.stored?.objectName }
  // A document without objects is merged into a contract that keeps its own.
  const keepsObjects =
    kept !== undefined && ['schema', 'dataset'].every((member) => read.document[member] === undefined)
  const given = keepsObjects ? withRules(read.document, kept, choice) : read.document
  const upgraded = upgrade(given, { ...choice, id: textOf(kept?.['id']) ?? options.contractId })
  const refuse = (problems: Problem[]) => ({
    ok: false as const,
    problems: read.placed(problems.slice(0, MAX_PROBLEMS)),
    unlisted: Math.max(0, problems.length - MAX_PROBLEMS),
  })
  if (upgraded.unfit !== undefined) return refuse([upgraded.unfit])
  const merged = kept === undefined ? upgraded.document : mergeImport(kept, upgraded.document)
  const chosen = chooseObject(merged, choice)
  if (!chosen.ok) return refuse([chosen.problem])
  const missing = keepsObjects ? [] : missingColumns(chosen, options.assetColumns ?? [])
  if (missing.length > 0) return refuse(missing)
  const document = withoutReplaced(merged, upgraded.document, textOf(chosen.object?.['name']))
  const { source, ...identity } = storedText(read, upgraded, document)
  const problem = unreadable(read, source)
  if (problem !== undefined) return refuse([problem])
  const mapped = toContract(document, chosen)
  // An export of a contract without a display name says its name.
  const isUnnamed = current?.contract.displayName === undefined && present?.['name'] === document['name']
  const { displayName: _, ...unnamed } = mapped.contract
  return {
    ok: true,
    stored: {
      ...packedSource(source),
      contentType: read.contentType,
      ...identity,
      ...(mapped.objectName !== undefined && { objectName: mapped.objectName }),
      ...(current !== undefined && sharedLabels(document, current.contract)),
    },
    contract: isUnnamed ? unnamed : mapped.contract,
    stated: kept === undefined ? [...MAPPED_MEMBERS] : statedMembers(upgraded.document),
    isExport: present !== undefined && isExport(read, document, mapped.objectName, options, present),
    name: mapped.name,
    quality: mapped.quality,
    candidates: candidatesIn(document, options.time),
    warnings: [...read.warnings, ...upgraded.warnings, ...mapped.warnings],
  }
}

const candidatesIn = (document: JsonObject, time: number): Imported['candidates'] => ({
  owners: peopleIn(document, 'owner', time),
  reviewers: peopleIn(document, 'reviewer', time),
  qualityExpectations: itemsIn(readCustom(document, 'qualityExpectations')).filter((name) => typeof name === 'string'),
})

/** Whether an import has nothing to change: the text is an export of the present contract, about the same object. */
const isExport = (
  { source, contentType }: ReadDocument,
  document: JsonObject,
  objectName: string | undefined,
  { current, entityName }: ImportOptions,
  present: JsonObject,
): boolean =>
  current !== undefined &&
  [undefined, objectName].includes(current.stored?.objectName) &&
  sameText(document, present) &&
  // Values are all that JSON says; a text in YAML may have other comments.
  (contentType === 'json' || source === exportYaml({ ...current, entityName }))

/** A top-level `quality` is about the object that the contract keeps, whose rules it replaces. */
const withRules = (incoming: JsonObject, kept: JsonObject, choice: ObjectSelection): JsonObject => {
  const { quality, ...rest } = incoming
  const { index, object } = chooseObject(kept, choice)
  if (!Array.isArray(quality) || index === undefined) return incoming
  return { ...rest, schema: itemsIn(kept['schema']).with(index, { ...object, quality }) }
}

interface StoredText extends Pick<StoredOdcs, 'version' | 'givenId'> {
  readonly source: string
}

// The original text, unless a merge changed it.
const storedText = (read: ReadDocument, upgraded: Upgrade, document: JsonObject): StoredText => {
  const { source, version } = read
  if (document === upgraded.document || sameText(upgraded.document, document)) {
    const givenId = upgraded.identified ? textOf(document['id']) : undefined
    return { source, version, ...(givenId !== undefined && { givenId }) }
  }
  if (read.contentType === 'json') return { source: toJson(document, 2), version: EXPORT_VERSION }
  const edited = version.startsWith('v2') ? undefined : editYaml(source, read.document, document)
  return { source: edited ?? writeYaml(document), version: EXPORT_VERSION }
}

/** Why the catalog could not read again what it would store. */
const unreadable = (read: ReadDocument, source: string): Problem | undefined => {
  const why = source === read.source ? undefined : textProblem(source, read.contentType)
  if (why === undefined) return undefined
  return { path: '', message: `the merged document could not be read again: ${why}; send it with mode=replace` }
}

/** The tags and the domain of a contract that its document has, too. */
const sharedLabels = (document: JsonObject, { tags = [], domain }: CurrentContract): Pick<StoredOdcs, 'labels'> => {
  const said = new Set(itemsIn(document['tags']))
  const shared = tags.filter((tag) => said.has(tag))
  const labels = {
    ...(shared.length > 0 && { tags: shared }),
    ...(domain !== undefined && domain === document['domain'] && { domain }),
  }
  return Object.keys(labels).length > 0 ? { labels } : {}
}

const PLACES: Partial<Record<MappedMember, string>> = { ...DOCUMENT_MEMBERS, qualityExpectations: 'schema' }

const CUSTOM: ReadonlySet<MappedMember> = new Set([...CUSTOM_MEMBERS, 'sla', 'security', 'qualityExpectations'])

const statesPeople = ({ team }: JsonObject): boolean =>
  Array.isArray(team) || (isObject(team) && team['members'] !== undefined)

/** The members of a contract that a v3.1.0 document states, whether or not they can be mapped. */
const statedMembers = (document: JsonObject): MappedMember[] =>
  MAPPED_MEMBERS.filter((member) => {
    const place = PLACES[member]
    if (place === 'team') return statesPeople(document)
    return (
      (place !== undefined && document[place] !== undefined) ||
      (CUSTOM.has(member) && readCustom(document, member) !== undefined)
    )
  })

/** A merged document without old custom properties for what the incoming document states where the standard has it. */
const withoutReplaced = (merged: JsonObject, incoming: JsonObject, objectName: string | undefined): JsonObject => {
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

/**
 * Merges an old document into a new one: adds what the new one lacks. Lists are replaced as a whole; service levels,
 * custom properties and parts of `description` are merged one by one.
 */
const mergeImport = (old: JsonObject, incoming: JsonObject): JsonObject => {
  const merged = completed(incoming, old)
  if (isObject(incoming['description']) && isObject(old['description']))
    merged['description'] = completed(incoming['description'], old['description'])
  for (const [member, identity] of Object.entries({ slaProperties: levelIdentity, customProperties: customIdentity })) {
    const [now, before] = [incoming[member], old[member]]
    if (Array.isArray(now) && Array.isArray(before)) merged[member] = joined(now, before, identity)
  }
  return merged
}

/** An object with members of an old one after its own. */
const completed = (now: JsonObject, old: JsonObject): JsonObject => ({ ...now, ...old, ...now })

const customIdentity = ({ property }: JsonObject): string => textOf(property) ?? ''

// The new items, then the old items that none of them replaces.
const joined = (now: Json[], old: Json[], identity: (item: JsonObject) => string): Json[] => {
  const key = (item: Json): string => (isObject(item) ? identity(item) : JSON.stringify(item))
  const known = new Set(now.map(key))
  return [...now, ...old.filter((item) => !known.has(key(item)))]
}
