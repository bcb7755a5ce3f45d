import type { PlacedRule, ContractMembers } from './map/contract.ts'
import { exportDocument, type CurrentContract } from './write/exportDocument.ts'
import { mergeImport, type ImportMode } from './write/mergeImport.ts'
import { chooseObject } from './read/objects.ts'
import { readDocument, type ReadDocument } from './read/readDocument.ts'
import type { StoredOdcs } from './stored.ts'
import { placeOf } from './text.ts'
import { toContract, type Mapped } from './map/toContract.ts'
import {
  EXPORT_VERSION,
  sameText,
  toJson,
  type ContentType,
  type JsonObject,
  type Problem,
  type Warning,
} from './types.ts'
import { upgrade, type ObjectChoice } from './upgrade/upgrade.ts'
import { missingColumns, type AssetColumn } from './read/validate.ts'
import { writeYaml } from './write/writeYaml.ts'
import { editYaml } from './write/yamlEdit.ts'

export interface ImportOptions extends ObjectChoice {
  contentType: ContentType
  /** The columns or fields of the entity; an asset without any takes every document. */
  assetColumns?: readonly AssetColumn[] | undefined
  /** `merge` needs `current`; the default is `replace`. */
  mode?: ImportMode | undefined
  /** The contract that is there already, with what was kept of its last import. */
  current?: { contract: CurrentContract; stored?: StoredOdcs | undefined } | undefined
}

export interface Imported {
  ok: true
  /** Goes into the contract's state as one member; add `resolved` once the names are resolved. */
  stored: StoredOdcs
  /** The contract's members as the document now says. With `replace`, members that are absent here are to be dropped. */
  contract: ContractMembers
  name: string
  quality: PlacedRule[]
  candidates: Mapped['candidates']
  warnings: Warning[]
}

/**
 * Everything an import does before anything is stored: reads and checks the text, chooses the object, compares it with the
 * asset, merges it with what is there, and maps it to contract members. Clonable to and from another thread.
 */
export function importDocument(
  input: Uint8Array | string,
  options: ImportOptions,
): Imported | { ok: false; problems: Problem[]; warnings: Warning[] } {
  const read = readDocument(input, options.contentType)
  if (!read.ok) return read
  const upgraded = upgrade(read.document, options)
  const refuse = (problems: Problem[]) => ({
    ok: false as const,
    problems: problems.map((problem) => ({ ...placeOf(read.source, 0), ...problem })),
    warnings: read.warnings,
  })
  const chosen = chooseObject(upgraded.document, options)
  if (!chosen.ok) return refuse([chosen.problem])
  const missing = missingColumns(chosen.object, options.assetColumns ?? [])
  if (missing.length > 0) {
    return refuse(
      missing.map(({ index, name }) => ({
        path: `/schema/${chosen.index}/properties/${index}`,
        message: `the asset has no column or field "${name}"`,
      })),
    )
  }
  const document = joinedDocument(upgraded.document, options)
  const mapped = toContract(document, options)
  if (!mapped.ok) return refuse([mapped.problem])
  return {
    ok: true,
    stored: stored(read, upgraded.document, document, mapped.objectName),
    contract: mapped.contract,
    name: mapped.name,
    quality: mapped.quality,
    candidates: mapped.candidates,
    warnings: [...read.warnings, ...upgraded.warnings, ...mapped.warnings],
  }
}

function joinedDocument(incoming: JsonObject, { mode, current, entityName }: ImportOptions): JsonObject {
  if (mode !== 'merge' || !current) return incoming
  const old = exportDocument({ stored: current.stored, contract: current.contract, entityName })
  return mergeImport(old.document, incoming, 'merge')
}

// The text as it came, unless a merge added to it.
function stored(
  read: ReadDocument,
  upgraded: JsonObject,
  document: JsonObject,
  objectName: string | undefined,
): StoredOdcs {
  const named = objectName === undefined ? {} : { objectName }
  if (sameText(upgraded, document))
    return { source: read.source, contentType: read.contentType, version: read.version, ...named }
  if (read.contentType === 'json')
    return { source: toJson(document, 2), contentType: 'json', version: EXPORT_VERSION, ...named }
  const edited = read.version.startsWith('v2') ? undefined : editYaml(read.source, read.document, document)
  return { source: edited ?? writeYaml(document), contentType: 'yaml', version: EXPORT_VERSION, ...named }
}
