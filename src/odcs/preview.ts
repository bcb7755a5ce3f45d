import { promisable, type AssetColumn } from '../shared/columnTypes.ts'
import { chooseObject, objectNames, type ObjectSelection } from './model/objects.ts'
import { inspectDocument, readDocument } from './read/readDocument.ts'
import { toContract } from './map/toContract.ts'
import type { ContractMembers } from './model/contract.ts'
import { textOf, type ContentType, type JsonObject, type Problem, type ProblemList } from './model/types.ts'
import { upgrade } from './upgrade/upgrade.ts'
import { toColumns } from './map/columnMapping.ts'
import { compareColumns, type ValidationResult } from './map/validate.ts'

interface Preview {
  name: string | undefined
  version: string | undefined
  status: string | undefined
  schemaObjects: string[]
  hasMultipleObjects: boolean
  apiVersion?: string
  /** Problems that prevent an import. */
  problems: Problem[]
  /** Values that an import would keep in the document only, change, or leave out. */
  warnings: Problem[]
  /** What an import would make of the first object. */
  contract?: ContractMembers
}

/** Previews any readable document of a supported version, even with schema problems; otherwise `ok` is false. */
export const parsePreview = (
  input: Uint8Array | string,
  contentType: ContentType = 'yaml',
): ({ ok: true } & Preview) | ({ ok: false } & ProblemList) => {
  const { read, problems, unlisted = 0 } = inspectDocument(input, contentType)
  if (read === undefined) return { ok: false, problems, unlisted }
  const { document, version, warnings, placed } = read
  const schemaObjects = objectNames(document)
  const tried: Trial = problems.length > 0 ? { problems: [], warnings: [] } : tryImport(document)
  const word = (value: unknown) =>
    typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
  return {
    ok: true,
    name: word(document['name']) ?? (version.startsWith('v2') ? word(document['quantumName']) : undefined),
    version: word(document['version']),
    status: word(document['status']),
    schemaObjects,
    hasMultipleObjects: schemaObjects.length > 1,
    apiVersion: version,
    problems: [
      ...problems,
      ...(unlisted === 0 ? [] : [{ path: '', message: `and ${unlisted} more problems` }]),
      ...placed(tried.problems),
    ],
    warnings: placed([...warnings, ...tried.warnings]),
    ...(tried.contract !== undefined && { contract: tried.contract }),
  }
}

/** What an import of the first object says beside what is wrong with the text. */
type Trial = Pick<Preview, 'problems' | 'warnings' | 'contract'>

const tryImport = (document: JsonObject): Trial => {
  const [objectName] = objectNames(document)
  const { document: upgraded, unfit, warnings } = upgrade(document, { objectName })
  if (unfit !== undefined) return { problems: [unfit], warnings: [] }
  const mapped = toContract(upgraded, chooseObject(upgraded, { objectName }))
  const kept = mapped.warnings.filter(({ path }) => !/^\/schema\/\d+$/.test(path))
  return { problems: [], warnings: [...warnings, ...kept], contract: mapped.contract }
}

/** Reads a document and compares the chosen object with an asset; nothing is stored. */
export const validateDocument = (
  input: Uint8Array | string,
  contentType: ContentType,
  choice: ObjectSelection,
  assetColumns: readonly AssetColumn[],
): ({ ok: true } & ValidationResult) | ({ ok: false } & ProblemList) => {
  const read = readDocument(input, contentType)
  if (!read.ok) return read
  const upgraded = upgrade(read.document, choice)
  const chosen = chooseObject(upgraded.document, choice)
  const problem = upgraded.unfit ?? chosen.problem
  if (problem !== undefined) return { ok: false, problems: read.placed([problem]) }
  const columns = promisable(assetColumns, textOf(chosen.object?.['name']))
  return { ok: true, ...compareColumns(toColumns(chosen.object?.['properties']), columns) }
}
