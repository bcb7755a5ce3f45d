import { exportJson, exportYaml } from './write/exportDocument.ts'
import { placeProblems } from './placeProblems.ts'
import { checkSemantics } from './semantics.ts'
import { otherLevels } from './map/sla.ts'
import { fromStored, type StoredOdcs } from './map/stored.ts'
import { importDocument } from './importDocument.ts'
import { parsePreview, validateDocument } from './preview.ts'
import { serveThread } from '../shared/threads/serveOperations.ts'

/** Service levels of the object of an imported document without a member of the contract. */
const serviceLevels = (stored: StoredOdcs): string[] => {
  const { document, mapped } = fromStored(stored)
  return otherLevels(document, mapped.objectName)
}

/** Operations on documents. Arguments and results are plain data, so each can run in another thread. */
export const odcsOperations = {
  checkSemantics,
  importDocument,
  exportJson,
  exportYaml,
  parsePreview,
  placeProblems,
  serviceLevels,
  validateDocument,
}

export type OdcsOperations = typeof odcsOperations
export type OperationName = keyof OdcsOperations

serveThread(odcsOperations)
