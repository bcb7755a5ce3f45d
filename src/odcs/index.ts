/** The Open Data Contract Standard: v2.2.x, v3.0.x and v3.1.0 in, catalog contracts out, and back to v3.1.0. */
export { passes } from './read/check.ts'
export type { ContractColumn, ContractMembers, ContractSla, PlacedRule } from './model/contract.ts'
export { DATA_TYPES, dataTypeOf, logicalTypeFor } from './map/logicalTypes.ts'
export { entityStatusOf } from './map/describe.ts'
export {
  exportDocument,
  exportJson,
  exportYaml,
  type CurrentContract,
  type Exported,
  type ExportInput,
} from './write/exportDocument.ts'
export { compareDocuments, type DocumentChange } from './compareDocuments.ts'
export { importDocument, type Imported, type ImportOptions } from './importDocument.ts'
export { mergeImport, type ImportMode } from './write/mergeImport.ts'
export { chooseObject, objectNames, type Chosen, type ObjectChoice } from './model/objects.ts'
export { parsePreview, validateDocument, type Preview } from './preview.ts'
export {
  inspectDocument,
  readDocument,
  type Inspection,
  type ReadDocument,
  type ReadResult,
} from './read/readDocument.ts'
export { createOdcsRunner, DocumentTooComplex, type OdcsRunner, type RunnerOptions } from './odcsThreads.ts'
export { fromStored, type Derived, type Resolved, type StoredOdcs } from './map/stored.ts'
export { MAX_BYTES, MAX_DEPTH } from './model/text.ts'
export { toContract, type Mapped } from './map/toContract.ts'
export {
  EXPORT_FIELDS,
  EXPORT_VERSION,
  SUPPORTED_VERSIONS,
  toJson,
  type ContentType,
  type ExportField,
  type Json,
  type JsonObject,
  type OdcsVersion,
  type Problem,
  type Warning,
} from './model/types.ts'
export { upgrade, type Upgraded } from './upgrade/upgrade.ts'
export { checkSemantics, type SemanticsResult } from './semantics.ts'
export {
  compareColumns,
  missingColumns,
  validateAgainst,
  type AssetColumn,
  type ValidationResult,
} from './map/validate.ts'
export { detectVersion, type Detection } from './read/detectVersion.ts'
