import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** An answer as far as the document says something about it. */
export interface Seen {
  readonly method: string
  /** Path of the request, without the query. */
  readonly path: string
  /** Path of the document that it was made for; left out: the one that fits best. */
  readonly template?: string
  readonly status: number
  /** Media type without parameters. */
  readonly contentType: string
  readonly body: unknown
  readonly headers: Headers
}

/** Says what is wrong with an answer according to the OpenAPI document; an empty list when nothing is. */
export type CheckAnswer = (seen: Seen) => string[]

interface Operation {
  readonly responses: Record<
    string,
    { readonly $ref?: string; readonly content?: Record<string, unknown>; readonly headers?: Record<string, unknown> }
  >
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly responses: Record<
      string,
      { readonly content?: Record<string, unknown>; readonly headers?: Record<string, unknown> }
    >
  }
}

const pointerPart = (text: string): string =>
  text.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25').replaceAll('{', '%7B').replaceAll('}', '%7D')

/** Headers that HTTP has of itself, or that say nothing about the entity. */
const ofEvery = [
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'date',
  'connection',
  'keep-alive',
  'cache-control',
  'x-content-type-options',
  'access-control-allow-origin',
  'x-accel-buffering',
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'vary',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]

/** The template that fits the path best: literal segments count more than parameters. */
const templateOf = (templates: readonly string[][], path: string): string | undefined => {
  const segments = path.split('/')
  const fitting = templates.filter(
    (template) =>
      template.length === segments.length &&
      template.every((part, index) => part.startsWith('{') || part === segments[index]),
  )
  const literals = (template: readonly string[]) => template.map((part) => (part.startsWith('{') ? '1' : '0')).join('')
  return fitting.toSorted((a, b) => (literals(a) < literals(b) ? -1 : 1))[0]?.join('/')
}

/** Makes the check from the document that the service itself gives. */
export const checkerOf = (document: Document): CheckAnswer => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, code: { optimize: false } })
  formats.default(ajv)
  ajv.addSchema({ $id: 'catalog', ...document } as object)
  const compiled = new Map<string, ValidateFunction>()
  const templates = Object.keys(document.paths).map((path) => path.split('/'))

  const validatorAt = (pointer: string): ValidateFunction => {
    let validate = compiled.get(pointer)
    if (validate === undefined) compiled.set(pointer, (validate = ajv.compile({ $ref: `catalog#${pointer}` })))
    return validate
  }

  return ({ method, path, status, contentType, body, headers, ...given }) => {
    const below = path.startsWith('/api/') ? path.slice('/api'.length) : path
    const template = given.template ?? templateOf(templates, below)
    const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()]
    if (template === undefined || operation === undefined) return []
    const at = `/paths/${pointerPart(template)}/${method.toLowerCase()}/responses/${status}`
    const direct = operation.responses[String(status)]
    if (direct === undefined) return [`${status} is not documented`]
    const name = direct.$ref?.replace('#/components/responses/', '')
    const response = name === undefined ? direct : document.components.responses[name]
    const pointer = name === undefined ? at : `/components/responses/${name}`
    const { content = {}, headers: documented = {} } = response ?? {}
    const known = new Set([...Object.keys(documented).map((header) => header.toLowerCase()), ...ofEvery])
    const strange = [...headers.keys()].filter((header) => !known.has(header))
    if (strange.length > 0) return [`${status} has headers that are not documented: ${strange.join(', ')}`]
    if (Object.keys(content).length === 0)
      return body === '' || body === undefined ? [] : [`${status} has a body that is not documented`]
    const described = [contentType, `${contentType.split('/')[0]}/*`, '*/*'].find((type) => type in content)
    if (described === undefined)
      return [`${status} is ${contentType}; documented are ${Object.keys(content).join(', ')}`]
    if (!/json/.test(contentType)) return []
    const validate = validatorAt(`${pointer}/content/${pointerPart(described)}/schema`)
    if (validate(body)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }
}
