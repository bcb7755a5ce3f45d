import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { jsonPointer } from '../../shared/jsonPointer.ts'
import type { Problem, Tools } from '../defineKind.ts'

/** What answers show in place of a secret. Sent back, it means the secret that is stored. */
export const mask = '********'

/** The member that marks a sealed secret; no request may have it. */
export const sealedMember = '$sealed'

interface Sealed extends JsonObject {
  $sealed: string
}

const isSealed = (value: Json | undefined): value is Sealed =>
  isObject(value) && typeof value[sealedMember] === 'string'

/** `awsSecretAccessKey` → aws, secret, access, key. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** A last word that says how the text is spelled, not what it is. */
const spelling = set('value text string base64 encoded json data content plain pem raw')

/** A last word after which the name speaks about a secret and does not hold it. */
const about = set(
  'endpoint url uri type path file filename name arn expiry expires expiration ttl lifetime provider manager policy ' +
    'location method enabled required version length format header field parameter authenticator authentication mode ' +
    'scope scopes size count algorithm alias',
)

const always = set(
  'password passwords passwd pwd passcode passphrase secret secrets credential credentials authorization dsn sas',
)

const atTheEnd = set('token tokens pat key keys jwt pin cookie')

/** Keys that open nothing. */
const openKeys = set(
  'public primary partition sort foreign cluster clustering dist distribution object index project row column group ' +
    'unique natural business message routing cache translation display record document event',
)

const runTogether =
  /(password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|secretkey|accountkey|credentials?)$/

/** Does a member of this name hold a secret? */
export const isSecretName = (name: string): boolean => {
  const words = wordsOf(name)
  if (words.join(' ').endsWith('connection string')) return true
  while (words.length > 1 && spelling.has(words.at(-1) as string)) words.pop()
  const last = words.at(-1)
  if (last === undefined || (words.length > 1 && about.has(last))) return false
  if (words.some((word) => always.has(word))) return true
  if (runTogether.test(last)) return true
  if (!atTheEnd.has(last)) return false
  return !last.startsWith('key') || !openKeys.has(words.at(-2) ?? '')
}

/** Below a member that holds secrets everything is one, but for what only describes it. */
const describing = set('type id name user username email region url uri endpoint host hostname port scope scopes')

const isDescribing = (name: string): boolean => describing.has(wordsOf(name).at(-1) ?? '') && !isSecretName(name)

/** A password inside an address: `postgres://user:password@host`. */
const addressWithPassword = /^[a-z][a-z0-9+.:-]*:\/\/[^/\s:@]*:[^/\s@]+@/i

/** Seals the secrets of one object, or keeps those that are stored already. */
interface Sealing {
  readonly tools: Tools
  readonly problems: Problem[]
}

/**
 * The value with each secret sealed. A secret that equals the stored one, or that is the mask, stays the stored one, so
 * that the same request twice changes nothing.
 * @param stored the value as it is now
 */
export const sealSecrets = (
  value: Json,
  stored: Json | undefined,
  path: string,
  sealing: Sealing,
  secret = false,
): Json => {
  if (isSealed(value)) return value
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      sealSecrets(item, Array.isArray(stored) ? stored[index] : undefined, `${path}/${index}`, sealing, secret),
    )
  }
  if (isObject(value)) {
    const old: JsonObject = isObject(stored) && !isSealed(stored) ? stored : {}
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const below = secret ? !isDescribing(name) : isSecretName(name)
        return [name, sealSecrets(member, old[name], `${path}${jsonPointer(name)}`, sealing, below)]
      }),
    )
  }
  return sealText(value, stored, path, sealing, secret)
}

const sealText = (
  value: null | boolean | number | string,
  stored: Json | undefined,
  path: string,
  { tools, problems }: Sealing,
  secret: boolean,
): Json => {
  const plain = typeof value === 'number' && secret ? String(value) : value
  if (typeof plain !== 'string' || plain === '') return value
  if (plain === mask && isSealed(stored)) return stored
  if (!secret && !addressWithPassword.test(plain)) return value
  if (plain === mask) {
    problems.push({ path, message: 'is masked, and no secret is stored here: send the secret itself' })
    return value
  }
  return isSealed(stored) && opened(stored, tools) === plain ? stored : tools.seal(plain)
}

/** `undefined` when the secret was sealed with another key: then it is sealed anew. */
const opened = (sealed: JsonObject, tools: Tools): string | undefined => {
  try {
    return tools.open(sealed)
  } catch {
    return undefined
  }
}

/** The value as clients may see it: each sealed secret is the mask. */
export const maskSecrets = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (!isObject(value)) return value
  if (isSealed(value)) return mask
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskSecrets(member)]))
}
