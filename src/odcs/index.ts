/** The Open Data Contract Standard: v2.2.x, v3.0.x and v3.1.0 in, catalog contracts out, and back to v3.1.0. */
export { isValidDocument } from './read/check.ts'
export type { ContractColumn, QualityRule } from './model/contract.ts'
export { arrayItems, dataTypeOf } from './map/logicalTypes.ts'
export { exportDocument, exportJson, exportYaml, type CurrentContract } from './write/exportDocument.ts'
export { compareDocuments, type DocumentChange } from './compareDocuments.ts'
export { importDocument, type Imported, type ImportOptions } from './importDocument.ts'
export { chooseObject } from './model/objects.ts'
export { parsePreview, validateDocument } from './preview.ts'
export { readDocument, type ReadResult } from './read/readDocument.ts'
export { createOdcsRunner, type OdcsRunner } from './odcsThreads.ts'
export type { StoredOdcs } from './map/stored.ts'
export {
  toPlainJson,
  toJson,
  type ContentType,
  type ExportField,
  type JsonObject,
  type Problem,
} from './model/types.ts'
export { upgrade } from './upgrade/upgrade.ts'
