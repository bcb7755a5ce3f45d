/**
 * The Open Data Contract Standard: documents of v2.2.x, v3.0.x and v3.1.0 in, catalog contracts out, and back to v3.1.0
 * without losing a value. Pure, but for the runner, which keeps a thread for large documents.
 */
export { passes } from './check.ts'
export type { ContractColumn, ContractMembers, ContractSla, PlacedRule } from './contract.ts'
export { DATA_TYPES, dataTypeOf, logicalTypeFor } from './dataTypes.ts'
export { entityStatusOf } from './describe.ts'
export { benchOdcs, type BenchRow } from './bench.ts'
export {
  exportDocument,
  exportJson,
  exportYaml,
  plainDocument,
  type CurrentContract,
  type Exported,
  type ExportInput,
} from './exportDocument.ts'
export { importDocument, type Imported, type ImportOptions } from './importDocument.ts'
export { mergeImport, type ImportMode } from './mergeImport.ts'
export { chooseObject, objectNames, type Chosen } from './objects.ts'
export { parsePreview, validateDocument, type Preview } from './preview.ts'
export { inspectDocument, readDocument, type Inspection, type ReadDocument, type ReadResult } from './readDocument.ts'
export { createOdcsRunner, DocumentTooComplex, type OdcsRunner, type RunnerOptions } from './runner.ts'
export { fromStored, storedForm, type Derived, type Resolved, type StoredOdcs } from './stored.ts'
export { MAX_BYTES, MAX_DEPTH } from './text.ts'
export { toContract, type Mapped } from './toContract.ts'
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
} from './types.ts'
export { upgrade, type ObjectChoice, type Upgraded } from './upgrade.ts'
export { missingColumns, validateAgainst, type AssetColumn, type ValidationResult } from './validate.ts'
export { detectVersion, type Detection } from './version.ts'
export { writeYaml as toYaml } from './writeYaml.ts'
