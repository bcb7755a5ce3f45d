import { shorten } from '../../shared/bounds.ts'
import { words } from '../../shared/wordLists.ts'
import {
  isObject,
  scalarText,
  SUPPORTED_VERSIONS,
  toJson,
  type Json,
  type JsonObject,
  type OdcsVersion,
} from '../model/types.ts'

type Detection = { ok: true; version: OdcsVersion; shape: 'v2' | 'v3' } | { ok: false; path: string; message: string }

const V2_MEMBERS = words(
  'dataset uuid quantumName stakeholders datasetDomain datasetName standardVersion slaDefaultColumn',
)
const V3_MEMBERS = words('id schema servers team support dataProduct slaDefaultElement')

const supported = `supported are ${SUPPORTED_VERSIONS.join(', ')}`

/** Other formats that describe data, and how to recognise them. */
const otherFormats: readonly [string, (document: JsonObject) => boolean][] = [
  ['the Data Contract Specification', (document) => Object.hasOwn(document, 'dataContractSpecification')],
  ['the Open Data Product Standard (ODPS)', ({ kind }) => kind === 'DataProduct'],
  [
    'the Open Data Product Specification (ODPS)',
    ({ schema, product }) => isObject(product) && (schema === undefined || typeof schema === 'string'),
  ],
]

const refused = (message: string, path = ''): Detection => ({ ok: false, path, message })

/** Detects the version by the declaration; v2 by its shape, since it declares `2.2.0`, `v2.3.0` or nothing. */
export const detectVersion = (document: Json): Detection => {
  if (!isObject(document)) return refused('the document must be a mapping of members')
  const other = otherFormats.find(([, is]) => is(document))
  if (other !== undefined)
    return refused(`this is a document of ${other[0]}, not of ODCS: convert it first; ${supported}`)
  const member = document['apiVersion'] !== undefined ? 'apiVersion' : 'standardVersion'
  const value = document[member] ?? undefined
  const declared = value === undefined ? undefined : shorten(scalarText(value) ?? toJson(value), 80)
  const named = declared === undefined || declared.startsWith('v') ? declared : `v${declared}`
  const known = SUPPORTED_VERSIONS.find((version) => version === named)
  const saysV2 = named !== undefined && /^v2\.[2-9](\.|$)/.test(named)
  if (named !== undefined && !saysV2 && known === undefined)
    return refused(`the version "${declared}" is not supported; ${supported}`, `/${member}`)
  const has = (name: string): boolean => Object.hasOwn(document, name)
  const isV3 = V3_MEMBERS.some(has)
  const hasShapeOfV2 = V2_MEMBERS.some(has) && !has('schema')
  if (hasShapeOfV2 ? !isV3 || saysV2 || has('dataset') : saysV2 && !isV3) {
    if ((document['dataset'] ?? null) === null) return refused('a v2 document needs the member "dataset"')
    return { ok: true, version: (saysV2 && known) || 'v2.2.2', shape: 'v2' }
  }
  if (named === undefined && !isV3)
    return refused(`this is not a data contract: it has the members of neither v3 nor v2; ${supported}`)
  return { ok: true, version: (!saysV2 && known) || 'v3.1.0', shape: 'v3' }
}
