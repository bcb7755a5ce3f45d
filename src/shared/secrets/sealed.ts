import { isObject, type Json, type JsonObject } from '../json.ts'
import { isSecretName, isSafeName, mask, maskText } from './shownText.ts'

/** The member that marks a sealed secret; no request may have it. */
export const sealedMember = '$sealed'

interface Sealed extends JsonObject {
  /** The encrypted secret, or the plain one of an older event, see {@link markPlainSecrets}. */
  $sealed: string
}

export const isSealed = (value: Json | undefined): value is Sealed =>
  isObject(value) && typeof value[sealedMember] === 'string'

/** What clients see of a sealed secret: the mask, or an address without its credentials. */
export const visibleText = (sealed: JsonObject): string =>
  typeof sealed['$shown'] === 'string' ? sealed['$shown'] : mask

export const withVisibleText = (sealed: JsonObject, shown: string): JsonObject =>
  shown === mask ? sealed : { ...sealed, $shown: shown }

/** The value as clients may see it: secrets masked, encrypted personal values removed. */
export const maskSecrets = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (!isObject(value)) return value
  if (isSealed(value)) return visibleText(value)
  if (isPersonal(value)) return mask
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskSecrets(member)]))
}

/** The place of a setting: its own name, or the name of its list. */
export interface SettingPlace {
  readonly name: string
  /** Whether an enclosing name denotes a secret. */
  readonly secret: boolean
}

/** The place below a member of this name. */
export const childPlace = (name: string, { secret }: SettingPlace): SettingPlace => ({
  name,
  secret: secret || isSecretName(name),
})

/** The visible form of a scalar: unchanged unless it is a secret, else a text. */
export const maskScalar = (value: null | boolean | number | string, { name, secret }: SettingPlace): typeof value => {
  if (typeof value === 'number') return secret && maskText(name, String(value)) === mask ? mask : value
  if (typeof value !== 'string') return value
  if (!secret && /^(?:true|false|yes|no)$/i.test(value)) return value
  return maskText(name, value)
}

/** Marks a plain secret of an older event, so that it is never shown. */
const unencrypted = 'v0:'

const markPlain = (value: Json, shown: string): JsonObject =>
  withVisibleText({ [sealedMember]: unencrypted + Buffer.from(JSON.stringify(value)).toString('base64') }, shown)

/** The plain secret that {@link markPlainSecrets} marked; `undefined` if it is encrypted. */
export const plainSecretOf = (sealed: Sealed): Json | undefined =>
  sealed.$sealed.startsWith(unencrypted)
    ? (JSON.parse(Buffer.from(sealed.$sealed.slice(unencrypted.length), 'base64').toString()) as Json)
    : undefined

/** Settings with each plain secret marked. Pure; encrypted ones stay. */
export const markPlainSecrets = (value: Json, at: SettingPlace = { name: '', secret: false }): Json => {
  if (Array.isArray(value)) return value.map((item) => markPlainSecrets(item, at))
  if (isObject(value)) {
    if (isSealed(value)) return value
    if (!Object.keys(value).every(isSafeName)) return markPlain(value, mask)
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, markPlainSecrets(member, childPlace(name, at))]),
    )
  }
  const shown = maskScalar(value, at)
  return shown === value ? value : markPlain(value, String(shown))
}

/** The member that marks a sealed personal value; no request may have it. */
export const personalMember = '$personal'

/** A personal value as events hold it: readable as long as its key exists. */
export interface SealedValue extends JsonObject {
  /** `v1:<id of the key>:<iv>:<ciphertext and tag>` */
  $personal: string
}

export const isPersonal = (value: Json | undefined): value is SealedValue =>
  isObject(value) && typeof value[personalMember] === 'string'

/** Shown in place of a personal value, encrypted or plain, whose key was destroyed or is missing. */
export const redactedFor = (value: Json, reason: 'erased' | 'unreadable'): Json => {
  const isText = isPersonal(value) ? value['$of'] !== 'object' : typeof value === 'string'
  return isText ? `(${reason})` : { [reason]: true }
}

const isRedactedFor = (value: Json | undefined, reason: 'erased' | 'unreadable'): boolean =>
  value === `(${reason})` || (isObject(value) && Object.keys(value).length === 1 && value[reason] === true)

/** Whether the key of the value was missing when it was read. */
export const isUnreadable = (value: Json | undefined): boolean => isRedactedFor(value, 'unreadable')

export const isRedacted = (value: Json | undefined): boolean => isUnreadable(value) || isRedactedFor(value, 'erased')

/** Whether a JSON text contains this member. Looking for the dollar sign first is fast, since few texts have one. */
export const hasJsonMember = (text: string, member: `$${string}`): boolean =>
  text.includes(member) && text.includes(`"${member}"`)
