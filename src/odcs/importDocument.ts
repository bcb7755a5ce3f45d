import type { AssetColumn } from '../shared/columnTypes.ts'
import { MAPPED_MEMBERS, type ContractMembers, type MappedMember } from './model/contract.ts'
import { exportDocument, exportYaml, type CurrentContract } from './write/exportDocument.ts'
import { chooseObject, type ObjectSelection } from './model/objects.ts'
import { readDocument, type ReadDocument } from './read/readDocument.ts'
import { packedSource, type StoredOdcs } from './map/stored.ts'
import { levelIdentity } from './map/sla.ts'
import { MAX_PROBLEMS } from './model/text.ts'
import { statedMembers, withoutReplaced } from './map/statedMembers.ts'
import { toContract, type Mapped } from './map/toContract.ts'
import {
  EXPORT_VERSION,
  sameText,
  textOf,
  toJson,
  type ContentType,
  type JsonObject,
  type Problem,
  type ProblemList,
  isList,
  isObject,
  type Json,
} from './model/types.ts'
import { upgrade, type Upgrade } from './upgrade/upgrade.ts'
import { missingColumns } from './map/validate.ts'
import { writeYaml } from './text/yamlTokens.ts'
import { editYaml } from './text/yamlEdit.ts'

export interface ImportOptions extends ObjectSelection {
  contentType: ContentType
  /** The id of the contract, given to a document without an id. */
  contractId?: string | undefined
  /** Columns or fields of the entity; an asset without any accepts every document. */
  assetColumns?: readonly AssetColumn[] | undefined
  /** `merge` needs `current`; the default is `replace`. */
  mode?: 'merge' | 'replace' | undefined
  current?: { contract: CurrentContract; stored?: StoredOdcs | undefined } | undefined
}

export interface Imported extends Pick<Mapped, 'name' | 'quality' | 'candidates' | 'warnings'> {
  ok: true
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
  const upgraded = upgrade(read.document, { ...options, id: textOf(kept?.['id']) ?? options.contractId })
  const refuse = (problems: Problem[]) => ({
    ok: false as const,
    problems: read.placed(problems.slice(0, MAX_PROBLEMS)),
    unlisted: Math.max(0, problems.length - MAX_PROBLEMS),
  })
  if (upgraded.unfit !== undefined) return refuse([upgraded.unfit])
  const merged = kept === undefined ? upgraded.document : mergeImport(kept, upgraded.document)
  // A document without objects is merged into a contract that keeps its own.
  const keepsObjects = kept !== undefined && upgraded.document['schema'] === undefined
  const choice = keepsObjects ? { ...options, objectName: options.objectName || current?.stored?.objectName } : options
  const chosen = chooseObject(merged, choice)
  if (!chosen.ok) return refuse([chosen.problem])
  const missing = keepsObjects ? [] : missingColumns(chosen, options.assetColumns ?? [])
  if (missing.length > 0) return refuse(missing)
  const document = withoutReplaced(merged, upgraded.document, textOf(chosen.object?.['name']))
  const mapped = toContract(document, chosen)
  // An export of a contract without a display name says its name.
  const isUnnamed = current?.contract.displayName === undefined && present?.['name'] === document['name']
  const { displayName: _, ...unnamed } = mapped.contract
  return {
    ok: true,
    stored: {
      ...stored(read, upgraded, document),
      ...(mapped.objectName === undefined ? {} : { objectName: mapped.objectName }),
    },
    contract: isUnnamed ? unnamed : mapped.contract,
    stated: kept === undefined ? [...MAPPED_MEMBERS] : statedMembers(upgraded.document),
    isExport: present !== undefined && isExport(read, document, mapped.objectName, options, present),
    name: mapped.name,
    quality: mapped.quality,
    candidates: mapped.candidates,
    warnings: [...read.warnings, ...upgraded.warnings, ...mapped.warnings],
  }
}

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

// The original text, unless a merge changed it.
const stored = (read: ReadDocument, upgraded: Upgrade, document: JsonObject): StoredOdcs => {
  if (sameText(upgraded.document, document)) {
    const given = textOf(document['id'])
    const identity = upgraded.identified && given !== undefined ? { givenId: given } : {}
    return { ...packedSource(read.source), contentType: read.contentType, version: read.version, ...identity }
  }
  if (read.contentType === 'json')
    return { ...packedSource(toJson(document, 2)), contentType: 'json', version: EXPORT_VERSION }
  const edited = read.version.startsWith('v2') ? undefined : editYaml(read.source, read.document, document)
  return { ...packedSource(edited ?? writeYaml(document)), contentType: 'yaml', version: EXPORT_VERSION }
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
    if (isList(now) && isList(before)) merged[member] = joined(now, before, identity)
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
