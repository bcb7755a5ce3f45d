import { exportJson, exportYaml } from './write/exportDocument.ts'
import { placeProblems } from './placeProblems.ts'
import { checkSemantics } from './semantics.ts'
import { importDocument } from './importDocument.ts'
import { parsePreview, validateDocument } from './preview.ts'

/** What a service does with documents. Arguments and answers are plain data, so each can run in another thread. */
export const operations = {
  checkSemantics,
  importDocument,
  exportJson,
  exportYaml,
  parsePreview,
  placeProblems,
  validateDocument,
}

export type Operations = typeof operations
export type OperationName = keyof Operations
