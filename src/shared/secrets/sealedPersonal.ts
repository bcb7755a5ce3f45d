import { isObject, type Json, type JsonObject } from '../json.ts'

/** The member that marks a sealed personal value; no request may have it. */
export const personalMember = '$personal'

/** What a person left out of a value, as events have it: readable as long as its key is kept. */
export interface SealedPersonal extends JsonObject {
  /** `v1:<id of the key>:<iv>:<ciphertext and tag>` */
  $personal: string
}

export const isPersonal = (value: Json | undefined): value is SealedPersonal =>
  isObject(value) && typeof value[personalMember] === 'string'

/** What is shown where a value was, whose key was destroyed. */
export const erasedText = '(erased)'

/** The same for a value that was no text. */
const erasedObject = { erased: true }

export const erasedFor = ({ $of }: SealedPersonal): Json => ($of === 'object' ? { ...erasedObject } : erasedText)

export const isErased = (value: Json | undefined): boolean =>
  value === erasedText || (isObject(value) && value['erased'] === true && Object.keys(value).length === 1)
