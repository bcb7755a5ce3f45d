import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { readJson } from '../text/readJson.ts'
import { readYaml } from '../text/readYaml.ts'
import { chooseObject } from '../model/objects.ts'
import { toContract, type Mapped } from './toContract.ts'
import { MAX_BYTES } from '../model/text.ts'
import { isObject, type ContentType, type JsonObject, type OdcsVersion } from '../model/types.ts'
import { upgrade } from '../upgrade/upgrade.ts'

/** The stored document of a contract: the original text with its order and comments. {@link sourceOf} reads it. */
export interface StoredOdcs {
  /** The text itself, or for a long one `packed`: deflated, as base64. */
  source?: string
  packed?: string
  contentType: ContentType
  version: OdcsVersion
  /** The id given at import to a document without one. */
  givenId?: string
  /** The name of the contract's schema object at import. */
  objectName?: string
  /** Names in the document that the catalog resolved at import. */
  resolved?: Resolved
  /** Tags and domain that contract and document shared at import: what the contract has lost since is not written. */
  labels?: { tags?: string[]; domain?: string }
}

interface Resolved {
  owners?: string[]
  reviewers?: string[]
  qualityExpectations?: string[]
}

/** Longer texts are packed, in UTF-16 code units. */
const PLAIN = 64 * 1024

/** @returns the stored form of a text */
export const packedSource = (source: string): Pick<StoredOdcs, 'source' | 'packed'> =>
  source.length <= PLAIN ? { source } : { packed: deflateRawSync(source).toString('base64') }

/** @returns the original text */
export const sourceOf = ({ source, packed }: StoredOdcs): string => {
  if (packed === undefined) return source ?? ''
  return inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: 4 * MAX_BYTES }).toString()
}

export interface Derived {
  /** The imported document. */
  original: JsonObject
  /** The document as v3.1.0. */
  document: JsonObject
  /** The object that the contract is about. */
  chosen: ReturnType<typeof chooseObject>
  mapped: Mapped
  /** Whether only the lenient YAML reader accepts the text. */
  lenient: boolean
}

/** Derives document and contract members from the stored form. */
export const fromStored = (stored: StoredOdcs): Derived => {
  const { contentType, objectName, givenId } = stored
  const source = sourceOf(stored)
  const { value, warnings } = contentType === 'json' ? readJson(source) : readYaml(source)
  if (!isObject(value)) throw new Error('the stored document is not readable')
  const { document } = upgrade(value, { objectName, id: givenId })
  const chosen = chooseObject(document, { objectName })
  return { original: value, document, chosen, mapped: toContract(document, chosen), lenient: warnings.length > 0 }
}
