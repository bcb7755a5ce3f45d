import { sameJson } from '../../shared/json.ts'
import { applyColumns, setText } from '../map/columnMapping.ts'
import { CUSTOM_MEMBERS, type ContractMembers } from '../model/contract.ts'
import { fitToSchema, type RepairResult } from '../upgrade/fitToSchema.ts'
import { chooseObject } from '../model/objects.ts'
import { readCustom, setCustom, withOwnCustom } from '../model/customProperties.ts'
import { applyPeople, applySecurity, withoutPeople } from '../map/team.ts'
import { applySla } from '../map/sla.ts'
import { fromStored, sourceOf, type Derived, type StoredOdcs } from '../map/stored.ts'
import { entityStatusOf, applyDescription, toContract } from '../map/toContract.ts'
import {
  EXPORT_FIELDS,
  EXPORT_VERSION,
  itemsIn,
  sameText,
  toJson,
  withoutUndefined,
  type ExportField,
  type Json,
  type JsonObject,
} from '../model/types.ts'
import { writeYaml } from '../text/yamlTokens.ts'
import { editYaml } from '../text/yamlEdit.ts'

/** The current values of a contract: all members. */
export interface CurrentContract extends ContractMembers {
  id?: string
  name?: string
  version?: number | string
  /** User or team names. */
  owners?: string[]
  reviewers?: string[]
  /** Fully qualified names of test cases. */
  qualityExpectations?: string[]
  /** Tag FQNs. */
  tags?: string[]
  /** The name of the domain. */
  domain?: string
}

export interface ExportInput {
  /** The stored import; absent for a contract that was never imported. */
  stored?: StoredOdcs | undefined
  contract: CurrentContract
  /** When the contract was changed last, in epoch milliseconds: who had left the team by then was not part of it. */
  time: number
  /** Name of the contract's entity, for a new schema object. */
  entityName?: string | undefined
  /** Parts to write; default: all. */
  fields?: readonly ExportField[] | undefined
}

/**
 * The valid v3.1.0 document of a contract: the imported one (`original`) with the changes since. {@link toJson} serialises
 * it with all digits of large integers.
 */
export const exportDocument = (input: ExportInput): RepairResult & Pick<Derived, 'original' | 'lenient'> => {
  const { stored, contract, entityName, fields = EXPORT_FIELDS } = input
  const derived = stored ? fromStored(stored) : deriveNew(contract, entityName)
  const document = withOwnCustom(derived.document)
  applyContract(document, derived, clean(contract), input)
  leaveOut(document, new Set(fields))
  const fitted = fitToSchema(document)
  if (fitted.unfit !== undefined) throw new Error(`${fitted.unfit.path} ${fitted.unfit.message}`)
  return { ...fitted, original: derived.original, lenient: derived.lenient }
}

/** The document as YAML. Comments, order and layout of unchanged parts of an imported text stay. */
export const exportYaml = (input: ExportInput): string => {
  const { document, original, lenient } = exportDocument(input)
  const { stored } = input
  if (stored?.contentType !== 'yaml' || stored.version.startsWith('v2') || lenient) return writeYaml(document)
  const source = sourceOf(stored)
  if (sameText(original, document)) return source
  return editYaml(source, original, document) ?? writeYaml(document)
}

/** The document as JSON: an unchanged v3.1.0 document as it was written, else its values; large integers keep all digits. */
export const exportJson = (input: ExportInput): string => {
  const { document, original } = exportDocument(input)
  const { stored } = input
  return stored?.contentType === 'json' && sameText(original, document) ? sourceOf(stored) : toJson(document)
}

// Plain JSON without top-level nulls, which mean absent.
const clean = (contract: CurrentContract): CurrentContract => {
  const entries = Object.entries(contract).filter(([, value]) => value !== null && value !== undefined)
  return JSON.parse(toJson(Object.fromEntries(entries))) as CurrentContract
}

