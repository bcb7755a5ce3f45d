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

const isSupported = (version: string): version is OdcsVersion =>
  (SUPPORTED_VERSIONS as readonly string[]).includes(version)

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

/** Detects the version by the declaration; v2 by its shape, since it declares `2.2.0`, `v2.3.0` or nothing. */
export const detectVersion = (document: Json): Detection => {
  if (!isObject(document)) return { ok: false, path: '', message: 'the document must be a mapping of members' }
  const other = otherFormats.find(([, is]) => is(document))
  if (other !== undefined) {
    const message = `this is a document of ${other[0]}, not of ODCS: convert it first; ${supported}`
    return { ok: false, path: '', message }
  }
  const member = document['apiVersion'] !== undefined ? 'apiVersion' : 'standardVersion'
  const value = document[member] ?? undefined
  const declared = value === undefined ? undefined : shorten(scalarText(value) ?? toJson(value), 80)
  const named = declared === undefined ? undefined : declared.startsWith('v') ? declared : `v${declared}`
  const v2 = V2_MEMBERS.filter((name) => Object.hasOwn(document, name))
  const v3 = V3_MEMBERS.filter((name) => Object.hasOwn(document, name))
  const saysV2 = named !== undefined && /^v2\.[2-9](\.|$)/.test(named)
  if (named !== undefined && !saysV2 && !isSupported(named)) {
    return { ok: false, path: `/${member}`, message: `the version "${declared}" is not supported; ${supported}` }
  }
  if (v2.length > 0 && (v3.length === 0 || saysV2 || v2.includes('dataset')) && !Object.hasOwn(document, 'schema')) {
    return readAsV2(document, saysV2 && named !== undefined && isSupported(named) ? named : 'v2.2.2')
  }
  if (named === undefined && v3.length === 0) {
    return {
      ok: false,
      path: '',
      message: `this is not a data contract: it has the members of neither v3 nor v2; ${supported}`,
    }
  }
  if (saysV2 && v3.length === 0) return readAsV2(document, isSupported(named) ? named : 'v2.2.2')
  const version = named !== undefined && isSupported(named) && !saysV2 ? named : 'v3.1.0'
  return { ok: true, version, shape: 'v3' }
}

const readAsV2 = (document: JsonObject, version: OdcsVersion): Detection => {
  const { dataset } = document
  if (dataset === undefined || dataset === null)
    return { ok: false, path: '', message: 'a v2 document needs the member "dataset"' }
  return { ok: true, version, shape: 'v2' }
}
