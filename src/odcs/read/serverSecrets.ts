import {
  isList,
  isObject,
  pointer,
  toJson,
  type ContentType,
  type Json,
  type JsonObject,
  type Path,
  detach,
  replace,
} from '../model/types.ts'
import { writeYaml } from '../text/yamlTokens.ts'
import { editYaml } from '../text/yamlEdit.ts'

/** Endings of names that denote secrets, without separators: `dbPassword`, `api_key`, `Client Secret`. */
const secretName =
  /(?:password|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|account|private|secret|shared|signing)key)$/

const isSecret = (name: string): boolean => secretName.test(name.toLowerCase().replace(/[^a-z]/g, ''))

/** A secret that must not be stored: a whole member, or a part of its text, which becomes `instead`. */
interface SecretPlace {
  readonly path: Path
  readonly instead?: string
}

/** `scheme://user:password@`, even if the password contains characters that otherwise end the host. */
const login = /^((?:[a-z][\w+.-]*:)+\/\/[^/?#:@\s]*):(?:[^/?#\s]*|(?!\d+(?:[/?#,]|$))\S*)@/i

/** `name=value` after a delimiter of address parameters. */
const parameter = /([?&;])([^=?&;#\s]+)=[^&;#\s]*/g

/** An address without its password and without parameters whose names denote secrets. */
const withoutLogin = (address: string): string =>
  address.includes('://')
    ? address
        .replace(login, '$1@')
        .replace(parameter, (all: string, before: string, name: string) => (isSecret(name) ? `${before}${name}=` : all))
    : address

/**
 * Places of passwords, keys and tokens: members of the document or of a server, custom properties of either, or parts
 * of an address.
 */
export const secretPlaces = (document: JsonObject): SecretPlace[] => {
  const servers = isList(document['servers']) ? document['servers'] : []
  return [
    ...secretsOf(document, []),
    ...servers.flatMap((server, index) => (isObject(server) ? secretsOf(server, ['servers', index]) : [])),
  ]
}

const secretsOf = (element: JsonObject, at: Path): SecretPlace[] => {
  const items = isList(element['customProperties']) ? element['customProperties'] : []
  return [
    ...Object.entries(element).flatMap(([member, value]) => {
      const path = [...at, member]
      return isSecret(member) ? [{ path }] : loginIn(value, path)
    }),
    ...items.flatMap((item, index) => {
      if (!isObject(item)) return []
      const path = [...at, 'customProperties', index]
      return isSecret(String(item['property'])) ? [{ path }] : loginIn(item['value'], [...path, 'value'])
    }),
  ]
}

const loginIn = (value: Json | undefined, path: Path): SecretPlace[] => {
  if (typeof value !== 'string') return []
  const instead = withoutLogin(value)
  return instead === value ? [] : [{ path, instead }]
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

export const secretWarning = ({ path, instead }: SecretPlace) => ({
  path: pointer(path),
  message:
    instead === undefined
      ? 'a password, key or token is never kept; it was left out'
      : 'a password, key or token in an address is never kept; it was left out of it',
})
