import { createHash } from 'node:crypto'
import { readJson } from './read/readJson.ts'
import type { ReadDocument } from './read/readDocument.ts'
import { readYaml } from './read/readYaml.ts'
import { toContract, type Mapped } from './map/toContract.ts'
import { isObject, type ContentType, type JsonObject, type OdcsVersion } from './types.ts'
import { upgrade, type Upgraded } from './upgrade/upgrade.ts'

/** What is kept beside a contract: the text as it came, with its order and comments. */
export interface StoredOdcs {
  source: string
  contentType: ContentType
  version: OdcsVersion
  /** The id that the document was given at import, when it has none of its own. */
  givenId?: string
  /** The schema object the contract is about, by the name it had at import. */
  objectName?: string
  /** Names of the document that the catalog knew at import. */
  resolved?: Resolved
}

export interface Resolved {
  owners?: string[]
  reviewers?: string[]
  qualityExpectations?: string[]
}

export const storedForm = (read: ReadDocument, objectName?: string, resolved?: Resolved): StoredOdcs => ({
  source: read.source,
  contentType: read.contentType,
  version: read.version,
  ...(objectName === undefined ? {} : { objectName }),
  ...(resolved === undefined ? {} : { resolved }),
})

/** What can be derived from the stored form. Treat the document as read-only: it is shared. */
export interface Derived {
  /** As it was imported. */
  original: JsonObject
  /** The same as v3.1.0. */
  upgraded: Upgraded
  mapped: Mapped
  /** Was the text YAML that only a lenient reader takes? */
  lenient: boolean
  /** The last YAML export, by the JSON text of what it holds. */
  written?: { json: string; yaml: string }
}

const CACHED = 16
const cache = new Map<string, Derived>()

/** Derives document and contract members from the stored form; the last few are remembered. */
export const fromStored = (stored: StoredOdcs): Derived => {
  const key = createHash('sha256')
    .update(`${stored.contentType}\n${stored.objectName ?? ''}\n${stored.givenId ?? ''}\n${stored.source}`)
    .digest('base64')
  const known = cache.get(key)
  cache.delete(key)
  const derived = known ?? derive(stored)
  cache.set(key, derived)
  const [oldest] = cache.keys()
  if (cache.size > CACHED && oldest !== undefined) cache.delete(oldest)
  return derived
}

const derive = ({ source, contentType, objectName, givenId }: StoredOdcs): Derived => {
  const { value, warnings } = contentType === 'json' ? readJson(source) : readYaml(source)
  if (!isObject(value)) throw new Error('the stored document is not readable')
  const upgraded = upgrade(value, { objectName, id: givenId })
  const mapped = toContract(upgraded.document, { objectName })
  const found = mapped.ok ? mapped : toContract({ ...upgraded.document, schema: [] })
  if (!found.ok) throw new Error(found.problem.message)
  return { original: value, upgraded, mapped: found, lenient: warnings.length > 0 }
}
