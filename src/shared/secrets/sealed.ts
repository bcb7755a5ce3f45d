import { isObject, type Json, type JsonObject } from '../json.ts'
import { isSecretName, isShownName, mask, shownText } from './shownText.ts'

/** The member that marks a sealed secret; no request may have it. */
export const sealedMember = '$sealed'

export interface Sealed extends JsonObject {
  /** The secret, encrypted; or as it stands in an event from before it was known for one, see {@link conceal}. */
  $sealed: string
}

export const isSealed = (value: Json | undefined): value is Sealed =>
  isObject(value) && typeof value[sealedMember] === 'string'

/** What clients see of a sealed secret: the mask, or an address without what it carries to get in. */
export const shownOf = (sealed: JsonObject): string => (typeof sealed['$shown'] === 'string' ? sealed['$shown'] : mask)

export const sealedAs = (sealed: JsonObject, shown: string): JsonObject =>
  shown === mask ? sealed : { ...sealed, $shown: shown }

/** The value as clients may see it: of sealed secrets what may be seen, of personal values still sealed nothing. */
export const maskSecrets = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (!isObject(value)) return value
  if (isSealed(value)) return shownOf(value)
  if (isPersonal(value)) return mask
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskSecrets(member)]))
}

/** Where a value stands: the name that it has, or that the list has in which it stands. */
export interface SettingPlace {
  readonly name: string
  /** Something above it speaks of a secret. */
  readonly secret: boolean
}

/** Below a member of this name. */
export const below = (name: string, { secret }: SettingPlace): SettingPlace => ({
  name,
  secret: secret || isSecretName(name),
})

/** What may be seen of a value that is no list and no object; as it is when it is no secret. Of a secret: a text. */
export const shownScalar = (value: null | boolean | number | string, { name, secret }: SettingPlace): typeof value => {
  if (typeof value === 'number') return secret && shownText(name, String(value)) === mask ? mask : value
  if (typeof value !== 'string') return value
  if (!secret && /^(?:true|false|yes|no)$/i.test(value)) return value
  return shownText(name, value)
}

/** How a secret is kept that an event has as it was sent: not encrypted, but marked, so that it is never shown. */
const unencrypted = 'v0:'

const marked = (value: Json, shown: string): JsonObject =>
  sealedAs({ [sealedMember]: unencrypted + Buffer.from(JSON.stringify(value)).toString('base64') }, shown)

/** The secret that {@link conceal} marked; `undefined` when it is encrypted. */
export const concealed = (sealed: Sealed): Json | undefined =>
  sealed.$sealed.startsWith(unencrypted)
    ? (JSON.parse(Buffer.from(sealed.$sealed.slice(unencrypted.length), 'base64').toString()) as Json)
    : undefined

/** Settings with each secret that stands in them as it was sent marked as one. Pure; what is sealed stays. */
export const conceal = (value: Json, at: SettingPlace = { name: '', secret: false }): Json => {
  if (Array.isArray(value)) return value.map((item) => conceal(item, at))
  if (isObject(value)) {
    if (isSealed(value)) return value
    if (!Object.keys(value).every(isShownName)) return marked(value, mask)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, conceal(member, below(name, at))]))
  }
  const shown = shownScalar(value, at)
  return shown === value ? value : marked(value, String(shown))
}

/** The member that marks a sealed personal value; no request may have it. */
export const personalMember = '$personal'

/** What a person left out of a value, as events have it: readable as long as its key is kept. */
export interface SealedPersonal extends JsonObject {
  /** `v1:<id of the key>:<iv>:<ciphertext and tag>` */
  $personal: string
}

export const isPersonal = (value: Json | undefined): value is SealedPersonal =>
  isObject(value) && typeof value[personalMember] === 'string'

/** What is shown of a value that cannot be read: its key was destroyed, or cannot be had. */
export type Redaction = 'erased' | 'unreadable'

export const redactedFor = ({ $of }: SealedPersonal, reason: Redaction): Json =>
  $of === 'object' ? { [reason]: true } : `(${reason})`

export const isRedacted = (value: Json | undefined): boolean =>
  value === '(erased)' ||
  value === '(unreadable)' ||
  (isObject(value) && Object.keys(value).length === 1 && (value['erased'] === true || value['unreadable'] === true))

/** Does a JSON text name this member? Few texts have a dollar, and all quotation marks: so it is found absent fast. */
export const namesMarked = (text: string, member: `$${string}`): boolean =>
  text.includes(member) && text.includes(`"${member}"`)
