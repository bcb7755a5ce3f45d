import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { isChangedNumber, mayChangeNumbers, type Json, type JsonObject } from '../../shared/json.ts'

/** A source cannot be read. The message says where and what to do. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** The text of a file, without a byte order mark. @throws SourceError if it is not UTF-8 */
export const readText = async (path: string): Promise<string> => {
  const bytes = await readFile(path)
  if (bytes.includes(0)) throw new SourceError(`${path} is UTF-16 or no text: save it as UTF-8.`)
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
  const lines = bytes.toString('latin1').split('\n')
  const line = 1 + lines.findIndex((each) => !isUtf8(Buffer.from(each, 'latin1')))
  throw new SourceError(`${path}, line ${line}: the text is not UTF-8. Save the file as UTF-8.`)
}

/** A number with more digits than a double gives back has all of them where it is written as JSON again. */
const keepDigits = (_member: string, value: Json, context?: { source: string }): unknown =>
  typeof value === 'number' && context && isChangedNumber(context.source) ? JSON.rawJSON(context.source) : value

/** Parses JSON of a source. @throws SourceError that says where it stands, and what was expected */
export const parseSource = (text: string, place: string, expected: string): Json => {
  try {
    return JSON.parse(text, mayChangeNumbers(text) ? keepDigits : undefined) as Json
  } catch {
    throw new SourceError(`${place} is not JSON. ${expected}`)
  }
}

/** An entity that could not be loaded, and why. */
export interface LoadFailure {
  readonly fullyQualifiedName: string
  readonly message: string
}

/** An entity of the source. */
export interface SourceEntity {
  readonly fullyQualifiedName: string
  /** Its create request, or the body that {@link path} takes. */
  readonly body: JsonObject
  /** Whether the entity may have columns that are not in the body; they stay. */
  readonly hasMoreColumns?: boolean
  /** Whether another load knows better: what one has written stays, as what people wrote does. */
  readonly yields?: boolean
  /** Where it is put, if not at the path of its kind. */
  readonly path?: string
  /** What is put as it is, in place of the body. */
  readonly document?: TextDocument
}

/** A document as it was written. */
export interface TextDocument {
  readonly text: string
  readonly mediaType: 'application/json' | 'application/yaml'
}

/** Entities of one kind. */
export interface SourceStep {
  /** Of the kind, below `/v1/`. */
  readonly path: string
  /** Has the kind a bulk request? */
  readonly bulk: boolean
  readonly entities: readonly SourceEntity[]
  /** Filter of the list of those that exist already. */
  readonly scope?: Readonly<Record<string, string>>
  /** Name below which the scope has entities of this source alone: what it does not have any more is gone. */
  readonly completeBelow?: string
  /** Existing entities by FQN, if the reader has listed them. */
  readonly standing?: ReadonlyMap<string, JsonObject>
}

/** An upstream table. */
export interface SourceEdge {
  readonly from: string
  readonly sql?: string
  readonly columns?: readonly { readonly from: string[]; readonly to: string }[]
}

/** The upstreams of a table. */
export interface SourceLineage {
  readonly fullyQualifiedName: string
  /** Empty: what the source stated earlier ends. */
  readonly edges: readonly SourceEdge[]
  /** Whether columns could not be read, for want of a statement or from it. */
  readonly isUntraced?: boolean
}

/** The result of a test run. */
export interface SourceResult {
  readonly testCase: string
  readonly status: 'Success' | 'Failed' | 'Aborted'
  /** Epoch milliseconds. */
  readonly timestamp: number
  readonly message?: string
}

/** A schema object of a contract document, and where it says that it is stored. */
export interface SourceContract {
  readonly file: string
  readonly document: TextDocument
  /** Name of the schema object in the document. */
  readonly object: string
  /** Last parts of the fully qualified name of the asset. */
  readonly name: string
  /** Database and schema of each server. */
  readonly places: readonly (readonly string[])[]
}

/** The content of a source. Steps are in the order of creation: parents before children. */
export interface SourceContent {
  /** `dbt`, `postgres` … */
  readonly source: string
  /** Which of several sources of that name it is. */
  readonly project?: string
  readonly steps: readonly SourceStep[]
  readonly lineage: readonly SourceLineage[]
  /** Fully qualified names of what was read completely; only below them can a sweep delete. */
  readonly scopes: readonly string[]
  /** Events of OpenLineage, in their order. */
  readonly events?: readonly JsonObject[]
  readonly results?: readonly SourceResult[]
  readonly contracts?: readonly SourceContract[]
  /** The service whose assets contracts are matched with; `undefined`: all services. */
  readonly service?: string | undefined
  /** What could not be read or assigned. */
  readonly problems?: readonly LoadFailure[]
  /** What is loaded incompletely. */
  readonly notes?: readonly LoadFailure[]
}