const deriveNew = (contract: CurrentContract, entityName: string | undefined): Derived => {
  const document = withoutUndefined<JsonObject>({
    apiVersion: EXPORT_VERSION,
    kind: 'DataContract',
    id: contract.id ?? contract.name ?? 'unnamed',
    name: contract.displayName ?? contract.name,
    version: String(contract.version ?? '0.1'),
    status: 'draft',
    domain: contract.domain,
    tags: contract.tags?.length === 0 ? undefined : contract.tags,
    schema: contract.schema && [{ name: entityName ?? contract.name ?? 'object', logicalType: 'object' }],
  })
  const chosen = chooseObject(document, {})
  return { original: document, document, chosen, mapped: toContract(document, chosen), lenient: false }
}

const applyContract = (
  document: JsonObject,
  derived: Derived,
  current: CurrentContract,
  { stored, entityName, time }: Omit<ExportInput, 'contract'>,
): void => {
  const { resolved = {}, labels = {} } = stored ?? {}
  const base = derived.mapped.contract
  if (current.entityStatus !== undefined && current.entityStatus !== entityStatusOf(document['status']))
    document['status'] = current.entityStatus.toLowerCase()
  if (current.displayName !== base.displayName) setText(document, 'name', current.displayName ?? current.name)
  applyDescription(document, current.description)
  applySchema(document, derived, current, entityName)
  applySla(document, derived.mapped.objectName, base.sla ?? {}, current.sla ?? {})
  applySecurity(document, base.security, current.security)
  for (const member of CUSTOM_MEMBERS) {
    if (!sameJson(base[member], current[member])) setCustom(document, member, current[member])
  }
  applyPeople(document, 'owner', { known: resolved.owners ?? [], now: current.owners ?? [], time })
  applyPeople(document, 'reviewer', { known: resolved.reviewers ?? [], now: current.reviewers ?? [], time })
  applyExpectations(document, resolved.qualityExpectations ?? [], current.qualityExpectations ?? [])
  applyLabels(document, labels, current)
}

const applyExpectations = (document: JsonObject, known: readonly string[], now: readonly string[]): void => {
  const names = namesAfter(readCustom(document, 'qualityExpectations'), known, now)
  if (names !== undefined) setCustom(document, 'qualityExpectations', names.length > 0 ? names : undefined)
}

const applyLabels = (
  document: JsonObject,
  known: Pick<CurrentContract, 'tags' | 'domain'>,
  { tags = [], domain }: CurrentContract,
): void => {
  const names = namesAfter(document['tags'], known.tags ?? [], tags)
  if (names !== undefined) document['tags'] = names
  if (domain !== known.domain) setText(document, 'domain', domain)
}

/** The names of a list with the additions and removals since the import; `undefined` without any. */
const namesAfter = (value: Json | undefined, known: readonly string[], now: readonly string[]): Json[] | undefined => {
  const old = itemsIn(value)
  const kept = without(old, without(known, now))
  const added = without(now, [...known, ...old])
  return added.length === 0 && kept.length === old.length ? undefined : [...kept, ...added]
}

const without = (list: readonly Json[], others: readonly Json[]): Json[] => {
  const left = new Set(others)
  return list.filter((item) => !left.has(item))
}

const applySchema = (
  document: JsonObject,
  derived: Derived,
  current: CurrentContract,
  entityName: string | undefined,
): void => {
  const columns = current.schema ?? []
  if (sameJson(derived.mapped.contract.schema ?? [], columns)) return
  const schema = [...itemsIn(document['schema'])]
  const made = { index: schema.length, object: { name: entityName ?? 'object', logicalType: 'object' } as JsonObject }
  const { index, object } = { ...made, ...derived.chosen }
  const old = itemsIn(object['properties'])
  const properties = applyColumns(old, columns)
  if (sameText(old, properties)) return
  schema[index] = { ...object, properties }
  document['schema'] = schema
}

const leaveOut = (document: JsonObject, fields: ReadonlySet<ExportField>): void => {
  if (!fields.has('schema')) delete document['schema']
  if (!fields.has('sla')) {
    delete document['slaProperties']
    delete document['slaDefaultElement']
    setCustom(document, 'sla', undefined)
  }
  if (!fields.has('security')) {
    delete document['roles']
    setCustom(document, 'security', undefined)
  }
  if (!fields.has('extension')) setCustom(document, 'extension', undefined)
  if (!fields.has('owners')) withoutPeople(document, 'owner')
  if (!fields.has('reviewers')) withoutPeople(document, 'reviewer')
}
