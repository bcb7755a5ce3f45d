import {
  isObject,
  pointer,
  toJson,
  type ContentType,
  type Json,
  type JsonObject,
  type Path,
  type Warning,
  detach,
  replace,
} from '../model/types.ts'
import { MAX_PROBLEMS } from '../model/text.ts'
import { writeYaml } from '../text/yamlTokens.ts'
import { editYaml } from '../text/yamlEdit.ts'

const secretWord =
  '(?:password|passwd|passphrase|pwd|secret|token|credentials?|' +
  '(?:api|access|account|private|secret|shared|signing)[ _.-]?key)'

/** Endings of names that denote secrets, without separators: `dbPassword`, `api_key`, `Client Secret`. */
const secretName = new RegExp(`${secretWord}$`, 'i')

const isSecret = (name: Json | undefined): boolean =>
  typeof name === 'string' && secretName.test(name.replace(/[^a-z]/gi, ''))

/** A reference to a place of secrets, without a default value: `${DB_PASSWORD}`, `${vault:path#key}`, `{{ name }}`. */
const reference = /^(?:\$\{(?:(?:vault|env|secrets?|file):)?[\w./#-]+\}|\{\{[\w\s./#-]+\}\})$/i

const isHarmless = (value: Json | undefined): boolean =>
  value === null || value === '' || typeof value === 'boolean' || (typeof value === 'string' && reference.test(value))

/** A secret that must not be stored: a whole member, or a part of its text, which becomes `instead`. */
interface SecretPlace {
  readonly path: Path
  readonly instead?: string
}

/** Where an address begins in a text that has several. */
const addressStart = /(?<![\w+.:-])(?=(?:[a-z][\w+.-]*:)+\/\/)/i

/** `scheme://user:password@`, even if the password contains characters that otherwise end the host. */
const login = /^((?:[a-z][\w+.-]*:)+\/\/[^/?#:@\s]*):([^/?#\s]*|(?!\d+(?:[/?#,]|$))\S*)(?=@)/i

// Bounded, so that a hostile text takes no quadratic time.
const oracleLogin = /(jdbc:oracle:\w+:[^/@\s]{0,256})\/(\S{0,256})(?=@)/gi

/** `name=value` in addresses and connection strings, `"name": "value"` in JSON. The delimiter before decides where it ends. */
const parameter = new RegExp(
  `((?:${secretWord}|(?<![a-z])sig|signature)\\d*(?:=|["']\\s*:\\s*))` +
    String.raw`("(?:[^"\\]|\\.)*"|'[^']*'|\{[^{}]*\}|(?<=[?&][^=?&;#\s]*=)[^&;#\s]*|(?<=;[^=;]*=)[^;]*|(?:(?!,\w+=)[^;\s])*)`,
  'gi',
)

/** An address or connection string without its passwords and without the values of parameters whose names denote secrets. */
const withoutSecrets = (text: string): string => {
  const cut = (all: string, kept: string, value: string) => (isHarmless(value) ? all : kept)
  const addresses = text.split(addressStart).map((address) => address.replace(login, cut))
  return addresses.join('').replace(oracleLogin, cut).replace(parameter, cut)
}

/**
 * Places of passwords, keys and tokens: members of the document, and whatever stands in servers or custom properties,
 * wherever these stand.
 */
export const secretPlaces = (document: JsonObject): SecretPlace[] =>
  Object.entries(document).flatMap(([member, value]) =>
    isSecret(member) ? [{ path: [member] }] : secretsIn(value, [member], typeof value === 'string'),
  )

// `within`: in servers or custom properties.
const secretsIn = (value: Json, path: Path, within: boolean): SecretPlace[] => {
  const inside = within || path.at(-1) === 'servers' || path.at(-1) === 'customProperties'
  if (typeof value === 'string') {
    const instead = inside ? withoutSecrets(value) : value
    return instead === value ? [] : [{ path, instead }]
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => secretsIn(item, [...path, index], inside))
  if (!isObject(value)) return []
  const isNamedSecret = inside && [value['property'], value['name'], value['key']].some(isSecret)
  if (isNamedSecret && value['value'] !== undefined && !isHarmless(value['value'])) return [{ path }]
  return Object.entries(value).flatMap(([member, inner]) => {
    const place = [...path, member]
    return inside && isSecret(member) && !isHarmless(inner) ? [{ path: place }] : secretsIn(inner, place, inside)
  })
}

/** Removes values from a document and its source text. The text keeps its layout where possible. */
export const redact = (document: JsonObject, source: string, type: ContentType, places: readonly SecretPlace[]) => {
  const clean = structuredClone(document)
  for (const { path, instead } of places.toReversed())
    if (instead === undefined) detach(clean, path)
    else replace(clean, path, instead)
  if (type === 'json') return { document: clean, source: toJson(clean, 2) }
  return { document: clean, source: editYaml(source, document, clean) ?? writeYaml(clean) }
}

/** Warns of the first secrets by their places, and of further ones by their number. */
export const secretWarnings = (places: readonly SecretPlace[]): Warning[] => {
  const further = places.length - MAX_PROBLEMS
  return [
    ...places.slice(0, MAX_PROBLEMS).map(secretWarning),
    ...(further > 0 ? [{ path: '', message: `${further} more passwords, keys or tokens were left out` }] : []),
  ]
}

const secretWarning = ({ path, instead }: SecretPlace) => ({
  path: pointer(path),
  message:
    instead === undefined
      ? 'a password, key or token is never kept; it was left out'
      : 'a password, key or token in a text is never kept; it was left out of it',
})
